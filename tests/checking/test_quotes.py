"""Quoted log lines: to the digit, whatever stands before them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.checking import Checker
from analysis.pipeline import summary_of
from tests.checking.mutation import mutated

SERVER = (Path(__file__).parent / "data" / "server.log").read_text(encoding="utf-8")
PREFIXES = [
    "",
    "Dec 01 10:00:01 box llama-server[812]: ",
    "2026-12-01T10:00:01.123Z ",
    "llama-1  | ",
    "[pod/llama-0/server] ",
    "42:",
    "> ",
]


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    folder = tmp_path_factory.mktemp("quoted")
    (folder / "server.log").write_text(SERVER, encoding="utf-8")
    (folder / "campaign.toml").write_text(
        '[campaign]\ntitle = "quoted"\n[[runs]]\nid = "mtp"\nlog = "server.log"\n'
        'spec_type = "draft-mtp"\nn_max = 3\n'
    )
    return Checker(summary_of(folder))


def fenced(line: str) -> str:
    return f"```text\n{line}\n```\n"


LINES = [line for line in SERVER.splitlines() if "print_timing" in line]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_line_is_known_behind_any_prefix(checker: Checker, prefix: str) -> None:
    for line in LINES:
        bare = line.split(" I ", 1)[1]
        for quoted in (f"{prefix}{line}", f"{prefix}{bare}"):
            (found,) = checker(fenced(quoted)).verdicts
            assert (found.status, found.kind) == ("verified", "quote"), quoted
            assert found.source in (f"server.log:{number}" for number in range(2, 6))


def test_every_figure_of_a_server_line_counts_its_clock_too(checker: Checker) -> None:
    for line in LINES:
        for spot in mutated(line):
            wrong = (
                line[: spot.start]
                + ("1" if spot.numeral[0] != "1" else "2")
                + line[spot.start + 1 :]
            )
            (found,) = checker(fenced(wrong)).verdicts
            assert found.status == "differs", wrong


def test_counts_in_a_sentence_are_those_of_the_log(checker: Checker) -> None:
    assert [one.status for one in checker("55 accepted of 119 drafted tokens.").verdicts] == [
        "verified"
    ]
    assert "verified" not in {
        one.status for one in checker("55 accepted of 191 drafted tokens.").verdicts
    }


def test_a_line_of_another_run_is_no_excuse() -> None:
    checker = Checker(summary_of(PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark"))
    row = "code_cpp  pred=  54 draft=  63 acc=  {} rate=0.714 tok/s=229.5"
    (good,) = checker(f"### DFlash max 7\n\n{row.format(45)}\n").verdicts
    assert (good.status, good.source) == ("verified", "dflash-n7.log:2")
    (wrong,) = checker(f"### DFlash max 7\n\n{fenced(row.format(46))}").verdicts
    assert (wrong.status, wrong.figures, wrong.source) == ("differs", ("46",), "dflash-n7.log:2")


def test_every_figure_of_a_quoted_log_counts() -> None:
    checker = Checker(summary_of(PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark"))
    log = (PROJECT_ROOT / "raw/qwen3.6-35b-a3b-dspark/dspark-n3.log").read_text(encoding="utf-8")
    text = f"### DSpark max 3\n\n{fenced(log)}"
    assert checker(text).agrees
    spots = [spot for spot in mutated(text) if spot.line > 3]
    assert len(spots) > 60
    for spot in spots:
        wrong = (
            text[: spot.start] + ("1" if spot.numeral[0] != "1" else "2") + text[spot.start + 1 :]
        )
        assert [one.line for one in checker(wrong).those("differs")] == [spot.line]


def test_runs_of_one_file_are_held_against_their_own_lines(tmp_path: Path) -> None:
    raw = PROJECT_ROOT / "raw/qwen3.6-35b-a3b-dspark"
    parts = [(raw / name).read_bytes() for name in ("baseline.log", "dspark-n3.log")]
    (tmp_path / "two.log").write_bytes(b"".join(parts))
    runs = [
        f'[[runs]]\nid = "{name}"\nlog = "two.log"\nblock = {number}\n'
        for number, name in enumerate(["one", "other"], start=1)
    ]
    (tmp_path / "campaign.toml").write_text('[campaign]\ntitle = "two"\n' + "".join(runs))
    checker = Checker(summary_of(tmp_path))
    text = '## {}\n\n```\n  "total_predicted": {},\n```\n'
    assert checker(text.format("other", 1889)).agrees
    # The total of the other block is no excuse.
    (found,) = checker(text.format("other", 1890)).those("differs")
    assert found.source == "two.log:39"


def test_a_json_row_is_quoted_whole() -> None:
    folder = PROJECT_ROOT / "raw" / "live-demo"
    checker = Checker(summary_of(folder))
    row = next(
        line
        for line in (folder / "live/self-n4.jsonl").read_text().splitlines()
        if '"task"' in line
    )
    (found,) = checker(fenced(row)).verdicts
    assert found.status == "verified"
    wrong = re.sub(r'("repeat": )1', r"\g<1>7", row)
    assert wrong != row
    assert not checker(fenced(wrong)).agrees


@pytest.mark.parametrize(("sign", "status"), [("18.2", "verified"), ("19.2", "differs")])
def test_a_sentence_in_quotation_marks_is_no_log_line(sign: str, status: str) -> None:
    checker = Checker(summary_of(PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark"))
    (found,) = checker(f'"DFlash max 7 is {sign} % faster than the baseline."\n').verdicts
    assert (found.kind, found.status) == ("sentence", status)


def test_a_title_that_names_lines_of_a_log_says_which_run_is_quoted() -> None:
    checker = Checker(summary_of(PROJECT_ROOT / "raw/qwen3.6-35b-a3b-dspark"))
    text = '## {}\n\n```\n  "total_predicted": 1,\n```\n'
    (found,) = checker(text.format("dspark-n3.log:1-22")).those("differs")
    assert found.source == "dspark-n3.log:17"
    assert checker(text.format("other.log:1-22")).agrees
