"""The examples in the package's docstrings are true."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import analysis

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(analysis.__path__, "analysis.")
    if not module.ispkg
    and ">>> "
    in Path(*analysis.__path__, *module.name.split(".")[1:])
    .with_suffix(".py")
    .read_text(encoding="utf-8")
)


def test_there_are_examples():
    assert len(MODULES) > 20


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    result = doctest.testmod(import_module(name))
    assert result.attempted > 0
    assert result.failed == 0
