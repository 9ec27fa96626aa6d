from dataclasses import replace

import pandas as pd
import pytest

from analysis.charts.depth_throughput import depth_throughput
from analysis.names import workload_title

SCOPES = (None, "code", "reasoning", "creative", "explanation")


def rows_of(frames, scope):
    rows = frames.depths[frames.depths["method"] == "draft-dspark"]
    at = rows["workload"].isna() if scope is None else rows["workload"] == scope
    return rows[at].sort_values("n_max")


def panels(frames):
    return [axes for axes in depth_throughput(frames).figure().axes if axes.get_visible()]


@pytest.mark.parametrize(("place", "scope"), list(enumerate(SCOPES)))
def test_the_line_is_the_model_and_the_marks_are_the_runs(dspark, dots, place, scope):
    axes = panels(dspark)[place]
    model = next(line for line in axes.lines if line.get_gid() == "model")
    rows = rows_of(dspark, scope)
    assert list(model.get_xdata()) == list(range(1, 9))
    assert list(model.get_ydata()) == list(rows["decode_tps"])
    if scope is None:
        rates = dspark.runs.set_index("id")["decode_tps"]
    else:
        own = dspark.workloads[dspark.workloads["workload"] == scope]
        rates = own.set_index("run")["decode_tps"]
    found = {run: item for run, item in dots(axes).items() if run != "band"}
    assert set(found) == {"dspark-n2", "dspark-n3", "dspark-n5"}
    for run, depth in (("dspark-n2", 2), ("dspark-n3", 3), ("dspark-n5", 5)):
        assert found[run].get_offsets()[0].tolist() == pytest.approx([depth, rates[run]])


def test_the_band_spans_the_interval(dspark, dots):
    band = dots(panels(dspark)[0])["band"].get_paths()[0].get_extents()
    rows = rows_of(dspark, None)
    assert band.y0 == pytest.approx(rows["low"].min())
    assert band.y1 == pytest.approx(rows["high"].max())


def test_titles_and_lines_name_the_choice(dspark):
    best = dspark.best_depths[dspark.best_depths["method"] == "draft-dspark"]
    for axes, scope in zip(panels(dspark), SCOPES, strict=True):
        at = best["workload"].isna() if scope is None else best["workload"] == scope
        depth = int(best[at]["n_max"].iloc[0])
        *name, answer = axes.get_title(loc="left").split("\n")
        assert " ".join(name) == workload_title(scope or "all prompts")
        assert answer == (f"use: depth {depth}" if depth else "use: off")
        chosen = [line for line in axes.lines if line.get_gid() == "chosen"]
        assert [line.get_xdata()[0] for line in chosen] == ([depth] if depth else [])


def test_no_speculation_is_a_line_across(dspark):
    plain = next(line for line in panels(dspark)[0].lines if line.get_gid() == "no speculation")
    rate = dspark.runs.set_index("id").at["baseline", "decode_tps"]
    assert list(plain.get_ydata()) == [rate, rate]


def test_nothing_from_one_depth_or_none(dspark):
    assert depth_throughput(replace(dspark, depths=pd.DataFrame())) is None
    lone = dspark.depths[dspark.depths["method"] == "draft-dflash"]
    assert depth_throughput(replace(dspark, depths=lone)) is None


def test_predicted_is_called_so(dspark):
    best = dspark.best_depths[dspark.best_depths["workload"] == "code"].iloc[0]
    said = f"Code and structured output: depth {best['n_max']} ({best['decode_tps']:.1f} tok/s)"
    assert said in depth_throughput(dspark).alt
    frame = dspark.best_depths.assign(untried=7, untried_gain=0.031)
    tried = depth_throughput(replace(dspark, best_depths=frame)).alt
    depths = dspark.depths
    (seventh,) = depths.loc[
        (depths["method"] == "draft-dspark")
        & (depths["workload"] == "code")
        & (depths["n_max"] == 7),
        "decode_tps",
    ]
    assert f"{said}, {seventh:.1f} tok/s predicted at depth 7" in tried
    assert "dotted where no run was made" in depth_throughput(dspark).caption
