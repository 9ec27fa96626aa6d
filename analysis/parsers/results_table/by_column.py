"""Tables with a run per column: what do their rows hold?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from analysis.parsers.text.fields import cell_text
from analysis.parsers.text.fields import field as field_of
from analysis.parsers.text.spec_words import mined
from analysis.parsers.text.tables import TextTable
from analysis.parsers.text.tabular import read_row, total_of
from analysis.records import BUILT_IN_WORKLOADS, Run, Source, TaskResult

__all__ = ["METRIC_HEADINGS", "by_column", "metric", "run_columns"]

METRIC_HEADINGS = frozenset({"metric", "prompt", "task", "test", "measure", ""})
_DERIVED = re.compile(
    r"delta|\u0394|change|diff|speed-?up|ratio|gain|improvement|vs\b|\u00b1", re.IGNORECASE
)
_METRICS = (
    (re.compile(r"total\s+(?:predicted|generated|output)\s+tokens|predicted tokens"), "predicted"),
    (re.compile(r"total\s+wall(?:\s+time)?|wall(?:[ _]time|_s|_s_total)"), "wall_s"),
    (re.compile(r"(?:aggregate|effective|overall)\s+throughput"), "aggregate_throughput"),
    (re.compile(r"(?:(?:mean|average|avg|decode|generation)\s+)?(?:tok|t)\w*/s\w*"), "mean_tps"),
    (re.compile(r"(?:total\s+)?draft(?:ed)?\s+tokens|total draft\b|drafted"), "drafted"),
    (re.compile(r"(?:total\s+)?accepted(?:\s+(?:draft\s+)?tokens)?"), "accepted"),
    (re.compile(r"(?:aggregate\s+|draft\s+)?accept(?:ance)?(?:\s+rate)?"), "acceptance_rate"),
)


def run_columns(table: TextTable) -> dict[int, str]:
    """Columns that hold a run each, with its name: the unit in the heading is not part of it."""
    found = {}
    for place, heading in enumerate(table.headings[1:], start=1):
        text = cell_text(heading)
        if not text or _DERIVED.search(text):
            continue
        label = re.sub(
            r"(?<![\s(\[])[\s(\[]*+(?:tok(?:ens)?|tk|t)\s*/\s*s(?:ec)?[)\]]?$", "", text
        ).strip()
        if label and (field_of(text) is None or label != text):
            found[place] = label
    return found


def metric(text: str) -> str | None:
    """The field that a row holds, by its first cell; null where it is none that is known."""
    lowered = text.lower().replace("_", " ")
    if lowered.endswith(")"):
        lowered = lowered.partition("(")[0]
    lowered = lowered.strip()
    for shape, name in _METRICS:
        if shape.fullmatch(lowered):
            return name
    return None


def by_column(tables: Sequence[TextTable], name: str, format: str) -> Iterator[Run]:
    """One run per column: the tables of one report name their columns alike."""
    tasks: dict[str, list[TaskResult]] = {}
    totals: dict[str, list[tuple[str, object]]] = {}
    lines: dict[str, list[int]] = {}
    for table in tables:
        for place, label in run_columns(table).items():
            for number, cells in table.rows:
                if place >= len(cells):
                    continue
                source = Source(name, number)
                what = cell_text(cells[0])
                task = what.replace(" ", "_")
                measure = metric(what)
                if measure:
                    totals.setdefault(label, []).append((measure, cells[place]))
                elif task in BUILT_IN_WORKLOADS:
                    speed = read_row([("tok/s", cells[place])], source).figures.get("decode_tps")
                    tasks.setdefault(label, []).append(TaskResult(task, source, decode_tps=speed))
                else:
                    continue
                lines.setdefault(label, []).append(number)
    for label, numbers in lines.items():
        source = Source(name, min(numbers), max(numbers))
        stated = totals.get(label)
        spec_type, n_max = mined(label)
        yield Run(
            source,
            format,
            tuple(tasks.get(label, ())),
            total_of(read_row(stated, source)) if stated else None,
            label=label,
            spec_type=spec_type,
            n_max=n_max,
        )
