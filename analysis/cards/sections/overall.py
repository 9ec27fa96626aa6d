"""Overall: what every configuration did over all prompts."""

from __future__ import annotations

from analysis.cards.certainty import ends
from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts, RunFacts
from analysis.cards.markdown import NOT_KNOWN, paragraphs, table
from analysis.cards.numbers import count, percent, rate, seconds, speedup_between
from analysis.cards.section import Figures, Section
from analysis.cards.wording import label, no_baseline

HEADING = "Overall comparison"
HEADERS = (
    "Configuration",
    "Predicted",
    "Drafted",
    "Accepted",
    "Acceptance",
    "Wall, s",
    "Effective tok/s",
    "Decode tok/s",
    "Speedup",
)
BASELINE = "{label} (baseline)"
BEST = "**{value}**"
READING = (
    "*Effective* is whole requests, prompt included; *decode* is generation only, after the "
    "prompt. {speedup}"
)
READING_DECODE = "*Decode* is generation only, after the prompt. {speedup}"
SPEEDUP_DECODE = "*Speedup* is of decode, over no speculation: above 1.00× is faster."
SPEEDUP = "*Speedup* is effective, over no speculation: above 1.00× is faster."
INTERVALS = "Brackets hold 90 % intervals; ~ marks a speedup that can't be told from 1."
NO_SPEEDUP = "{no_baseline}: there is no speedup to give."
SYNTHETIC = (
    "A synthetic run accepts tokens by coin to measure what a step costs: its text is garbage, its "
    "throughput is not compared and it is never recommended."
)


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """The table of all runs; null for a campaign without results."""
    if not facts.runs:
        return None
    intervals = any(ends(facts, run)[0] is not None for run in facts.real)
    synthetic = any(run.synthetic for run in facts.runs)
    timed = any(run.effective_tps is not None for run in facts.runs)
    reading = READING if timed else READING_DECODE
    explained = say(reading, speedup=_about_speedup(facts))
    return Section(
        HEADING,
        paragraphs(
            _table(facts),
            explained,
            Markdown(INTERVALS) if intervals else None,
            Markdown(SYNTHETIC) if synthetic else None,
        ),
    )


def _about_speedup(facts: Facts) -> Markdown:
    if facts.baseline is not None:
        return Markdown(SPEEDUP if facts.effective else SPEEDUP_DECODE)
    return say(NO_SPEEDUP, no_baseline=no_baseline(facts))


def _table(facts: Facts) -> Markdown:
    # Without a baseline the last column would hold nothing.
    width = len(HEADERS) if facts.baseline else len(HEADERS) - 1
    return table(HEADERS[:width], [_row(facts, run)[:width] for run in facts.runs])


def _speedup(facts: Facts, run: RunFacts) -> Markdown:
    gain = run.speedup if facts.effective else run.decode_speedup
    return speedup_between(gain, *ends(facts, run))


def _row(facts: Facts, run: RunFacts) -> list[str]:
    fair = [other for other in facts.real if not other.aside]
    top = max((other.effective_tps or 0.0 for other in fair), default=0.0)
    effective = rate(run.effective_tps)
    if run.effective_tps == top and run in fair and len(facts.real) > 1:
        effective = say(BEST, value=effective)
    name = label(run)
    return [
        say(BASELINE, label=name) if run is facts.baseline else name,
        count(run.predicted_tokens),
        count(run.draft_tokens),
        count(run.accepted_tokens),
        percent(run.acceptance_rate),
        seconds(run.wall_s),
        effective,
        rate(run.decode_tps),
        Markdown(NOT_KNOWN) if run.synthetic else _speedup(facts, run),
    ]
