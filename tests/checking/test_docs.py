"""The examples of docs/check.md have the verdicts that it says."""

from __future__ import annotations

import re

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from tests.checking.test_sentences import status

DOC = (PROJECT_ROOT / "docs" / "check.md").read_text(encoding="utf-8")
EXAMPLES = [
    (kind, sentence)
    for kind, block in re.findall(
        r"<!-- (verified|differs|not tied) -->\n(.*?)<!-- end", DOC, re.DOTALL
    )
    for sentence in re.findall(r"^- (.*)$", block, re.MULTILINE)
]


@pytest.mark.parametrize(("kind", "sentence"), EXAMPLES)
def test_an_example_has_its_verdict(kind: str, sentence: str) -> None:
    assert status("qwen3.6-35b-a3b-dspark", sentence) == kind.replace("not tied", "untied")


def test_there_are_examples_of_every_verdict() -> None:
    assert {kind for kind, _ in EXAMPLES} == {"verified", "differs", "not tied"}
    assert len(EXAMPLES) > 15
