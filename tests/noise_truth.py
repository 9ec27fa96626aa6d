"""Campaigns of simulated times whose true speedups are known, and how often intervals hold them.

Times are made from the definitions of request and run noise, and from nothing in
``analysis``; what is asked of it are the intervals alone, from the tables on which
all of its speedups are computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.answers.two_runs import Comparable, ratio_between
from analysis.statistics.noise import Noise
from analysis.statistics.ratios import Ratios, TaskRatios
from analysis.statistics.task_tables import TaskTable
from tests.simulator import LENGTHS

Floats = npt.NDArray[np.float64]

KINDS = ("effective", "decode", "geometric", "class", "task")
PLAIN = "r0"
CLASS = (0, 1, 4, 7)
"""Tasks of the class of tasks that is asked about."""
TOKENS = np.array(LENGTHS, float) - 1
OVERHEAD = 0.1
"""Seconds of a request beside decoding."""


@dataclass(frozen=True)
class Cell:
    """How a campaign was measured, and how much its times scatter.

    Attributes
    ----------
    repeats, configurations
        Server starts of each configuration, the baseline being one of them.
    request, run
        Standard deviations of the log of a time: a request's own, and what a start shares.
    partial
        The last repeats of one configuration lack half of the tasks.
    sampled
        Texts are drawn anew in each repeat: their lengths scatter by a quarter.
    drift
        How much slower the machine is at the end than at the beginning of a campaign
        whose repeats ran in turns, each other time in reverse order.
    outlier
        How much slower one start of the campaign was.
    """

    repeats: int
    request: float
    run: float
    configurations: int = 4
    partial: bool = False
    sampled: bool = False
    drift: float = 0.0
    outlier: float = 0.0

    def __str__(self) -> str:
        extra = [name for name in ("partial", "sampled") if getattr(self, name)]
        for name in ("drift", "outlier"):
            extra += [f"{name} {getattr(self, name):.0%}"] * (getattr(self, name) > 0)
        extra += [f"{self.configurations} configurations"] * (self.configurations != 4)
        return ", ".join([f"request {self.request:.0%}", f"run {self.run:.0%}", *extra])


@dataclass(frozen=True, eq=False)
class World:
    """What is true of each configuration on each task.

    Attributes
    ----------
    step
        Seconds per token, shape (configurations, tasks).
    forwards
        Per token, same shape: how long one takes depends on the configuration alone.
    """

    step: Floats
    forwards: Floats

    @classmethod
    def of(cls, random: np.random.Generator, configurations: int) -> World:
        pace = random.uniform(0.6, 1.3, (configurations, 1))
        pace[0] = 1.0
        text = np.exp(random.normal(0, 0.2, (configurations, len(TOKENS))))
        text[0] = 1.0
        return cls(0.008 * pace * text, text)

    def among(self, configurations: int) -> World:
        return World(self.step[:configurations], self.forwards[:configurations])

    def rates(self, kind: str) -> Floats:
        """True rates of each configuration, by task where the kind has tasks."""
        seconds = self.step * TOKENS
        if kind == "effective":
            return TOKENS.sum() / (seconds + OVERHEAD).sum(axis=1)
        if kind == "class":
            among = list(CLASS)
            return TOKENS[among].sum() / seconds[:, among].sum(axis=1)
        if kind == "geometric":
            return np.exp(-np.log(self.step).mean(axis=1))
        return TOKENS.sum() / seconds.sum(axis=1) if kind == "decode" else 1 / self.step


@dataclass(frozen=True, eq=False)
class Campaign:
    """What each start did of each task, arrays of shape (configurations, repeats, tasks)."""

    tokens: Floats
    forwards: Floats
    seconds: Floats

    def levels(self) -> pd.DataFrame:
        """Its noise, from the times of forwards."""
        return Noise().levels(Campaign(self.forwards, self.forwards, self.seconds).tables("task"))

    def tables(self, kind: str) -> dict[str, TaskTable]:
        """As the speedups of this kind take them."""
        tokens, seconds = self.tokens, self.seconds
        names = tuple(f"t{task}" for task in range(len(TOKENS)))
        share = 1.0
        if kind == "effective":
            walls = seconds + OVERHEAD
            share = float((np.nansum(walls**2, 2) / np.nansum(walls, 2) ** 2).mean())
            whole = ~np.isnan(seconds).any(axis=2, keepdims=True)
            tokens = np.where(whole, tokens.sum(axis=2, keepdims=True), np.nan)
            seconds = np.where(whole, walls.sum(axis=2, keepdims=True), np.nan)
            names = ("",)
        if kind == "class":
            tokens, seconds = tokens[:, :, list(CLASS)], seconds[:, :, list(CLASS)]
            names = tuple(names[task] for task in CLASS)
        out = {}
        for place in range(len(tokens)):
            kept = ~np.isnan(seconds[place]).all(axis=1)
            starts = tuple(np.flatnonzero(kept))
            out[f"r{place}"] = TaskTable(
                tokens[place][kept], seconds[place][kept], starts, names, len(starts) == 1,
                kind == "geometric", share,
            )  # fmt: skip
        return out


def simulated(cell: Cell, world: World, random: np.random.Generator) -> Campaign:
    shape = (cell.configurations, cell.repeats, len(TOKENS))
    tokens = np.broadcast_to(TOKENS, shape)
    # The same numbers in every cell of a seed, so that cells differ by what they are alone.
    own, shared, lengths, hit, lost = (np.random.default_rng(random.integers(2**32))
                                       for _ in range(5))  # fmt: skip
    logs = cell.request * own.standard_normal((cell.configurations, 5, len(TOKENS)))
    logs = (
        logs[:, : cell.repeats]
        + cell.run * shared.standard_normal((cell.configurations, 5, 1))[:, : cell.repeats]
    )
    if cell.sampled:
        apart = lengths.standard_normal((cell.configurations, 5, len(TOKENS)))
        tokens = tokens * np.exp(0.25 * apart[:, : cell.repeats] - 0.03125)
    if cell.drift:
        order = np.arange(cell.configurations * cell.repeats).reshape(cell.repeats, -1)
        order[1::2] = order[1::2, ::-1]
        logs = logs + (cell.drift * order.T / order.size)[:, :, None]
    if cell.outlier:
        where = hit.integers(cell.configurations), hit.integers(cell.repeats)
        logs[where] += cell.outlier
    seconds = tokens * world.step[:, None] * np.exp(logs)
    if cell.partial and cell.repeats > 1:
        without = lost.permutation(len(TOKENS))[: len(TOKENS) // 2]
        seconds[lost.integers(cell.configurations), 1:][:, without] = np.nan
        tokens = np.where(np.isnan(seconds), np.nan, tokens)
    return Campaign(np.array(tokens), tokens * world.forwards[:, None], seconds)


def campaigns(cell: Cell, seeds: range) -> Iterator[tuple[World, Campaign]]:
    for seed in seeds:
        random = np.random.default_rng([seed, 12])
        # The same worlds whatever the number of configurations.
        world = World.of(random, 6).among(cell.configurations)
        yield world, simulated(cell, world, random)


def covered(cell: Cell, seeds: range) -> Mapping[str, tuple[float, float]]:
    """Share of 90 % intervals that hold the truth, and their median width, by kind."""
    found: dict[str, list[tuple[bool, float]]] = {kind: [] for kind in KINDS}
    for world, campaign in campaigns(cell, seeds):
        known = campaign.levels()
        for kind in KINDS:
            found[kind] += _held(kind, campaign, world, known)
    return {
        kind: (float(np.mean([hit for hit, _ in rows])), float(np.median([w for _, w in rows])))
        for kind, rows in found.items()
    }


def told_apart(cell: Cell, seeds: range, change: float = 0.0) -> float:
    """Share of configurations that ``compare`` calls faster or slower than the same in another
    campaign, in which all of them are faster by `change`.
    """
    found = []
    for seed, (world, one) in zip(seeds, campaigns(cell, seeds), strict=True):
        faster = World(world.step / (1 + change), world.forwards)
        other = simulated(cell, faster, np.random.default_rng([seed, 21]))
        sides = [
            Comparable.told(made.tables("geometric"), made.levels(), {}) for made in (one, other)
        ]
        for run in sides[0].tables:
            row = ratio_between((sides[0], run), (sides[1], run))
            found.append(row is not None and row["significance"] in ("faster", "slower"))
    return float(np.mean(found))


def _held(
    kind: str, campaign: Campaign, world: World, known: pd.DataFrame
) -> Iterator[tuple[bool, float]]:
    true = world.rates(kind)
    made = campaign.tables(kind)
    if kind == "task":
        rows = TaskRatios(PLAIN)(made, known)
        truth = (true[1:] / true[0]).ravel()
    else:
        rows = Ratios(PLAIN)(made, known)
        truth = true[1:] / true[0]
    low, high = rows["low"].to_numpy("float64"), rows["high"].to_numpy("float64")
    held = (low <= truth) & (truth <= high)
    return zip(held.tolist(), np.log(high / low).tolist(), strict=True)
