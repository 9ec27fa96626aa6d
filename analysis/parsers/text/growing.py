"""What is added to a log that a server still writes?"""

from __future__ import annotations

import io
import os
import stat
import sys
import time
from collections.abc import Iterator
from typing import cast

from analysis.errors import LogError
from analysis.parsers.text.stream import PIECE, STANDARD_INPUT, is_compressed, opened

__all__ = ["PAUSE_S", "logs"]

PAUSE_S = 0.2
"""How long to wait before looking again at a file that has not grown."""


def logs(path: str, called: str) -> Iterator[Iterator[bytes]]:
    """Give a growing log's bytes as they come, and a new log each time that it is replaced.

    Parameters
    ----------
    path
        A file, which never ends; a pipe or ``-`` for standard input, which end
        when they are closed.
    called
        What it is called in a ``LogError``.

    Raises
    ------
    LogError
        When there is none, it can't be read, or it is compressed.
    """
    if path == STANDARD_INPUT:
        source = cast("io.BufferedReader", sys.stdin.buffer)
        yield iter(lambda: source.read1(PIECE), b"")
        return
    while True:
        with opened(path, called) as file:
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            if regular and is_compressed(file):
                problem = "this log is compressed: it does not grow"
                raise LogError(problem, "leave --follow out", called)
            yield _growing(path, file) if regular else iter(lambda: file.read1(PIECE), b"")
        if not regular:
            return


def _growing(path: str, file: io.BufferedReader) -> Iterator[bytes]:
    """What a file has and gets, until it is cut or another takes its name."""
    while True:
        while piece := file.read(PIECE):
            yield piece
        if _replaced(path, file):
            return
        time.sleep(PAUSE_S)


def _replaced(path: str, file: io.BufferedReader) -> bool:
    """Whether a log was rotated away; while no new one is there it may still be written."""
    mine = os.fstat(file.fileno())
    if mine.st_size < file.tell():
        return True
    try:
        now = os.stat(path)  # noqa: PTH116 - compared with the open file's
    except OSError:
        return False
    return (now.st_dev, now.st_ino) != (mine.st_dev, mine.st_ino)
