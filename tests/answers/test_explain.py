"""``mtpbench explain`` and the page that is made of it."""

from __future__ import annotations

import re

import pytest

import analysis
from analysis.answers.explain import explain, overview, page
from analysis.audit import CHECKS
from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.cli import main
from analysis.errors import MtpbenchError


@pytest.mark.parametrize("code", CHECKS)
def test_every_finding_says_why_and_what_to_do(code):
    check = CHECKS[code]
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", code)
    for text in (check.why, check.remedy):
        assert text.endswith(".")
        assert "  " not in text
    assert not check.title.endswith(".")
    said = explain(code)
    assert said.startswith(f"{code}: {check.title} ({check.level}: ")
    assert check.why in said
    assert check.remedy in said


def test_every_code_that_a_parser_gives_is_explained():
    sources = "".join(
        path.read_text(encoding="utf-8") for path in (PROJECT_ROOT / "analysis").rglob("*.py")
    )
    given = set(re.findall(r'\(\s*"(?:error|warning|note)",\s*"([a-z]+(?:-[a-z]+)+)"', sources))
    assert {"row-cut", "number-unread", "columns-inferred", "log-broken"} <= given
    assert given <= CHECKS.keys()


def test_the_command(capsys):
    assert main(["explain", "sum-mismatch"]) == 0
    assert "Why it matters: mtp-bench adds its rows up" in capsys.readouterr().out
    assert main(["explain"]) == 0
    listed = capsys.readouterr().out
    assert listed == overview()
    assert [line.split()[0] for line in listed.splitlines()] == list(CHECKS)
    assert main(["explain", "--markdown"]) == 0
    assert capsys.readouterr().out == page()


def test_an_unknown_code_names_close_ones(capsys):
    assert main(["explain", "sum-missmatch"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: there is no finding 'sum-missmatch'; did you mean sum-mismatch")
    with pytest.raises(MtpbenchError, match="list the codes with no argument"):
        analysis.explain("§")
