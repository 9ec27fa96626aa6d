"""Did the machine become faster or slower while it measured? One configuration's repeats say."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.runner.plan import Plan

__all__ = ["Drift", "drift", "witness"]


@dataclass(frozen=True)
class Drift:
    """What the repeats of one configuration, in the order of their starts, have in common.

    Attributes
    ----------
    run
        Its id.
    repeats
        How many there are.
    change
        Effective throughput at the last of them over that at the first, less 1, as
        the straight line says that fits the logarithms best (least squares over
        the places of their starts).
    scatter
        Root mean square of what the line leaves over, relative; null with two
        repeats, through which a line always goes.
    """

    run: str
    repeats: int
    change: float
    scatter: float | None

    def __str__(self) -> str:
        word = "slower" if self.change < 0 else "faster"
        scatter = (
            "" if self.scatter is None else f"; they scatter by {self.scatter:.1%} around that"
        )
        return (
            f"drift: {self.run} became {abs(self.change):.1%} {word} "
            f"from the first to the last of its {self.repeats} repeats{scatter}"
        )


def witness(plan: Plan) -> str | None:
    """The run id by which drift is told: a baseline's, where nothing but the machine changes.

    Of several, at several numbers of requests at once or contexts, the first in
    campaign.toml, whatever the order in which they are measured: a baseline at the first
    value of every axis, where requests disturb each other least. Null where nothing is timed.
    """
    steps = {step.planned.id for step in plan.steps}
    among = [one for one in plan.settings.configurations if one.id in steps and not one.confidence]
    plain = [one for one in among if one.spec_type == "none"]
    return next((one.id for one in plain or among), None)


def drift(run: str, records: Sequence[Mapping[str, Any]]) -> Drift | None:
    """Estimate the drift from a configuration's records; null with fewer than two whole repeats.

    Only tasks that every repeat answered count, so that the texts are the same.
    """
    places: dict[int, int] = {}
    answers: dict[int, dict[str, tuple[int, float]]] = {}
    for record in records:
        repeat = record["repeat"]
        if record["record"] == "run":
            places[repeat] = record.get("place") or len(places) + 1
        elif record["record"] == "request":
            tokens, wall_s = record["predicted_tokens"], record["wall_s"]
            answers.setdefault(repeat, {})[record["task"]] = (tokens, wall_s)
    shared = set.intersection(*(set(own) for own in answers.values())) if answers else set()
    if len(answers) < 2 or not shared:
        return None
    points = sorted(
        (places[repeat], math.log(_rate([own[task] for task in shared])))
        for repeat, own in answers.items()
    )
    return _line(run, points)


def _rate(answers: Sequence[tuple[int, float]]) -> float:
    return sum(tokens for tokens, _ in answers) / sum(wall_s for _, wall_s in answers)


def _line(run: str, points: Sequence[tuple[int, float]]) -> Drift | None:
    n = len(points)
    mean_x, mean_y = (sum(point[axis] for point in points) / n for axis in (0, 1))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    if not spread:
        return None
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    left = [y - mean_y - slope * (x - mean_x) for x, y in points]
    scatter = None if n == 2 else math.sqrt(sum(rest**2 for rest in left) / (n - 2))
    return Drift(run, n, math.exp(slope * (points[-1][0] - points[0][0])) - 1, scatter)
