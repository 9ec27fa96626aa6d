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
from types import ModuleType

from analysis.errors import LogError, one_of
from analysis.parsers import (
    aiperf,
    foreign,
    ik_spec_bench,
    live_jsonl,
    llama_batched_bench,
    llama_bench,
    llama_benchy,
    llama_server,
    llama_speculative,
    llama_sweep_bench,
    metrics_text,
    results_csv,
    results_table,
    speed_bench,
    timings_json,
    vllm_bench,
    vllm_log,
    vllm_result,
)
from analysis.parsers.mtp_bench import printed as mtp_bench_printed
from analysis.parsers.mtp_bench import saved as mtp_bench_saved
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
    shape
        What a person would look for, as a noun phrase.
    hints
        Lower-case fragments of its lines, by which the line closest to it is found.
    recognises, read
        Document → whether it is one; document → its runs, or ``LogError``.
    begins, read_stream, follow
        The head of a log → whether all of it is surely one; a log → its runs; a
        log's name, its bytes as they come, and what to call with each request.
        ``None`` for a format that is only read whole.
    beside
        Formats that people put into the same text, whose runs follow its own.
    """

    name: str
    shape: str
    hints: tuple[str, ...]
    recognises: Callable[[Document], bool]
    read: Callable[[Document], tuple[Run, ...]]
    begins: Callable[[Document], bool] | None = None
    read_stream: Callable[[Log], tuple[Run, ...]] | None = None
    follow: Callable[[str, Iterator[bytes], Told], None] | None = None
    beside: tuple[str, ...] = ()

    @classmethod
    def of(cls, module: ModuleType) -> Format:
        """Make a format of the module that describes it."""
        return cls(
            module.FORMAT,
            module.SHAPE,
            module.HINTS,
            module.recognises,
            module.read,
            getattr(module, "begins", None),
            getattr(module, "read_stream", None),
            getattr(module, "follow", None),
            getattr(module, "BESIDE", ()),
        )


FORMATS: dict[str, Format] = {
    made.name: made
    for made in (
        # In the order of asking: the more particular shape comes first. Those that are
        # recognised by a log's head are asked before all that need the whole of it.
        Format.of(live_jsonl),
        Format.of(speed_bench),
        Format.of(vllm_result),
        Format.of(aiperf),
        Format.of(llama_benchy),
        Format.of(ik_spec_bench),
        Format.of(mtp_bench_saved),
        Format.of(timings_json),
        Format.of(mtp_bench_printed),
        Format.of(llama_server),
        Format.of(llama_speculative),
        Format.of(vllm_bench),
        Format.of(vllm_log),
        Format.of(metrics_text),
        Format.of(llama_bench),
        Format.of(llama_batched_bench),
        Format.of(llama_sweep_bench),
        Format.of(results_table),
        Format.of(results_csv),
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
    known = FORMATS[format]
    whole = known.read_stream is None
    runs = known.read(log.document()) if whole else known.read_stream(log)  # type: ignore[misc]
    return tuple(map(published, runs))


def read_recognised(log: Log, known: Format) -> tuple[Run, ...]:
    """Read a log that was recognised, and what its format allows beside it."""
    if known.read_stream is not None:
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
    able = {name: made.follow for name, made in FORMATS.items() if made.follow is not None}
    if format is not None and format not in able:
        raise LogError(*one_of("the format of a log to follow", format, able), called)
    read = able[format or next(iter(able))]

    def told_published(run: Run, task: TaskResult) -> None:
        told(published(run), published_task(task))

    for pieces in logs(path, called):
        read(called, pieces, told_published)


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
        if candidate.begins is not None and candidate.begins(log.head):
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
