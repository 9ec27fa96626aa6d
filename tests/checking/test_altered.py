"""A true claim of prose, turned into another one word by word, is no longer verified."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.checking import Checker
from analysis.pipeline import summary_of

TEXT = (Path(__file__).parent / "data" / "findings.md").read_text(encoding="utf-8")
TURNED = (
    ("faster", "slower"), ("fastest", "slowest"), ("highest", "lowest"), ("higher", "lower"),
    ("more", "fewer"), ("better", "worse"), ("strongest", "weakest"), ("falls", "rises"),
    ("first", "second"), ("Leave speculation off", "Turn speculation on"), ("Use", "Avoid"),
    ("drafts", "accepts"), ("max 2", "max 3"), ("12 of the 13", "13 of the 13"),
)  # fmt: skip
NUMERAL = re.compile(r"(?<!max )(?<!of the )\b\d+(?:\.\d+)?(?=%| %| more)")


def altered(line: str) -> Iterator[str]:
    """A line with one word turned, or the first digit of one figure."""
    for pair in TURNED:
        for old, new in (pair, pair[::-1]):
            for found in re.finditer(rf"\b{old}\b", line):
                yield line[: found.start()] + new + line[found.end() :]
    for found in NUMERAL.finditer(line):
        digit = str(int(found[0][0]) % 9 + 1)
        yield line[: found.start()] + digit + line[found.start() + 1 :]


def test_no_altered_claim_is_verified() -> None:
    checker = Checker(summary_of(PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark"))
    assert {found.status for found in checker(TEXT).verdicts} == {"verified"}
    lines = TEXT.split("\n")
    right = len(checker(TEXT).verdicts)
    passed, tried = [], 0
    for number, line in enumerate(lines):
        for other in altered(line) if not line.startswith("#") else ():
            tried += 1
            found = checker("\n".join([*lines[:number], other, *lines[number + 1 :]]))
            if len(found.those("verified")) >= right:
                passed.append(other)
    assert passed == []
    assert tried > 30
