"""What is written is what the one table of columns says of it."""

from __future__ import annotations

import json
from types import ModuleType

import pytest

from analysis.cards.facts import RunFacts
from analysis.results import as_json, results
from analysis.statistics.columns import columns
from analysis.statistics.conclusions import DepthRow
from analysis.statistics.rows import DERIVED, RunRow, TaskRow
from tests import committed

TYPES = {"text": str, "integer": int, "float": float, "boolean": bool}


@pytest.mark.parametrize("slug", ["qwen3.6-35b-a3b-dspark", "live-demo"])
def test_what_is_written_has_the_types_that_are_told(slug: str, pages: ModuleType) -> None:
    written = json.loads(as_json(results(committed.summary(slug))))
    for section, known in pages.RESULTS.items():
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
