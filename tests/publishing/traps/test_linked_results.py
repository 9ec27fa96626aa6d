"""A card that links to a file which is not there."""

from __future__ import annotations

import pytest

from analysis import cards
from analysis.publishing.traps import traps
from analysis.summary import Summary
from tests.cards.conftest import summary_of, wins

__all__ = ["summary_of", "wins"]


@pytest.mark.parametrize(
    ("paths", "found"), [(["a.png"], True), (["a.png", "RESULTS.md"], False), ([], False)]
)
def test_a_missing_second_file_is_said(wins: Summary, paths: list[str], found: bool) -> None:
    codes = [trap.code for trap in traps(wins, cards.render(wins), paths)]
    assert ("results-missing" in codes) is found
    assert "results-missing" not in [trap.code for trap in traps(wins, "# Mine", paths)]
