"""What the program says of itself in docs/ is what it says now."""

from __future__ import annotations

from types import ModuleType

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.statistics.columns import Column


@pytest.mark.parametrize("name", ["api.md", "findings.md", "results.md", "store.md"])
def test_a_page_is_current(name: str, pages: ModuleType) -> None:
    committed = (PROJECT_ROOT / "docs" / name).read_text(encoding="utf-8")
    assert committed == pages.pages()[name], "renew it: make pages"


PAGE = "# P\n\n## runs\n\nRuns.\n\n| a | b |\n|---|---|\n| `old` | x |\n\n## tasks\n\nNone.\n"


def test_rows_take_the_place_of_rows_and_all_else_stays(pages: ModuleType) -> None:
    known = [Column("its name", name="id", nullable=False), Column("its time", "s", name="wall_s")]
    rows = "| `id` | text |  | its name |\n| `wall_s` | text or null | s | its time |\n"
    assert pages.with_rows(PAGE, {"runs": known}) == PAGE.replace("| `old` | x |\n", rows)


@pytest.mark.parametrize("section", ["tasks", "rounds"])
def test_a_section_without_a_table_is_not_passed_over(section: str, pages: ModuleType) -> None:
    with pytest.raises(ValueError, match=f"no section '{section}' with one table"):
        pages.with_rows(PAGE, {section: []})
