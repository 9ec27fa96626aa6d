from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd

from analysis.cards.facts import Facts
from analysis.cards.glance import glance
from analysis.cards.sections import baseline, overall
from analysis.names import workload_title
from analysis.summary import Summary
from tests import committed
from tests.cards.conftest import make_run, uniform

NEEDS_OFF, HAS_LUCK = "qwen3.6-35b-a3b-dspark", "qwen3.6-35b-a3b-dflash"


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
    # Bold is what the card advises of its own draft; the faster rival is not.
    assert f"| **~{runs.at['dspark-n3', 'speedup']:.2f}×** |" in rows[1]
    assert f"| {runs.at['dflash-n7', 'speedup']:.2f}× |" in rows[2]
    assert "Bold: what to use with DSpark alone; a column without: leave DSpark off." in text
    # No draft pays on translation.
    assert text.count("**") == 2 * 3
    assert "0.91× |" in rows[2]
    assert (
        "All prompts: whole requests, the prompt's time included; workloads: generation only"
        in text
    )


def test_without_a_baseline_rates_are_shown_and_no_speedup(unpaired: Summary) -> None:
    text = str(glance(Facts(unpaired)))
    # 960 tokens at 100 tok/s and five times 0.1 s are 10.1 s; at 120 tok/s they are 8.5 s.
    assert "| DFlash, n_max 2 | 95.0 | 100.0 | 100.0 |" in text
    assert "| DFlash, n_max 3 | **112.9** | **120.0** |" in text
    assert "×" not in text
    assert "no speculation" not in text


def test_one_configuration_without_a_baseline_is_compared_with_nothing(
    summary_of: Callable[..., Summary],
) -> None:
    assert glance(Facts(summary_of([make_run("a", uniform(100.0, 160, 100))]))) is None


def test_intervals_are_in_the_overall_table_and_explained_there(wins: Summary) -> None:
    summary = with_intervals(wins, 1.3, 1.5)
    text = str(glance(Facts(summary)))
    assert "| 1.39× |" in text
    assert "[1.30, 1.50]" not in text
    table = str(overall.write(Facts(summary), {}))
    assert "1.39× [1.30, 1.50]" in table
    assert "90 % intervals" in table


def test_the_interval_is_that_of_the_speedup_that_is_shown(wins: Summary) -> None:
    marked = with_intervals(wins, 1.3, 1.5).runs
    runs = wins.runs.assign(
        decode_speedup_low=marked["speedup_low"], decode_speedup_high=marked["speedup_high"]
    )
    runs.loc[runs["id"] == "dflash-n7", "decode_speedup_low"] = 0.9
    effective = str(glance(Facts(replace(wins, runs=runs))))
    assert "~" not in effective.partition("dflash-n7")[2].partition("|")[0]
    runs = runs.assign(effective_tps=float("nan"), speedup=float("nan"))
    decode = str(glance(Facts(replace(wins, runs=runs))))
    (row,) = [line for line in decode.splitlines() if line.startswith("| DFlash, n_max 7 |")]
    assert row.split("|")[2].strip().startswith("~")
    assert "Generation only, prompt not included." in decode
    table = str(baseline.write(Facts(replace(wins, runs=runs)), {}))
    assert "[0.90, 1.50]" in table


def test_a_speedup_that_cannot_be_told_from_1_is_marked_and_not_bold(wins: Summary) -> None:
    text = str(glance(Facts(with_intervals(wins, 0.9, 1.5))))
    assert "| ~1.39× |" in text
    assert "what has a ~ may be noise" in text


def test_bold_is_what_is_advised_and_what_is_higher_is_explained() -> None:
    for name in ("qwen3.6-35b-a3b-dflash", "qwen3.6-35b-a3b-dspark", "live-demo"):
        facts = Facts(committed.summary(name))
        text = str(glance(facts))
        head, _, *rows = text.split("\n\n")[0].splitlines()
        names = [cell.strip() for cell in head.split("|")[2:-1]]
        bold = {
            column: row.split("|")[1].strip()
            for row in rows
            for column, cell in zip(names, row.split("|")[2:-1], strict=True)
            if "**" in cell
        }
        advised = {
            "All prompts" if one.workload is None else workload_title(one.workload): facts.by_id[
                one.run
            ].label
            for one in facts.own_choices
            if one.run is not None
        }
        assert bold == advised
        assert ("Bold: what to use" in text) is bool(bold)
        assert ("Synthetic runs are left out" in text) is (name == "live-demo")
        assert ("a column without: leave DSpark off" in text) is (name == NEEDS_OFF)
        assert ("a higher figure beside it may be luck" in text) is (name == HAS_LUCK)
