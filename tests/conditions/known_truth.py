"""How well crossings and predictions are found in simulated campaigns whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.conditions.axes import Axes
from analysis.depths.measured import MeasuredRuns
from analysis.records import Run
from tests.conditions.world import Machine, measured

SLOTS = (1, 2, 4, 8, 16)
CONTEXTS = (0, 2048, 4096, 8192, 16384)


@dataclass(frozen=True, eq=False)
class Found:
    """Where one campaign crosses in truth and as found, and whether the interval holds it."""

    true: float
    value: float | None
    inside: bool


def axes(runs: list[Run], baseline: str) -> Axes:
    return Axes.of(MeasuredRuns(tuple(runs), baseline=baseline))


def machine(random: np.random.Generator, **others: float) -> Machine:
    """A target that computes up to some tokens for nothing, and a draft of some worth."""
    memory = random.uniform(5, 20)
    quality = random.uniform(0.55, 0.9)
    return Machine(
        memory_ms=memory,
        token_ms=memory / 2 ** random.uniform(2.5, 6),
        sharpness=random.choice([2.0, 4.0, 20.0]),
        draft_ms=memory * random.uniform(0.05, 0.4),
        slot_ms=memory * random.choice([0.0, 0.03]),
        survival=tuple(quality**place for place in range(1, 5)),
        **others,
    )


def requests(seed: int, repeats: int = 1) -> Found:
    """A crossing over requests at once; one that lies within the grid in truth."""
    random = np.random.default_rng([seed, repeats])
    fine = np.exp2(np.linspace(0.2, 3.8, 400))
    while True:
        one = machine(random)
        gains = np.array([one.speedup(n, 3) for n in fine])
        if gains[0] > 1 > gains[-1]:
            break
    true = float(fine[np.argmax(gains < 1)])
    found = axes(measured(one, random, slots=SLOTS, repeats=repeats), "plain-x1")
    return _found(found, true)


def context(seed: int, repeats: int = 1) -> Found:
    """The same over context length: the draft reads it too, and more slowly the longer it is."""
    random = np.random.default_rng([seed, repeats, 2])
    fine = np.linspace(500, 15500, 600)
    while True:
        memory = random.uniform(5, 20)
        one = machine(
            random,
            context_ms=memory * random.uniform(0.01, 0.05),
            draft_context_ms=memory * random.uniform(0.02, 0.3),
        )
        gains = np.array([one.decode_rate(3, c) / one.decode_rate(0, c) for c in fine])
        if gains[0] > 1.05 and gains[-1] < 0.95:
            break
    true = float(fine[np.argmax(gains < 1)])
    runs = measured(one, random, contexts=CONTEXTS, repeats=repeats)
    return _found(axes(runs, "plain-x1-c0"), true)


def _found(found: Axes, true: float) -> Found:
    rows = found.turns[found.turns["turn"] == "stops"]
    if rows.empty:
        low = found.turns["low"].iloc[0]
        return Found(true, None, bool(np.isnan(low) or low <= true))
    row = rows.iloc[(rows["value"] - true).abs().argmin()]
    low = -np.inf if np.isnan(row["low"]) else row["low"]
    high = np.inf if np.isnan(row["high"]) else row["high"]
    return Found(true, float(row["value"]), bool(low <= true <= high))


def doubled(seed: int, repeats: int = 1) -> tuple[tuple[float, bool], tuple[float, bool]]:
    """Relative error, and whether the interval holds the truth, of throughput at 16 from 1 to 8."""
    random = np.random.default_rng([seed, repeats, 3])
    one = machine(random)
    found = axes(measured(one, random, slots=SLOTS[:-1], repeats=repeats), "plain-x1")
    row = found.predicted.iloc[0]
    out = []
    for deep, name, prefix in ((3, "effective_tps", ""), (0, "plain_tps", "plain_")):
        true = one.rate(16, deep)
        inside = row[f"{prefix}low"] <= true <= row[f"{prefix}high"]
        out.append((row[name] / true - 1, bool(inside)))
    return out[0], out[1]
