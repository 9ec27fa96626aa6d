"""The next request, and the end."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.tuning.belief import FORESEEN_COLUMNS, REQUEST_COLUMNS
from analysis.tuning.choice import BELIEF_COLUMNS, Ask, Choice
from analysis.tuning.chooser import ENOUGH, LOGGED, SPENT, Chooser

TASKS = ("one", "two", "three")
NO_LOGS = pd.DataFrame(columns=["setting", "task"])
SETTINGS = pd.DataFrame(
    [
        ("off", "none", 0, 0.0),
        *((f"a-n{n}", "a", n, 0.0) for n in (1, 2, 4)),
        *((f"a-n{n}-p0.5", "a", n, 0.5) for n in (1, 2, 4)),
        *((f"b-n{n}", "b", n, 0.0) for n in (1, 2)),
    ],
    columns=["setting", "method", "n_max", "p_min"],
)
LENGTHS = {"off": 1.0, "a-n1": 1.7, "a-n2": 2.2, "a-n4": 2.8, "b-n1": 1.1, "b-n2": 1.15}
"""Tokens per forward."""


def start(setting: str, number: int, ms: float, tasks: tuple[str, ...] = TASKS) -> pd.DataFrame:
    """A server start without noise: forwards of `ms` each."""
    tokens = 190.0
    forwards = tokens / LENGTHS[setting]
    depth = int(setting.rpartition("n")[2]) if setting != "off" else 0
    rows = [
        (setting, f"{setting}/{number}", task, tokens, forwards, depth * forwards,
         forwards * ms / 1000)
        for task in tasks
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(REQUEST_COLUMNS))


def foreseen(*rows: tuple[str, float, float, float]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(FORESEEN_COLUMNS))


def choose(*starts: pd.DataFrame, told: pd.DataFrame | None = None, **words: object) -> Choice:
    requests = (
        pd.concat(starts, ignore_index=True)
        if starts
        else pd.DataFrame(columns=list(REQUEST_COLUMNS))
    )
    logs = words.pop("logs", NO_LOGS)
    settings = words.pop("settings", SETTINGS)
    told = foreseen() if told is None else told
    return Chooser(**words)(settings, requests, told, TASKS, logs)


OPENING = (start("off", 1, 10.0), start("a-n4", 1, 14.0), start("b-n2", 1, 25.0))


def test_first_come_the_baseline_and_every_method_at_its_deepest() -> None:
    for done, expected in enumerate(("off", "a-n4", "b-n2")):
        choice = choose(*OPENING[:done])
        assert choice.ask == Ask(expected, "one", 1)
        assert choice.advised is None
        assert list(choice.belief.columns) == list(BELIEF_COLUMNS)
        assert choice.belief.empty


def test_a_start_that_was_begun_goes_on() -> None:
    begun = start("a-n4", 1, 14.0, TASKS[:2])
    assert choose(OPENING[0], begun).ask == Ask("a-n4", "three", 1)


def test_what_was_asked_for_is_advised_and_its_throughput_known() -> None:
    choice = choose(*OPENING)
    # 190 tokens at 2.8 a forward and 14 ms: 200 tok/s; 100 without; 46 of the other.
    row = choice.belief.set_index("setting").loc["a-n4"]
    assert row["starts"] == 1
    assert row["low"] < 200 < row["high"]
    assert row["decode_tps"] == pytest.approx(200, rel=0.02)
    assert row["speedup"] == pytest.approx(2.0, rel=0.03)
    assert choice.belief["probability_best"].sum() == pytest.approx(1.0)


def test_a_method_that_can_not_hold_the_fastest_is_dropped() -> None:
    told = foreseen(("b-n1", 1.1, 1.0, 0.01), ("b-n2", 1.15, 2.0, 1e-4))
    table = choose(*OPENING, told=told).belief.set_index("setting")
    assert table.loc[["b-n1", "b-n2"], "dropped"].all()
    assert not table.loc[["off", "a-n1", "a-n4"], "dropped"].any()


def test_confidences_are_asked_for_once_two_depths_are_timed() -> None:
    told = foreseen(("a-n1", 1.7, 1.0, 0.01), ("a-n2", 2.2, 2.0, 0.01), ("a-n4", 2.8, 4.0, 1e-4))
    assert choose(*OPENING, told=told).ask.logged is False
    choice = choose(*OPENING, start("a-n2", 1, 12.0), told=told)
    assert choice.ask == Ask("a-n4", "one", 1, logged=True)
    assert choice.why == LOGGED
    # Settings with a threshold are nothing to choose from before.
    assert choice.belief.set_index("setting")["decode_tps"].isna().sum() == 3
    logs = pd.DataFrame({"setting": "a-n4", "task": TASKS})
    after = choose(*OPENING, start("a-n2", 1, 12.0), told=told, logs=logs)
    assert after.ask is None or not after.ask.logged
    assert after.drawn.has_log == {"a"}


def test_a_log_without_confidences_is_not_asked_for_twice_and_tells_of_no_threshold() -> None:
    logs = pd.DataFrame({"setting": "a-n4", "task": TASKS})
    choice = choose(*OPENING, start("a-n2", 1, 12.0), logs=logs)
    assert choice.ask is None or not choice.ask.logged
    table = choice.belief.set_index("setting")
    assert table.filter(like="p0.5", axis=0)["decode_tps"].isna().all()


def clear() -> list[pd.DataFrame]:
    """Everything without thresholds measured, one of them far ahead."""
    times = {"off": 10.0, "a-n1": 13.0, "a-n2": 13.5, "a-n4": 14.0, "b-n1": 24.0, "b-n2": 25.0}
    return [start(name, 1, ms) for name, ms in times.items()]


PLAIN = SETTINGS[SETTINGS["p_min"] == 0].reset_index(drop=True)


def test_it_ends_when_it_is_clear() -> None:
    choice = choose(*clear(), start("off", 2, 10.0), start("a-n4", 2, 14.0), settings=PLAIN)
    assert choice.ask is None
    assert choice.why == ENOUGH
    assert choice.advised == "a-n4"
    assert choice.close > 0.99


def test_nothing_is_advised_on_one_start_of_it_or_of_the_baseline() -> None:
    assert choose(*clear(), settings=PLAIN).ask == Ask("off", "one", 2)
    again = choose(*clear(), start("off", 2, 10.0), settings=PLAIN)
    assert again.ask == Ask("a-n4", "one", 2)
    assert again.why == "what is advised rests on one start"
    assert choose(*clear(), settings=PLAIN, least=1).why == ENOUGH


def test_what_can_not_be_told_apart_is_measured_on() -> None:
    times = {"off": 10.0, "a-n1": 10.0, "a-n2": 11.0, "a-n4": 14.0, "b-n1": 24.0, "b-n2": 25.0}
    choice = choose(*(start(name, 1, ms) for name, ms in times.items()), settings=PLAIN)
    # 2.2 / 11 and 2.8 / 14 are the same.
    assert choice.ask is not None
    assert choice.ask.setting in ("a-n2", "a-n4")
    assert choice.ask.start == 2


def test_the_baseline_is_measured_again_among_the_others() -> None:
    times = {"off": 10.0, "a-n2": 11.0, "a-n4": 14.0, "b-n2": 25.0}
    starts = [start(name, 1, ms) for name, ms in times.items()]
    more = [start(name, number, times[name]) for number in (2, 3) for name in ("a-n2", "a-n4")]
    asked = choose(*starts, *more, settings=PLAIN, baseline_every=7, risk=0.0).ask
    assert asked == Ask("off", "one", 2)
    asked = choose(*starts, *more, settings=PLAIN, baseline_every=8, risk=0.0).ask
    assert asked.setting != "off"


def test_it_never_takes_more_requests_than_it_may() -> None:
    times = {"off": 10.0, "a-n2": 11.0, "a-n4": 14.0, "b-n2": 25.0}
    starts = [start(name, 1, ms) for name, ms in times.items()]
    assert choose(*starts, most=14, settings=PLAIN).why == SPENT
    assert choose(*starts, most=15, settings=PLAIN).ask is not None
    # By default 24 starts of three tasks, where there are fewer settings.
    again = [start(name, number, times[name]) for number in range(2, 7) for name in times]
    open_ = {"settings": PLAIN, "risk": 0.0, "loss": 0.0, "baseline_every": 99}
    assert choose(*starts, *again[:-1], **open_).why != SPENT
    assert choose(*starts, *again, **open_).why in (SPENT, ENOUGH)


def test_a_setting_that_failed_is_out_and_what_it_said_forgotten() -> None:
    left = SETTINGS[SETTINGS["method"] != "b"].reset_index(drop=True)
    choice = choose(*OPENING, settings=left)
    assert set(choice.belief["method"]) == {"none", "a"}


def test_a_method_that_drafts_nothing_is_no_speculation() -> None:
    idle = start("b-n2", 1, 10.0).assign(drafted=0.0, forwards=190.0, seconds=1.89)
    choice = choose(*OPENING[:2], idle)
    rows = choice.belief.set_index("setting").loc[["b-n1", "b-n2"]]
    # Half a percent faster than without, by noise; it can't be.
    assert rows["decode_tps"].isna().all()
    assert rows["dropped"].all()


def test_a_depth_that_drafts_nothing_is_no_rival_and_leaves_the_others_of_its_method() -> None:
    idle = start("b-n1", 1, 10.0).assign(drafted=0.0, forwards=190.0, seconds=1.89)
    table = choose(*OPENING, idle).belief.set_index("setting")
    assert np.isnan(table.at["b-n1", "decode_tps"])
    assert table.at["b-n2", "decode_tps"] > 0


def test_the_same_frames_give_the_same() -> None:
    one, other = choose(*OPENING), choose(*OPENING)
    assert one.ask == other.ask
    pd.testing.assert_frame_equal(one.belief, other.belief)


def test_off_is_advised_where_speculation_loses() -> None:
    slow = [start("off", 1, 10.0), start("a-n4", 1, 60.0), start("b-n2", 1, 50.0),
            start("a-n1", 1, 40.0), start("b-n1", 1, 30.0), start("a-n2", 1, 50.0),
            start("off", 2, 10.0)]  # fmt: skip
    choice = choose(*slow, settings=PLAIN)
    assert (choice.advised, choice.why) == ("off", ENOUGH)


def test_a_noisier_request_asks_for_more_starts() -> None:
    random = np.random.default_rng(1)
    noisy = [
        frame.assign(seconds=frame["seconds"] * np.exp(random.normal(0, 0.08, len(frame))))
        for frame in clear()
    ]
    quiet = choose(*clear(), settings=PLAIN).drawn.belief
    loud = choose(*noisy, settings=PLAIN).drawn.belief
    assert loud.request_sd > 2 * quiet.request_sd
    assert np.diag(loud.moments()[1])[0] > np.diag(quiet.moments()[1])[0]


def deepest_of_a(ms: float, tasks: int = 2) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The baseline and the first tasks of a method's first start."""
    return start("off", 1, 10.0), start("a-n4", 1, ms, TASKS[:tasks])


TOLD = foreseen(("a-n1", 1.7, 1.0, 0.01), ("a-n2", 2.2, 2.0, 0.01), ("a-n4", 2.8, 4.0, 1e-4))


@pytest.mark.parametrize(("ms", "left"), [(90.0, True), (20.0, False)])
def test_a_first_start_is_left_where_its_method_can_not_win(ms: float, left: bool) -> None:
    # 1.7 tokens in 10 + 80/4 = 30 ms are 0.57 times the baseline; in 12.5 ms 1.36 times.
    choice = choose(*deepest_of_a(ms), told=TOLD)
    assert choice.ask == (Ask("b-n2", "one", 1) if left else Ask("a-n4", "three", 1))


def test_it_is_left_after_two_tasks_and_never_later_or_before() -> None:
    chooser = Chooser()
    for tasks in (1, 2, 3):
        requests = pd.concat(deepest_of_a(90.0, tasks), ignore_index=True)
        assert chooser.hopeless(SETTINGS, requests, TOLD) is (tasks == 2)


@pytest.mark.parametrize(("ms", "left"), [(65.0, False), (69.0, True)])
def test_a_threshold_that_might_be_nearly_as_fast_keeps_it_going(ms: float, left: bool) -> None:
    # Whoever drafts only what is accepted drafts 0.7 tokens: at 67 ms that are
    # 1.7 tokens in 10 + 57 * 0.7 / 4 = 20 ms, 0.85 times the baseline.
    told = foreseen(*((f"a-n{n}", 1.7, n, 1e-4) for n in (1, 2, 4)))
    first = start("a-n4", 1, ms, TASKS[:2]).assign(forwards=190.0 / 1.7)
    first["seconds"] = first["forwards"] * ms / 1000
    requests = pd.concat([start("off", 1, 10.0), first], ignore_index=True)
    assert Chooser(out=1.0).hopeless(SETTINGS, requests, told) is left


def test_a_drafter_without_a_model_is_never_left() -> None:
    settings = SETTINGS.replace({"method": {"a": "ngram-simple"}})
    requests = pd.concat(deepest_of_a(90.0), ignore_index=True)
    assert not Chooser().hopeless(settings, requests, TOLD)
