"""What is believed, against values worked out by hand and by simulation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.tuning.belief import FORESEEN_COLUMNS, OFF, REQUEST_COLUMNS, Learning

SETTINGS = pd.DataFrame(
    [("off", OFF, 0, 0.0), *((f"a-n{n}", "a", n, 0.0) for n in range(1, 9))],
    columns=["setting", "method", "n_max", "p_min"],
)
NOTHING = pd.DataFrame(columns=list(FORESEEN_COLUMNS))


def start(
    setting: str, number: int, ms: float, length: float = 2.0, noise: np.ndarray | None = None
) -> pd.DataFrame:
    noise = np.zeros(4) if noise is None else noise
    depth = 0 if setting == "off" else int(setting[-1])
    forwards = 100.0
    rows = [
        (setting, f"{setting}/{number}", f"t{at}", forwards * length, forwards, depth * forwards,
         forwards * ms / 1000 * np.exp(one))
        for at, one in enumerate(noise)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(REQUEST_COLUMNS))


def told(*rows: tuple[str, float, float, float]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(FORESEEN_COLUMNS))


def test_a_setting_that_ran_has_the_throughput_that_was_measured() -> None:
    requests = pd.concat([start("off", 1, 10.0, 1.0), start("a-n4", 1, 16.0, 3.2)])
    belief = Learning()(SETTINGS, requests, NOTHING)
    mean, covariance = belief.moments()
    # 1 / 10 ms and 3.2 / 16 ms.
    assert np.exp(mean[0]) == pytest.approx(100, rel=0.01)
    assert np.exp(mean[4]) == pytest.approx(200, rel=0.01)
    assert belief.starts.tolist() == [1, 0, 0, 0, 1, 0, 0, 0, 0]
    assert belief.step_ms[4] == pytest.approx(16.0, rel=0.01)
    # Nobody knows what another depth accepts.
    assert np.sqrt(covariance[2, 2]) > 0.2


def test_two_depths_tell_of_those_between_and_less_of_those_beyond() -> None:
    lengths = [1.7, 2.2, 2.6, 2.9, 3.1, 3.3, 3.4, 3.5]
    foreseen = told(*((f"a-n{n}", lengths[n - 1], n, 0.005) for n in range(1, 9)))
    requests = pd.concat(
        [start("off", 1, 10.0, 1.0), start("a-n2", 1, 12.0, 2.2), start("a-n6", 1, 16.0, 3.3)]
    )
    belief = Learning()(SETTINGS, requests, foreseen)
    # A line through 12 ms at 2 and 16 ms at 6.
    assert belief.step_ms[4] == pytest.approx(14.0, rel=0.03)
    sd = np.sqrt(np.diag(belief.moments()[1]))
    assert sd[2] < sd[3] < sd[4]
    assert sd[6] < sd[7] < sd[8]


def test_what_is_counted_at_one_depth_corrects_what_was_foretold_of_others() -> None:
    foreseen = told(("a-n2", 2.0, 2, 0.05), ("a-n4", 3.0, 4, 0.05), ("a-n8", 4.0, 8, 1e-4))
    requests = pd.concat(
        [start("off", 1, 10.0, 1.0), start("a-n8", 1, 20.0, 4.0), start("a-n2", 1, 12.0, 2.2)]
    )
    length = Learning()(SETTINGS, requests, foreseen).length
    assert length[2] == pytest.approx(2.2, rel=1e-3)
    # Half of the variance is shared, so half of the error: log 1.1 / 2, nearly.
    assert length[4] == pytest.approx(3.0 * 1.1**0.5, rel=2e-3)
    assert length[8] == pytest.approx(4.0, rel=1e-3)


def test_without_speculation_a_forward_gives_one_token() -> None:
    requests = pd.concat([start("off", 1, 10.0, 1.0), start("a-n4", 1, 16.0, 3.2)])
    belief = Learning()(SETTINGS, requests, NOTHING)
    assert belief.length[0] == 1.0
    assert belief.drafted[0] == 0.0


def test_repeats_show_the_run_noise() -> None:
    random = np.random.default_rng(4)

    def believed(sd: float) -> float:
        starts = [
            start("off", number, 10.0 * np.exp(random.normal(0, sd)), 1.0) for number in range(9)
        ]
        belief = Learning()(SETTINGS[:1], pd.concat(starts), NOTHING)
        return float(belief.weights @ belief.run_sd)

    assert believed(0.001) < 0.004
    assert 0.015 < believed(0.03) < 0.045


def test_a_start_without_some_tasks_is_compared_on_those_that_it_has() -> None:
    # The last task takes twice as long; a start that lacks it is no faster for that.
    uneven = np.array([0.0, 0.0, 0.0, np.log(2.0)])
    whole = [start("off", 1, 10.0, 1.0, uneven), start("a-n4", 1, 16.0, 3.2, uneven)]
    short = start("a-n2", 1, 12.0, 2.2, uneven)[:3]
    belief = Learning()(SETTINGS, pd.concat([*whole, short]), NOTHING)
    # Three tasks at 12 ms a forward and one at 24: 15 ms.
    assert belief.step_ms[2] == pytest.approx(15.0, rel=0.02)
    assert belief.step_ms[0] == pytest.approx(12.5, rel=0.01)


def test_intervals_hold_what_is_true_as_often_as_they_say() -> None:
    random = np.random.default_rng(11)
    lengths = np.array([1.0, 1.7, 2.2, 2.6, 2.9, 3.1, 3.3, 3.4, 3.5])
    foreseen = told(*((f"a-n{n}", lengths[n], n, 0.003) for n in range(1, 9)))
    inside = []
    for _ in range(40):
        rise, run_sd = random.uniform(0.02, 0.12), random.uniform(0.0, 0.03)
        steps = 10 * (1 + rise * np.arange(9)) * np.exp(random.normal(0, 0.01, 9))
        if random.random() < 0.4:
            steps[random.integers(1, 9) :] *= 1 + random.uniform(0.03, 0.2)

        def measured(n: int, steps: np.ndarray = steps, run_sd: float = run_sd) -> pd.DataFrame:
            noise = random.normal(0, run_sd) + random.normal(0, 0.03, 4)
            return start("off" if n == 0 else f"a-n{n}", 1, steps[n], lengths[n], noise)

        belief = Learning()(SETTINGS, pd.concat([measured(n) for n in (0, 2, 8)]), foreseen)
        low, high = np.quantile(belief.draws(400, 1), (0.05, 0.95), axis=0)
        true = 1000 * lengths / steps
        inside.append((low < true) & (true < high))
    # 40 machines with 9 settings each, which hang together: about 90 %, rather more than less.
    assert 0.86 <= np.mean(inside) <= 0.98


NGRAM = pd.DataFrame(
    [("off", OFF, 0, 0.0), ("ngram-mod-n8", "ngram-mod", 8, 0.0), ("a-n8", "a", 8, 0.0)],
    columns=["setting", "method", "n_max", "p_min"],
)


def idle(number: int, ms: float) -> pd.DataFrame:
    """A start of the n-gram drafter that drafts nothing."""
    return start("ngram-mod-n8", number, ms, 1.0).assign(drafted=0.0)


def test_without_a_model_and_a_draft_a_forward_takes_about_what_the_baseline_takes() -> None:
    off, draft = start("off", 1, 12.0, 1.0), start("a-n8", 1, 10.0, 3.0)
    alone = Learning()(NGRAM, pd.concat([off, draft]), NOTHING)
    assert alone.step_ms[0] == pytest.approx(12.0, abs=0.02)
    starts = pd.concat([off, draft, *(idle(number, 10.0) for number in range(1, 5))])
    # Looking for n-grams may cost 4 %, but not that it gains 20 %.
    assert 11.0 < Learning()(NGRAM, starts, NOTHING).step_ms[0] < 11.9


def test_one_hiccup_of_the_baseline_makes_nothing_else_faster() -> None:
    hiccup = start("off", 1, 10.0, 1.0, np.array([np.log(4.0), 0.0, 0.0, 0.0]))
    others = [idle(number, 10.0) for number in (1, 2, 3)]
    belief = Learning()(NGRAM[:2], pd.concat([hiccup, *others]), NOTHING)
    mean, _ = belief.moments()
    assert np.exp(mean[1] - mean[0]) == pytest.approx(1.0, abs=0.005)
    assert belief.hiccups.to_dict("records") == [
        {"start": "off/1", "task": "t0", "times": pytest.approx(4.0)}
    ]
    assert belief.request_sd < 0.035
