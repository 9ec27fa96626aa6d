"""Whatever was measured, there is a card, and it holds no null written as text."""

import re
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.campaigns.campaign import Campaign
from analysis.cards import render
from analysis.cards.preset import preset
from analysis.records import Run, Source, TaskResult
from analysis.summary import summarise

TASK_NAMES = ("code_python", "qa_factual", "translation", "my_own_task")
TYPES = (None, "none", "draft-dspark", "draft-mtp", "ngram-mod", "draft-dflash,ngram-simple")


@st.composite
def results(draw: st.DrawFn, task: str) -> TaskResult:
    source = Source("x.log", 1)
    if draw(st.integers(0, 9)) == 0:
        return TaskResult(task, source, error="connection refused")
    predicted = draw(st.integers(1, 200))
    drafted = draw(st.integers(0, 300))
    rate = draw(st.none() | st.floats(1.0, 500.0))
    return TaskResult(
        task,
        source,
        repeat=draw(st.integers(1, 2)),
        predicted_tokens=predicted,
        draft_tokens=drafted,
        accepted_tokens=draw(st.integers(0, min(drafted, predicted - 1))),
        decode_tps=rate,
        wall_s=draw(st.none() | st.floats(0.1, 9.0)),
    )


@st.composite
def campaigns(draw: st.DrawFn) -> Campaign:
    runs = []
    for index in range(draw(st.integers(1, 4))):
        names = draw(st.lists(st.sampled_from(TASK_NAMES), unique=True))
        kind = draw(st.sampled_from(TYPES))
        runs.append(
            Run(
                source=Source("x.log", 1, 1),
                format="mtp-bench",
                tasks=tuple(draw(results(name)) for name in names),
                id=f"run-{index}",
                label=draw(st.none() | st.sampled_from(["DSpark, n_max 3", "a|b"])),
                spec_type=kind,
                n_max=draw(st.none() | st.integers(1, 7)),
                p_min=draw(st.none() | st.just(0.75)),
                synthetic=draw(st.integers(0, 4)) == 0,
            )
        )
    plain = [run.id for run in runs if run.spec_type == "none"]
    folder = Path(tempfile.gettempdir()) / "no-such-campaign"
    baseline = draw(st.sampled_from(plain)) if plain else None
    return Campaign("any", folder, "Any", baseline=baseline, runs=tuple(runs))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(campaigns())
def test_there_is_always_a_card(campaign: Campaign) -> None:
    summary = summarise(campaign)
    text = render(summary)
    assert not re.search(r"\bnan\b|\bNone\b|<NA>|\binf\b|\{\w*\}", text)
    assert text == render(summary)
    assert not re.search(r"\b1 (tasks|requests|runs|configurations|findings)\b", text)
    assert "[off]" in preset(summary)
