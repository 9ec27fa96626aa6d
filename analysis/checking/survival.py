"""Figures in sentences about draft positions: how many forwards accept how far.

Cards say it as "37.5 % of the forwards accept the first drafted token, 25.0 %
at least 2", alt texts as "draft-simple: 37.5% at 1, 25.0% at 2". The share
belongs to the position named behind it, and both to the method named last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import pandas as pd

from analysis.cards.wording import method_name
from analysis.checking.book import Scope, Value
from analysis.checking.context import Context, Place

__all__ = ["read_survival"]

_BEHIND = re.compile(
    r"\s*(?:(?:of the (?:forwards|rounds) )?accepts? the first drafted token"
    r"|(?:at least|at) (?P<position>\d+)\b(?! of ))"
)
_SHARE_BEFORE = re.compile(r"%\s*(?:at least|at)\s*$")
_ROUNDS = re.compile(r"\s*rounds\b")


def read_survival(context: Context, place: Place) -> Iterable[Value | None] | None:
    """Survival at a position, the position itself, or the rounds that it was counted over."""
    behind = _BEHIND.match(place.after) if place.figure.unit == "percent" else None
    is_position = _SHARE_BEFORE.search(place.ahead) is not None
    is_rounds = "round by round" in place.sentence and _ROUNDS.match(place.after) is not None
    if behind is None and not is_position and not is_rounds:
        return None
    positions = context.book.facts.summary.positions
    method = _method(context, place)
    if method is None or positions.empty:
        return None
    rows = positions[
        (positions["method"] == method)
        & positions["workload"].isna()
        & positions["task"].isna()
        & positions["survival"].notna()
    ]
    runs = [run.id for run in context.book.facts.runs if run.spec_type in (method, "none")]
    source = context.book.source(*map(Scope, runs))
    if is_rounds:
        counted = rows["rounds"].dropna()
        return [
            Value(float(number), f"rounds of {method_name(method)}", source) for number in counted
        ]
    position = (
        place.figure.value if is_position else float(behind["position"] or 1) if behind else 0
    )
    return [
        Value(value, f"{says} {position:g} of {method_name(method)}", source)
        for value, says in _at(rows, position, is_position=is_position)
    ]


def _at(rows: pd.DataFrame, position: float, *, is_position: bool) -> Iterable[tuple[float, str]]:
    for row in rows[rows["position"] == position].to_dict("records"):
        if is_position:
            yield float(row["position"]), "position"
        else:
            yield 100 * float(row["survival"]), f"share ({row['source']}) at position"


def _method(context: Context, place: Place) -> str | None:
    """The method named last before the figure, in its line."""
    facts = context.book.facts
    for one in reversed(context.runs(place.text)):
        if one.end <= place.figure.start:
            kinds = {facts.by_id[run].spec_type for run in one.ids}
            return kinds.pop() if len(kinds) == 1 else None
    return None
