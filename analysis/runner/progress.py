"""What does a person see while a sweep runs?

A bar on a terminal; one plain line a request elsewhere, so that a log of it
can be read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

from tqdm import tqdm

from analysis.errors import printable
from analysis.runner.time_left import TimeLeft

__all__ = ["Progress"]

_BAR = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"
"""As tqdm's own, without its time left, which follows the last requests alone."""


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
    time_left
        Estimates it.
    """

    total: int
    out: IO[str] = field(default_factory=lambda: sys.stderr)
    first: str = ""
    time_left: TimeLeft = field(default_factory=lambda: TimeLeft({}))
    _bar: tqdm[Any] | None = None
    _done: int = 0

    @contextmanager
    def shown(self) -> Iterator[Progress]:
        """Show it while the block runs."""
        if self.first:
            self.say(self.first)
        if self.out.isatty():
            self._bar = tqdm(total=self.total, file=self.out, unit="request", dynamic_ncols=True,
                             bar_format=_BAR)  # fmt: skip
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
        run, repeat = record["run"], record["repeat"]
        self.time_left.done(run, repeat, spent_s, record.get("wall_s") or spent_s)
        said = f"{outcome(record)}; {self.time_left}"
        if self._bar is not None:
            self._bar.set_postfix_str(printable(said))
            self._bar.update()
        else:
            self.say(
                f"[{self._done}/{self.total}] {run}, repeat {repeat}, {record['task']}: {said}"
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
