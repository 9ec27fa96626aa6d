from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from analysis.cards import render, render_sections
from analysis.cards.facts import Facts
from analysis.cards.sections.turns import write
from analysis.records import Aggregate, SteadyState, Surroundings
from analysis.summary import Summary
from tests import committed
from tests.conditions.world import Machine, measured

Make = Callable[..., object]
SLOTS = (1, 2, 4, 8)


def summary(campaign: Make, machine: Machine, **axes: object) -> Summary:
    runs = measured(machine, np.random.default_rng(2), **axes)
    return committed.summarised(campaign(*runs, baseline=runs[0].id))


def said(campaign: Make, machine: Machine, **axes: object) -> tuple[str, str]:
    """The section, and what the first screen says."""
    facts = Facts(summary(campaign, machine, **axes))
    section = write(facts, {})
    assert section is not None
    return str(section), str(section.first or "")


def test_a_card_says_where_it_stops(campaign: Make) -> None:
    machine = Machine(token_ms=1.0)
    section, brief = said(campaign, machine, slots=SLOTS)
    assert "stops paying at about" in section
    assert "requests at once (90 % interval:" in section
    assert "it pays up to about" in brief
    assert "#where-it-stops-paying" in brief
    assert "Predicted, not measured:" in section
    assert "at 16 requests at once" in section


def test_a_card_says_that_it_pays_all_over(campaign: Make) -> None:
    machine = Machine(token_ms=0.01)
    section, brief = said(campaign, machine, slots=(1, 4))
    assert "pays all over what was measured, 1 to 4 requests at once" in section
    assert "not within what was measured" in section
    assert "up to the most that was measured, 4" in brief


def test_a_card_says_that_it_pays_nowhere(campaign: Make) -> None:
    machine = Machine(draft_ms=80.0)
    section, brief = said(campaign, machine, slots=(1, 4))
    assert "pays nowhere within what was measured, 1 to 4 requests at once" in section
    assert brief.startswith(
        "**With more requests at once** it does not pay either, up to 4 requests"
    )


def test_where_the_interval_reaches_what_was_not_measured(campaign: Make) -> None:
    # As fast as without at the last value: the true speedup there is 1.
    machine = Machine(token_ms=0.64)
    assert machine.speedup(8, 3) == pytest.approx(1.0, abs=0.03)
    section, brief = said(campaign, machine, slots=SLOTS)
    assert "more than was measured" in section or "can't be told apart" in section
    assert "it pays up to about" in brief


def test_contexts_and_both(campaign: Make) -> None:
    machine = Machine(context_ms=0.3, draft_context_ms=1.2)
    section, brief = said(campaign, machine, slots=(1, 4), contexts=(0, 4096, 16384))
    assert "with 4 requests at once" in section
    assert "The same with other values of the rest" in section
    assert "The speedup in decode throughput goes from" in section
    assert "with more requests at once it" in brief
    assert "with longer contexts it" in brief
    # One row for each run of each point.
    assert section.count("\n| no speculation |") == 6


def test_nothing_is_said_of_columns_that_are_not_there(campaign: Make) -> None:
    runs = measured(Machine(), np.random.default_rng(2), slots=(1, 2))
    facts = Facts(committed.summarised(campaign(*runs, baseline=runs[0].id)))
    assert "First token: seconds" in str(write(facts, {}))
    # Clients that load a server state totals alone.
    totals = [
        replace(
            run,
            tasks=(),
            aggregate=Aggregate(run.source, 8, predicted_tokens=800, wall_s=9.0, elapsed_s=9.0),
        )
        for run in runs
    ]
    section = str(write(Facts(committed.summarised(campaign(*totals, baseline=runs[0].id))), {}))
    assert "Brackets: 90 % intervals" in section
    assert "First token" not in section


def test_what_all_received_and_what_it_cost(campaign: Make) -> None:
    runs = measured(Machine(), np.random.default_rng(2), slots=(1, 2))
    plain = committed.summarised(campaign(*runs, baseline=runs[0].id))
    section = str(write(Facts(plain), {}))
    assert "J/token" not in section
    assert "Tok/s together:" not in section
    power = Surroundings(watts=50.0)
    runs = [
        replace(
            run,
            tasks=tuple(replace(one, surroundings=power) for one in run.tasks),
            steady_states=(SteadyState(1000, 8.0),) if run.concurrency == 2 else (),
        )
        for run in runs
    ]
    section = str(write(Facts(committed.summarised(campaign(*runs, baseline=runs[0].id))), {}))
    # 1000 tokens in 8 s are 125 a second; 50 W over that are 0.4 J each.
    (row,) = [line for line in section.splitlines() if line.startswith("| no speculation | 2 |")]
    assert row.split(" | ")[2] == "125.0"
    assert row.endswith("| 0.40 |")
    assert "Tok/s together: all that the clients received" in section
    assert "J/token: mean power over throughput" in section


def test_a_label_of_a_stranger_stays_text(campaign: Make) -> None:
    runs = measured(Machine(), np.random.default_rng(2), slots=(1, 2))
    runs = [replace(run, label=f"<b>*x*|{run.id}") for run in runs]
    made = committed.summarised(campaign(*runs, baseline=runs[0].id))
    section = str(write(Facts(made), {}))
    assert "<b>" not in section
    assert "*x*|" not in section


def test_other_sections_are_those_of_the_baseline_s_point(campaign: Make) -> None:
    grid = summary(campaign, Machine(), slots=(1, 2))
    runs = [run for run in grid.campaign.runs if run.id.endswith("-x1")]
    alone = render_sections(committed.summarised(campaign(*runs, baseline=runs[0].id)))
    both = render_sections(grid)
    assert set(both) - set(alone) == {"turns"}
    for name in set(alone) - {"summary", "raw", "conditions"}:
        assert both[name] == alone[name], name


@pytest.mark.parametrize("name", ["qwen3.6-35b-a3b-dspark", "live-demo"])
def test_without_axes_there_is_no_such_section(name: str) -> None:
    facts = Facts(committed.summary(name))
    assert write(facts, {}) is None
    assert "stops paying" not in render(committed.summary(name))


def test_a_speedup_that_is_the_same_at_both_ends_goes_nowhere(campaign: Make) -> None:
    machine = Machine(context_ms=0.0, draft_context_ms=0.0)
    section, _ = said(campaign, machine, slots=(1,), contexts=(0, 512))
    ends = re.search(r"The speedup in decode throughput (.*)", section)
    assert ends is not None
    same = re.match(r"goes from (\S+×) to (\S+×)\.|is (\S+×) at both ends\.", ends[1])
    assert same is not None
    assert same[3] or same[1] != same[2]
