"""How much of its time has an exchange with a server left, and what is said when it failed?"""

from __future__ import annotations

import time

__all__ = ["Deadline", "ExchangeError"]


class ExchangeError(Exception):
    """Nothing usable came: `kind` as in the runner's error records, and one line on why.

    `asked` is false where nobody took the connection, so that nothing was asked.
    """

    def __init__(self, kind: str, message: str, *, asked: bool = True) -> None:
        self.kind = kind
        self.message = message
        self.asked = asked
        super().__init__(kind, message)


class Deadline:
    """A number of seconds that begins now, on a clock that nobody sets back."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._begins = time.perf_counter()

    @property
    def spent(self) -> float:
        """Seconds since its making."""
        return time.perf_counter() - self._begins

    @property
    def left(self) -> float:
        """Seconds left, more than 0.

        Raises
        ------
        ExchangeError
            There are none.
        """
        left = self.seconds - self.spent
        if left <= 0:
            raise self.missed
        return left

    @property
    def missed(self) -> ExchangeError:
        """What is said when it has passed."""
        return ExchangeError("timeout", f"no answer within {self.seconds:g} s")
