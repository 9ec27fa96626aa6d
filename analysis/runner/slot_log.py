"""What does a server's log say of each slot, where several requests are served at once?"""

from __future__ import annotations

import re
import time
from collections import deque
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from analysis.runner.server_log import RequestLog, read_request

__all__ = ["SlotLogs"]

_SLOT = re.compile(rb"\bid +(\d{1,4}) *\| *task ")
_RELEASE = b"release"
_PIECE = 2**20


class SlotLogs:
    """Reads what a server adds to its log, and tells its slots apart.

    Parameters
    ----------
    path
        The log; null for a server whose log is somewhere else.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._at = path.stat().st_size if path is not None and path.exists() else 0
        self._rest = b""
        self._open: dict[int, list[bytes]] = {}
        self._done: dict[int, deque[RequestLog]] = {}

    def request(
        self, slot: int, drafted: int, accepted: int, timeout_s: float = 1.0
    ) -> RequestLog | None:
        """The next request that a slot is done with and that has these counts.

        Returns
        -------
        RequestLog or None
            Without the time spent drafting, which is logged for all slots together.
            Null without a log, or when no such request appears in time.
        """
        deadline = time.monotonic() + timeout_s
        while self._path is not None:
            self._read()
            waiting = self._done.get(slot, deque())
            while waiting:
                # What is passed over was given up by whoever sent it.
                found = waiting.popleft()
                if (sum(found.drafted), sum(found.accepted)) == (drafted, accepted):
                    return found
            if time.monotonic() > deadline:
                return None
            time.sleep(0.005)
        return None

    def _read(self) -> None:
        if self._path is None:
            return
        with suppress(OSError), self._path.open("rb") as file:
            file.seek(self._at)
            while piece := file.read(_PIECE):
                self._at += len(piece)
                *lines, self._rest = (self._rest + piece).split(b"\n")
                for line in lines:
                    self._take(line)

    def _take(self, line: bytes) -> None:
        named = _SLOT.search(line)
        if named is None:
            return
        slot = int(named[1])
        lines = self._open.setdefault(slot, [])
        lines.append(line)
        if _RELEASE not in line:
            return
        found = read_request(b"\n".join(lines).decode("utf-8", "replace"))
        if found is not None:
            lines.clear()
            self._done.setdefault(slot, deque()).append(replace(found, draft_s=()))
