"""Positions: how far drafts survive, and how that is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from analysis.cards.escaping import Markdown, code, say
from analysis.cards.facts import Facts, known
from analysis.cards.markdown import Align, details, paragraphs, table
from analysis.cards.numbers import percent
from analysis.cards.section import Figures, Section, chart
from analysis.cards.wording import ALL_PROMPTS, method_name, spans, workload_title
from analysis.names import method_title

HEADING = "Acceptance by position"
CURVE = "With {method}, {first} of the {steps} accept the first drafted token"
LAST = ", {last} all of the first {position}"
MEASURED = "Measured round by round, {rounds} rounds."
INFERRED = (
    "Inferred, not measured: the logs hold totals, and the totals at depths {depths} pin the "
    "curve down."
)
ONE_DEPTH = (
    "With {method}, only depth {depth} was run. That gives the mean number of accepted tokens and "
    "not the curve: the first drafted token is accepted in {first_low} to {first_high} of the "
    "forwards. The last drafted token is accepted in {last_low} to {last_high} of the forwards. A "
    "run at one more depth would narrow it."
)
TABLE = "Survival per workload and task: {method}"
POSITION = "P{position}"
CELL = "{value} ({low}–{high})"
READING = (
    "P*i*: share of {steps} whose draft is accepted at least up to position *i*, with its 90 % "
    "interval."
)
STEPS = {"measured": "rounds", "inferred": "forwards"}
"""What is counted: a forward without a draft is no round, and totals don't tell which those are."""

ROUND = "A round is a forward that verified a draft."
ALL_ROUNDS = "Counted against all rounds, also those that drafted less."
AT_RISK = "Counted against the rounds that drafted that far."


def write(facts: Facts, figures: Figures) -> Section | None:
    """Null where no curve and no range is known."""
    positions = facts.summary.positions
    if positions.empty:
        return None
    methods = list(dict.fromkeys(positions["method"]))
    own = [positions[positions["method"] == method] for method in methods]
    said = [_sentence(facts, method, rows) for method, rows in zip(methods, own, strict=True)]
    tables = [
        _table(method, _curve(rows), facts.workloads)
        for method, rows in zip(methods, own, strict=True)
    ]
    return Section(HEADING, paragraphs(chart(figures, "survival"), *said, *tables))


def _curve(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of one method from its best source: measured before inferred."""
    values = rows[rows["survival"].notna()]
    measured = values[values["source"] == "measured"]
    chosen = measured if len(measured) else values
    return chosen.drop_duplicates(["workload", "task", "position"])


def _sentence(facts: Facts, method: str, rows: pd.DataFrame) -> Markdown:
    curve = _curve(rows)
    pooled = curve[curve["workload"].isna() & curve["task"].isna()].sort_values("position")
    if pooled.empty:
        return _range(method, rows)
    source = str(pooled["source"].iloc[0])
    first, last = pooled.iloc[0], pooled.iloc[-1]
    text = say(
        CURVE,
        method=method_name(method),
        first=percent(float(first["survival"])),
        steps=STEPS[source],
    )
    if last["position"] > 1:
        share = percent(float(last["survival"]))
        text = Markdown(text + say(LAST, last=share, position=int(last["position"])))
    text = Markdown(f"{text}.")
    if source == "measured":
        rounds = known(pooled["rounds"].max())
        how = say(MEASURED, rounds=Markdown(f"{int(rounds):,}")) if rounds else Markdown("")
    else:
        runs = facts.summary.step_times
        depths = sorted({int(depth) for depth in runs.loc[runs["method"] == method, "n_max"]})
        how = say(INFERRED, depths=spans(depths))
    return Markdown(f"{text} {how}".strip())


def _range(method: str, rows: pd.DataFrame) -> Markdown:
    pooled = rows[rows["workload"].isna() & rows["task"].isna()].sort_values("position")
    first, last = pooled.iloc[0], pooled.iloc[-1]
    return say(
        ONE_DEPTH,
        method=method_name(method),
        depth=int(last["position"]),
        first_low=percent(known(first["low"])),
        first_high=percent(known(first["high"])),
        last_low=percent(known(last["low"])),
        last_high=percent(known(last["high"])),
    )


def _table(method: str, curve: pd.DataFrame, workloads: Iterable[str]) -> Markdown | None:
    if curve.empty:
        return None
    places = sorted({int(position) for position in curve["position"]})
    headers = ("", *(say(POSITION, position=place) for place in places))
    keys = curve[["workload", "task"]].drop_duplicates()
    whole = keys[keys["task"].isna()]
    body = []
    for scope in [None, *(name for name in workloads if name in set(whole["workload"]))]:
        inside = curve["workload"].isna() if scope is None else curve["workload"] == scope
        name = ALL_PROMPTS if scope is None else workload_title(scope)
        pooled = curve[inside & curve["task"].isna()]
        body.append([say("**{name}**", name=name), *_cells(pooled, places)])
        own = keys.loc[(keys["workload"] == scope) & keys["task"].notna(), "task"]
        body += [[code(str(task)), *_cells(curve[curve["task"] == task], places)] for task in own]
    definition, source = str(curve["definition"].iloc[0]), str(curve["source"].iloc[0])
    reading = say(
        "{a} {b} {c}" if source == "measured" else "{a} {b}",
        a=say(READING, steps=STEPS[source]),
        b=Markdown(AT_RISK if definition == "at-risk" else ALL_ROUNDS),
        c=Markdown(ROUND),
    )
    sides: list[Align] = ["left"]
    sides += ["right" for _ in places]
    return details(
        say(TABLE, method=method_title(method)),
        paragraphs(table(headers, body, sides), reading),
    )


def _cells(rows: pd.DataFrame, places: Sequence[int]) -> list[Markdown]:
    by_place = rows.set_index("position")
    cells = []
    for place in places:
        if place not in by_place.index:
            cells.append(percent(None))
            continue
        row = by_place.loc[place]
        value, low, high = (known(row[name]) for name in ("survival", "low", "high"))
        if low is None or high is None:
            cells.append(percent(value))
        else:
            cells.append(say(CELL, value=percent(value), low=_bare(low), high=_bare(high)))
    return cells


def _bare(share: float) -> Markdown:
    """A share in percent without its sign, for the ends of an interval."""
    return Markdown(percent(share).removesuffix(" %"))
