"""Pairs: two configurations side by side that a reader would ask about."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from analysis.cards import numbers
from analysis.cards.escaping import Markdown, code, say
from analysis.cards.facts import Facts, RunFacts, known
from analysis.cards.markdown import details, join, paragraphs, table
from analysis.cards.numbers import count, counted, rate, seconds, signed_count, speedup_between
from analysis.cards.section import Figures, Section
from analysis.cards.wording import against, clear, difference, label, labels
from analysis.statistics.pairs import Pair

HEADING = "Side by side"
TITLE = "### {first} and {second}"
OVERALL = "{second} is {against} {first} over all prompts: {after} against {before} tok/s {kind}."
OVERALL_EQUAL = (
    "{second} is {against} {first} over all prompts: {after} against {before} tok/s {kind}, "
    "{difference}."
)
WALL = "It finishes in {after} s against {before} s of wall time, a ratio of {ratio}."
WALL_SLOWER = "It takes {after} s against {before} s of wall time, a ratio of {ratio}."
OTHER_TASKS = "The two runs did not do the same tasks; the {tasks} they share are compared below."
DRAFTS = "It drafts {drafted} tokens and accepts {accepted}."
MORE = "{number} more"
FEWER = "{number} fewer"
SAME = "as many"
TASKS = "Task by task (decode), it is {parts}."
COUNTED = "{words} on {number}"
FIRST = "{words} on {number} of {total}"
VERDICTS = ("faster", "slower", "equal", "open")
VERDICT_WORDS = {
    "faster": "faster",
    "slower": "slower",
    "equal": "about equal",
    "open": "within noise of it",
}
STEP = (
    "The step from depth {low} to {high} is close to its break-even: what the added drafts bring, "
    "they cost."
)
BETTER_DRAFTS = (
    "{second} drafts no more and accepts more: it wins by better drafts, not by more of them."
)
EXTREMES = "The gain is largest on {best} ({best_ratio}) and the loss on {worst} ({worst_ratio})."
TABLE = "Per task: {first} and {second}"
HEADERS = ("Task", "tok/s", "tok/s", "Ratio", "Drafted", "Accepted")


@dataclass(frozen=True)
class _Sides:
    """A pair with the facts of both its runs."""

    first: RunFacts
    second: RunFacts
    tasks: pd.DataFrame
    total: pd.Series

    def ends(self, kind: str) -> tuple[float | None, float | None]:
        """The 90 % interval of the ratio of their throughputs."""
        name = "speedup" if kind == "effective" else "decode_speedup"
        return known(self.total[f"{name}_low"]), known(self.total[f"{name}_high"])


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """One part per pair; null without a pair of real runs."""
    sides = [side for pair in facts.summary.pairs if (side := _sides(facts, pair)) is not None]
    if not sides:
        return None
    return Section(HEADING, paragraphs(*[_part(facts, side) for side in sides]))


def _sides(facts: Facts, pair: Pair) -> _Sides | None:
    first, second = facts.by_id.get(pair.first), facts.by_id.get(pair.second)
    if first is None or second is None or first.synthetic or second.synthetic or pair.tasks.empty:
        return None
    return _Sides(first, second, pair.tasks, pair.total)


def _part(facts: Facts, side: _Sides) -> Markdown:
    sentences = [*_totals(facts, side), _by_task(side), _step(side)]
    text = " ".join(sentence for sentence in sentences if sentence)
    named = {"first": side.first.label, "second": side.second.label}
    return paragraphs(
        say(TITLE, first=label(side.first), second=label(side.second)),
        Markdown(text),
        details(TABLE.format(**named), _table(side)),
    )


def _totals(facts: Facts, side: _Sides) -> list[Markdown]:
    first, second = side.first, side.second
    if facts.tasks_of(first) != facts.tasks_of(second):
        return [say(OTHER_TASKS, tasks=counted(len(side.tasks), "task"))]
    said = []
    kind = "effective" if first.effective_tps and second.effective_tps else "decode"
    before, after = (getattr(run, f"{kind}_tps") for run in (first, second))
    if before and after:
        ratio = after / before
        said.append(
            say(
                OVERALL_EQUAL if clear(ratio) == "equal" else OVERALL,
                first=labels([first]),
                second=labels([second]),
                against=against(ratio, *side.ends(kind)),
                before=rate(before),
                after=rate(after),
                kind=kind,
                difference=difference(ratio),
            )
        )
    if first.wall_s and second.wall_s:
        faster = second.wall_s <= first.wall_s
        said.append(
            say(
                WALL if faster else WALL_SLOWER,
                before=seconds(first.wall_s),
                after=seconds(second.wall_s),
                ratio=numbers.ratio(first.wall_s / second.wall_s),
            )
        )
    said += _drafts(side)
    return said


def _drafts(side: _Sides) -> list[Markdown]:
    first, second = side.first, side.second
    counts = (
        first.draft_tokens,
        second.draft_tokens,
        first.accepted_tokens,
        second.accepted_tokens,
    )
    if any(number is None for number in counts):
        return []
    drafted = (second.draft_tokens or 0) - (first.draft_tokens or 0)
    accepted = (second.accepted_tokens or 0) - (first.accepted_tokens or 0)
    said = [say(DRAFTS, drafted=_more(drafted), accepted=_more(accepted))]
    if drafted <= 0 < accepted and (second.decode_tps or 0.0) > (first.decode_tps or 0.0):
        said.append(say(BETTER_DRAFTS, second=labels([second])))
    return said


def _more(number: int) -> Markdown:
    if number == 0:
        return Markdown(SAME)
    return say(MORE if number > 0 else FEWER, number=count(abs(number)))


def _by_task(side: _Sides) -> Markdown | None:
    timed = side.tasks.set_index("task").dropna(subset=["ratio"])
    ratios = timed["ratio"]
    if ratios.empty:
        return None
    verdicts = [
        clear(float(ratio), known(low), known(high))
        for ratio, low, high in zip(ratios, timed["low"], timed["high"], strict=True)
    ]
    found = [verdict for verdict in VERDICTS if verdict in verdicts][:2]
    parts = [
        say(
            FIRST if verdict == found[0] else COUNTED,
            words=VERDICT_WORDS[verdict],
            number=verdicts.count(verdict),
            total=counted(len(verdicts), "task"),
        )
        for verdict in found
    ]
    said = say(TASKS, parts=join(parts))
    if {"faster", "slower"} <= set(found):
        best, worst = ratios.idxmax(), ratios.idxmin()
        extremes = say(
            EXTREMES,
            best=code(str(best)),
            best_ratio=difference(float(ratios.max())),
            worst=code(str(worst)),
            worst_ratio=difference(float(ratios.min())),
        )
        said = Markdown(f"{said} {extremes}")
    return said


def _step(side: _Sides) -> Markdown | None:
    first, second = side.first, side.second
    if first.spec_type != second.spec_type or first.n_max is None or second.n_max is None:
        return None
    if not first.effective_tps or not second.effective_tps or second.n_max <= first.n_max:
        return None
    if clear(second.effective_tps / first.effective_tps) != "equal":
        return None
    return say(STEP, low=first.n_max, high=second.n_max)


def _table(side: _Sides) -> Markdown:
    named = (f"{side.first.label}, tok/s", f"{side.second.label}, tok/s")
    headers = (HEADERS[0], *named, *HEADERS[3:])
    rows = [
        [
            code(str(row["task"])),
            rate(known(row["decode_tps_first"])),
            rate(known(row["decode_tps_second"])),
            speedup_between(*(known(row[name]) for name in ("ratio", "low", "high"))),
            _change(row, "draft_tokens"),
            _change(row, "accepted_tokens"),
        ]
        for _, row in side.tasks.iterrows()
    ]
    return table(headers, rows)


def _change(row: pd.Series, column: str) -> Markdown:
    before, after = known(row[f"{column}_first"]), known(row[f"{column}_second"])
    return signed_count(None if before is None or after is None else after - before)
