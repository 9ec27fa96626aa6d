from __future__ import annotations

from analysis.charts import DARK, LIGHT

ONE, OTHER = {"cpu": "A"}, {"cpu": "B"}


def ratio(name, value, target=2.0, met=None):
    return {"name": name, "value": value, "target": target, "met": value <= target}


def entries(history):
    """Three measurements, the last on another machine, with a ratio that came later."""
    rows = [
        (ONE, (ratio("report", 1.0),)),
        (ONE, (ratio("report", 3.0), ratio("live", 0.004, 0.01))),
        (OTHER, (ratio("report", 1.5), ratio("live", 0.02, 0.01))),
    ]
    return [
        history.Entry(f"2026-01-0{day}", f"{day}" * 10, False, machine, ratios)
        for day, (machine, ratios) in enumerate(rows, start=1)
    ]


def test_each_ratio_is_drawn_over_its_target_and_machines_are_not_joined(benchmark):
    history, charts = benchmark("history"), benchmark("history_chart")
    report, live = charts.chart(entries(history)).figure().axes[:2]
    lines = [line.get_xydata().tolist() for line in report.lines]
    assert [[0, 0.5], [1, 1.5]] in lines
    assert [[1, 1.5], [2, 0.75]] not in lines
    marks = {(*line.get_xydata()[0], line.get_marker()) for line in report.lines[2:]}
    assert marks == {(0, 0.5, "o"), (1, 1.5, "X"), (2, 0.75, "o")}
    assert (report.get_title("left"), live.get_title("left")) == (
        "report: 1.5 of 2",
        "live: 0.02 of 0.01",
    )
    low, high = report.get_ylim()
    assert low < 0.4
    assert high > 2.0


def test_the_words_name_what_was_missed_last(benchmark):
    history, charts = benchmark("history"), benchmark("history_chart")
    assert charts.chart(entries(history)).alt == (
        "2 ratios, measured up to 3 times. Last: report 1.5 of 2, live 0.02 of 0.01. Missed: live."
    )
    assert charts.chart(entries(history)[:1]).alt.endswith("Missed: none.")


def test_two_pictures_are_equal_and_few_commits_are_named(benchmark, tmp_path):
    history, charts = benchmark("history"), benchmark("history_chart")
    many = [
        history.Entry(f"2026-01-{day:02}", f"{day:010}", False, ONE, (ratio("help", 1.0),))
        for day in range(1, 21)
    ]
    made = charts.chart(many)
    assert made.png(LIGHT) == made.png(LIGHT)
    axes = made.figure(DARK).axes[0]
    assert len(axes.get_xticks()) <= charts.LABELS
    assert axes.get_xticks()[-1] == 19
    for entry in many:
        history.append(entry, tmp_path / "history.jsonl")
    charts.draw(tmp_path / "history.jsonl", tmp_path / "history.png")
    assert (tmp_path / "history.png").read_bytes() == made.png()
