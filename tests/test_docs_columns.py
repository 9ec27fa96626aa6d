"""docs/results.md and docs/store.md tell each column as the one table of columns does."""

from __future__ import annotations

import json
import re

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.cards.facts import RunFacts
from analysis.results import as_json, results
from analysis.statistics.columns import (
    DERIVED,
    Column,
    DepthRow,
    FindingRow,
    PositionRow,
    RecommendationRow,
    RunRow,
    TaskRow,
    columns,
)
from analysis.store.tables import TABLES, described
from tests import committed

SECTIONS = {
    "runs": columns(RunRow, "results"),
    "tasks": (*columns(TaskRow, "results"), *(c for c in columns(TaskRow) if c.name == "error")),
    "positions": columns(PositionRow),
    "depth": columns(DepthRow),
    "recommendations": columns(RecommendationRow, "results"),
    "findings": columns(FindingRow),
}
TYPES = {"text": str, "integer": int, "float": float, "boolean": bool}


def told(page: str, section: str) -> list[str]:
    """Rows of the table of a section."""
    text = (PROJECT_ROOT / "docs" / page).read_text(encoding="utf-8")
    body = re.split(rf"^## {section}$", text, flags=re.MULTILINE)[1].split("\n## ")[0]
    return [line for line in body.splitlines() if line.startswith("| `")]


def as_row(column: Column) -> str:
    kind = f"{column.kind} or null" if column.nullable else column.kind
    return f"| `{column.name}` | {kind} | {column.unit} | {column.meaning} |"


@pytest.mark.parametrize("section", SECTIONS)
def test_the_page_on_results_has_every_column(section: str) -> None:
    assert told("results.md", section) == [as_row(column) for column in SECTIONS[section]]


@pytest.mark.parametrize("table", TABLES)
def test_the_page_on_the_store_has_every_column(table: str) -> None:
    assert told("store.md", table) == [as_row(column) for column in described(table)]


@pytest.mark.parametrize("slug", ["qwen3.6-35b-a3b-dspark", "live-demo"])
def test_what_is_written_has_the_types_that_are_told(slug: str) -> None:
    written = json.loads(as_json(results(committed.summary(slug))))
    for section, known in SECTIONS.items():
        for row in written[section]:
            for column in known:
                if column.name == "error" and "error" not in row:
                    continue
                value = row[column.name]
                if value is None:
                    assert column.nullable, (section, column.name)
                else:
                    assert type(value) is TYPES[column.kind], (section, column.name)


def test_a_reader_of_a_column_knows_its_unit() -> None:
    of_names = {"_tps": "tokens/s", "_s": "s", "_tokens": "tokens", "speedup": "ratio"}
    for row in (RunRow, TaskRow, DepthRow):
        for column in columns(row):
            for ending, unit in of_names.items():
                if column.name.endswith(ending) and column.kind != "text":
                    counted = column.name.endswith(("common_tasks",))
                    assert column.unit == unit or counted, column.name
                    break


def test_what_the_card_derives_is_a_property_of_its_record() -> None:
    for column in DERIVED:
        assert isinstance(getattr(RunFacts, column.name), property)
