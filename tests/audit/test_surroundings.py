"""Requests are compared with the baseline's surroundings; small differences are none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from analysis.audit import audit
from analysis.campaigns.campaign import Campaign
from analysis.records import Run, Surroundings, TaskResult

USUAL = Surroundings(0.1, 3000.0, 2500.0, throttled=False)


def found(
    campaign: Callable[..., Campaign],
    run: Callable[..., Run],
    task: Callable[..., TaskResult],
    *around: Surroundings | None,
) -> list[str]:
    plain = run("plain", *(task(name, surroundings=USUAL) for name in "abc"))
    fast = run(
        "fast", *(task(name, surroundings=one) for name, one in zip("abc", around, strict=False))
    )
    findings = audit(campaign(plain, fast, baseline="plain"))
    return [finding.message for finding in findings if finding.code == "surroundings-differ"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"other_load": 1.3}, "1.3 processors busy with other programs (0.1)"),
        ({"cpu_mhz": 2400.0}, "the processor at 2400 MHz (3000)"),
        ({"gpu_mhz": 2700.0}, "the GPU at 2700 MHz (2500)"),
        ({"throttled": True}, "throttling (none)"),
        # Just beyond a quarter of a processor, and a twentieth of a clock.
        ({"other_load": 0.36}, "0.4 processors busy with other programs (0.1)"),
        ({"cpu_mhz": 2840.0}, "the processor at 2840 MHz (3000)"),
        ({"gpu_mhz": 2630.0}, "the GPU at 2630 MHz (2500)"),
    ],
)
def test_a_request_in_other_surroundings(campaign, run, task, change: dict, said: str) -> None:
    (message,) = found(campaign, run, task, USUAL, replace(USUAL, **change), USUAL)
    assert message == (
        "fast: 1 of 3 requests ran in other surroundings than the baseline's, "
        f"one of them with {said}"
    )


@pytest.mark.parametrize(
    "around",
    [
        USUAL,
        replace(USUAL, other_load=0.34, cpu_mhz=2860.0, gpu_mhz=2620.0),
        Surroundings(),
        None,
    ],
    ids=["the same", "nearly", "not known", "not watched"],
)
def test_what_is_close_or_not_known_is_none(campaign, run, task, around) -> None:
    assert found(campaign, run, task, around) == []


@pytest.mark.parametrize(("load", "expected"), [(0.49, False), (0.5, True)])
def test_a_machine_that_was_busy_all_along(campaign, run, task, load, expected) -> None:
    around = [replace(USUAL, other_load=one) for one in (0.0, load, 1.25)]
    plain = run(
        "plain", *(task(name, surroundings=one) for name, one in zip("abc", around, strict=True))
    )
    messages = [
        finding.message
        for finding in audit(campaign(plain, baseline="plain"))
        if finding.code == "machine-busy"
    ]
    said = "0.5 processors were busy with other programs in the middle of 3 requests, up to 1.2"
    assert messages == ([said] if expected else [])
