"""Depth: what each position costs and brings, and which depth is best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import compress

import pandas as pd

from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts, known
from analysis.cards.markdown import RIGHT, Align, bullets, details, paragraphs, table
from analysis.cards.numbers import break_even, chance, length, milliseconds, percent, rate, speedup
from analysis.cards.section import Figures, Section, chart
from analysis.cards.wording import ALL_PROMPTS, OFF, labels, method_name, spans, workload_title
from analysis.depths.depth import ABOUT_BREAK_EVEN, LOSES, PAYS, UNDECIDED, known_from
from analysis.names import method_title

Written = Callable[[float | None], Markdown]

HEADING = "Which depth"
POSITIONS = "With {method}, each further drafted token has to earn its time: {parts}."
VERDICTS = {
    PAYS: ("position {positions} pays", "positions {positions} pay"),
    ABOUT_BREAK_EVEN: (
        "position {positions} is about break-even",
        "positions {positions} are about break-even",
    ),
    LOSES: ("position {positions} does not pay", "positions {positions} do not pay"),
    UNDECIDED: (
        "position {positions} is not decided by these data",
        "positions {positions} are not decided by these data",
    ),
}
BEST = "Over all prompts depth {depth} is the one to use with {method}{gain}."
UNTRIED = (
    "Depth {untried} is predicted to be {gain} faster, though no run was made there: worth "
    "measuring, and not advised before."
)
GAIN = ": {speedup} the speed of {off}, generation only"
SURE = "The chance that none of those measured is faster is {share}, by the model below."
OFF_BEST = "With {method}, {off} is the one to use over all prompts."
NO_CURVE = (
    "With {method} only one depth was run, so nothing is said of other depths; a second one would "
    "be enough to predict them."
)
BEST_HEADERS = (
    "Workload",
    "Depth to use",
    "Decode tok/s",
    "Speedup",
    "Chance to be fastest",
    "Without a run, predicted to be faster",
)
BEST_SIDES: tuple[Align, ...] = ("left", "right", "right", "right", "right", "left")
PREDICTED = "depth {depth}, by {gain}"
LEAVE_OFF = "off"
BETWEEN = "{value} ({low}–{high})"
BEST_READING = (
    "From a model of acceptance and of the time per forward, run noise included, with 90 % "
    "intervals. *Depth to use* and the chance to be fastest are among the depths measured."
)
TABLE = "Every depth: {method}"
HEADERS = (
    "Depth",
    "Known from",
    "ms per forward",
    "R",
    "Break-even acceptance",
    "Tokens per forward",
    "Adds",
    "Has to add",
    "Decode tok/s",
)
SIDES: tuple[Align, ...] = ("right", "left", *([RIGHT] * 7))
MISFIT = (
    "The model does not fit {label}: its run gave {rate} tok/s decode, outside of {low} to {high}. "
    "What was measured counts."
)
READING = (
    "Values of the model: *fitted* where there was a run, whose own figures stand in the tables "
    "above; *predicted* depths had none. *R* is the time of a forward over that of a plain step. "
    "*Adds*: tokens per forward more than one depth less; it pays above *has to add*."
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
            Markdown(BEST_READING) if any(best) else None,
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
    judged: dict[str, list[int]] = {}
    for _, row in rows[(rows["n_max"] > 1) & (rows["n_max"] <= deepest)].iterrows():
        judged.setdefault(known(row["position_verdict"]) or "", []).append(int(row["n_max"]))
    parts = [
        say(words[len(judged[name]) > 1], positions=spans(judged[name]))
        for name, words in VERDICTS.items()
        if name in judged
    ]
    if parts:
        said.append(say(POSITIONS, method=method_name(method), parts=Markdown(", ".join(parts))))
    return said


def _choice(row: pd.Series, method: str) -> list[Markdown]:
    untried = []
    if known(row["untried"]) is not None:
        gain = percent(known(row["untried_gain"]))
        untried = [say(UNTRIED, untried=int(row["untried"]), gain=gain)]
    return [_used(row, method), *untried]


def _used(row: pd.Series, method: str) -> Markdown:
    gain = known(row["speedup"])
    if not row["n_max"]:
        text = say(OFF_BEST, method=method_name(method), off=OFF)
    else:
        text = say(
            BEST,
            depth=int(row["n_max"]),
            method=method_name(method),
            gain=Markdown("") if gain is None else say(GAIN, speedup=speedup(gain), off=OFF),
        )
    return Markdown(f"{text} {say(SURE, share=chance(known(row['probability'])))}")


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
                    ALL_PROMPTS if workload is None else workload_title(workload),
                    LEAVE_OFF if off else str(int(row["n_max"])),
                    _between(row, "decode_tps", "low", "high", rate),
                    *([speedup(1.0) if off else gain] if paired else []),
                    chance(known(row["probability"])),
                    _untried(row),
                ]
            )
    title = say("**{method}**", method=method_title(method))
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
            length(known(row["position_gain"])),
            length(known(row["position_break_even"])),
            _between(row, "decode_tps", "low", "high", rate),
        ]
        for _, row in rows.iterrows()
    ]
    title = say(TABLE, method=method_title(method))
    return paragraphs(say("**{title}**", title=title), table(HEADERS, body, SIDES))
