from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.sweeps import read

Make = Callable[..., object]

WHOLE = ("a", 101, 100, 50, 100.0)


def test_runs_of_one_method_are_a_sweep(task: Make, run: Make) -> None:
    runs = [
        run("plain", task("a", 101), spec_type="none"),
        run("n2", task(*WHOLE), spec_type="draft-mtp", n_max=2),
        run("d2", task(*WHOLE), spec_type="draft-dflash", n_max=2),
    ]
    sweeps = read(runs).sweeps
    assert list(zip(sweeps["run"], sweeps["method"], strict=True)) == [
        ("n2", "draft-mtp"),
        ("d2", "draft-dflash"),
    ]
    assert sweeps["excluded"].isna().all()


@pytest.mark.parametrize(
    ("row", "settings", "reason"),
    [
        (WHOLE, {"synthetic": True}, "synthetic"),
        (WHOLE, {"spec_type": None}, "method-unknown"),
        (WHOLE, {"n_max": None}, "depth-unknown"),
        (WHOLE, {"p_min": 0.5}, "p-min"),
        (WHOLE, {"p_min": 0.0}, None),
        (("a", 101, None, None, 100.0), {}, "counts-unknown"),
        (("a", 101, 0, 0, 100.0), {}, "nothing-drafted"),
        (("a", 101, 40, 20, 100.0), {}, "drafts-short"),
        # 80 forwards of two: three quarters are 120.
        (("a", 101, 120, 20, 100.0), {}, None),
        (("a", 101, 119, 20, 100.0), {}, "drafts-short"),
    ],
)
def test_what_keeps_a_run_out(
    task: Make, run: Make, row: tuple, settings: dict, reason: str | None
) -> None:
    made = run("x", task(*row), **{"spec_type": "draft-mtp", "n_max": 2, **settings})
    (found,) = read([made], None).sweeps["excluded"]
    assert (found if isinstance(found, str) else None) == reason


def test_two_drafts_are_two_methods(task: Make, run: Make) -> None:
    runs = [
        run("a2", task(*WHOLE), spec_type="draft-simple", n_max=2, draft="/home/me/a.gguf"),
        run("b2", task(*WHOLE), spec_type="draft-simple", n_max=2, draft="C:\\models\\b.gguf"),
        run("m2", task(*WHOLE), spec_type="draft-mtp", n_max=2, draft="/home/me/c.gguf"),
    ]
    assert list(read(runs, None).sweeps["method"]) == [
        "draft-simple (a.gguf)",
        "draft-simple (b.gguf)",
        "draft-mtp",
    ]
