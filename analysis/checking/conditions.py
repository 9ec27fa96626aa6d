"""Which recorded conditions does a text state, and are they so? *temperature 0*, *b9831*

The patterns of the vocabulary read a campaign's record as they read a text; what is stated holds
where the record states the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache

import pandas as pd

from analysis.cards.facts import Facts
from analysis.checking.claim import Claim
from analysis.checking.tokens import Token
from analysis.checking.vocabulary import LINKS, vocabulary
from analysis.statistics.lossless import IDENTICAL

__all__ = ["as_words", "condition_claims", "stated_conditions"]

_NUMBERS = {words[0]: number for number, words in vocabulary()["numbers"].items()}
_MEANT = {word: to for to, words in vocabulary()["condition_words"].items() for word in words}
_COUNTED = LINKS["counted conditions"]
_SETTINGS = ("build", "temperature", "concurrency", "repeats", "n_requests")


@cache
def _patterns() -> Sequence[tuple[str, re.Pattern[str]]]:
    number = rf"\b(?:\d+(?:\.\d+)?|{'|'.join(_NUMBERS)})"
    return [
        (topic, re.compile("(?i)" + one.replace("{n}", "(?P<value>{m})").replace("{m}", number)))
        for topic, patterns in vocabulary()["conditions"].items()
        for one in patterns
    ]


def _stated(text: str) -> Iterator[tuple[str, str, re.Match[str]]]:
    """The conditions of a text: topic, value ("none" without one), and where."""
    for topic, pattern in _patterns():
        for match in pattern.finditer(text):
            yield topic, _meant(topic, match.groupdict().get("value") or "none"), match


def _meant(topic: str, words: object) -> str:
    said = " ".join(str(words).lower().split())
    if topic == "date":
        return str(pd.to_datetime(said, errors="coerce", format="mixed"))[:10]
    said = (_NUMBERS | _MEANT).get(said, said)
    return said.removesuffix(".0") if said.replace(".", "").isdigit() else said


@lru_cache(maxsize=1)
def _recorded(facts: Facts) -> Mapping[str, set[str]]:
    """What a campaign records of each condition; what it does not record has no entry."""
    campaign, runs, found = facts.summary.campaign, facts.runs, dict[str, set[str]]()
    card = {name: campaign.card.get(name) for name in ("quantization", "draft_file")}
    for name, text in {**campaign.conditions, **card}.items():
        if name not in card and "not recorded" not in str(text):
            found[name] = set()
        for topic, value, _ in _stated(f"{name} {text} {name}"):
            found.setdefault(topic, set()).add(value)
    identical = {*facts.outputs["verdict"]} == {IDENTICAL} if len(facts.outputs) else None
    counted: list[tuple[str, object]] = [
        *((name.removeprefix("n_"), getattr(run, name)) for name in _SETTINGS for run in runs),
        ("requests", sum(run.n_requests or 0 for run in runs)),
        ("synthetic", sum(run.synthetic for run in runs)),
        ("baseline", "none" if facts.baseline is None else "one"),
        ("outputs", {True: "same", False: "other", None: None}[identical]),
    ]
    for topic, number in counted:
        if number is not None:
            found.setdefault(topic, set()).add(_meant(topic, number))
    return found


def stated_conditions(text: str, tokens: Sequence[Token], facts: Facts) -> list[Token]:
    """The tokens of a text, those of a condition as one."""
    found = list(tokens)
    for topic, said, match in _stated(text):
        record = _recorded(facts).get(topic, set())
        # Of several records it is open which one is meant; requests are of all runs, or of each.
        open_ = said in record and len(record) > 1 and topic != "requests"
        # "Was recorded as 0", where nothing was, is wrong.
        open_ = open_ or not (record or "record" in match[0])
        says = f"{topic}, recorded as: {', '.join(sorted(record)) or 'nothing'}"
        holds = None if open_ else said in record
        claim = Claim("condition", *match.span(), topic, why=says, holds=holds)
        inside = [at for at, one in enumerate(found) if match.start() <= one.start < match.end()]
        if inside:
            one = Token("conditions", claim, match[0], *match.span())
            found[inside[0] : inside[-1] + 1] = [one]
    return found


def condition_claims(clause: Sequence[Token], facts: Facts) -> list[Claim]:
    """The conditions that a clause states, or says that nobody recorded.

    Of one beside other claims ("on an RTX 4090 it is faster") nothing is said here.
    """
    words = {one.word for one in clause}
    negated = any(one.kind == "negations" or one.value == "none" for one in clause)
    negated = negated or bool(words & {"nor", "neither"})
    alone = all({one.kind, one.word} & LINKS["beside conditions"] for one in clause)
    stated = [one.value for one in clause if one.kind == "conditions"]
    found = [one for one in stated if (alone or one.quantity in _COUNTED) and not negated]
    if alone and words & LINKS["recorded"] and (negated or not stated):
        for one in clause:
            if one.kind == "topics":
                known = one.value in _recorded(facts)
                why = f"{one.value}: {'recorded' if known else 'not recorded'}"
                holds = known != negated
                found.append(Claim("condition", one.start, one.end, why=why, holds=holds))
    return found


def as_words(tokens: Sequence[Token]) -> list[Token]:
    """Conditions beside other claims: the recorded one changes nothing, another one all."""
    out = list(tokens)
    for at, one in enumerate(out):
        if one.kind == "conditions":
            known = one.value.holds or one.value.quantity in _COUNTED
            out[at] = replace(one, kind="fillers" if known else "unknown")
    return out
