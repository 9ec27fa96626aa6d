"""Depth: what each position costs and brings, and which depth is best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import compress

import pandas as pd

from analysis.cards.facts import Facts, known
from analysis.cards.markdown import Align, Markdown, bullets, details, paragraphs, say, table
from analysis.cards.numbers import break_even, length, milliseconds, percent, rate, speedup
from analysis.cards.section import Figures, Section, chart
from analysis.cards.wording import OFF, labels, method_name, workload_title
from analysis.depths.depth import ABOUT_BREAK_EVEN, LOSES, PAYS, UNDECIDED, known_from
from analysis.statistics.decision import BOUND

Written = Callable[[float | None], Markdown]

HEADING = "Which depth"
VERDICTS = {
    PAYS: (
        "**Position {position} pays** with {method}: it adds {gain} tokens per forward, {needed} "
        "would break even."
    ),
    LOSES: (
        "**Position {position} does not pay** with {method}: it adds {gain} tokens per forward, "
        "{needed} would break even."
    ),
    ABOUT_BREAK_EVEN: (
        "**Position {position} is about break-even** with {method}: it adds {gain} tokens per "
        "forward, {needed} would break even, and the difference is within the uncertainty."
    ),
    UNDECIDED: (
        "Whether **position {position}** pays with {method} is not decided by these data: it adds "
        "{gain} tokens per forward, {needed} would break even."
    ),
}
BEST = (
    "Over all prompts depth {depth} is the one to use with {method}: {rate} tok/s decode ({low} to "
    "{high}){gain}."
)
UNTRIED = (
    "Depth {untried} is predicted to be {gain} faster, though no run was made there: worth "
    "measuring, and not advised before."
)
GAIN = ", {speedup} of {off}"
SURE = "Of those measured it is the most likely to be the fastest: in {share} of the model's draws."
CLOSE = "Others are close: it is the fastest of those measured in {share} of the model's draws."
OFF_BEST = (
    "With {method}, {off} is the setting to use over all prompts: it is the fastest of those "
    "measured in {share} of the model's draws."
)
NO_CURVE = (
    "With {method} only one depth was run, so nothing is said of other depths; a second one would "
    "be enough to predict them."
)
BEST_HEADERS = (
    "Workload",
    "Depth to use",
    "Decode tok/s",
    "Speedup",
    "Fastest in",
    "Without a run, predicted to be faster",
)
BEST_SIDES: tuple[Align, ...] = ("left", "right", "right", "right", "right", "left")
PREDICTED = "depth {depth}, by {gain}"
EVERYTHING = "Everything together"
LEAVE_OFF = "off"
BETWEEN = "{value} ({low}–{high})"
BEST_READING = (
    "In brackets: 90 % intervals of the model, which carry the uncertainty of acceptance and of "
    "the time per forward, run noise included. *Depth to use*: of those measured the one that is "
    "expected to lose least against the best; a smaller one, or none, where it is expected to lose "
    "less than {bound}. *Fastest in*: share of the model's draws in which none of those measured "
    "is faster."
)
TABLE = "Every depth: {method}"
HEADERS = (
    "Depth",
    "Known from",
    "ms per forward",
    "R",
    "Break-even acceptance",
    "Tokens per forward",
    "Decode tok/s",
)
SIDES: tuple[Align, ...] = ("right", "left", "right", "right", "right", "right", "right")
MISFIT = (
    "The model does not fit {label}: its run gave {rate} tok/s decode at depth {depth}, and the "
    "model's interval is {low} to {high}. What was measured counts."
)
READING = (
    "Values of the model: *fitted* where there was a run, whose own figures stand in the tables "
    "above; *predicted* depths had none. *R* is the time of a forward over that of a plain step."
)
COST = "What depth costs and brings"


def write(facts: Facts, figures: Figures) -> Section | None:
    """Null where no method has a run whose depth is known."""
    depths = facts.summary.depths
    if depths.empty:
        return None
    methods = list(dict.fromkeys(depths["method"]))
    curves = {method: _whole(depths, method) for method in methods}
    said: list[Markdown] = []
    for method, rows in curves.items():
        said += _sentences(facts, method, rows) if len(rows) > 1 else [_lone(method)]
    tables = [_table(method, rows) for method, rows in curves.items() if len(rows) > 1]
    best = [_best_table(facts, method) for method, rows in curves.items() if len(rows) > 1]
    return Section(
        HEADING,
        paragraphs(
            chart(figures, "depth_throughput"),
            bullets(said),
            *best,
            say(BEST_READING, bound=percent(BOUND)) if any(best) else None,
            chart(figures, "break_even"),
            details(COST, paragraphs(chart(figures, "depth_cost"), *tables, Markdown(READING)))
            if tables
            else chart(figures, "depth_cost"),
        ),
    )


def _whole(depths: pd.DataFrame, method: str) -> pd.DataFrame:
    rows = depths[(depths["method"] == method) & depths["workload"].isna()]
    return rows[rows["decode_tps"].notna()].sort_values("n_max")


def _lone(method: str) -> Markdown:
    return say(NO_CURVE, method=method_name(method))


def _sentences(facts: Facts, method: str, rows: pd.DataFrame) -> list[Markdown]:
    best = facts.summary.best_depths
    overall = best[(best["method"] == method) & best["workload"].isna()]
    said = [part for _, row in overall.iterrows() for part in _choice(row, method)]
    said += _misfits(facts, method, rows)
    deepest = int(rows.loc[rows["source"] == "measured", "n_max"].max())
    for _, row in rows[(rows["n_max"] > 1) & (rows["n_max"] <= deepest)].iterrows():
        verdict = known(row["position_verdict"])
        if verdict is None:
            continue
        said.append(
            say(
                VERDICTS[verdict],
                position=int(row["n_max"]),
                method=method_name(method),
                gain=length(known(row["position_gain"])),
                needed=length(known(row["position_break_even"])),
            )
        )
    return said


def _choice(row: pd.Series, method: str) -> list[Markdown]:
    untried = []
    if known(row["untried"]) is not None:
        gain = percent(known(row["untried_gain"]))
        untried = [say(UNTRIED, untried=int(row["untried"]), gain=gain)]
    return [_used(row, method), *untried]


def _used(row: pd.Series, method: str) -> Markdown:
    share = percent(known(row["probability"]))
    if not row["n_max"]:
        return say(OFF_BEST, method=method_name(method), off=OFF, share=share)
    gain = known(row["speedup"])
    text = say(
        BEST,
        depth=int(row["n_max"]),
        method=method_name(method),
        rate=rate(known(row["decode_tps"])),
        low=rate(known(row["low"])),
        high=rate(known(row["high"])),
        gain=Markdown("") if gain is None else say(GAIN, speedup=speedup(gain), off=OFF),
    )
    sure = say(SURE if (row["probability"] or 0) > 0.5 else CLOSE, share=share)
    return Markdown(f"{text} {sure}")


def _best_table(facts: Facts, method: str) -> Markdown | None:
    best = facts.summary.best_depths
    own = best[best["method"] == method]
    if own.empty:
        return None
    order = [None, *facts.workloads]
    paired = bool(own["speedup"].notna().any())
    rows = []
    for workload in order:
        at = own["workload"].isna() if workload is None else own["workload"] == workload
        for _, row in own[at].iterrows():
            off = not row["n_max"]
            gain = _between(row, "speedup", "speedup_low", "speedup_high", speedup)
            rows.append(
                [
                    EVERYTHING if workload is None else workload_title(workload),
                    LEAVE_OFF if off else str(int(row["n_max"])),
                    _between(row, "decode_tps", "low", "high", rate),
                    *([speedup(1.0) if off else gain] if paired else []),
                    percent(known(row["probability"])),
                    _untried(row),
                ]
            )
    title = say("**{method}**", method=method_name(method))
    shown = [name != "Speedup" or paired for name in BEST_HEADERS]
    shown[-1] = bool(own["untried"].notna().any())
    return paragraphs(
        title,
        table(
            list(compress(BEST_HEADERS, shown)),
            [row if shown[-1] else row[:-1] for row in rows],
            list(compress(BEST_SIDES, shown)),
        ),
    )


def _untried(row: pd.Series) -> Markdown:
    if known(row["untried"]) is None:
        return Markdown("–")
    gain = percent(known(row["untried_gain"]))
    return say(PREDICTED, depth=int(row["untried"]), gain=gain)


def _misfits(facts: Facts, method: str, rows: pd.DataFrame) -> Iterator[Markdown]:
    """Runs that did what the model was fitted to, and whose rate it does not give back."""
    by_depth = rows.set_index("n_max")
    for run in facts.drafting:
        if run.spec_type != method or run.aside or run.n_max not in by_depth.index:
            continue
        low, high = (known(by_depth.at[run.n_max, end]) for end in ("low", "high"))
        if run.decode_tps is None or low is None or high is None or low <= run.decode_tps <= high:
            continue
        yield say(
            MISFIT,
            label=labels([run]),
            rate=rate(run.decode_tps),
            depth=int(run.n_max or 0),
            low=rate(low),
            high=rate(high),
        )


def _between(row: pd.Series, value: str, low: str, high: str, form: Written) -> Markdown:
    if known(row[value]) is None:
        return form(None)
    return say(
        BETWEEN,
        value=form(float(row[value])),
        low=form(known(row[low])),
        high=form(known(row[high])),
    )


def _table(method: str, rows: pd.DataFrame) -> Markdown:
    body = [
        [
            str(int(row["n_max"])),
            known_from(row["source"]),
            milliseconds(known(row["ms_per_forward"])),
            length(known(row["step_cost_ratio"])),
            break_even(known(row["break_even_acceptance"])),
            length(known(row["mean_accepted_length"])),
            _between(row, "decode_tps", "low", "high", rate),
        ]
        for _, row in rows.iterrows()
    ]
    title = say(TABLE, method=method_name(method))
    return paragraphs(say("**{title}**", title=title), table(HEADERS, body, SIDES))
