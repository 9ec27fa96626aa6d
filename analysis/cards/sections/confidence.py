"""Confidence: is the draft as sure as it is right, and what would a threshold bring?"""

from __future__ import annotations

import pandas as pd

from analysis.cards.commands import coded, replayed_flags
from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts
from analysis.cards.markdown import Align, details, paragraphs, table
from analysis.cards.numbers import count, decimal, length, milliseconds, rate, speedup
from analysis.cards.section import Figures, Section, chart
from analysis.cards.sections.results import FILE
from analysis.cards.wording import labels
from analysis.replaying.verdict import worth_a_threshold

HEADING = "Cutting drafts short"
SAID = "{run}: {verdict}"
FIRST = (
    "**Cut short where the draft is unsure** ({flags}), it is predicted to reach {speedup} over "
    "all prompts, {which}; see [how]({file}#{anchor})."
)
BETTER = "better than every depth measured"
STILL = "still slower than no speculation"
LEAD = (
    "The log holds the draft's own probability of each token, and with it every shallower or more "
    "cautious draft on the same text. What follows is replayed, not measured."
)
COST = (
    "With the confidences logged a forward of {run} took {logged} ms, without {plain} ms; no other "
    "figure of this card comes from that run."
)
TABLE = "Every depth and threshold, replayed"
HEADERS = ("Policy", "n_max", "p_min", "Drafted", "Accepted", "Tokens per forward", "Decode tok/s")
SIDES: tuple[Align, ...] = ("left", "right", "right", "right", "right", "right", "right")
BETWEEN = "{value} ({low}–{high})"
_SHOWN = (0.2, 0.4, 0.6, 0.8)


def write(facts: Facts, figures: Figures) -> Section | None:
    """Null where no log has confidences."""
    replays = facts.summary.replays
    if replays.table.empty:
        return None
    parts: list[Markdown | None] = [say(LEAD)]
    for run in dict.fromkeys(replays.table["run"]):
        own = replays.table[replays.table["run"] == run]
        scores = replays.scores[replays.scores["run"] == run]
        name = labels([facts.by_id[str(run)]])
        parts.append(say(SAID, run=name, verdict=worth_a_threshold(own, scores)))
        parts.append(details(TABLE, _table(own)))
    parts += [
        say(
            COST,
            logged=milliseconds(row["with_ms"]),
            plain=milliseconds(row["without_ms"]),
            run=labels([facts.by_id[str(row["run"])]]),
        )
        for row in replays.logging.to_dict("records")
    ]
    parts += [chart(figures, "truncation"), chart(figures, "reliability")]
    return Section(HEADING, paragraphs(*parts), first=_first(facts))


def _first(facts: Facts) -> Markdown | None:
    """What a threshold is predicted to bring, where the rule would take one."""
    choice = (facts.own_choices or facts.choices or (None,))[0]
    if choice is None or not choice.replayed_p_min or choice.replayed_speedup is None:
        return None
    return say(
        FIRST,
        flags=coded(replayed_flags(facts, choice)),
        speedup=speedup(choice.replayed_speedup),
        which=BETTER if choice.replayed_advised else STILL,
        file=FILE,
        anchor=HEADING.lower().replace(" ", "-"),
    )


def _table(rows: pd.DataFrame) -> Markdown:
    whole = rows[rows["workload"].isna() & (rows["n_min"] == 0)]
    fixed = whole[whole["policy"] == "fixed"]
    cut = whole[(whole["policy"] == "threshold") & whole["p_min"].isin(_SHOWN)]
    cut = cut[cut["n_max"] == fixed["n_max"].max()]
    body = []
    for row in [*fixed.to_dict("records"), *cut.to_dict("records")]:
        forward = say(
            BETWEEN,
            value=length(row["mean_accepted_length"]),
            low=length(row["low"]),
            high=length(row["high"]),
        )
        speed: Markdown | str = "–"
        if not pd.isna(row["decode_tps"]):
            speed = say(
                BETWEEN,
                value=rate(row["decode_tps"]),
                low=rate(row["decode_tps_low"]),
                high=rate(row["decode_tps_high"]),
            )
        body.append(
            [
                row["policy"],
                str(row["n_max"]),
                decimal(row["p_min"]),
                count(round(row["draft_tokens"])),
                count(round(row["accepted_tokens"])),
                forward,
                speed,
            ]
        )
    if whole["decode_tps"].notna().any():
        return table(HEADERS, body, SIDES)
    return table(HEADERS[:-1], [row[:-1] for row in body], SIDES[:-1])
