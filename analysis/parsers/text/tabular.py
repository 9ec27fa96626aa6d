"""Rows of named cells, whatever they were written in, to runs.

A row with a task or a repeat is a request, and the rows that share everything
else in words are one run. Any other row is a run of which only totals are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analysis.parsers.text.command import settings, spec_type_name
from analysis.parsers.text.fields import COUNTS, MEASURES, CellFigure, Field, cell_figure, cell_text
from analysis.parsers.text.fields import field as field_of
from analysis.parsers.text.grammar import as_measure, decimals, scaled
from analysis.parsers.text.spec_words import mined
from analysis.records import Aggregate, Finding, Run, Source, TaskResult

__all__ = ["TableRow", "read_row", "runs_of", "total_of"]

_FASTEST = 1e6
_LONGEST_WORD = 200
_UNNAMED = "request"
# Never taken along, whatever the value looks like.
_PRIVATE = re.compile(r"api[-_ ]?key|token\b|secret|password|authorization|://", re.IGNORECASE)


@dataclass(frozen=True)
class TableRow:
    """What one row says.

    Attributes
    ----------
    figures
        Figures by the names of ``fields.py``, in our units.
    words
        Texts by field (`task`, `target`, `label`, …).
    other
        Texts under headings that no field is known for, by heading.
    unread
        Headings whose cell is no figure.
    rate_decimals
        Digits with which the acceptance rate was printed, as a share of one.
    """

    source: Source
    figures: Mapping[str, float] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    other: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    rate_decimals: int | None = None

    def count(self, name: str) -> int | None:
        """A whole number, or null."""
        value = self.figures.get(name)
        return None if value is None else int(value)


def read_row(
    cells: Iterable[tuple[str, object]],
    source: Source,
    meaning: Callable[[str], Field | None] = field_of,
) -> TableRow:
    """Read a row of named cells.

    Parameters
    ----------
    cells
        Pairs of heading or key, and cell or JSON value; of a figure named
        twice the first counts.
    source
        Where the row stands.
    meaning
        What a heading stands for.
    """
    figures: dict[str, float] = {}
    words: dict[str, str] = {}
    other: dict[str, str] = {}
    unread: list[str] = []
    places: int | None = None
    for heading, cell in cells:
        known = meaning(heading)
        name = known.name if known else ""
        if known is None or name not in COUNTS | MEASURES:
            text = cell_text(cell) if isinstance(cell, str) else ""
            if text and known:
                words.setdefault(name, text[:_LONGEST_WORD] if name != "command" else text)
            elif text and not _PRIVATE.search(f"{heading} {text}"):
                other.setdefault(cell_text(heading), text[:_LONGEST_WORD])
            continue
        read = cell_figure(cell, name)
        if name == "acceptance_rate" and read.value is not None:
            percent = _is_percent(heading, read)
            read = replace(read, value=scaled(read.value, -2)) if percent else read
            text = cell if isinstance(cell, str) else repr(cell)
            places = decimals(cell_text(text).rstrip("% ")) + (2 if percent else 0)
        if read.value is not None:
            figures.setdefault(name, scaled(read.value, known.power))
        elif read.unread and isinstance(cell, str) and name in {"repeat", "n_max", "draft_tokens"}:
            # "run" and "draft" head words as often as numbers.
            words.setdefault("draft" if name == "draft_tokens" else "label", cell_text(cell)[:200])
        elif read.unread:
            unread.append(heading)
    return TableRow(source, figures, words, other, tuple(unread), places)


def _is_percent(heading: str, read: CellFigure) -> bool:
    said = "%" in heading or read.unit == "%" or "percent" in heading or "pct" in heading
    return said or (read.value is not None and 1 < read.value <= 100)


def runs_of(
    rows: Sequence[TableRow], format: str, *, requests: bool = False, names: Sequence[str] = ()
) -> list[Run]:
    """Make runs of rows, in the order in which they begin.

    Parameters
    ----------
    rows
        Of one table, file or list.
    format
        Name of the format that read them.
    requests
        Whether rows without a task and a repeat are requests all the same.
    names
        Headings whose cells name the configuration even where they are known
        fields, e.g. ``n_max``.
    """
    varying = _varying(rows)
    groups: dict[tuple[str, ...], list[TableRow]] = {}
    for place, row in enumerate(rows):
        is_request = requests or "task" in row.words or "repeat" in row.figures
        key = _labels(row, varying, names)
        groups.setdefault(key if is_request else (*key, f"\0{place}"), []).append(row)
    return [
        _run([part for part in key if not part.startswith("\0")], members, format, requests)
        for key, members in groups.items()
    ]


def _varying(rows: Sequence[TableRow]) -> list[str]:
    """Headings of unknown words that differ between rows: they name the configuration."""
    headings = dict.fromkeys(
        heading for row in rows for heading, text in row.other.items() if as_measure(text) is None
    )
    seen = {heading: {row.other.get(heading) for row in rows} for heading in headings}
    return [heading for heading, texts in seen.items() if len(texts) > 1]


def _labels(row: TableRow, varying: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    parts = [row.words.get("target"), *(row.other.get(heading) for heading in varying)]
    label, spec_type = row.words.get("label"), row.words.get("spec_type")
    parts += [label, None if label and spec_type == "none" else spec_type]
    parts += [
        f"{heading} {row.figures[known.name]:g}"
        for heading in names
        if (known := field_of(heading)) and known.name in row.figures
    ]
    return tuple(part for part in parts if part)


def _run(labels: Sequence[str], rows: Sequence[TableRow], format: str, requests: bool) -> Run:
    first = rows[0]
    is_request = requests or "task" in first.words or "repeat" in first.figures
    # A model's name may say "MTP" of a run without it: what names the run itself comes first.
    own = [part for part in labels if part != first.words.get("target")]
    label = ", ".join(labels) or None
    command = first.words.get("command")
    flags = settings(command or "")
    said, depth = mined(" ".join(own))
    if command is not None and command.lower() in {"none", "(none)"}:
        command, said = None, "none"
    spec_type = flags.spec_type or spec_type_name(first.words.get("spec_type", "")) or said
    n_max = next(
        (value for value in (first.count("n_max"), flags.n_max, depth) if value is not None), None
    )
    ends = [row.source.last_line or row.source.first_line for row in rows]
    source = replace(
        first.source, last_line=max((end for end in ends if end is not None), default=None)
    )
    return Run(
        source=source,
        format=format,
        tasks=tuple(_tasks(rows)) if is_request else (),
        aggregate=None if is_request else total_of(first),
        label=label,
        command=command,
        spec_type=spec_type,
        n_max=n_max if spec_type != "none" else None,
        p_min=flags.p_min if flags.p_min is not None else first.figures.get("p_min"),
        draft=first.words.get("draft") or flags.draft,
        target=first.words.get("target") or flags.target,
        build=first.words.get("build"),
        temperature=first.figures.get("temperature", flags.temperature),
        concurrency=first.count("concurrency"),
        synthetic=flags.synthetic,
        conditions={**_shared(rows), **_rounds(first), **flags.conditions},
        findings=tuple(_unread(rows)),
    )


def _rounds(row: TableRow) -> dict[str, str]:
    """Verification rounds, where only their number is stated."""
    rounds = row.count("rounds")
    return {} if rounds is None else {"rounds": str(rounds)}


def _shared(rows: Sequence[TableRow]) -> dict[str, str]:
    first = rows[0].other
    return {
        heading: text
        for heading, text in first.items()
        if all(row.other.get(heading) == text for row in rows)
    }


def _unread(rows: Iterable[TableRow]) -> Iterable[Finding]:
    for row in rows:
        for heading in row.unread:
            message = f"{cell_text(heading)[:40]} can't be read and is left out"
            yield Finding("warning", "number-unread", str(row.source), message)


def _tasks(rows: Iterable[TableRow]) -> Iterable[TaskResult]:
    seen: dict[str, int] = {}
    for place, row in enumerate(rows, start=1):
        repeat = row.count("repeat")
        name = row.words.get("task")
        if name is None:
            name = _UNNAMED if repeat is not None else f"{_UNNAMED} {place}"
        seen[name] = seen.get(name, 0) + 1
        speed = row.figures.get("decode_tps")
        error = row.words.get("error")
        made = TaskResult(name, row.source, repeat=repeat or seen[name], error=error)
        if error is not None:
            yield made
            continue
        yield replace(
            made,
            predicted_tokens=row.count("predicted_tokens"),
            draft_tokens=row.count("draft_tokens"),
            accepted_tokens=row.count("accepted_tokens"),
            reported_rate=row.figures.get("acceptance_rate"),
            rate_decimals=row.rate_decimals,
            decode_tps=speed if speed and speed <= _FASTEST else None,
            decode_s=row.figures.get("decode_s") or None,
            wall_s=row.figures.get("wall_s"),
            prompt_tokens=row.count("prompt_tokens"),
            prompt_s=row.figures.get("prompt_s"),
            first_token_s=row.figures.get("first_token_s"),
        )


def total_of(row: TableRow) -> Aggregate:
    """The totals that a row states for a whole run."""
    figures = row.figures
    mean, speed = figures.get("mean_tps"), figures.get("decode_tps")
    wall, elapsed = figures.get("wall_s"), figures.get("elapsed_s")
    if "request_wall_s" in figures:
        wall, elapsed = figures["request_wall_s"], wall
    # A bare tok/s beside a total is decode throughput only where its own time says so.
    timed = bool(figures.get("decode_s"))
    quoted = mean if mean is not None else figures.get("effective_tps")
    if quoted is None and not timed:
        quoted = speed
    return Aggregate(
        source=row.source,
        n_requests=row.count("n_requests"),
        predicted_tokens=row.count("predicted_tokens"),
        draft_tokens=row.count("draft_tokens"),
        accepted_tokens=row.count("accepted_tokens"),
        acceptance_rate=figures.get("acceptance_rate"),
        rate_decimals=4 if row.rate_decimals is None else row.rate_decimals,
        wall_s=wall,
        elapsed_s=elapsed,
        decode_s=figures.get("decode_s") or None,
        decode_tps=speed if timed else None,
        quoted_tps=quoted,
        quoted_is_mean=mean is not None,
    )
