"""The examples in the parsers' docstrings are true."""

import doctest
from importlib import import_module

import pytest

NAMES = [
    "command",
    "fields",
    "grammar",
    "headings",
    "llama_server_lines",
    "llama_server_request",
    "mtp_bench_totals",
    "pasted",
    "spec_words",
    "tables",
]


@pytest.mark.parametrize("name", NAMES)
def test_examples(name):
    result = doctest.testmod(import_module(f"analysis.parsers.{name}"))
    assert result.attempted > 0
    assert result.failed == 0
