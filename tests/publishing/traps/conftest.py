from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from analysis.models.model_files import ModelFile, Part
from analysis.publishing.traps import traps
from analysis.summary import Summary
from tests.cards.conftest import make_run, plain, summary_of, uniform

__all__ = ["summary_of"]

Found = Callable[..., list[str]]


def draft(**stated: Any) -> ModelFile:
    return ModelFile((Part("dspark-Q4_K_M.gguf", 1),), "dflash", role="draft", **stated)


@pytest.fixture
def found(summary_of: Callable[..., Summary]) -> Found:
    """``found(command, *paths, code=…, method=…, **campaign)``: what is said of that code."""

    def look(
        text: str = "",
        *paths: str,
        code: str,
        method: str = "draft-dspark",
        repository: str | None = None,
        findings: tuple[Any, ...] = (),
        **campaign: Any,
    ) -> list[str]:
        runs = [make_run("fast", uniform(150.0, 195, 120), method, 3), plain()]
        summary = summary_of(runs, "plain", findings, **campaign)
        said = traps(summary, text, paths, repository)
        return [trap.problem for trap in said if trap.code == code]

    return look
