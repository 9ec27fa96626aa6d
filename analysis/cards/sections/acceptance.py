"""Acceptance: what became of the drafted tokens, and why one rate is not enough."""

from __future__ import annotations

from analysis.cards.certainty import ends
from analysis.cards.escaping import Markdown, escape, say
from analysis.cards.facts import Facts, RunFacts
from analysis.cards.markdown import details, paragraphs, table
from analysis.cards.numbers import UNRECORDED, count, length, percent
from analysis.cards.section import Figures, Section, chart
from analysis.cards.wording import OFF, against, clear, label, labels, method_name

HEADING = "Acceptance"
HEADERS = (
    "Configuration",
    "Drafted",
    "Accepted",
    "Wasted",
    "Acceptance",
    "Drafted per forward",
    "Accepted per forward",
)
READING = (
    "*Accepted per forward* counts drafted tokens only; each forward adds one token of its own. "
    "*Wasted* drafts were computed, verified and thrown away."
)
WHY = "Why one acceptance rate is not enough"
RANKS_DIFFER = (
    "{rate_best} has the highest acceptance rate, {high}, and {speed_best} the higher throughput "
    "at {low}: ranked by acceptance, the faster one would lose."
)
RANKS_AGREE = (
    "Here {best} has both the highest acceptance rate ({high}) and the highest throughput. That is "
    "a result, not a rule."
)
ONE_RUN = (
    "{label} accepts {high} of its drafts. Whether that pays depends on what a forward costs, "
    "which the rate does not say."
)
STILL_SLOW_ALONE = "Here it is {against} {off}."
STILL_SLOW = "{label} accepts {high} of its drafts and is still {against} {off}."
DEPTH = (
    "With {method}, the rate goes from {high} at depth {low_depth} to {low} at depth {high_depth}. "
    "Accepted tokens per forward go from {short} to {long}: a deeper draft brings more tokens "
    "though each is accepted less often."
)
WASTED_ALONE = "It wasted {wasted} of {drafted} drafted tokens."
WASTED = "{label} wasted the most: {wasted} of {drafted} drafted tokens."
MIXED = (
    "These rates count different things ({definitions}), so they are neither ranked nor compared."
)
HIDDEN = (
    "A rate hides positions too: the same total can be three or four tokens accepted in some "
    "rounds and none in others, or one in every round. These logs hold totals per request, not "
    "rounds."
)
POSITIONS = "A rate hides positions too: early ones are accepted more often than late ones."


def write(facts: Facts, figures: Figures) -> Section | None:
    """Null where nothing was drafted."""
    runs = [run for run in facts.runs if run.drafts]
    if not runs:
        return None
    return Section(
        HEADING,
        paragraphs(
            chart(figures, "drafted"),
            table(HEADERS, [_row(run) for run in runs]),
            Markdown(READING),
            details(WHY, paragraphs(*_why(facts))),
        ),
    )


def _row(run: RunFacts) -> list[str]:
    return [
        label(run),
        count(run.draft_tokens),
        count(run.accepted_tokens),
        count(run.wasted_tokens),
        percent(run.acceptance_rate),
        length(run.drafted_per_forward),
        length(run.accepted_per_forward),
    ]


def _why(facts: Facts) -> list[Markdown | None]:
    rated = [run for run in facts.drafting if run.acceptance_rate is not None and facts.rate(run)]
    definitions = dict.fromkeys(run.definition for run in rated)
    if len(definitions) > 1:
        named = ", ".join(escape(name) if name else UNRECORDED for name in definitions)
        return [say(MIXED, definitions=Markdown(named)), _positions(facts)]
    return [_ranks(facts, rated), *_depths(rated), _wasted(rated), _positions(facts)]


def _ranks(facts: Facts, rated: list[RunFacts]) -> Markdown | None:
    if not rated:
        return None
    top = max(rated, key=lambda run: run.acceptance_rate or 0.0)
    fast = max(rated, key=lambda run: facts.rate(run) or 0.0)
    high = percent(top.acceptance_rate)
    if len(rated) == 1:
        said = say(ONE_RUN, label=labels([top]), high=high)
    elif top is fast:
        said = say(RANKS_AGREE, best=labels([top]), high=high)
    else:
        said = say(
            RANKS_DIFFER,
            rate_best=labels([top]),
            high=high,
            speed_best=labels([fast]),
            low=percent(fast.acceptance_rate),
        )
    gain = facts.gain(top)
    if facts.baseline is None or gain is None or clear(gain, *ends(facts, top)) != "slower":
        return said
    words = STILL_SLOW_ALONE if len(rated) == 1 else STILL_SLOW
    slow = say(words, label=labels([top]), high=high, against=against(gain), off=OFF)
    return Markdown(f"{said} {slow}")


def _depths(rated: list[RunFacts]) -> list[Markdown]:
    said = []
    for method in dict.fromkeys(run.spec_type for run in rated):
        runs = [run for run in rated if run.spec_type == method and run.n_max is not None]
        runs.sort(key=lambda run: run.n_max or 0)
        if len(runs) < 2:
            continue
        first, last = runs[0], runs[-1]
        falls = (first.acceptance_rate or 0.0) > (last.acceptance_rate or 0.0)
        rises = (first.accepted_per_forward or 0.0) < (last.accepted_per_forward or 0.0)
        if not (falls and rises):
            continue
        said.append(
            say(
                DEPTH,
                method=method_name(method),
                high=percent(first.acceptance_rate),
                low_depth=int(first.n_max or 0),
                low=percent(last.acceptance_rate),
                high_depth=int(last.n_max or 0),
                short=length(first.accepted_per_forward),
                long=length(last.accepted_per_forward),
            )
        )
    return said


def _wasted(rated: list[RunFacts]) -> Markdown | None:
    if not rated:
        return None
    most = max(rated, key=lambda run: run.wasted_tokens or 0)
    if not most.wasted_tokens or not most.draft_tokens:
        return None
    return say(
        WASTED if len(rated) > 1 else WASTED_ALONE,
        label=labels([most]),
        wasted=count(most.wasted_tokens),
        drafted=count(most.draft_tokens),
    )


def _positions(facts: Facts) -> Markdown:
    measured = any(
        result.positions or result.rounds
        for run in facts.summary.campaign.runs
        for result in run.tasks
    )
    return Markdown(POSITIONS if measured else HIDDEN)
