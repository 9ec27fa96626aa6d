"""Policy: what choosing by workload, or cutting drafts short, could gain over one depth."""

from __future__ import annotations

import pandas as pd

from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts, known
from analysis.cards.markdown import Align, bullets, details, paragraphs, table
from analysis.cards.numbers import decimal, percent, rate, speedup
from analysis.cards.section import Figures, Section, chart
from analysis.cards.wording import ALL_PROMPTS, labels, method_name, workload_title
from analysis.names import method_title

HEADING = "Beyond one fixed depth"
FIXED = "With {method}, the best single configuration, {run}, reaches {rate} tok/s decode."
ROUTED = (
    "The best of those measured for each workload, speculation off included, generate {rate} "
    "tok/s{closed}."
)
ROUTED_BY = "The best of those measured for each workload generate {rate} tok/s{closed}."
P_MIN = (
    "Measured with a confidence threshold, {run} (p_min {p_min}) generates {rate} tok/s{closed}."
)
THRESHOLD = (
    "A draft that stops where it is not sure (threshold {p_min}) could reach {rate} "
    "tok/s{closed}. That is assumed, not measured: it takes the draft's confidence to be right on "
    "average and to explain half of what varies in acceptance."
)
REPLAYED = (
    "A draft that stops where it is not sure (threshold {p_min}) is predicted to reach {rate} "
    "tok/s{closed}: replayed from a log with the draft's confidences, not measured."
)
CEILING = (
    "The ceiling is {rate} tok/s: each draft cut right after its last accepted token, which takes "
    "foresight."
)
CLOSED = ", {share} of the way to the ceiling"
TABLE = "Policies per workload"
NAMES = {
    "off": "no speculation",
    "fixed": "best fixed depth",
    "routed": "best per workload",
    "p_min": "measured with p_min",
    "threshold": "confidence threshold",
    "ceiling": "perfect truncation",
}
HEADERS = ("Workload", "Policy", "Known from", "Decode tok/s", "Speedup")
SIDES: tuple[Align, ...] = ("left", "left", "left", "right", "right")
BETWEEN = "{value} ({low}–{high})"


def write(facts: Facts, figures: Figures) -> Section | None:
    """Null where there is nothing beyond one setting."""
    ladder = facts.summary.ladder
    if ladder.empty:
        return None
    methods = [
        method
        for method in dict.fromkeys(ladder["method"])
        if len(_whole(ladder, method)) > 1 and (_whole(ladder, method)["step"] != "off").sum() > 1
    ]
    if not methods:
        return None
    said = [sentence for method in methods for sentence in _sentences(facts, ladder, method)]
    tables = [
        paragraphs(say("**{method}**", method=method_title(method)), _table(facts, ladder, method))
        for method in methods
    ]
    return Section(
        HEADING,
        paragraphs(chart(figures, "ladder"), bullets(said), details(TABLE, paragraphs(*tables))),
    )


def _whole(ladder: pd.DataFrame, method: str) -> pd.DataFrame:
    rows = ladder[(ladder["method"] == method) & ladder["workload"].isna()]
    return rows[rows["decode_tps"].notna()]


def _sentences(facts: Facts, ladder: pd.DataFrame, method: str) -> list[Markdown]:
    steps = {row["step"]: row for row in _whole(ladder, method).to_dict("records")}
    said = []
    for step, words in (
        ("fixed", FIXED),
        ("routed", ROUTED_BY if facts.baseline is None else ROUTED),
        ("p_min", P_MIN),
        ("threshold", THRESHOLD),
        ("ceiling", CEILING),
    ):
        if step not in steps:
            continue
        row = steps[step]
        run = facts.by_id.get(str(row["run"]))
        said.append(
            say(
                REPLAYED if row["source"] == "replayed" else words,
                method=method_name(method),
                run=Markdown("") if run is None else labels([run]),
                p_min=decimal(known(row["p_min"])),
                rate=rate(row["decode_tps"]),
                closed=_closed(known(row["gap_closed"])),
            )
        )
    return said


def _closed(share: float | None) -> Markdown:
    if share is None or share <= 0:
        return Markdown("")
    return say(CLOSED, share=percent(share))


def _table(facts: Facts, ladder: pd.DataFrame, method: str) -> Markdown:
    own = ladder[(ladder["method"] == method) & ladder["decode_tps"].notna()]
    paired = facts.baseline is not None
    rows = []
    for workload in [None, *facts.workloads]:
        at = own["workload"].isna() if workload is None else own["workload"] == workload
        for row in own[at].to_dict("records"):
            low, high = known(row["low"]), known(row["high"])
            value = rate(row["decode_tps"])
            if low is not None and high is not None:
                value = say(BETWEEN, value=value, low=rate(low), high=rate(high))
            rows.append(
                [
                    ALL_PROMPTS if workload is None else workload_title(workload),
                    NAMES[row["step"]],
                    str(row["source"]),
                    value,
                    *([speedup(known(row["speedup"]))] if paired else []),
                ]
            )
    return table(HEADERS if paired else HEADERS[:-1], rows, SIDES if paired else SIDES[:-1])
