"""Renew what the program says of itself in docs/: its interface, its findings, its columns.

Usage: python .ci/pages.py

`docs/api.md` and `docs/findings.md` are written whole, of `docs/results.md` and `docs/store.md` the
rows of their tables; all other words of those two are by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import api

from analysis.answers import explain
from analysis.statistics.columns import Column, columns
from analysis.statistics.conclusions import DepthRow, FindingRow, PositionRow, RecommendationRow
from analysis.statistics.rows import RunRow, TaskRow
from analysis.store.tables import TABLES, described

DOCS = Path(__file__).resolve().parents[1] / "docs"

RESULTS: Mapping[str, tuple[Column, ...]] = {
    "runs": columns(RunRow, "results"),
    "tasks": (*columns(TaskRow, "results"), *(c for c in columns(TaskRow) if c.name == "error")),
    "positions": columns(PositionRow),
    "depth": columns(DepthRow),
    "recommendations": columns(RecommendationRow, "results"),
    "findings": columns(FindingRow),
}
"""Columns of each section of docs/results.md."""
STORE: Mapping[str, tuple[Column, ...]] = {table: described(table) for table in TABLES}
"""The same of docs/store.md."""

_ROWS = re.compile(r"(?:^\| `.*\n)+", re.MULTILINE)


def with_rows(text: str, sections: Mapping[str, Iterable[Column]]) -> str:
    """A page whose sections have one table each, with the rows that its columns need."""
    for name, known in sections.items():
        rows = "".join(f"{api.row(column)}\n" for column in known)
        head, title, rest = text.partition(f"\n## {name}\n")
        body, next_title, others = rest.partition("\n## ")
        if not title or len(_ROWS.findall(body)) != 1:
            message = f"there is no section {name!r} with one table of columns"
            raise ValueError(message)
        text = head + title + _ROWS.sub(lambda _, new=rows: new, body) + next_title + others
    return text


def pages() -> dict[str, str]:
    """Each page by its name in docs/, as it should be."""
    made = {"api.md": api.page(), "findings.md": explain.page()}
    for name, sections in (("results.md", RESULTS), ("store.md", STORE)):
        made[name] = with_rows((DOCS / name).read_text(encoding="utf-8"), sections)
    return made


if __name__ == "__main__":
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8", newline="\n")
