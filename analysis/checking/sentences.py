"""Figures in sentences: which quantity their words mean, and what it is.

One rule per kind of claim; the first whose words fit gives the values that the
figure may state, the likeliest first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from analysis.checking.book import Scope, Value
from analysis.checking.context import Context, Place
from analysis.checking.figures import agrees, find_figures
from analysis.checking.survival import read_survival

__all__ = ["read_sentence"]

Rule = Callable[[Context, Place], "Iterable[Value | None] | None"]

_FASTER = re.compile(r"\W*(?:\w+\s+)?(faster|quicker|slower|higher throughput|lower throughput)")
_SAVED = re.compile(r"\b(?:saves?|saving)\b")
_MORE_TIME = re.compile(r"\W*more (?:wall )?time")
_ACCEPT = re.compile(r"\baccept", re.IGNORECASE)
_MORE = re.compile(r"\W*(?:(more|additional|extra)|(fewer|less))\b")
_WALL = re.compile(
    r"\bwall\b|\bcomplet|\bfinish|\btakes?\b|\bruns? in\b|\bbenchmark\b", re.IGNORECASE
)
_ROUTED = re.compile(r"\b(?:by|per) workload\b.*\btok/s\b", re.IGNORECASE)
COUNTED = (
    (re.compile(r"accept", re.IGNORECASE), "accepted_tokens"),
    (re.compile(r"wast|reject", re.IGNORECASE), "wasted_tokens"),
    (re.compile(r"draft|propos", re.IGNORECASE), "draft_tokens"),
    (re.compile(r"predict|generat|output", re.IGNORECASE), "predicted_tokens"),
    (re.compile(r"forward", re.IGNORECASE), "forwards"),
    (re.compile(r"request", re.IGNORECASE), "n_requests"),
)
_WORD = re.compile(r"[A-Za-z_]+")


def read_sentence(context: Context, place: Place) -> tuple[Value, ...]:
    """Values that a figure of a sentence may state, in the figure's own unit.

    Parameters
    ----------
    context
        Names and quantities of the campaign.
    place
        The figure in its line.

    Returns
    -------
    tuple of Value
        Empty where the words mean no quantity, or nobody knows whose.
    """
    for rule in RULES:
        found = rule(context, place)
        if found is not None:
            return tuple(dict.fromkeys(value for value in found if value is not None))
    return ()


def _routing(context: Context, place: Place) -> Iterable[Value | None] | None:
    """What choosing the setting per workload would give."""
    routing = context.book.facts.summary.routing
    if routing is None or not _ROUTED.search(place.text):
        return None
    source = context.book.source(*[Scope(run.id) for run in context.book.facts.real])
    if place.figure.unit == "rate":
        rates = {
            "decode throughput with the setting chosen per workload": routing.routed_tps,
            "decode throughput with the best single setting": routing.fixed_tps,
            "decode throughput without speculation": routing.baseline_tps,
        }
        if place.ahead.rstrip().endswith("against"):
            rates.pop("decode throughput with the setting chosen per workload")
        return [Value(rate, says, source) for says, rate in rates.items() if rate is not None]
    if place.figure.unit == "percent":
        gain = 100 * (routing.routed_tps / routing.fixed_tps - 1)
        return [Value(gain, "gain of choosing the setting per workload", source)]
    return None


def _time_saved(context: Context, place: Place) -> Iterable[Value | None] | None:
    more = _MORE_TIME.match(place.after)
    if place.figure.unit != "percent" or not (more or _SAVED.search(place.ahead)):
        return None
    run = context.subject(place)
    found = run and context.book.value("time_saved", Scope(run))
    return [replace(found, value=100 * found.value * (-1 if more else 1))] if found else []


def _faster(context: Context, place: Place) -> Iterable[Value | None] | None:
    words = _FASTER.match(place.after)
    if place.figure.unit != "percent" or not words:
        return None
    sign = -1.0 if words[1].startswith(("slower", "lower")) else 1.0
    return [
        replace(ratio, value=sign * 100 * (ratio.value - 1)) for ratio in _ratios(context, place)
    ]


def _acceptance(context: Context, place: Place) -> Iterable[Value | None] | None:
    figure = place.figure
    fraction = figure.unit == "" and figure.decimals > 0 and figure.value <= 1
    if figure.unit != "percent" and not fraction:
        return None
    around = (place.sentence, place.line.lead, *place.line.titles[-1:])
    if not any(_ACCEPT.search(text) for text in around) or figure.signed:
        return None
    scale = 1.0 if fraction else 100.0
    if figure.role:
        return _range(context, place, "acceptance_rate", scale)
    run = context.subject(place)
    if run is None:
        return []
    found = [context.book.value("acceptance_rate", scope) for scope in context.scopes(place, run)]
    return [replace(value, value=scale * value.value) for value in found if value is not None]


def _range(context: Context, place: Place, column: str, scale: float) -> list[Value]:
    """An end of ``11-14 %``: the lowest or highest of some runs and tasks.

    Of the sets that may be meant, one in which both ends agree comes first.
    """
    figures = find_figures(place.text)
    at = [one.start for one in figures].index(place.figure.start)
    other = figures[at + 1 if place.figure.role == "low" else at - 1]
    ranked: list[tuple[int, Value]] = []
    for scopes in context.groups(place):
        ends = {
            role: replace(value, value=scale * value.value)
            for role in ("low", "high")
            if (value := context.book.extreme(column, scopes, role)) is not None
        }
        if len(ends) == 2:
            hits = sum(agrees(one, ends[one.role].value) for one in (place.figure, other))
            ranked.append((hits, ends[place.figure.role]))
    return [max(ranked, key=lambda item: item[0])[1]] if ranked else []


def _difference(context: Context, place: Place) -> Iterable[Value | None] | None:
    if place.figure.unit != "percent" or not place.figure.signed:
        return None
    return [replace(ratio, value=100 * (ratio.value - 1)) for ratio in _ratios(context, place)]


def _times(context: Context, place: Place) -> Iterable[Value | None] | None:
    ratio = place.figure.unit == "" and re.search(r"\bratio of\s*$", place.ahead)
    if place.figure.unit != "times" and not ratio:
        return None
    return _ratios(context, place)


def _ratios(context: Context, place: Place) -> Iterator[Value]:
    """Ratios of throughput of the figure's run to what it is compared with."""
    other = context.comparator(place)
    run = context.subject(place, apart_from=other)
    if run is None or other is None or run == other:
        return
    book, words = context.book, f"{place.line.lead} {place.sentence}"
    for scope in context.scopes(place, run):
        against = replace(scope, run=other)
        if scope.task is not None or scope.workload is not None:
            yield from _known(book.ratio("decode_tps", scope, against))
            continue
        baseline = book.facts.baseline
        if re.search(r"\bdecode\b", words) and baseline is not None and other == baseline.id:
            yield from _known(book.value("decode_speedup", scope))
        elif re.search(r"\bdecode\b", words):
            yield from _known(book.ratio("decode_tps", scope, against))
        else:
            yield from _known(book.ratio("effective_tps", scope, against))
            if _WALL.search(words):
                yield from _known(book.ratio("wall_s", against, scope))
            if not re.search(r"\beffective\b", words):
                yield from _known(book.ratio("decode_tps", scope, against))


def _known(value: Value | None) -> Iterator[Value]:
    if value is not None:
        yield value


def _rate(context: Context, place: Place) -> Iterable[Value | None] | None:
    if place.figure.unit != "rate":
        return None
    run = context.subject(place)
    if run is None:
        return []
    found: list[Value | None] = []
    for scope in context.scopes(place, run):
        whole = scope.task is None and scope.workload is None
        if whole and not re.search(r"\bdecode\b", place.sentence, re.IGNORECASE):
            found.append(context.book.value("effective_tps", scope))
        if not whole or not re.search(r"\beffective\b", place.sentence, re.IGNORECASE):
            found.append(context.book.value("decode_tps", scope))
    return found


def _time(context: Context, place: Place) -> Iterable[Value | None] | None:
    column = {"ms": "ms_per_forward", "s": "wall_s"}.get(place.figure.unit)
    if column is None:
        return None
    run = context.subject(place)
    return [] if run is None else [context.book.value(column, Scope(run))]


def _change(context: Context, place: Place) -> Iterable[Value | None] | None:
    """How many tokens more or fewer than the other run."""
    words = _MORE.match(place.after)
    if place.figure.unit or not words:
        return None
    column = _counted(place)
    run, other = context.subject(place), context.comparator(place)
    if column is None or run is None or other is None or run == other:
        return []
    sign = -1.0 if words[2] else 1.0
    found = [
        context.book.change(column, scope, replace(scope, run=other))
        for scope in context.scopes(place, run)
    ]
    return [replace(value, value=sign * value.value) for value in found if value is not None]


def _count(context: Context, place: Place) -> Iterable[Value | None] | None:
    figure = place.figure
    if figure.unit or figure.decimals:
        return None
    facts = context.book.facts
    wholes = {
        r"\W*(?:benchmark )?(?:tasks|prompts)\b": ("tasks", len(facts.task_names)),
        r"\W*(?:benchmark )?configurations\b": ("configurations", len(facts.runs)),
    }
    for pattern, (says, number) in wholes.items():
        if re.match(pattern, place.after):
            every = facts.summary.campaign
            return [Value(float(number), f"number of {says}", f"{every.slug}/campaign.toml")]
    column = _counted(place)
    run = None if column is None else context.subject(place)
    if column is None or (run is None and column != "n_requests"):
        return None
    if run is None:
        return [context.book.value(column, Scope(one.id)) for one in facts.real]
    return [context.book.value(column, scope) for scope in context.scopes(place, run)]


def _counted(place: Place) -> str | None:
    """Which tokens a count is of: by the words behind it, or the verb in front."""
    if re.match(r"\s*of\s+[\d,]+\s+\w", place.after):
        # "1,838 of 3,243 drafted tokens": the verb says what the first is.
        behind: list[str] = []
    else:
        behind = _WORD.findall(place.after)[:4]
    clause = re.split(r"[,;:]|\band\b", place.ahead)[-1]
    ahead = _WORD.findall(clause)[-4:]
    for word in (*reversed(ahead), *behind):
        for pattern, column in COUNTED:
            if pattern.match(word):
                return column
    return None


RULES: tuple[Rule, ...] = (
    read_survival,
    _routing,
    _time_saved,
    _faster,
    _acceptance,
    _difference,
    _times,
    _rate,
    _time,
    _change,
    _count,
)
