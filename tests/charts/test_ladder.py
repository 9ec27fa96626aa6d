from dataclasses import replace

import pandas as pd
import pytest

from analysis.charts.ladder import ladder


def test_each_policy_stands_at_its_throughput(dspark, dots):
    panels = ladder(dspark).figure().axes
    assert [axes.get_title(loc="left") for axes in panels] == ["DSpark", "DFlash"]
    rows = dspark.ladder[dspark.ladder["workload"].isna()]
    for axes, method in zip(panels, ("draft-dspark", "draft-dflash"), strict=True):
        own = rows[rows["method"] == method].set_index("step")["decode_tps"]
        found = dots(axes)
        assert set(found) == set(own.index)
        for step, item in found.items():
            assert item.get_offsets()[0][0] == pytest.approx(own[step])


def test_routing_of_the_committed_campaign(dspark):
    assert "best per workload 179.0 tok/s (measured)" in ladder(dspark).alt
    assert "best fixed depth 160.3 tok/s (measured)" in ladder(dspark).alt


def test_bars_only_where_the_model_gives_an_interval(dspark):
    axes = ladder(dspark).figure().axes[0]
    rows = dspark.ladder[
        (dspark.ladder["method"] == "draft-dspark") & dspark.ladder["workload"].isna()
    ]
    known = rows[rows["low"].notna()]
    assert len(axes.containers) == len(known) == 2
    for bar, (_, row) in zip(axes.containers, known.iterrows(), strict=True):
        ends = bar.lines[2][0].get_segments()[0][:, 0]
        assert list(ends) == pytest.approx([row["low"], row["high"]])


def test_one_run_is_hollow_and_assumptions_have_other_shapes(dspark, dots):
    found = dots(ladder(dspark).figure().axes[0])
    paths = {step: len(item.get_paths()[0].vertices) for step, item in found.items()}
    assert len({paths["fixed"], paths["threshold"], paths["ceiling"]}) == 3
    assert found["fixed"].get_facecolor().tolist()[0][:3] == [1.0, 1.0, 1.0]


def test_nothing_with_one_policy(dspark):
    assert ladder(replace(dspark, ladder=pd.DataFrame())) is None
    lone = dspark.ladder[dspark.ladder["step"].isin(["off", "fixed"])]
    assert ladder(replace(dspark, ladder=lone)) is None


def test_the_caption_explains_only_what_is_drawn(dspark):
    told = ladder(dspark).caption
    assert "Circles" in told
    assert "Triangle" in told
    measured = dspark.ladder[dspark.ladder["source"] == "measured"].assign(low=None, high=None)
    alone = ladder(replace(dspark, ladder=measured)).caption
    assert "Circles" in alone
    assert "Triangle" not in alone
    assert "Bars" not in alone
