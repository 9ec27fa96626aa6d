from dataclasses import replace

import pytest

from analysis.charts.break_even import break_even

RUNS = {"dspark-n2": 2, "dspark-n3": 3, "dspark-n5": 5, "dflash-n7": 7}


def test_every_task_stands_at_its_acceptance(dspark, dots):
    found = dots(break_even(dspark).figure().axes[0])
    assert set(found) == set(RUNS)
    for run, item in found.items():
        tasks = dspark.tasks[dspark.tasks["run"] == run]
        heights = [y for _, y in item.get_offsets().tolist()]
        assert heights == pytest.approx(list(tasks["acceptance_rate"]))
        assert all(abs(x - RUNS[run]) <= 0.19 for x, _ in item.get_offsets().tolist())
        assert len({round(x, 6) for x, _ in item.get_offsets().tolist()}) == 13


def test_the_short_lines_are_the_break_evens(dspark):
    lines = {line.get_gid(): line for line in break_even(dspark).figure().axes[0].lines}
    runs = dspark.runs.set_index("id")
    for run, depth in RUNS.items():
        line = lines[f"break-even of {run}"]
        level = runs.at[run, "break_even_acceptance"]
        assert list(line.get_ydata()) == [level, level]
        assert sum(line.get_xdata()) / 2 == pytest.approx(depth)
    between = lines["draft-dspark"]
    assert list(between.get_xdata()) == [2, 3, 4, 5]


def test_counts_of_tasks_above(dspark):
    said = break_even(dspark).alt
    tasks, runs = dspark.tasks, dspark.runs.set_index("id")
    for run in RUNS:
        own = tasks.loc[tasks["run"] == run, "acceptance_rate"]
        above = int((own > runs.at[run, "break_even_acceptance"]).sum())
        assert f"{above} of 13 tasks above" in said


def test_nothing_without_a_baseline(build, dspark):
    assert break_even(build(baseline=None)) is None
    blind = dspark.runs.assign(break_even_acceptance=float("nan"))
    assert break_even(replace(dspark, runs=blind)) is None


def test_a_synthetic_run_has_no_place(build, dots):
    frames = build(synthetic=("spark-3",))
    assert set(dots(break_even(frames).figure().axes[0])) == {"spark-2", "flash-7"}


@pytest.mark.parametrize(
    ("level", "said"), [(2.399, "↑ no rate\nis enough"), (-0.05, "↓ any rate\nis enough")]
)
def test_a_level_off_the_axis_is_written(dspark, level, said):
    runs = dspark.runs.copy()
    runs.loc[runs["id"] == "dflash-n7", "break_even_acceptance"] = level
    made = break_even(replace(dspark, runs=runs))
    axes = made.figure().axes[0]
    (text,) = axes.texts
    assert text.get_text() == said
    assert f"{'no' if level > 1 else 'any'} acceptance rate is enough, " in made.alt
    assert text.xy[0] == 7
    assert not break_even(dspark).figure().axes[0].texts
