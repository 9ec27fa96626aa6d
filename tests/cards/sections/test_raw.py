"""Raw results: lines for people are shown, records for programs are identified."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.cards.facts import Facts
from analysis.cards.sections import raw
from analysis.records import Source
from tests import committed
from tests.planted import PLANTED, found_in

Make = Callable[..., object]


@pytest.fixture
def shown(tmp_path: Path, campaign: Make, run: Make, task: Make) -> Callable[[str], str]:
    def write(text: str) -> str:
        (tmp_path / "made.jsonl").write_text(text, encoding="utf-8")
        made = replace(run("made", task("a")), source=Source("made.jsonl", 1, 2))
        facts = Facts(committed.summarised(campaign(made, folder=tmp_path)))
        return str(raw.write(facts, {}))

    return write


def test_short_lines_are_shown_unchanged(shown: Callable[[str], str]):
    text = shown(f"one {'x' * 490}\ntwo\nnot of this run\n")
    assert f"one {'x' * 490}\ntwo\n" in text
    assert "not of this run" not in text
    assert "SHA-256" not in text


@pytest.mark.parametrize(("number", "whole"), [(400, True), (401, False)])
def test_400_lines_are_shown(
    number: int, whole: bool, tmp_path: Path, campaign: Make, run: Make, task: Make
):
    lines = [f"line {place}" for place in range(1, number + 1)]
    (tmp_path / "made.log").write_text("\n".join(lines) + "\n")
    made = replace(run("made", task("a")), source=Source("made.log", 1, number))
    text = str(raw.write(Facts(committed.summarised(campaign(made, folder=tmp_path))), {}))
    assert "line 400\n" in text
    assert ("The first 400 of 401 lines" in text) is not whole


def test_long_records_are_identified_by_size_and_digest(shown: Callable[[str], str]):
    first, second = '{"a": "' + "é" * 600 + '"}', '{"b": 1}' + " " * 600
    text = shown(f"{first}\n{second}\nnot of this run\n")
    lines = f"{first}\n{second}".encode()
    assert "éé" not in text
    assert "holds 2 records that a program wrote" in text
    assert f"{len(lines)} bytes" in text
    assert hashlib.sha256(lines).hexdigest() in text


def test_digest_of_a_whole_file_is_what_sha256sum_says(shown: Callable[[str], str], tmp_path: Path):
    text = shown('{"a": "' + "x" * 600 + '"}\r\n{"b": 1}' + " " * 600 + "\r\n")
    data = (tmp_path / "made.jsonl").read_bytes()
    assert f"{len(data)} bytes" in text
    assert hashlib.sha256(data).hexdigest() in text


def test_what_is_private_in_a_line_is_hidden_and_that_is_said(shown: Callable[[str], str]):
    text = shown(
        '{"model": "/home/zaphod/models/a.gguf", "tok/s": 61.9}\nhf_QsecretQabcdefghijklmnop\n'
    )
    assert '{"model": "a.gguf", "tok/s": 61.9}\n***\n' in text
    assert raw.PRIVATE in text
    assert raw.PRIVATE not in shown("one\ntwo\n")


@pytest.mark.parametrize("planted", PLANTED)
def test_nothing_planted_in_a_line_is_shown(planted: str, shown: Callable[[str], str]):
    assert found_in(shown(f"one {planted}\ntwo\n")) == []
