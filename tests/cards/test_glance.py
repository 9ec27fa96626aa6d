from __future__ import annotations

from dataclasses import replace

import pandas as pd

from analysis.cards.facts import Facts
from analysis.cards.glance import glance
from analysis.cards.sections import baseline, overall
from analysis.summary import Summary


def with_intervals(summary: Summary, low: float, high: float) -> Summary:
    runs = summary.runs.copy()
    of_one = runs["id"] == "dflash-n7"
    runs["speedup_low"] = pd.Series([low] * len(runs)).where(of_one)
    runs["speedup_high"] = pd.Series([high] * len(runs)).where(of_one)
    return replace(summary, runs=runs)


def test_every_setting_on_every_kind_of_text(wins: Summary) -> None:
    text = str(glance(Facts(wins)))
    head, _, *rows = text.split("\n\n")[0].splitlines()
    assert head.count("|") == 2 + 5
    assert len(rows) == 3
    runs = wins.runs.set_index("id")
    assert f"**{runs.at['dflash-n7', 'speedup']:.2f}× [" in rows[2]
    # DFlash is the fastest on translation too, and does not pay there.
    assert "0.91× |" in rows[2]
    assert "One run each: a change below " in text


def test_without_a_baseline_there_is_no_speedup_to_show(unpaired: Summary) -> None:
    assert glance(Facts(unpaired)) is None


def test_intervals_are_shown_and_explained(wins: Summary) -> None:
    summary = with_intervals(wins, 1.3, 1.5)
    text = str(glance(Facts(summary)))
    assert "**1.39× [1.30, 1.50]**" in text
    assert "Brackets: 90 % intervals" in text
    table = str(overall.write(Facts(summary), {}))
    assert "1.39× [1.30, 1.50]" in table
    assert "90 % intervals" in table


def test_the_interval_is_that_of_the_speedup_that_is_shown(wins: Summary) -> None:
    marked = with_intervals(wins, 1.3, 1.5).runs
    runs = wins.runs.assign(
        decode_speedup_low=marked["speedup_low"], decode_speedup_high=marked["speedup_high"]
    )
    effective = str(glance(Facts(replace(wins, runs=runs))))
    assert "[1.30, 1.50]" not in effective
    runs = runs.assign(effective_tps=float("nan"), speedup=float("nan"))
    decode = str(glance(Facts(replace(wins, runs=runs))))
    assert "[1.30, 1.50]**" in decode
    assert "Decoding only. Brackets: 90 % intervals" in decode
    table = str(baseline.write(Facts(replace(wins, runs=runs)), {}))
    assert "[1.30, 1.50]" in table
    assert "Brackets are 90 % intervals" in table


def test_a_speedup_that_cannot_be_told_from_1_is_marked_and_not_bold(wins: Summary) -> None:
    text = str(glance(Facts(with_intervals(wins, 0.9, 1.5))))
    assert "| ~1.39× [0.90, 1.50] |" in text
