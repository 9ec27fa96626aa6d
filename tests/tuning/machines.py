"""Simulated machines with a known truth, which are tuned without a server.

Written from the definitions: a text is a chain of rounds, each with its own
luck and its own confidences, and a setting walks it to its end. Nothing of
``analysis`` but the chooser and its frames' columns is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from analysis.tuning.belief import REQUEST_COLUMNS
from analysis.tuning.choice import Choice
from analysis.tuning.chooser import Chooser

DEPTHS = 8
THRESHOLDS = (0.0, 0.3, 0.5, 0.7)
METHODS = ("draft-mtp", "draft-dflash", "draft-simple")
TEXT = 192


@dataclass
class Machine:
    """One machine, its drafters and texts, and what it was asked."""

    seed: int
    methods: int = 3
    settings: pd.DataFrame = field(init=False)
    tasks: tuple[str, ...] = field(init=False)
    tps: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        random = self.random = np.random.default_rng(self.seed)
        count = int(random.integers(4, 14))
        self.tasks = tuple(f"task{number}" for number in range(count))
        self.lengths = np.where(random.random(count) < 0.7, TEXT, random.integers(30, TEXT, count))
        self.request_sd, self.run_sd = random.uniform(0.01, 0.1), random.uniform(0.0, 0.03)
        rows = [("off", "none", 0, 0.0)]
        rows += [
            (f"{method}-n{depth}-p{cut:g}", method, depth, cut)
            for method in METHODS[: self.methods]
            for cut in THRESHOLDS
            for depth in range(1, DEPTHS + 1)
        ]
        self.settings = pd.DataFrame(rows, columns=["setting", "method", "n_max", "p_min"])
        self.place = {name: at for at, name in enumerate(self.settings["setting"])}
        plain = random.uniform(5, 30)
        n = len(rows)
        self.forwards = np.tile(self.lengths - 1, (n, 1)).astype(float)
        self.drafted = np.zeros((n, count))
        self.ms = np.full((n, count), plain) * self.forwards
        self.rounds = {}
        self.told = {}
        # Harder texts are harder for all drafters.
        hard = random.normal(0, 0.6, count)
        for number, method in enumerate(METHODS[: self.methods]):
            at = 1 + number * DEPTHS * len(THRESHOLDS)
            self._draw(method, slice(at, at + DEPTHS * len(THRESHOLDS)), plain, hard)
        self.task_cost = np.exp(random.normal(0, 0.02, count))
        self.ms *= self.task_cost
        self.tokens = self.lengths - 1.0
        self.tps = 1000 * self.tokens.sum() / self.ms.sum(axis=1)

    def _draw(self, method: str, rows: slice, plain: float, hard: np.ndarray) -> None:
        random = self.random
        count = len(self.tasks)
        place = np.arange(DEPTHS)
        level, trend = random.normal(0.8, 0.9), random.normal(0, 0.15)
        logits = level + hard[:, None] + random.normal(0, 0.3, (count, 1)) + trend * place
        # How sure a drafter is tells more or less of whether it is right.
        own = random.normal(0, random.uniform(0.5, 2.0), (count, TEXT, DEPTHS))
        chance = 1 / (1 + np.exp(-(logits[:, None, :] + own)))
        right = random.random(chance.shape) < chance
        blur = random.normal(0, random.uniform(0.2, 1.5), chance.shape)
        sure = 1 / (1 + np.exp(-(logits[:, None, :] + own + blur)))
        hits = np.cumprod(right, axis=2).sum(axis=2)
        # Verifying more tokens: bent, uneven, now and then with a jump.
        bend, rise = random.uniform(0.85, 1.03), random.uniform(0.01, 0.12)
        verify = 1 + rise * np.cumsum(np.concatenate([[0.0], bend**place]))
        verify *= np.exp(random.normal(0, 0.01, DEPTHS + 1))
        if random.random() < 0.35:
            verify[random.integers(1, DEPTHS + 1) :] *= 1 + random.uniform(0.03, 0.2)
        verify = plain * random.uniform(1.0, 1.15) * np.maximum.accumulate(verify)
        block = method == "draft-dflash"
        step = plain * random.uniform(0.01, 0.1) * (3 if block else 1)
        depth = self.settings["n_max"].to_numpy()[rows]
        cut = self.settings["p_min"].to_numpy()[rows]
        stop = np.stack([np.where((sure < one).any(2), (sure < one).argmax(2), DEPTHS)
                         for one in THRESHOLDS])  # fmt: skip
        which = np.searchsorted(THRESHOLDS, cut)
        at = np.zeros((len(depth), count), dtype=int)
        last = self.lengths - 1
        forwards, drafted, spent = (np.zeros(at.shape) for _ in range(3))
        every = np.arange(count)
        visited = {every_task: [] for every_task in range(count)}
        deepest = int(np.flatnonzero((depth == DEPTHS) & (cut == 0))[0])
        while (now := at < last).any():
            here = np.minimum(at, TEXT - 1)
            limit = np.minimum(depth[:, None], np.maximum(last - at - 1, 0))
            ends = stop[which[:, None], every, here]
            draft = np.minimum(limit, ends)
            accepted = np.minimum(draft, hits[every, here])
            passes = np.where(
                block, (depth > 0)[:, None], np.minimum(draft + (ends < limit), limit)
            )
            forwards += now
            drafted += now * draft
            spent += now * (verify[draft] + step * passes)
            for task in np.flatnonzero(now[deepest]):
                visited[task].append(at[deepest, task])
            at = np.where(now, at + accepted + 1, at)
        self.forwards[rows], self.drafted[rows], self.ms[rows] = forwards, drafted, spent
        # What a replay has: the rounds of the deepest setting.
        seen = [(task, pos) for task in range(count) for pos in visited[task]]
        tasks, spots = (np.array(part) for part in zip(*seen, strict=True))
        self.rounds[method] = (
            tasks, np.minimum(stop[:, tasks, spots], DEPTHS), hits[tasks, spots], rows, deepest,
        )  # fmt: skip

    def foreseen(self, deep: set[str], logged: set[str]) -> pd.DataFrame:
        """What the rounds of methods' deepest settings tell of their others.

        `deep`: methods whose deepest ran; `logged`: those with confidences.
        """
        key = (frozenset(deep), frozenset(logged))
        if key in self.told:
            return self.told[key]
        out = []
        for method, (tasks, stop, hits, rows, deepest) in self.rounds.items():
            if method not in deep:
                continue
            part = self.settings.iloc[rows]
            for number, (name, depth, cut) in enumerate(
                zip(part["setting"], part["n_max"], part["p_min"], strict=True)
            ):
                if cut and method not in logged:
                    continue
                draft = np.minimum(stop[THRESHOLDS.index(cut)], depth)
                gain = 1.0 + np.minimum(draft, hits)
                mean = np.bincount(tasks, gain) / np.bincount(tasks)
                forwards = self.tokens / mean
                length = self.tokens.sum() / forwards.sum()
                mean_draft = np.bincount(tasks, draft) / np.bincount(tasks)
                spread = np.bincount(tasks, (gain - mean[tasks]) ** 2) / np.bincount(tasks)
                error = (forwards**2 * spread / mean**2 / np.bincount(tasks)).sum() ** 0.5
                sd = 2**0.5 * error / forwards.sum()
                out.append(
                    (name, length, (mean_draft * forwards).sum() / forwards.sum(),
                     1e-4 if number == deepest else max(sd, 0.003))
                )  # fmt: skip
        self.told[key] = pd.DataFrame(
            out, columns=["setting", "tokens_per_forward", "drafted_per_forward", "sd"]
        )
        return self.told[key]

    def start(self, setting: str, number: int) -> pd.DataFrame:
        """A whole pass over the tasks on a new server."""
        at, random = self.place[setting], self.random
        count = len(self.tasks)
        shared = random.normal(0, self.run_sd)
        noise = np.exp(shared + random.normal(0, self.request_sd, count))
        return pd.DataFrame(
            {
                "setting": setting,
                "start": number,
                "task": self.tasks,
                "tokens": self.tokens,
                "forwards": self.forwards[at],
                "drafted": self.drafted[at],
                "seconds": self.ms[at] / 1000 * noise,
            }
        )


@dataclass(frozen=True)
class Outcome:
    """What came of tuning a machine.

    Attributes
    ----------
    regret
        Share of the best setting's throughput that the advised one lacks, in truth.
    requests
        Those that were asked, the logged ones included.
    """

    choice: Choice
    regret: float
    requests: int


def tuned(machine: Machine, chooser: Chooser) -> Outcome:
    """Tune a machine to the end."""
    settings = machine.settings
    method = dict(zip(settings["setting"], settings["method"], strict=True))
    deep, logged, asked = set(), set(), []
    requests = pd.DataFrame(columns=list(REQUEST_COLUMNS))
    logs = pd.DataFrame(columns=["setting", "task"])
    while True:
        told = machine.foreseen(deep, logged)
        choice = chooser(settings, requests, told, machine.tasks, logs)
        if choice.ask is None:
            break
        name = choice.ask.setting
        if choice.ask.logged:
            logged.add(method[name])
            logs = pd.concat([logs, pd.DataFrame({"setting": name, "task": machine.tasks})])
            continue
        asked.append(machine.start(name, len(asked) + 1))
        requests = pd.concat(asked, ignore_index=True)
        if name.endswith(f"-n{DEPTHS}-p0"):
            deep.add(method[name])
    advised = machine.tps[machine.place[choice.advised]]
    return Outcome(choice, 1 - advised / machine.tps.max(), len(requests) + len(logs))
