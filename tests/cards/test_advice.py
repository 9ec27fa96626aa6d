"""What the first screen advises, and what it says where advice looks like a mistake."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest

from analysis.cards.advice import _nearly, advice
from analysis.cards.facts import Facts
from analysis.cards.verdict import verdict
from analysis.summary import Summary
from tests import committed
from tests.cards.conftest import make_run, plain, uniform


def test_who_measured_faster_than_what_is_advised_is_named() -> None:
    text = str(advice(Facts(committed.summary("qwen3.6-35b-a3b-dflash"))))
    assert (
        "- **Explanation and code review:** use DFlash, n_max 2 (114.8 tok/s); DFlash, n_max 3 "
        "measured 120.5 on 2 prompts, likely by luck: all depths together put it behind\n" in text
    )
    assert "- **Code and structured output:** use DFlash, n_max 5 (233.1 tok/s)\n" in text


def test_who_measured_faster_by_less_than_a_percent_is_not() -> None:
    text = str(advice(Facts(committed.summary("qwen3.6-35b-a3b-dflash"))))
    assert "- **Factual questions and reasoning:** use DFlash, n_max 5 (172.9 tok/s)\n" in text


def test_one_that_is_hardly_faster_than_what_all_prompts_have_is_named_so() -> None:
    summary = committed.summary("qwen3.6-35b-a3b-dflash")
    facts = Facts(summary)
    usual = [replace(choice, basis="usual") for choice in facts.own_choices]
    facts.__dict__["own_choices"] = tuple(usual)
    assert "DFlash, n_max 3 measured 120.5, but should hardly be faster" in str(advice(facts))


def test_doubt_has_its_mark_and_a_rival_its_place() -> None:
    text = str(advice(Facts(committed.summary("qwen3.6-35b-a3b-dspark"))))
    assert text.startswith("With DSpark alone:\n\n- **Code")
    assert "leave speculation off (DSpark, n_max 3: ~0.95×)" in text
    assert "leave speculation off (DSpark, n_max 2: 0.68×)" in text


def test_off_for_all_is_one_line(loses: Summary) -> None:
    assert str(advice(Facts(loses))) == "- **Every workload:** leave speculation off"


def test_the_verdict_is_on_all_that_was_tried_where_nothing_is_faster(loses: Summary) -> None:
    assert "no configuration measured is faster.** The closest, DSpark, n_max 2, is" in str(
        verdict(Facts(loses))
    )
    live = str(verdict(Facts(committed.summary("live-demo"))))
    # With the flags that start it, those of the campaign's own among them.
    assert (
        "The closest, n-gram pool, up to 8 (`--spec-type ngram-mod --spec-ngram-mod-n-max 8 "
        "--spec-ngram-mod-n-min 1 --spec-ngram-mod-n-match 4`), is 0.92× as fast as" in live
    )


def test_the_verdict_is_on_the_card_s_method_where_another_is_faster(
    summary_of: Callable[..., Summary],
) -> None:
    runs = [
        make_run("a", uniform(70.0, 195, 60), label="A"),
        make_run("b", uniform(150.0, 260, 200), "draft-dflash", 7, "B"),
        plain(),
    ]
    card = {"spec_type": "draft-dspark"}
    text = str(verdict(Facts(summary_of(runs, baseline="plain", card=card))))
    assert "no configuration measured with DSpark is faster.** The closest, A, is" in text


def test_one_configuration_has_nothing_that_is_closer(summary_of: Callable[..., Summary]) -> None:
    runs = [make_run("a", uniform(70.0, 195, 60), label="A"), plain()]
    text = str(verdict(Facts(summary_of(runs, baseline="plain"))))
    assert text.startswith("**Leave speculation off:** A is 0.7")
    assert "closest" not in text


def test_one_whose_speedup_is_not_known_may_be_faster(summary_of: Callable[..., Summary]) -> None:
    runs = [
        make_run("a", uniform(70.0, 195, 60), label="A"),
        make_run("b", uniform(150.0, 260, 200), "draft-dflash", 7, "B", concurrency=4),
        make_run("plain", uniform(100.0, 0, 0), "none", None, "Plain", concurrency=1),
    ]
    runs[0] = replace(runs[0], concurrency=1)
    card = {"spec_type": "draft-dspark"}
    facts = Facts(summary_of(runs, baseline="plain", card=card))
    assert facts.gain(facts.by_id["b"]) is None
    assert "no configuration measured with DSpark is faster" in str(verdict(facts))


@pytest.mark.parametrize(("rate", "near"), [(97.1, True), (96.9, False), (None, False)])
def test_a_shallower_one_is_near_within_three_percent(rate: float | None, near: bool) -> None:
    best, other = (SimpleNamespace(aside=False, n_max=depth) for depth in (4, 2))
    facts = SimpleNamespace(rate=lambda run: 100.0 if run is best else rate)
    assert _nearly(facts, other, best) is near
    assert not _nearly(facts, best, other)
