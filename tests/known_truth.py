"""Simulated campaigns whose truth is known, and how well depths and advice do on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from analysis.depths.curves import DepthCurve
from analysis.depths.truncation import ceiling_tps
from analysis.records import Run, TaskResult
from analysis.statistics.decision import MEASURED, NONE, decide
from tests.simulator import TRENDS, World, sweep, world
from tests.sweeps import read

DEPTHS = (0, 2, 3, 5)
ROUGH, UNEVEN = 0.2, 0.01
"""Scatter of logits from position to position, and of step times from depth to depth."""
MOST = 5
"""Repeats that are simulated."""


@dataclass(frozen=True)
class Scenario:
    """What is measured, and how much it scatters."""

    repeats: int = 1
    request: float = 0.02
    run: float = 0.0
    greedy: bool = False
    """Repeats say the counts of the first again."""
    jump: int | None = None
    """Depth from which a forward takes 12 % longer."""

    def __str__(self) -> str:
        jump = "" if self.jump is None else f", 12 % jump at {self.jump}"
        kind = "greedy" if self.greedy else "sampled"
        return f"{self.repeats} x {kind}, request {self.request:.0%}, run {self.run:.0%}{jump}"


@dataclass(frozen=True, eq=False)
class Outcome:
    """Of many campaigns, one row each.

    `covered` says whether 90 % intervals of decode throughput at depths 1, 2, … hold the
    truth, `plain` the same of no speculation and `ceiling` of perfect truncation,
    `survival` of each text's survival at positions 1 to 5 (a share); `regret` is what the
    advice loses against the best measured setting, and `by_rate` what taking the highest
    measured rate would.
    """

    covered: np.ndarray
    survival: np.ndarray
    regret: np.ndarray
    by_rate: np.ndarray
    plain: np.ndarray
    ceiling: np.ndarray


def outcome(scenario: Scenario, seeds: range) -> Outcome:
    rows = [_row(scenario, seed, shape) for seed in seeds for shape in TRENDS]
    return Outcome(*(np.array(column) for column in zip(*rows, strict=True)))


def campaign_runs(scenario: Scenario, seed: int, shape: str) -> tuple[World, list[Run]]:
    random = np.random.default_rng([seed, len(shape)])
    truth = world(
        shape,
        random,
        rough=ROUGH,
        uneven=UNEVEN,
        jump=None if scenario.jump is None else (scenario.jump, 0.12),
        noise=scenario.request,
        drift=scenario.run,
    )
    truth = replace(truth, plain_ms=truth.plain_ms * random.uniform(0.7, 1.4))
    # Of five repeats the first: with more of them nothing else changes.
    runs = [
        run
        for run in sweep(truth, DEPTHS, random, repeats=MOST)
        if run.tasks[0].repeat <= scenario.repeats
    ]
    return truth, list(_greedy(runs)) if scenario.greedy else runs


def true_rates(truth: World, depths: range | tuple[int, ...]) -> np.ndarray:
    return np.array([truth.decode_tps(k) if k else 1000 / truth.plain_ms for k in depths])


def _row(scenario: Scenario, seed: int, shape: str) -> tuple[object, ...]:
    truth, runs = campaign_runs(scenario, seed, shape)
    found = read(runs)
    true = true_rates(truth, range(9))
    rates = found.overall().decode_tps
    low, high = np.quantile(rates, [0.05, 0.95], axis=0)
    held = (low <= true) & (true <= high)
    least, most = np.quantile(found.curves[0].draws, [0.05, 0.95], axis=0)
    inside = (least <= truth.survival) & (truth.survival <= most)
    settings = list(DEPTHS)
    sizes = [MEASURED if depth else NONE for depth in settings]
    chosen = settings[decide(rates[:, settings], sizes).chosen]
    measured = found.runs.set_index("id")["decode_tps"]
    top = max(settings, key=lambda k: measured[f"n{k}" if k else "plain"])
    best = true[settings].max()
    return (
        held[1:],
        inside[:, :5].mean(),
        1 - true[chosen] / best,
        1 - true[top] / best,
        held[0],
        _ceiling_held(truth, found.overall()),
    )


def _ceiling_held(truth: World, curve: DepthCurve) -> bool:
    """Whether the interval of the ceiling at the deepest depth measured holds it."""
    depth = max(DEPTHS)
    steps = np.array([truth.step_ms(k) for k in range(depth + 1)])
    sure = replace(
        curve,
        survival=truth.survival[None, :, :depth],
        step_ms=steps[None],
        decode_tps=np.full((1, depth + 1), 1000 / truth.plain_ms),
    )
    low, high = np.quantile(ceiling_tps(curve, depth), [0.05, 0.95])
    return bool(low <= ceiling_tps(sure, depth)[0] <= high)


def _greedy(runs: list[Run]) -> Iterator[Run]:
    """The same times per forward, with the counts of each text's first repeat."""
    first: dict[tuple[str, str], TaskResult] = {}
    for run in runs:
        again = []
        for result in run.tasks:
            said = first.setdefault((run.id, result.task), result)
            rate = result.decode_tps * _forwards(result, run) / _forwards(said, run)
            rate *= (said.predicted_tokens - 1) / (result.predicted_tokens - 1)
            again.append(replace(said, repeat=result.repeat, decode_tps=rate))
        yield replace(run, tasks=tuple(again))


def _forwards(result: TaskResult, run: Run) -> int:
    counted = result.predicted_tokens - 1 - result.accepted_tokens
    return max(counted, -(-result.draft_tokens // run.n_max) if run.n_max else 0, 1)
