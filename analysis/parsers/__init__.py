"""Text in, records out: one file per format, and nothing else knows formats.

A format is a module with ``FORMAT`` (its name), ``SHAPE`` (what a person would
look for), ``HINTS`` (fragments of its lines, lower case), ``recognises`` and
``read``. Adding one takes that file, its tests and its line in :data:`FORMATS`.
A format whose logs grow without end has ``begins`` and ``read_stream`` as well:
it is recognised by a log's head and read in pieces.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from analysis.errors import LogError, one_of
from analysis.parsers import foreign
from analysis.parsers.text.document import Document
from analysis.parsers.text.growing import logs
from analysis.parsers.text.published import published, published_task
from analysis.parsers.text.stream import STANDARD_INPUT, Log, open_log
from analysis.privacy import public_path
from analysis.records import Run, TaskResult

__all__ = [
    "FORMATS",
    "STANDARD_INPUT",
    "Document",
    "Format",
    "Log",
    "Told",
    "follow",
    "open_log",
    "parse",
    "read",
    "read_log",
    "read_recognised",
    "recognised",
    "sniff",
]


Told = Callable[[Run, TaskResult], None]
"""What is called with a run, as it is known so far, and a request of it that has ended."""


@dataclass(frozen=True)
class Format:
    """A format that can be recognised and read.

    Attributes
    ----------
    name
        What ``--format`` and ``Run.format`` call it.
    module
        Where it is, below this package. It is imported when it is first asked for something:
        the patterns of all take longer to prepare than many a log to read.
    grows
        Whether its logs grow without end: then it is recognised by a log's head, read in
        pieces, and can be followed.
    """

    name: str
    module: str
    grows: bool = False

    @cached_property
    def _module(self) -> Any:
        return import_module(f"{__name__}.{self.module}")

    @property
    def shape(self) -> str:
        """What a person would look for, as a noun phrase."""
        return str(self._module.SHAPE)

    @property
    def hints(self) -> tuple[str, ...]:
        """Lower-case fragments of its lines, by which the line closest to it is found."""
        return tuple(self._module.HINTS)

    @property
    def beside(self) -> tuple[str, ...]:
        """Formats that people put into the same text, whose runs follow its own."""
        return tuple(getattr(self._module, "BESIDE", ()))

    def recognises(self, document: Document) -> bool:
        """Whether a text is one."""
        return bool(self._module.recognises(document))

    def begins(self, head: Document) -> bool:
        """Whether all of a log is surely one, by its head."""
        return self.grows and bool(self._module.begins(head))

    def read(self, document: Document) -> tuple[Run, ...]:
        """The runs of a text, or ``LogError``."""
        return tuple(self._module.read(document))

    def read_stream(self, log: Log) -> tuple[Run, ...]:
        """The runs of a log, which is not taken into memory whole if the format grows."""
        return tuple(self._module.read_stream(log)) if self.grows else self.read(log.document())

    def follow(self, name: str, pieces: Iterator[bytes], told: Told) -> None:
        """Call `told` with each request of a log as its bytes come."""
        self._module.follow(name, pieces, told)


FORMATS: dict[str, Format] = {
    made.name: made
    for made in (
        # In the order of asking: the more particular shape comes first. Those that are
        # recognised by a log's head are asked before all that need the whole of it.
        Format("mtpbench-live", "live_jsonl"),
        Format("speed-bench", "speed_bench"),
        Format("vllm-result", "vllm_result"),
        Format("aiperf", "aiperf"),
        Format("llama-benchy", "llama_benchy"),
        Format("ik-spec-bench", "ik_spec_bench"),
        Format("mtp-bench-json", "mtp_bench.saved"),
        Format("timings-json", "timings_json"),
        Format("mtp-bench", "mtp_bench.printed"),
        Format("llama-server", "llama_server", grows=True),
        Format("llama-speculative", "llama_speculative"),
        Format("vllm-bench", "vllm_bench"),
        Format("vllm-log", "vllm_log"),
        Format("metrics", "metrics_text"),
        Format("llama-bench", "llama_bench"),
        Format("llama-batched-bench", "llama_batched_bench"),
        Format("llama-sweep-bench", "llama_sweep_bench"),
        Format("results-table", "results_table"),
        Format("results-csv", "results_csv"),
    )
}


def read(
    path: str | os.PathLike[str], format: str | None = None, name: str | None = None
) -> tuple[Run, ...]:
    """Read the runs of a log file.

    Parameters
    ----------
    path
        The file, plain or compressed by gzip or zstd; ``-`` for standard input.
    format
        One of :data:`FORMATS`; recognised by content when it is not given.
    name
        What every source calls the file; the path by default.

    Returns
    -------
    tuple of Run
        At least one, in the order of the file.

    Raises
    ------
    LogError
        When the file can't be read as text, or nothing in it was recognised.
    """
    with open_log(path, name) as log:
        return read_log(log, format)


def parse(document: Document, format: str | None = None) -> tuple[Run, ...]:
    """Read the runs of a text that is already in memory; see :func:`read`."""
    return read_log(Log.of(document), format)


def read_log(log: Log, format: str | None = None) -> tuple[Run, ...]:
    """Read the runs of a log that is open; see :func:`read`."""
    if format is not None and format not in FORMATS:
        raise LogError(*one_of("the format", format, FORMATS), log.name)
    if format is None:
        return read_recognised(log, sniff(log))
    return tuple(map(published, FORMATS[format].read_stream(log)))


def read_recognised(log: Log, known: Format) -> tuple[Run, ...]:
    """Read a log that was recognised, and what its format allows beside it."""
    if known.grows:
        return tuple(map(published, known.read_stream(log)))
    document = log.document()
    others = [FORMATS[name] for name in known.beside]
    runs = known.read(document) + tuple(
        run for other in others if other.recognises(document) for run in other.read(document)
    )
    return tuple(map(published, runs))


def follow(path: str, told: Told, format: str | None = None) -> None:
    """Read a log that a server still writes; see ``growing.logs``.

    Parameters
    ----------
    path
        The file, or ``-`` for standard input.
    told
        Called with each request as soon as it has ended.
    format
        One of :data:`FORMATS` that can be followed; the only one by default.

    Raises
    ------
    LogError
        When the log can't be read, or its format can't be followed.
    """
    called = "stdin" if path == STANDARD_INPUT else public_path(path)
    able = [name for name, made in FORMATS.items() if made.grows]
    if format is not None and format not in able:
        raise LogError(*one_of("the format of a log to follow", format, able), called)
    known = FORMATS[format or able[0]]

    def told_published(run: Run, task: TaskResult) -> None:
        told(published(run), published_task(task))

    for pieces in logs(path, called):
        known.follow(called, pieces, told_published)


def sniff(log: Log) -> Format:
    """Find the format of a log by what is in it.

    Raises
    ------
    LogError
        When it can't be read, or is none of :data:`FORMATS`: names them, and
        the line that comes closest to one.
    """
    known = recognised(log)
    if known is None:
        document = log.document()
        raise foreign.refusal(document) or _unrecognised(document, FORMATS.values())
    return known


def recognised(log: Log, formats: Iterable[Format] | None = None) -> Format | None:
    """The first of `formats` (by default all) that a log is, or ``None``.

    Raises
    ------
    LogError
        When it can't be read, or holds lines of two logs.
    """
    foreign.refuse_difference(log.head)
    among = list(FORMATS.values() if formats is None else formats)
    for candidate in among:
        if candidate.begins(log.head):
            return candidate
    document = log.document()
    return next((candidate for candidate in among if candidate.recognises(document)), None)


def _unrecognised(document: Document, formats: Iterable[Format]) -> LogError:
    looked_for = " and ".join(made.shape for made in formats)
    problem = f"nothing was recognised; looked for {looked_for}"
    best: tuple[int, int, str] = (0, 0, "")
    for number, line in enumerate(document.lines, start=1):
        lowered = line.lower()
        for made in formats:
            has = [hint for hint in made.hints if hint in lowered]
            if len(has) > best[0]:
                best = (len(has), number, ", ".join(has))
    remedy = "paste the tool's output as it was printed, or name its format"
    if not best[0]:
        return LogError(problem, remedy, document.name)
    return LogError(
        f"{problem}; this line comes closest, with {best[2]}", remedy, document.name, best[1]
    )
