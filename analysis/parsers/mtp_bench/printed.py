"""mtp-bench's printed output, clean or pasted: rows and an aggregate in, runs out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from analysis.errors import LogError
from analysis.parsers.mtp_bench.marks import (
    BENCH_COMMAND,
    Concurrency,
    CutRow,
    FailedRow,
    Mark,
    Row,
    Totals,
    marks,
)
from analysis.parsers.mtp_bench.totals import aggregate_from
from analysis.parsers.text.command import settings
from analysis.parsers.text.document import Document, Numbered
from analysis.parsers.text.grammar import count, decimals, real
from analysis.parsers.text.headings import command_below, heading
from analysis.parsers.text.prefixes import without_prefixes
from analysis.records import Aggregate, Finding, Level, Run, Source, TaskResult

__all__ = ["BESIDE", "FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "mtp-bench"
SHAPE = "mtp-bench's output (rows `task pred= draft= acc= rate= tok/s=`)"
HINTS = (
    "pred=",
    "draft=",
    "acc=",
    "rate=",
    "tok/s=",
    "aggregate:",
    "n_requests",
    "total_predicted",
)

BESIDE = ("results-table",)
"""People put a table of their runs above the output of one."""

_FASTEST = 1e6
_LOST_TOTALS = re.compile(
    r"\bAggregate[ ]*+:?[ ]*+(?:\{|$)|[\"'][ ]*+n[\\_ ]{1,3}requests\b", re.MULTILINE
)
"""What an aggregate has, however it is torn."""


@dataclass
class _Block:
    """The marks of one run, while they are being gathered."""

    above: int
    start: int
    end: int = 0
    rows: list[Row | FailedRow] = field(default_factory=list)
    cuts: list[CutRow] = field(default_factory=list)
    totals: Totals | None = None
    concurrency: Concurrency | None = None
    tasks: set[str] = field(default_factory=set)

    @property
    def first(self) -> Mark:
        """The mark that it begins with."""
        found = [*self.rows[:1], *self.cuts[:1], self.totals, self.concurrency]
        return min((mark for mark in found if mark), key=lambda mark: mark.start)

    def takes(self, mark: Mark, between: str) -> bool:
        """Whether `mark` still belongs to this run.

        A run ends with its aggregate, where the script is started again, and
        where a task comes a second time.
        """
        if self.totals or BENCH_COMMAND.search(between):
            return False
        if isinstance(mark, Row | FailedRow | CutRow):
            return mark.task not in self.tasks
        return bool(self.rows or self.cuts)

    def take(self, mark: Mark) -> None:
        """Add a mark, in the order of the text."""
        self.end = max(self.end, mark.end)
        match mark:
            case Row() | FailedRow():
                self.rows.append(mark)
                self.tasks.add(mark.task)
            case CutRow():
                self.cuts.append(mark)
                self.tasks.add(mark.task)
            case Totals():
                self.totals = mark
            case Concurrency():
                self.concurrency = mark


def recognises(document: Document) -> bool:
    """Whether the text holds a row or an aggregate of mtp-bench's."""
    found = marks(document.cleaned.text)
    return any(not isinstance(mark, Concurrency) for mark in found)


def read(document: Document) -> tuple[Run, ...]:
    """Read every run of a text.

    Parameters
    ----------
    document
        May hold prose, prompts and several runs, each with or without an
        aggregate.

    Returns
    -------
    tuple of Run
        In order. What could not be read is a finding of the run it belongs
        to: ``row-cut``, ``aggregate-cut``, ``number-unread``, or ``no-rows``
        for an aggregate alone beside other runs.

    Raises
    ------
    LogError
        When no run has a row.
    """
    reader = _PrintedReader(document)
    runs = list(reader.runs())
    if not any(run.tasks for run in runs):
        raise reader.refusal()
    return tuple(runs)


class _PrintedReader:
    def __init__(self, document: Document) -> None:
        self.document = document
        cleaned = document.cleaned
        rows = (mark.start for mark in marks(cleaned.text) if isinstance(mark, Row | FailedRow))
        self.numbered: Numbered = without_prefixes(cleaned, rows)
        self.text = self.numbered.text
        self.blocks = list(_blocks(self.text))

    def source(self, mark: Mark) -> Source:
        return self.document.source(self.numbered, mark.start, mark.end)

    def finding(self, level: Level, code: str, mark: Mark, message: str) -> Finding:
        return Finding(level, code, str(self.source(mark)), message)

    def refusal(self) -> LogError:
        name = self.document.name
        if not self.blocks:
            return LogError("no row of mtp-bench's output is here", "paste its whole output", name)
        block = self.blocks[0]
        line = self.source(block.first).first_line
        if block.rows:
            return LogError(
                "no row has numbers that can be read", "paste the rows again", name, line
            )
        if block.totals is None:
            return LogError("the only row is cut", "paste the whole output", name, line)
        broken = "" if block.totals.whole else " and its aggregate is cut or not JSON"
        remedy = "paste the task rows that stand above its aggregate as well"
        return LogError(f"a block with no rows{broken}", remedy, name, line)

    def runs(self) -> Iterator[Run]:
        runs: list[Run] = []
        before: list[Finding] = []
        starts = [*(block.start for block in self.blocks[1:]), len(self.text)]
        for block, following in zip(self.blocks, starts, strict=False):
            if not (block.rows or (block.totals and block.totals.values)):
                # The beginning of a run that was cut, or an aggregate without a figure.
                lost_here = [self._cut(cut) for cut in block.cuts] + self._aggregate(block.totals)[
                    1
                ]
                if runs:
                    runs[-1] = replace(runs[-1], findings=(*runs[-1].findings, *lost_here))
                else:
                    before += lost_here
                continue
            run = self._run(block)
            run, before = replace(run, findings=(*before, *run.findings)), []
            lost = _LOST_TOTALS.search(self.text, block.start, following)
            if run.aggregate is None and block.totals is None and lost:
                mark = Mark(lost.start(), lost.end())
                message = "an aggregate is here that can't be read"
                found = self.finding("warning", "aggregate-cut", mark, message)
                run = replace(run, findings=(*run.findings, found))
            runs.append(run)
        # People also write the command below their results.
        below = None if any(run.command for run in runs) else self._command_below()
        if runs and below:
            runs[-1] = _configured(runs[-1], below)
        return iter(runs)

    def _command_below(self) -> str | None:
        return command_below(self.text[self.blocks[-1].end :]) if self.blocks else None

    def _run(self, block: _Block) -> Run:
        findings = [self._cut(cut) for cut in block.cuts]
        tasks: list[TaskResult] = []
        for row in block.rows:
            task, unread = self._task(row)
            tasks += [task] if task else []
            findings += unread
        places = _rate_places(tasks)
        aggregate, unread = self._aggregate(block.totals)
        findings += unread
        if not block.rows and block.totals:
            message = "an aggregate without task rows; paste the rows above it as well"
            findings.append(self.finding("error", "no-rows", block.totals, message))
        concurrency, conditions = None, {}
        if block.concurrency:
            concurrency = count(block.concurrency.streams)
            if block.concurrency.repeat:
                conditions["requests per task"] = block.concurrency.repeat
        found = heading(self.text[block.above : block.start])
        run = Run(
            source=self.document.source(self.numbered, block.start, block.end),
            format=FORMAT,
            tasks=tuple(
                replace(t, rate_decimals=places) if t.rate_decimals is not None else t
                for t in tasks
            ),
            aggregate=aggregate,
            label=found.label,
            concurrency=concurrency,
            conditions=conditions,
            findings=tuple(findings),
        )
        return _configured(run, found.command) if found.command else run

    def _cut(self, cut: CutRow) -> Finding:
        message = f"the row of {cut.task} stops before its last figure and is left out"
        return self.finding("warning", "row-cut", cut, message)

    def _task(self, row: Row | FailedRow) -> tuple[TaskResult | None, list[Finding]]:
        source = self.source(row)
        if isinstance(row, FailedRow):
            message = row.message or "no message"
            return TaskResult(row.task, source, pooled=row.pooled, error=message), []
        counts = [count(text) for text in (row.predicted, row.drafted, row.accepted)]
        if None in counts:
            message = (
                f"the row of {row.task} is left out: pred={row.predicted[:20]} "
                f"draft={row.drafted[:20]} acc={row.accepted[:20]} are not numbers of tokens"
            )
            return None, [self.finding("warning", "number-unread", row, message)]
        findings = []
        comma = "," in row.rate
        rate = None if row.rate[:1] in "nN" else real(row.rate, decimal_comma=True)
        speed = None
        if row.speed is None:
            message = f"the row of {row.task} stops inside its tok/s, which is left out"
            findings.append(self.finding("warning", "row-cut", row, message))
        else:
            speed = real(row.speed, comma)
            if speed is None or not 0 < speed <= _FASTEST:
                speed = None
                message = f"tok/s={row.speed[:20]} of {row.task} is not a speed and is left out"
                findings.append(self.finding("warning", "number-unread", row, message))
        task = TaskResult(
            row.task,
            source,
            predicted_tokens=counts[0],
            draft_tokens=counts[1],
            accepted_tokens=counts[2],
            reported_rate=rate,
            rate_decimals=None if rate is None else decimals(row.rate),
            decode_tps=speed,
            pooled=max(row.pooled - row.failed, 1),
            failed=row.failed,
        )
        return task, findings

    def _aggregate(self, totals: Totals | None) -> tuple[Aggregate | None, list[Finding]]:
        if totals is None:
            return None, []
        findings = []
        if not totals.whole:
            message = "the aggregate is cut or not JSON; only its whole figures are taken"
            findings.append(self.finding("warning", "aggregate-cut", totals, message))
        aggregate, unread = aggregate_from(totals.values, self.source(totals))
        findings += [
            self.finding("warning", "number-unread", totals, f"{key} can't be read and is left out")
            for key in unread
        ]
        return (aggregate if totals.values else None), findings


def _blocks(text: str) -> Iterator[_Block]:
    block: _Block | None = None
    above = 0
    for mark in marks(text):
        if isinstance(mark, Concurrency) and (block is None or block.totals):
            continue
        if block is None or not block.takes(mark, text[block.end : mark.start]):
            if block:
                yield block
                above = block.end
            block = _Block(above, mark.start)
        block.take(mark)
    if block:
        yield block


def _rate_places(tasks: Iterable[TaskResult]) -> int | None:
    """Digits behind the point in a run: a copy that drops trailing zeros rounds all alike."""
    return max(
        (task.rate_decimals for task in tasks if task.rate_decimals is not None), default=None
    )


def _configured(run: Run, command: str) -> Run:
    found = settings(command)
    spec_type = found.spec_type
    nothing_drafted = all(not task.draft_tokens for task in run.tasks)
    if spec_type is None and found.draft is None and "--spec" not in command and nothing_drafted:
        spec_type = "none"
    return replace(
        run,
        command=command,
        spec_type=spec_type,
        n_max=found.n_max,
        p_min=found.p_min,
        draft=found.draft,
        target=found.target,
        temperature=found.temperature,
        synthetic=found.synthetic,
        conditions={**run.conditions, **found.conditions},
    )
