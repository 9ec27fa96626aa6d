"""Which recorded conditions does a text state, and are they so? *temperature 0*, *b9831*"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from analysis.cards.facts import Facts
from analysis.checking.claim import Claim
from analysis.checking.tokens import Token, replaced
from analysis.checking.vocabulary import LINKS, vocabulary
from analysis.statistics.lossless import IDENTICAL

__all__ = ["as_words", "condition_claims", "stated_conditions"]

_WORDS = {words[0]: int(number) for number, words in vocabulary()["numbers"].items()}
_BARE = rf"\b(?:\d+(?:\.\d+)?|{'|'.join(_WORDS)}|none|not a single|no)"
_NUMBER = f"(?P<value>{_BARE})"
_WORDS |= {"single": 1, "a single": 1, "once": 1, "greedy": 0, "twice": 2, "thrice": 3}
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_FLAGS = {"threads": r"-t (\d+)", "context": r"-c (\d+)", "seed": r"seed (\d+)"}
_COUNTED = {"requests", "repeats", "synthetic", "outputs", "baseline"}
_FREE = {"conditions", "topics", "fillers", "conjunctions", "prepositions", "states", "counted",
         "pronouns", "quantifiers", "negations", "run", "whole", "synthetic", "degrees", "break",
         "settings", "scope"}  # fmt: skip
_NONE = {"gpu": "none", "repeats": "1", "synthetic": "0", "baseline": "none"}


@dataclass(frozen=True)
class Stated:
    """A condition that a text states, what the campaign records, and whether that is the same."""

    topic: str
    said: str
    record: str
    truth: bool | None


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (topic, re.compile(pattern.replace("{n}", _NUMBER).replace("{m}", _BARE), re.IGNORECASE))
        for topic, patterns in vocabulary()["conditions"].items()
        for pattern in patterns
    )


def recorded(facts: Facts) -> dict[str, set[str]]:
    """What a campaign records of each condition; what it does not record has no entry."""
    campaign = facts.summary.campaign
    found: dict[str, set[str]] = {}
    said: list[tuple[str, object]] = [*campaign.conditions.items()]
    for run in campaign.runs:
        said += [("build", run.build), ("temperature", run.temperature)]
        said += [("concurrency", run.concurrency), ("max tokens", run.max_tokens)]
    for row in facts.runs:
        said += [("repeats", row.repeats), ("requests", row.n_requests)]
    said += [("quantization", campaign.card.get(key)) for key in ("quantization", "draft_file")]
    said += [(topic, value) for text in map(str, campaign.conditions.values())
             for topic, flag in _FLAGS.items() for value in re.findall(flag, text)]  # fmt: skip
    said.append(("requests", sum(row.n_requests or 0 for row in facts.runs)))
    said.append(("synthetic", sum(run.synthetic for run in facts.runs)))
    said.append(("baseline", "none" if facts.baseline is None else "one"))
    if len(facts.outputs):
        same = set(facts.outputs["verdict"]) == {IDENTICAL}
        said.append(("outputs", "same" if same else "other"))
    for topic, value in said:
        if value is not None:
            found.setdefault(topic, set()).add(str(value).lower())
    return found


def stated_conditions(text: str, tokens: Sequence[Token], facts: Facts) -> list[Token]:
    """The tokens of a text, those of a condition as one."""
    found, known = list(tokens), None
    for topic, pattern in _patterns():
        for match in pattern.finditer(text):
            known = known if known is not None else recorded(facts)
            said = _said(topic, match)
            record = known.get(topic, set())
            # "was recorded as 0", where nothing was, is wrong.
            truth = _same(topic, said, record) if record or "record" not in match[0] else False
            stated = Stated(topic, said, ", ".join(sorted(record)), truth)
            found = replaced(found, Token("conditions", stated, match[0], *match.span()))
    return found


def _said(topic: str, match: re.Match[str]) -> str:
    named = match.groupdict()
    said = " ".join((named.get("value") or named.get("same") or match[0]).lower().split())
    if named.get("same"):
        said = "same"
    elif said in ("no", "none", "not a single") or (
        topic in ("gpu", "baseline") and "value" not in named
    ):
        said = _NONE.get(topic, "0")
    elif topic == "date":
        day = re.search(r"\b\d{1,2}\b", said)
        month = next((at for at, name in enumerate(_MONTHS, start=1) if name in said), None)
        year = re.search(r"\d{4}", said)
        if month and day and year:
            said = f"{year[0]}-{month:02}-{int(day[0]):02}"
    return str(_WORDS.get(said, said))


def _numbers(text: str) -> list[float]:
    return [float(one) for one in re.findall(r"\d+(?:\.\d+)?", text)]


def _same(topic: str, said: str, record: set[str]) -> bool | None:
    """Whether a condition is the recorded one; null where none is recorded, or not in this form."""
    if not record:
        return None
    if topic in ("temperature", "seed", "threads", "context", "concurrency", "repeats", "requests",
                 "max tokens", "ram", "synthetic"):  # fmt: skip
        if topic == "requests":
            return any(_numbers(said)[:1] == _numbers(one)[:1] for one in record)
        alike = [_numbers(said)[:1] == _numbers(one)[:1] for one in record]
        return alike[0] if len(set(alike)) == 1 else None
    # "RTX 5070" is no "RTX 5070 Ti".
    whole = re.compile(rf"(?<![^\W_]){re.escape(said)}(?!\w| ti\b| super\b| xt)")
    if any(whole.search(one) for one in record):
        return True
    if topic in ("outputs", "baseline", "cpu"):
        return False
    model = any(sign.isdigit() for sign in said)
    told = [any(sign.isdigit() for sign in one) or one.startswith("none") for one in record]
    if topic == "build":
        told = [bool(re.search(r"\bb\d{3}", one)) for one in record]
    return False if (model and any(told)) or not model else None


def condition_claims(clause: Sequence[Token], facts: Facts) -> list[Claim]:
    """The conditions that a clause states, or says that nobody recorded.

    Of one beside other claims ("on an RTX 4090 it is faster") nothing is said here.
    """
    kinds, words = {one.kind for one in clause}, {one.word for one in clause}
    negated = any(one.kind == "negations" or one.value == "none" for one in clause)
    negated = negated or bool(words & {"nor", "neither"})
    other = [
        one
        for at, one in enumerate(clause)
        if one.kind not in _FREE and one.word != "draft"
        if one.kind != "figure" or [two.kind for two in clause[at + 1 : at + 2]] != ["counted"]
    ]
    alone = not other
    found = []
    for one in clause:
        if one.kind == "conditions" and (alone or one.value.topic in _COUNTED) and not negated:
            found.append(_claim(one, one.value))
        elif one.kind == "topics" and alone and words & LINKS["recorded"] and (
            negated or "conditions" not in kinds
        ):  # fmt: skip
            record = recorded(facts).get(str(one.value), set())
            known = bool(record) and not any("not recorded" in text for text in record)
            text = ", ".join(sorted(record)) or "not recorded"
            found.append(_claim(one, Stated(str(one.value), "", text, known != negated)))
    return found


def _claim(token: Token, stated: Stated) -> Claim:
    says = f"{stated.topic}, recorded as: {stated.record or 'nothing'}"
    return Claim("condition", token.start, token.end, stated.topic, why=says, holds=stated.truth)


def as_words(tokens: Sequence[Token]) -> list[Token]:
    """Conditions beside other claims: the recorded one changes nothing, another one all."""
    return [
        one if one.kind != "conditions"
        else replace(one, kind="fillers") if one.value.truth or one.value.topic in _COUNTED
        else replace(one, kind="unknown")
        for one in tokens
    ]  # fmt: skip
