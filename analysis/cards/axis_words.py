"""How are the axes of a campaign, and values on them, called in a card?"""

from __future__ import annotations

from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts
from analysis.cards.markdown import join
from analysis.cards.numbers import count, decimal
from analysis.cards.wording import label
from analysis.statistics.points import AXES

__all__ = ["at_value", "axis_value", "measured_at", "series_name"]

AT = {
    "concurrency": "{value} requests at once",
    "context_tokens": "{value} tokens of context",
    "temperature": "temperature {value}",
}
ONE = "one request at once"


def at_value(axis: str, value: float | None) -> Markdown:
    """A value with what it is of: ``4 requests at once``."""
    if axis == "concurrency" and value is not None and round(value) == 1:
        return Markdown(ONE)
    return say(AT[axis], value=axis_value(axis, value))


def axis_value(axis: str, value: float | None) -> Markdown:
    """Requests as a whole number, context in hundreds beyond a thousand, temperature as it is."""
    if value is None:
        return count(None)
    if axis == "temperature":
        return decimal(round(value, 2))
    if axis == "context_tokens" and value % 1:
        return count(round(value, -2 if value >= 1000 else -1))
    return count(round(value))


def series_name(facts: Facts, series: str) -> Markdown:
    """A configuration by the name of its run at home, else of its first one."""
    if series in facts.by_id:
        return label(facts.by_id[series])
    runs = facts.summary.every_run.set_index("id")
    return say("{label}", label=str(runs.at[series, "label"]))


def measured_at(facts: Facts) -> Markdown:
    """Where a campaign with axes measured what the rest of its card says."""
    axes = facts.summary.axes.where
    home = axes.home or axes.points[0]
    return join(
        [
            at_value(axis, value)
            for axis, value in zip(AXES, home.at, strict=True)
            if axis in axes.axes and value is not None
        ]
    )
