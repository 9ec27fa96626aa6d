"""What does a person see while a sweep runs?

A bar on a terminal; one plain line a request elsewhere, so that a log of it
can be read. The time left comes from what has been measured so far.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

from tqdm import tqdm

from analysis.errors import printable

__all__ = ["Progress", "duration"]


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
class Progress:
    """Shows a sweep.

    Attributes
    ----------
    total
        Requests to be sent.
    out
        Where it is shown; standard error by default.
    first
        A line that is said before anything begins, or empty.
    """

    total: int
    out: IO[str] = field(default_factory=lambda: sys.stderr)
    first: str = ""
    _bar: tqdm[Any] | None = None
    _done: int = 0
    _spent_s: float = 0.0

    @contextmanager
    def shown(self) -> Iterator[Progress]:
        """Show it while the block runs."""
        if self.first:
            self.say(self.first)
        if self.out.isatty():
            self._bar = tqdm(total=self.total, file=self.out, unit="request", dynamic_ncols=True)
        try:
            yield self
        finally:
            if self._bar is not None:
                self._bar.close()
                self._bar = None

    def say(self, text: str) -> None:
        """One line, above the bar where there is one."""
        if self._bar is not None:
            self._bar.write(printable(text), file=self.out)
        else:
            print(printable(text), file=self.out, flush=True)

    def starting(self, run: str, repeat: int) -> None:
        """A server is being started."""
        if self._bar is not None:
            self._bar.set_description(printable(f"{run} #{repeat}: starting"))
        else:
            self.say(f"{run}, repeat {repeat}: starting the server")

    def asking(self, run: str, repeat: int, task: str) -> None:
        """A request is being sent."""
        if self._bar is not None:
            self._bar.set_description(printable(f"{run} #{repeat}: {task}"))

    def done(self, record: dict[str, Any], spent_s: float) -> None:
        """A request has ended; `spent_s` includes its share of starting the server."""
        self._done += 1
        self._spent_s += spent_s
        said = outcome(record)
        if self._bar is not None:
            self._bar.set_postfix_str(printable(said))
            self._bar.update()
        else:
            left = self._spent_s / self._done * (self.total - self._done)
            self.say(
                f"[{self._done}/{self.total}] {record['run']}, repeat {record['repeat']}, "
                f"{record['task']}: {said}; {duration(left)} left"
            )


def outcome(record: dict[str, Any]) -> str:
    """What came of a request, in a few words."""
    if record["record"] == "error":
        return f"failed ({record['kind']}): {record['message']}"
    timings = record["timings"]
    rate = timings.get("predicted_per_second")
    if not isinstance(rate, int | float) and timings["predicted_ms"]:
        rate = timings["predicted_n"] / timings["predicted_ms"] * 1000
    said = f"{rate:.1f} tok/s" if isinstance(rate, int | float) else "no rate"
    drafted = record["draft_tokens"]
    return f"{said}, {record['accepted_tokens']}/{drafted} accepted" if drafted else said
