"""How long does the rest of a sweep take, and how far is that known yet?

Configurations differ in speed, and each is known only once it has run. Until then the
slowest and the fastest of those that have run say between what it may lie.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean

__all__ = ["TimeLeft", "duration"]

_CLOSE = 1.1
"""Ratio of the longest to the shortest time up to which one figure says enough."""


def duration(seconds: float) -> str:
    """A time as a person says it.

    Examples
    --------
    >>> duration(42), duration(90), duration(3 * 3600 + 60)
    ('42 s', '1 min 30 s', '3 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


@dataclass
class TimeLeft:
    """What has been measured so far, and what is missing.

    Attributes
    ----------
    missing
        Requests that have no answer yet, by configuration and repeat: one server start each.
    """

    missing: Mapping[tuple[str, int], int]
    _seconds: dict[str, list[float]] = field(default_factory=dict)
    _starts: dict[tuple[str, int], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.missing = dict(self.missing)

    def done(self, run: str, repeat: int, spent_s: float, wall_s: float) -> None:
        """A request has ended.

        Parameters
        ----------
        run, repeat
            Whose.
        spent_s
            Since the one before it: of the first on a server, with its start.
        wall_s
            Of the request alone.
        """
        start = (run, repeat)
        own = min(wall_s, spent_s) if start not in self._starts else spent_s
        self._starts.setdefault(start, spent_s - own)
        self._seconds.setdefault(run, []).append(own)
        self.missing = {**self.missing, start: max(self.missing.get(start, 0) - 1, 0)}

    def between(self) -> tuple[float, float]:
        """The shortest and the longest time in seconds that what is known leaves open."""
        known = {run: fmean(seconds) for run, seconds in self._seconds.items()}
        loading = fmean(self._starts.values())
        to_start = sum(
            left > 0 and start not in self._starts for start, left in self.missing.items()
        )
        low, high = (
            sum(left * known.get(run, unknown) for (run, _), left in self.missing.items())
            for unknown in (min(known.values()), max(known.values()))
        )
        return low + to_start * loading, high + to_start * loading

    def __str__(self) -> str:
        if not self._seconds:
            return ""
        low, high = self.between()
        if high > _CLOSE * low:
            return f"{duration(low)} to {duration(high)} left"
        open_ = any(left and run not in self._seconds for (run, _), left in self.missing.items())
        about = "about " if open_ else ""
        return f"{about}{duration((low + high) / 2)} left"
