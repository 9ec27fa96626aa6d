"""The vocabulary is data: a word more is one in the file, and one line here or a sentence."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.cards.facts import Facts
from analysis.checking.kinds import tokens_of
from analysis.checking.tokens import Token
from analysis.checking.vocabulary import VERBS, Lexicon, vocabulary
from analysis.pipeline import summary_of

MANY = {"links", "columns", "column_kinds", "together", "synonyms"}
"""Kinds whose phrases may mean several things: "explanations" are a class, and one of its tasks."""


@cache
def lexicon(campaign: str) -> Lexicon:
    return Lexicon(Facts(summary_of(PROJECT_ROOT / "raw" / campaign)))


def tokens(text: str, campaign: str = "qwen3.6-35b-a3b-dspark") -> list[Token]:
    return tokens_of(text, lexicon(campaign))


@pytest.mark.parametrize("kind", sorted({*vocabulary()} - MANY))
def test_a_phrase_has_one_meaning_of_a_kind(kind: str) -> None:
    seen: dict[str, str] = {}
    for meaning, phrases in vocabulary()[kind].items():
        for phrase in phrases:
            assert seen.setdefault(phrase, meaning) == meaning, phrase


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("swifter", "comparatives", "throughput+"),
        ("speediest", "superlatives", "throughput+"),
        ("outpaced", "beats", "+"),
        ("lagged behind", "beats", "-"),
        ("shrinks", "changes", "-"),
        ("tokens per second", "quantities", "throughput"),
        ("wall-clock time", "quantities", "time"),
        ("proposes", "actions", "drafted"),
        ("compared with", "references", "than"),
        ("worthwhile", "pays", "+"),
        ("might", "hedges", "would"),
        ("overall", "whole", "all"),
        ("extrapolated", "estimates", "words"),
    ],
)
def test_words(text: str, kind: str, value: str) -> None:
    (token,) = tokens(text)
    assert (token.kind, token.value) == (kind, value)


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("DSpark, n_max 2", [("dspark-n2",)]),
        ("dflash with n_max = 7", [("dflash-n7",)]),
        ("DSpark max 2 vs max 3", [("dspark-n2",), ("dspark-n3",)]),
        ("DSpark depths 2, 3 and 5", [("dspark-n2",), ("dspark-n3",), ("dspark-n5",)]),
        ("depth three", [("dspark-n3",)]),
        ("dspark-n5", [("dspark-n5",)]),
        ("DSpark 5", [("dspark-n5",)]),
        ("draft-dspark at depth 5.", [("dspark-n5",)]),
        ("--spec-draft-n-max 7", [("dflash-n7",)]),
        ("the no-speculation baseline", [("baseline",)]),
        ("plain decoding", [("baseline",)]),
        ("DSpark wins", [("dspark-n2", "dspark-n3", "dspark-n5")]),
        ("DFlash max 9", [()]),
        ("DSpark max 7", [()]),
        ("n_max = 2/3", [("dspark-n2",), ("dspark-n3",)]),
        ("the maximum of max 2.5", []),
        ("pre-DFlash or dashboard", []),
        ("DFlash drafts 3 tokens", [("dflash-n7",)]),
    ],
)
def test_runs(text: str, runs: list[tuple[str, ...]]) -> None:
    assert [one.value for one in tokens(text) if one.kind == "run"] == runs


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("the n-gram pool", [("ngram-mod",)]),
        ("Self-draft", [("self-n4",)]),
        ("max 4", [("self-n4",)]),  # the other of this depth is simulated
        ("DFlash by coin", [("dflash-n4",)]),
    ],
)
def test_runs_by_the_words_of_their_labels(text: str, runs: list[tuple[str, ...]]) -> None:
    assert [one.value for one in tokens(text, "live-demo") if one.kind == "run"] == runs


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("code_cpp", [(None, "code_cpp")]),
        ("code completion", [(None, "code_completion")]),
        ("JSON", [(None, "json_output")]),
        ("coding tasks", [("code", None)]),
        ("Code and structured output", [("code", None)]),
        ("translation", [(None, "translation")]),
        ("code_cpp_2", []),
        ("short prompts", []),
    ],
)
def test_tasks_and_classes(text: str, places: list[tuple[str | None, str | None]]) -> None:
    assert [one.value[0] for one in tokens(text) if one.kind == "scope"] == places


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("133.9 against 113.2 tok/s", [(133.9, "rate", ""), (113.2, "rate", "")]),
        ("133.9 tok/s against 113.2", [(133.9, "rate", ""), (113.2, "rate", "")]),
        (
            "2.2x: 275.9 tok/s against 125.3",
            [(2.2, "times", ""), *((one, "rate", "") for one in (275.9, 125.3))],
        ),
        ("56.0 % against 0.433", [(56.0, "percent", ""), (0.433, "", "")]),
        ("11-14 %", [(11.0, "percent", ""), (14.0, "percent", "")]),
        ("2, 3 and five %", [(2.0, "percent", ""), (3.0, "percent", ""), (5.0, "percent", "")]),
        ("~18 %", [(18.0, "percent", "about")]),
        ("more than 18 %", [(18.0, "percent", "gt")]),
        ("18 or 5 ms, or 3", [(18.0, "ms", ""), (5.0, "ms", ""), (3.0, "", "")]),
        ("17.43 | 108.5 tok/s", [(17.43, "", ""), (108.5, "rate", "")]),
    ],
)
def test_units_and_bounds_beside_figures(text: str, figures: list[tuple[float, str, str]]) -> None:
    found = [(one.figure, one.bound) for one in tokens(text) if one.figure]
    assert [(figure.value, figure.unit, bound) for figure, bound in found] == figures


@given(st.text(max_size=60))
def test_any_text_has_tokens_inside_of_it_and_in_order(text: str) -> None:
    start = 0
    for token in tokens(text):
        assert start <= token.start < token.end <= len(text)
        start = token.start + 1


def test_verbs_have_their_forms() -> None:
    forms = {one for kind in VERBS for phrases in vocabulary()[kind].values() for one in phrases}
    assert {"beats", "beating"} <= forms
    assert {"dropped", "dropping", "drops"} <= forms
    assert {"carries on", "carried on"} <= forms
    assert "loses to" in forms


def test_braces_give_a_choice_of_words() -> None:
    assert {"turn it off", "turn off drafting"} <= {*vocabulary()["advice"]["off"]}
