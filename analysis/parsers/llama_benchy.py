"""llama-benchy's results: rates over prompt length, context and requests at once, of any server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.parsers.text.fields import cell_figure, cell_text
from analysis.parsers.text.grammar import as_count, as_measure, scaled
from analysis.parsers.text.json_text import decode, items, members
from analysis.parsers.text.tables import TextTable, pipe_tables
from analysis.records import Aggregate, Finding, Run, Source, TaskResult

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "llama-benchy"
SHAPE = "llama-benchy's JSON or table (`| model | test | t/s | ttfr (ms) | …`)"
HINTS = ("ttfr (ms)", "est_ppt (ms)", "e2e_ttft (ms)", '"tg_throughput"', "t/s (total)")

_JSON = re.compile(r"\s*\{")
_NEEDED = frozenset({"model", "test", "ttfr (ms)"})
_TEST = re.compile(
    r"tg(?P<tokens>\d{1,7})(?: @ d(?P<depth>\d{1,9}))?(?: \(c(?P<clients>\d{1,6})\))?"
)


def recognises(document: Document) -> bool:
    """Whether its JSON or one of its tables is here."""
    text = document.text
    if _JSON.match(text):
        return '"latency_mode"' in text and '"tg_throughput"' in text and '"benchmarks"' in text
    return "ttfr (ms)" in text and any(True for _ in _tables(document))


def read(document: Document) -> tuple[Run, ...]:
    """Read a run for each number of requests at once, context and answer length.

    How many tokens an answer was asked for is known, how many it had is not: rates
    are the client's own, of one request, and of all together as it quotes them. Which
    server answered, and whether it speculates, is in no file of its. Loading a context
    before it is used is no answer and left out.

    Raises
    ------
    LogError
        When the JSON is broken, or no answer was timed.
    """
    if _JSON.match(document.text):
        runs = list(_from_json(document))
    else:
        runs = [run for table in _tables(document) for run in _from_table(table, document.name)]
    if not runs:
        problem = "no answer that llama-benchy timed is here"
        raise LogError(problem, "name the file that --save-result wrote", document.name)
    return tuple(runs)


class _At(NamedTuple):
    """Tokens that were asked for, context before the prompt, and requests at once."""

    tokens: int
    depth: int | None
    clients: int | None


def _run(
    tasks: Sequence[TaskResult],
    model: object,
    at: _At,
    together: float | None,
) -> Run:
    first, last = tasks[0].source, tasks[-1].source
    source = Source(first.file, first.first_line, last.last_line or last.first_line)
    several = at.clients is not None and at.clients > 1
    at_once = f"{at.clients} at once" if several else None
    behind = f"{at.depth} tokens of context" if at.depth else None
    return Run(
        source,
        FORMAT,
        tuple(tasks),
        # Nobody says of how many tokens and seconds it is.
        aggregate=Aggregate(source, quoted_tps=together, quoted_is_mean=True) if together else None,
        label=", ".join(part for part in (at_once, behind) if part) or None,
        target=model[:200] if isinstance(model, str) and model.strip() else None,
        concurrency=at.clients,
        max_tokens=at.tokens,
        context_tokens=at.depth,
    )


# ---- JSON


def _from_json(document: Document) -> Iterator[Run]:
    for top in decode(document):
        if not isinstance(top.data, dict):
            continue
        model = top.data.get("model")
        groups: dict[_At, list[TaskResult]] = {}
        together: dict[_At, list[float]] = {}
        for key, value in members(document.text, top):
            if key != "benchmarks" or not isinstance(value.data, list):
                continue
            for item in items(document.text, value):
                if isinstance(item.data, dict):
                    source = document.source(document.plain, item.start, item.end)
                    _take(item.data, source, groups, together)
        for at, tasks in groups.items():
            rates = together.get(at, [])
            # One rate of all is told where one prompt length was measured.
            yield _run(tasks, model, at, rates[0] if len(rates) == 1 else None)


def _take(
    data: Mapping[str, Any],
    source: Source,
    groups: dict[_At, list[TaskResult]],
    together: dict[_At, list[float]],
) -> None:
    if data.get("is_context_prefill_phase") is not False:
        return
    prompt, tokens, depth, clients = (
        as_count(data.get(name))
        for name in ("prompt_size", "response_size", "context_size", "concurrency")
    )
    name = f"pp{prompt}+tg{tokens}"
    tasks = list(_requests(data, name, source, clients or 1))
    if not tokens or not clients or not tasks:
        return
    at = _At(tokens, depth, clients)
    groups.setdefault(at, []).extend(tasks)
    if total := _mean(data.get("tg_throughput")):
        together.setdefault(at, []).append(total)


def _requests(
    data: Mapping[str, Any], name: str, source: Source, clients: int
) -> Iterator[TaskResult]:
    """One result for each request where every one has its rate, else one for all of them."""
    rates = _values(data.get("tg_req_throughput"))
    waits = _values(data.get("e2e_ttft"))
    mean = _mean(data.get("tg_req_throughput"))
    if not rates or len(rates) % clients:
        if mean:
            yield TaskResult(name, source, decode_tps=mean, pooled=max(len(rates), 1))
        return
    for place, rate in enumerate(rates):
        batch, own = divmod(place, clients)
        wait = waits[place] if len(waits) == len(rates) else None
        yield TaskResult(
            name if clients == 1 else f"{name}/{own + 1}",
            source,
            repeat=batch + 1,
            decode_tps=rate,
            first_token_s=None if wait is None else scaled(wait, -3),
        )


def _values(metric: object) -> list[float]:
    values = metric.get("values") if isinstance(metric, dict) else None
    found = [as_measure(value) for value in values] if isinstance(values, list) else []
    known = [value for value in found if value]
    return known if len(known) == len(found) else []


def _mean(metric: object) -> float | None:
    return as_measure(metric.get("mean")) or None if isinstance(metric, dict) else None


# ---- Markdown


def _tables(document: Document) -> Iterator[TextTable]:
    for table in pipe_tables(document.cleaned.pairs()):
        names = {cell_text(heading).lower() for heading in table.headings}
        if names >= _NEEDED and any(name.startswith("t/s") for name in names):
            yield table


def _from_table(table: TextTable, name: str) -> list[Run]:
    names = [cell_text(heading).lower() for heading in table.headings]
    runs: list[Run] = []
    findings: list[Finding] = []
    for source, cells in table.whole_rows(name, findings):
        row = dict(zip(names, cells, strict=False))
        test = _TEST.fullmatch(cell_text(row["test"]))
        if not test:
            continue
        clients = as_count(test["clients"])
        if clients is None and "t/s" in row:
            # Where there are several the heading says that it is the total.
            clients = 1
        total, own = (_rate(row.get(key)) for key in ("t/s (total)", "t/s (req)"))
        alone = _rate(row.get("t/s")) or total if clients == 1 else None
        speed = own or alone
        if not speed and not total:
            continue
        tokens = as_count(test["tokens"]) or 0
        task = TaskResult(f"tg{tokens}", source, decode_tps=speed)
        at = _At(tokens, as_count(test["depth"] or 0), clients)
        runs.append(_run([task], cell_text(row["model"]), at, total or alone))
    if runs and findings:
        runs[0] = replace(runs[0], findings=tuple(findings))
    return runs


def _rate(cell: str | None) -> float | None:
    """The mean of ``71.15 ± 7.10``."""
    return cell_figure(cell, "decode_tps").value or None
