"""What does a person see while a machine is tuned?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from analysis.errors import printable
from analysis.runner.progress import Progress
from analysis.runner.time_left import duration
from analysis.tuning.belief import OFF
from analysis.tuning.choice import Choice

__all__ = ["TuningProgress"]


@dataclass
class TuningProgress(Progress):
    """One line a server start: what is measured, and what is known by then."""

    total: int = 0
    risk: float = 0.025

    def __post_init__(self) -> None:
        self._first: tuple[int, float] | None = None
        self._starts = 0
        self._spent_s = 0.0

    def starting(self, run: str, repeat: int) -> None:
        """A server is being started."""
        self._starts += 1
        super().starting(run, repeat)

    def done(self, record: dict[str, Any], spent_s: float) -> None:
        """A request has ended: worth a line only where it failed."""
        self._spent_s += spent_s
        if self._bar is not None:
            self.total += 1
            self._bar.total = self.total
            self._bar.update()
        if record["record"] == "error":
            self.say(f"{record['run']}, {record['task']}: {record['kind']}: {record['message']}")

    def learned(self, choice: Choice, left_s: float | None) -> None:
        """Say the best so far, the chance that it stays, and about how long it may take."""
        if choice.advised is None or choice.close is None or choice.probability is None:
            return
        row = choice.belief.set_index("setting").loc[choice.advised]
        gain = (
            "no speculation"
            if row["method"] == OFF
            else f"{choice.advised}, {row['speedup']:.2f}× "
            f"({row['speedup_low']:.2f} to {row['speedup_high']:.2f})"
        )
        said = (
            f"best so far: {gain}; chance that nothing is faster: {choice.probability:.0%}, "
            f"by more than 1 %: {choice.close:.0%}"
        )
        self.say(printable(f"{said}{self._time(choice.close, left_s)}"))

    def _time(self, close: float, left_s: float | None) -> str:
        open_ = max(1 - close, 1e-3)
        if self._first is None:
            self._first = (self._starts, open_)
        begun, first = self._first
        starts = self._starts - begun
        parts = []
        if open_ > self.risk and starts >= 3 and open_ < 0.9 * first:
            # What is open falls about by the same factor with each start.
            more = math.ceil(math.log(open_ / self.risk) * starts / math.log(first / open_))
            seconds = more * self._spent_s / max(self._starts, 1)
            parts.append(f"about {duration(seconds)} to go")
        if left_s is not None:
            parts.append(f"{duration(left_s)} left")
        return "".join(f"; {part}" for part in parts)
