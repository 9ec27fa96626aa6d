"""How does a sweep end early without losing what is finished?

Ctrl-C, SIGTERM and a closed terminal mean the same: stop at once, end the
server, keep every finished request. While a record is being written they wait.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

__all__ = ["Interrupts"]

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


class Interrupts:
    """Turns the signals that end a program into ``KeyboardInterrupt``, but not at any moment."""

    def __init__(self) -> None:
        self._shields = 0
        self._pending = False

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Have the signals handled; outside of the main thread Python hears none."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
        before: dict[int, Any] = {
            number: signal.signal(number, self._on_signal)
            for number in numbers
            # What is ignored stays ignored: `nohup mtpbench run …` outlives its terminal.
            if signal.getsignal(number) not in (None, signal.SIG_IGN)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """A block that an interrupt does not cut in two: it comes right after."""
        self._shields += 1
        try:
            yield
        finally:
            self._shields -= 1
        if self._pending and not self._shields:
            self._pending = False
            raise KeyboardInterrupt

    def _on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self._shields:
            self._pending = True
            return
        raise KeyboardInterrupt
