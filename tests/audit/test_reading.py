from __future__ import annotations

from collections.abc import Callable

import pytest

from analysis.audit import CHECKS, audit_runs
from analysis.parsers import Document, parse


@pytest.mark.parametrize(
    ("code", "spoil"),
    [
        ("row-cut", lambda text: text.replace("tok/s=50.0", "")),
        ("aggregate-cut", lambda text: text[: text.index('"total_draft"')]),
        ("number-unread", lambda text: text.replace("tok/s=50.0", "tok/s=inf")),
        ("no-rows", lambda text: text + text[text.index("Aggregate") :]),
    ],
)
def test_what_parsers_report_is_explained_and_kept(
    code: str, spoil: Callable[[str], str], log: Callable[..., str]
) -> None:
    text = log([("code_python", 100, 0, 0, 100.0), ("qa_factual", 50, 0, 0, 50.0)])
    clean = parse(Document.of(text, "a.log"))
    assert not [finding for run in clean for finding in run.findings]
    (finding,) = [
        finding
        for finding in audit_runs(parse(Document.of(spoil(text), "a.log")))
        if finding.code == code
    ]
    assert finding.level == CHECKS[code].level
    assert finding.where.startswith("a.log:")
