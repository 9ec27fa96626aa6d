from analysis.charts.requests import requests


def test_every_request_stands_at_its_rate_in_the_row_of_its_run(build, dots):
    frames = build(repeats=3)
    chart = requests(frames)
    axes = chart.figure().axes[0]
    runs = list(frames.runs["id"])
    assert [text.get_text() for text in axes.get_yticklabels()] == runs
    drawn = 0
    for name, item in dots(axes).items():
        run, kind = name.split(":")
        own = frames.tasks[(frames.tasks["run"] == run) & (frames.tasks["workload"] == kind)]
        assert sorted(item.get_offsets()[:, 0]) == sorted(own["decode_tps"])
        assert all(abs(y - runs.index(run)) < 0.3 for y in item.get_offsets()[:, 1])
        drawn += len(item.get_offsets())
    assert drawn == len(frames.tasks) == 36


def test_the_bars_are_medians_and_the_alt_text_has_the_range(build):
    frames = build(repeats=3)
    chart = requests(frames)
    lines = {line.get_gid(): line for line in chart.figure().axes[0].lines}
    for run, own in frames.tasks.groupby("run")["decode_tps"]:
        assert list(lines[f"median of {run}"].get_xdata()) == [own.median()] * 2
        said = f"{run}: {own.min():.1f} to {own.max():.1f} tok/s, median {own.median():.1f}"
        assert said in chart.alt


def test_single_runs_have_other_charts(build):
    assert requests(build()) is None


def test_few_requests_show_no_spread(build):
    assert requests(build(tasks=["code_python"], repeats=3)) is None
    assert requests(build(tasks=["code_python"], repeats=4)) is not None
