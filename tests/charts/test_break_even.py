from dataclasses import replace

import pytest

from analysis.charts.break_even import break_even

RUNS = ("dspark-n2", "dspark-n3", "dspark-n5", "dflash-n7")


def test_every_task_stands_at_its_acceptance_in_the_row_of_its_run(dspark, dots):
    axes = break_even(dspark).figure().axes[0]
    found: dict[str, list[float]] = {}
    for name, item in dots(axes).items():
        run, kind = name.split(":")
        for x, y in item.get_offsets().tolist():
            assert abs(y - RUNS.index(run)) <= 0.2001
            found.setdefault(run, []).append(x)
        own = dspark.tasks[(dspark.tasks["run"] == run) & (dspark.tasks["workload"] == kind)]
        assert sorted(item.get_offsets()[:, 0]) == pytest.approx(sorted(own["acceptance_rate"]))
    assert {run: len(rates) for run, rates in found.items()} == dict.fromkeys(RUNS, 13)


def test_the_bars_are_the_break_evens(dspark):
    lines = [it for it in break_even(dspark).figure().axes[0].lines if it.get_gid()]
    runs = dspark.runs.set_index("id")
    for row, (run, line) in enumerate(zip(RUNS, lines, strict=True)):
        level = runs.at[run, "break_even_acceptance"]
        assert list(line.get_xdata()) == [level, level]
        assert sum(line.get_ydata()) / 2 == pytest.approx(row)


def test_counts_of_tasks_above_are_said_and_drawn(dspark):
    chart = break_even(dspark)
    shown = [text.get_text() for text in chart.figure().axes[0].texts]
    tasks, runs = dspark.tasks, dspark.runs.set_index("id")
    for run, text in zip(RUNS, shown, strict=True):
        own = tasks.loc[tasks["run"] == run, "acceptance_rate"]
        above = int((own > runs.at[run, "break_even_acceptance"]).sum())
        assert f"{above} of 13 tasks above" in chart.alt
        assert text == f"{above} of 13"
    assert "No bar" not in chart.caption


def test_nothing_without_a_baseline(build, dspark):
    assert break_even(build(baseline=None)) is None
    blind = dspark.runs.assign(break_even_acceptance=float("nan"))
    assert break_even(replace(dspark, runs=blind)) is None


def test_a_synthetic_run_has_no_place(build, dots):
    frames = build(synthetic=("spark-3",))
    found = dots(break_even(frames).figure().axes[0])
    assert {name.split(":")[0] for name in found} == {"spark-2", "flash-7"}


@pytest.mark.parametrize(("level", "word"), [(2.399, "no"), (-0.05, "any")])
def test_a_level_off_the_axis_has_no_bar_and_is_said(dspark, level, word):
    runs = dspark.runs.copy()
    runs.loc[runs["id"] == "dflash-n7", "break_even_acceptance"] = level
    made = break_even(replace(dspark, runs=runs))
    assert len([it for it in made.figure().axes[0].lines if it.get_gid()]) == 3
    assert f"{word} acceptance rate is enough, " in made.alt
    assert f"No bar: {word} rate is enough." in made.caption


def test_the_axis_names_a_bar_only_where_there_is_one(dspark):
    assert "bar" in break_even(dspark).figure().axes[0].get_xlabel()
    beyond = dspark.runs.assign(break_even_acceptance=2.4)
    label = break_even(replace(dspark, runs=beyond)).figure().axes[0].get_xlabel()
    assert label == "acceptance rate of a task"
