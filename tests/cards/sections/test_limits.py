"""Limits: what the greedy outputs allow to say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from analysis.cards.facts import Facts
from analysis.cards.sections import limits
from analysis.records import Finding, Run
from tests import committed

Make = Callable[..., object]


@pytest.fixture
def said(campaign: Make, run: Make, task: Make) -> Callable[..., str]:
    """``said(plain=…, fast=…)``: the section for the outputs of task `a`, one token each."""

    def write(temperature: float = 0.0, **outputs: Sequence[int]) -> str:
        def made(id: str, tokens: Sequence[int]) -> Run:
            results = [
                task("a", repeat=repeat, output_hash=str(token), tokens=(token,))
                for repeat, token in enumerate(tokens, start=1)
            ]
            spec_type = "none" if id == "plain" else "draft-mtp"
            return run(id, *results, temperature=temperature, prompt_set="p", spec_type=spec_type)

        whole = campaign(*(made(id, tokens) for id, tokens in outputs.items()), baseline="plain")
        return str(limits.write(Facts(committed.summarised(whole, committed.audited(whole))), {}))

    return write


@pytest.fixture
def repeated(campaign: Make, run: Make, task: Make) -> Callable[..., str]:
    """``repeated(plain=…, fast=…)``: the section for tasks `a` at these rates, one per repeat."""

    def write(baseline: str | None = "plain", **rates: Sequence[float]) -> str:
        def made(id: str, drafted: int) -> Run:
            results = [
                task("a", 100, drafted, drafted // 2, rate, repeat=repeat)
                for repeat, rate in enumerate(rates[id], start=1)
            ]
            return run(id, *results, spec_type="draft-mtp" if drafted else "none")

        whole = campaign(made("plain", 0), made("fast", 90), baseline=baseline)
        return str(limits.write(Facts(committed.summarised(whole)), {}))

    return write


def test_why_repeats_gave_no_interval(repeated: Callable[..., str]):
    assert "identical in all the times" in repeated(plain=[50.0, 50.0], fast=[80.0, 80.0])
    assert "there is no baseline" in repeated(None, plain=[50.0, 51.0], fast=[80.0, 82.0])
    assert "ran on one server start" in repeated(plain=[50.0], fast=[80.0, 82.0])
    once = repeated(plain=[50.0], fast=[80.0])
    assert "Every configuration was measured once, which does not show" in once
    assert "assume a standard deviation of 2.0 %" in once
    for words in ("Configurations were repeated", "identical in all the times"):
        assert words not in repeated(plain=[50.0, 51.0], fast=[80.0, 82.0])
        assert words not in once


def test_equal_outputs(said: Callable[..., str]):
    text = said(plain=[1, 1], fast=[1, 1], deep=[1, 1])
    assert "every one of the 4 outputs compared with the baseline's is the same" in text
    assert "greedy-" not in text


def test_different_outputs_with_a_control(said: Callable[..., str]):
    text = said(plain=[1, 1], fast=[1, 2], deep=[1, 1])
    assert "1 of the 4 outputs compared with the baseline's differ, although" in text
    assert "Warning, greedy-differs: fast does not give" in text
    assert "is the same" not in text


@pytest.mark.parametrize("plain", [[1], [1, 3]])
def test_different_outputs_without_a_control(said: Callable[..., str], plain: list[int]):
    text = said(plain=plain, fast=[2, 2])
    assert "2 of the 2 outputs" in text
    assert "can't be told" in text
    assert "although" not in text


def test_nothing_is_said_of_sampled_outputs(said: Callable[..., str]):
    assert "At temperature 0" not in said(temperature=0.8, plain=[1, 1], fast=[2, 2])


@pytest.mark.parametrize(("notes", "folded"), [(3, False), (4, True)])
def test_more_than_three_findings_are_folded_away(notes: int, folded: bool):
    findings = [Finding("note", f"made-{n}", "x.log", f"said {n}") for n in range(notes)]
    text = str(limits._audit(findings))
    assert "said 2" in text
    assert ("<details>" in text) is folded


@pytest.mark.parametrize(("number", "few"), [(30, True), (31, False)])
def test_up_to_30_tasks_are_few(number: int, few: bool, campaign: Make, run: Make, task: Make):
    made = campaign(run("x", *(task(f"t{n}") for n in range(number))))
    text = str(limits.write(Facts(committed.summarised(made)), {}))
    assert (f"{number} tasks" in text) is few
