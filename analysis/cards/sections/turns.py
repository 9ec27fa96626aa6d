"""Turns: up to how many requests at once, which context, which temperature does it pay?"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from analysis.cards.axis_words import at_value, axis_value, measured_at, series_name
from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts, known
from analysis.cards.markdown import bullets, details, join, paragraphs
from analysis.cards.numbers import (
    percent,
    rate,
    speedup,
)
from analysis.cards.points_table import points_table
from analysis.cards.section import Figures, Section, chart
from analysis.conditions.slices import Slice

_Row = Mapping[Hashable, Any]

HEADING = "Where it stops paying"
LEAD = (
    "Each figure is held against no speculation at the same {axes}. What the other sections say is "
    "measured {home}."
)
CHARTS = {
    "concurrency": "requests_at_once",
    "context_tokens": "context_length",
    "temperature": "over_temperature",
}
NAMES = {
    "concurrency": "requests at once",
    "context_tokens": "tokens of context",
    "temperature": "temperature",
}
KINDS = {"speedup": "throughput of all requests together", "decode_speedup": "decode throughput"}

STOPS = "{label} stops paying at about {value}{interval}{held}."
STARTS = "{label} does not pay below about {value}{interval} and does above{held}."
PAYS = (
    "{label} pays all over what was measured, {least} to {most}{held}: where it stops is not "
    "within what was measured{doubt}."
)
NEVER = "{label} pays nowhere within what was measured, {least} to {most}{held}{doubt}."
DOUBT_PAYS = ", but from {low} on it can't be told apart from stopping"
DOUBT_NEVER = ", though up to {high} that can't be told apart from paying"
INTERVAL = " (90 % interval: {low} to {high})"
BELOW = "less than was measured"
ABOVE = "more than was measured"
HELD = " with {others}"
GAINS = "The speedup in {kind} goes from {first} to {last}."
SAME_GAIN = "The speedup in {kind} is {first} at both ends."
ACCEPTED = "Accepted of what was drafted: from {first} to {last}."
PREDICTED = (
    "**Predicted, not measured:** {label} at {value} would give {tps} tok/s, a speedup of "
    "{gain}. The 90 % interval of that is {gain_low} to {gain_high}. It follows from what a "
    "forward costs over the tokens in its batch; acceptance "
    "is taken to stay as it is."
)
BESIDE = "The same with other values of the rest"
TABLE = "Every value measured"

BRIEF = {
    "stops": "with {name} it pays up to about {value}{interval}",
    "starts": "with {name} it pays from about {value} on{interval}",
    "pays": "with {name} it pays up to the most that was measured, {most}",
    "never": "with {name} it does not pay at any value measured",
    "doubt": "with {name} it pays up to about {low}, and from there to {most} that can't be told",
}
NOWHERE = (
    "**With {names}** it does not pay either, up to {most}; see "
    "[{heading}](RESULTS.md#where-it-stops-paying)."
)
BRIEFLY = "{label}: {parts}; see [{heading}](RESULTS.md#where-it-stops-paying)."
NAMED = {
    "concurrency": "more requests at once",
    "context_tokens": "longer contexts",
    "temperature": "higher temperatures",
}


def write(facts: Facts, figures: Figures) -> Section | None:
    """Null where one value of each was measured."""
    axes = facts.summary.axes
    if not axes.slices:
        return None
    home = [one for one in axes.slices if one.home]
    others = [one for one in axes.slices if not one.home]
    said = [bullet for one in home for bullet in (*_said(facts, one), *_figures(facts, one))]
    beside = [bullet for one in others for bullet in _said(facts, one)]
    pictures = [chart(figures, CHARTS[axis]) for axis in axes.where.axes]
    return Section(
        HEADING,
        paragraphs(
            _lead(facts),
            bullets(said),
            *pictures,
            details(BESIDE, bullets(beside)) if beside else None,
            details(TABLE, points_table(facts)),
        ),
        first=_briefly(facts),
    )


def _briefly(facts: Facts) -> Markdown | None:
    """For the first screen, where the verdict turns: one sentence, for the card's own run."""
    run = facts.best_own or facts.best_drafting
    slices = [one for one in facts.summary.axes.slices if one.home]
    own = [one for one in slices if run is not None and one.series == run.id]
    own = own or [one for one in slices if one.series == slices[0].series]
    if not own:
        return None
    turns = [(one, row) for one in own for row in _turns(facts, one)]
    if all(row["turn"] == "never" for _, row in turns):
        names = join([Markdown(NAMED[one.axis]) for one, _ in turns])
        most = join([at_value(one.axis, row["most"]) for one, row in turns])
        return say(NOWHERE, names=names, most=most, heading=HEADING)
    name = series_name(facts, own[0].series)
    parts = [_brief(one, row) for one, row in turns]
    return say(BRIEFLY, label=name, parts=join(parts), heading=HEADING)


def _brief(one: Slice, row: _Row) -> Markdown:
    doubt = row["turn"] == "pays" and row["low"] is not None
    words = BRIEF["doubt" if doubt else row["turn"]]
    values = {
        "low": axis_value(one.axis, row["low"]),
        "name": NAMED[one.axis],
        "value": axis_value(one.axis, row["value"]),
        "interval": _interval(one.axis, row),
        "least": axis_value(one.axis, row["least"]),
        "most": axis_value(one.axis, row["most"]),
    }
    return say(words, **{name: value for name, value in values.items() if f"{{{name}}}" in words})


def _lead(facts: Facts) -> Markdown:
    names = join([Markdown(NAMES[axis]) for axis in facts.summary.axes.where.axes])
    return say(LEAD, axes=names, home=say("at {at}", at=measured_at(facts)))


def _said(facts: Facts, one: Slice) -> Iterator[Markdown]:
    name = say("**{label}**", label=series_name(facts, one.series))
    held = _held(facts, one)
    for row in _turns(facts, one):
        low, high = row["low"], row["high"]
        doubt = Markdown("")
        if row["turn"] == "pays" and low is not None:
            doubt = say(DOUBT_PAYS, low=axis_value(one.axis, low))
        if row["turn"] == "never" and high is not None:
            doubt = say(DOUBT_NEVER, high=axis_value(one.axis, high))
        words = {"stops": STOPS, "starts": STARTS, "pays": PAYS, "never": NEVER}[row["turn"]]
        values = {
            "label": name,
            "held": held,
            "value": at_value(one.axis, row["value"]),
            "interval": _interval(one.axis, row),
            "least": axis_value(one.axis, row["least"]),
            "most": at_value(one.axis, row["most"]),
            "doubt": doubt,
        }
        yield say(words, **{key: text for key, text in values.items() if f"{{{key}}}" in words})


def _figures(facts: Facts, one: Slice) -> Iterator[Markdown]:
    rows = one.rows.to_dict("records")
    ends = (rows[0], rows[-1])
    first, last = (speedup(row[one.figure]) for row in ends)
    words = SAME_GAIN if first == last else GAINS
    parts = [say(words, kind=KINDS[one.figure], first=first, last=last)]
    if all(known(row["acceptance_rate"]) is not None for row in ends):
        first, last = (percent(row["acceptance_rate"]) for row in ends)
        parts.append(say(ACCEPTED, first=first, last=last))
    yield Markdown(" ".join(parts))
    ahead = facts.summary.axes.ahead(one)
    if ahead is not None:
        yield say(
            PREDICTED,
            label=say("**{label}**", label=series_name(facts, one.series)),
            value=at_value("concurrency", ahead["concurrency"]),
            tps=rate(ahead["effective_tps"]),
            gain=speedup(ahead["speedup"]),
            gain_low=speedup(ahead["speedup_low"]),
            gain_high=speedup(ahead["speedup_high"]),
        )


def _turns(facts: Facts, one: Slice) -> list[_Row]:
    rows = facts.summary.axes.turn(one).to_dict("records")
    return [{name: known(value) for name, value in row.items()} for row in rows]


def _held(facts: Facts, one: Slice) -> Markdown:
    """The other axes' values, where they vary too."""
    others = [
        at_value(axis, value)
        for axis, value in one.others.items()
        if axis in facts.summary.axes.where.axes and value is not None
    ]
    return say(HELD, others=join(others)) if others else Markdown("")


def _interval(axis: str, row: _Row) -> Markdown:
    low, high = row["low"], row["high"]
    return say(
        INTERVAL,
        low=Markdown(BELOW) if low is None else axis_value(axis, low),
        high=Markdown(ABOVE) if high is None else axis_value(axis, high),
    )
