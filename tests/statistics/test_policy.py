from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from analysis.records import Run
from analysis.statistics.decision import Settings
from analysis.statistics.policy import Recommend
from analysis.summary import summarise

Make = Callable[..., object]

CODE, PROSE = "code_python", "translation"


@pytest.fixture
def measured(task: Make, run: Make) -> Callable[..., Run]:
    """``measured(id, code tok/s, prose tok/s, n_max)``: 100 tokens of each."""

    def make(id: str, code: float, prose: float, n_max: int | None = None, **others: object) -> Run:
        drafted = 10 if n_max else 0
        tasks = (task(CODE, 100, drafted, 0, code), task(PROSE, 100, drafted, 0, prose))
        spec_type = "draft-mtp" if n_max else "none"
        return run(id, *tasks, n_max=n_max, spec_type=spec_type, **others)

    return make


def chosen(frame: pd.DataFrame, workload: str | None) -> pd.Series:
    match = frame["workload"].isna() if workload is None else frame["workload"] == workload
    assert match.sum() == 1
    return frame[match].iloc[0]


def test_the_fastest_is_chosen_for_each_workload(measured: Make, campaign: Make) -> None:
    runs = [measured("plain", 100, 100), measured("n2", 150, 90, 2), measured("n4", 200, 60, 4)]
    summary = summarise(campaign(*runs, baseline="plain"))
    rows = summary.recommendations
    code, prose, overall = (chosen(rows, name) for name in ("code", "creative", None))
    assert (code["run"], code["spec_type"], code["n_max"]) == ("n4", "draft-mtp", 4)
    assert code["expected_speedup"] == pytest.approx(2.0)
    # 90 and 60 tok/s both lose to 100: leave it off.
    assert pd.isna(prose["run"])
    assert (prose["spec_type"], prose["expected_speedup"]) == ("none", 1.0)
    assert pd.isna(prose["n_max"])
    # 200 tokens in 1 / 1.5 + 1 / 0.9 s = 112.5 tok/s, in 0.5 + 1.667 s = 92.3 tok/s.
    assert overall["run"] == "n2"
    assert overall["decode_tps"] == pytest.approx(112.5)
    assert overall["expected_speedup"] == pytest.approx(1.125)
    # One run each: the prior's interval, and none of speculation off.
    assert rows["low"].notna().tolist() == rows["run"].notna().tolist()


def test_routing_by_hand(measured: Make, campaign: Make) -> None:
    runs = [measured("plain", 100, 100), measured("n2", 150, 90, 2), measured("n4", 200, 60, 4)]
    routing = summarise(campaign(*runs, baseline="plain")).routing
    assert routing.fixed_run == "n2"
    assert routing.fixed_tps == pytest.approx(112.5)
    assert routing.routed_tps == pytest.approx(200 / (0.5 + 1.0))  # n4 for code, off for prose
    assert routing.baseline_tps == pytest.approx(100.0)
    # Run noise of 2 % by its prior in each of three runs, n2 whole, n4 for a third of the time,
    # plain for two thirds: 1.81 (Student, 10) * 2 % * hypot(1, 1/3, 2/3) = 4.5 %, and what
    # requests and luck with drafts add.
    gain = routing.routed_tps / routing.fixed_tps
    assert routing.gain_low is not None
    assert routing.gain_high is not None
    assert 0.045 < np.log(routing.gain_high / gain) < 0.075
    assert 0.045 < np.log(gain / routing.gain_low) < 0.075


def test_a_workload_that_stays_adds_no_noise_to_routing(measured: Make, campaign: Make) -> None:
    runs = [measured("plain", 100, 100), measured("n2", 150, 120, 2), measured("n4", 140, 110, 4)]
    routing = summarise(campaign(*runs, baseline="plain")).routing
    assert (routing.fixed_run, routing.routed_tps) == ("n2", pytest.approx(routing.fixed_tps))
    assert (routing.gain_low, routing.gain_high) == pytest.approx((1.0, 1.0))


def test_speculation_that_loses_everywhere_is_left_off(measured: Make, campaign: Make) -> None:
    runs = [measured("plain", 100, 100), measured("n2", 80, 70, 2)]
    rows = summarise(campaign(*runs, baseline="plain")).recommendations
    assert len(rows) == 3
    assert rows["run"].isna().all()
    assert set(rows["spec_type"]) == {"none"}
    assert all("no configuration beats no speculation" in reason for reason in rows["reason"])


@pytest.mark.parametrize(
    ("faster", "expected"),
    [(100.45, None), (100.55, "n2")],  # under and over half a percent
)
def test_a_tie_goes_to_no_speculation(
    measured: Make, campaign: Make, faster: float, expected: str | None
) -> None:
    runs = [measured("plain", 100, 100), measured("n2", faster, faster, 2)]
    row = chosen(summarise(campaign(*runs, baseline="plain")).recommendations, None)
    assert (None if pd.isna(row["run"]) else row["run"]) == expected


def test_a_tie_for_no_speculation_does_not_claim_a_win(measured: Make, campaign: Make) -> None:
    runs = [measured("plain", 100, 100), measured("n2", 100.3, 100.3, 2)]
    row = chosen(summarise(campaign(*runs, baseline="plain")).recommendations, None)
    assert "no speculation, 100.0 tok/s decode, is expected to lose 0." in row["reason"]
    assert "to n2 with 100.3 tok/s, and up to 0.5% is allowed for" in row["reason"]
    assert (row["fastest"], row["basis"], row["closest"]) == ("n2", "off", "n2")


def test_a_larger_depth_is_taken_where_it_is_expected_to_be_faster(
    measured: Make, campaign: Make
) -> None:
    runs = [measured("plain", 50, 50), measured("n8", 103, 103, 8), measured("n4", 100, 100, 4)]
    row = chosen(summarise(campaign(*runs, baseline="plain")).recommendations, None)
    assert (row["run"], row["basis"]) == ("n8", "expected")


class Exactly:
    """Settings whose rates are believed without noise, and were `measured` so, or else."""

    def __init__(
        self,
        measured: dict[tuple[str, str], float] | None = None,
        **rates: tuple[float, float, float],
    ) -> None:
        names = (None, "code", "creative")
        rows = [
            {
                "run": run,
                "workload": name,
                "decode_tps": (measured or {}).get((run, str(name)), rate),
                "speedup": rate / rates["plain"][place] if "plain" in rates else np.nan,
            }
            for run, of_run in rates.items()
            for place, (name, rate) in enumerate(zip(names, of_run, strict=True))
        ]
        frame = pd.DataFrame(rows)
        whole = frame[frame["workload"].isna()].rename(
            columns={"run": "id", "speedup": "decode_speedup"}
        )
        self.runs = whole.assign(
            synthetic=False, spec_type="draft-mtp", n_max=2, p_min=None, draft_tokens=10
        )
        self.workloads = frame[frame["workload"].notna()]
        self.settings = {
            name: Settings(
                tuple(rates),
                np.array([[of_run[place] for of_run in rates.values()]]),
                (False,) * len(rates),
            )
            for place, name in enumerate(names)
        }
        self.baseline = "plain" if "plain" in rates else None

    def advice(self) -> pd.DataFrame:
        return Recommend(self.baseline)(self.runs, self.workloads, self.settings)


@pytest.mark.parametrize(("code", "run"), [(100.9, "a"), (101.2, "b")])
def test_one_setting_for_all_unless_another_is_clearly_faster_on_a_workload(
    code: float, run: str
) -> None:
    rows = Exactly(plain=(50, 50, 50), a=(100, 100, 100), b=(90, code, 80)).advice()
    assert chosen(rows, None)["run"] == "a"
    row = chosen(rows, "code")
    assert (row["run"], row["fastest"]) == (run, "b")
    if run == "a":
        assert row["basis"] == "usual"
        assert row["reason"].startswith("as for all prompts, a, 100.0 tok/s decode, is expected to")
        assert "to b with 100.9 tok/s, and up to 1.0% is allowed for" in row["reason"]


@pytest.mark.parametrize(("code", "off"), [(100.9, True), (101.2, False)])
def test_off_for_all_is_off_where_speculation_hardly_pays(code: float, off: bool) -> None:
    rows = Exactly(plain=(100, 100, 100), a=(90, code, 80)).advice()
    assert pd.isna(chosen(rows, None)["run"])
    assert pd.isna(chosen(rows, "code")["run"]) is off
    assert chosen(rows, "code")["basis"] == ("usual" if off else "expected")


def test_what_is_advised_for_all_never_stays_where_off_is_as_good() -> None:
    # On code b gains 0.9 % over off and a loses 0.05 %: within a percent of b, but not for nothing.
    rows = Exactly(plain=(100, 100, 100), a=(150, 99.95, 200), b=(140, 100.9, 180)).advice()
    assert chosen(rows, None)["run"] == "a"
    assert chosen(rows, "code")["run"] == "b"
    # And off takes it where nothing gains half a percent.
    rows = Exactly(plain=(100, 100, 100), a=(150, 99.95, 200), b=(140, 100.4, 180)).advice()
    assert pd.isna(chosen(rows, "code")["run"])


def test_the_closest_of_a_workload_is_that_of_all_prompts_where_it_is_as_close() -> None:
    rows = Exactly(plain=(200, 200, 200), a=(100, 100, 100), b=(90, 100.9, 80)).advice()
    assert (chosen(rows, None)["closest"], chosen(rows, "code")["closest"]) == ("a", "a")


@pytest.mark.parametrize(("believed", "run"), [(129.0, "c"), (128.5, "b")])
def test_what_measured_fastest_is_taken_on_a_workload_where_it_is_as_good(
    believed: float, run: str
) -> None:
    rows = Exactly(
        {("c", "code"): 140.0},
        plain=(50, 50, 50), a=(100, 100, 100), b=(90, 130, 80), c=(80, believed, 70),
    ).advice()  # fmt: skip
    row = chosen(rows, "code")
    assert (row["run"], row["fastest"]) == (run, "c")
    assert row["basis"] == ("fastest" if run == "c" else "expected")
    if run == "c":
        assert (
            row["reason"]
            == "fastest of 4 configurations: 140.0 tok/s decode against 130.0 tok/s of b"
        )


def test_of_those_as_good_the_one_that_measured_fastest_is_taken() -> None:
    # d measured fastest of all and is expected to be much slower; c is as good as b.
    rows = Exactly(
        {("c", "code"): 135.0, ("d", "code"): 140.0},
        plain=(50, 50, 50), a=(100, 100, 100), b=(90, 130, 80), c=(80, 129.5, 70), d=(80, 120, 70),
    ).advice()  # fmt: skip
    row = chosen(rows, "code")
    assert (row["run"], row["fastest"], row["basis"]) == ("c", "d", "fastest")
    assert "140.0 tok/s of d is higher, but with noise taken into account this is" in row["reason"]


def test_without_a_baseline_the_usual_setting_stays_too() -> None:
    rows = Exactly(a=(100, 100, 100), b=(90, 100.9, 120)).advice()
    assert rows["run"].tolist() == ["a", "a", "b"]


def test_without_a_baseline_the_fastest_is_named_without_a_speedup(
    measured: Make, campaign: Make
) -> None:
    rows = summarise(campaign(measured("n2", 80, 70, 2), measured("n4", 90, 50, 4)))
    code, prose = chosen(rows.recommendations, "code"), chosen(rows.recommendations, "creative")
    assert (code["run"], prose["run"]) == ("n4", "n2")
    assert rows.recommendations["expected_speedup"].isna().all()
    assert rows.routing.baseline_tps is None


def test_a_synthetic_run_is_never_recommended(measured: Make, campaign: Make) -> None:
    runs = [measured("plain", 100, 100), measured("coin", 900, 900, 2, synthetic=True)]
    summary = summarise(campaign(*runs, baseline="plain"))
    assert summary.recommendations["run"].isna().all()
    assert summary.routing.fixed_run == "plain"


def test_nothing_measured_nothing_recommended(run: Make, campaign: Make, task: Make) -> None:
    failed = task(CODE, None, None, None, None, error="HTTP 500")
    for made in (campaign(), campaign(run("x", failed)), campaign(run("x", task(tps=None)))):
        summary = summarise(made)
        assert summary.recommendations.empty
        assert summary.routing is None


@pytest.mark.parametrize(("drafted", "advised"), [(0, None), (1, "idle"), (None, "idle")])
def test_what_drafted_nothing_is_not_advised_however_fast(
    drafted: int | None, advised: str | None, task: Make, run: Make, campaign: Make, measured: Make
) -> None:
    accepted = None if drafted is None else 0
    tasks = (task(CODE, 100, drafted, accepted, 130), task(PROSE, 100, drafted, accepted, 130))
    idle = run("idle", *tasks, n_max=8, spec_type="ngram-simple")
    rows = summarise(campaign(measured("plain", 100, 100), idle, baseline="plain")).recommendations
    for workload in (None, "code", "creative"):
        row = chosen(rows, workload)
        found = [None if pd.isna(row[name]) else row[name] for name in ("run", "closest")]
        assert found == [advised, advised]
