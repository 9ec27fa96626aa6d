"""docs/formats.md lists the formats and the definitions that there are."""

import re

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.parsers import FORMATS
from analysis.records import ACCEPTANCE_DEFINITIONS, POSITION_DEFINITIONS

PAGE = (PROJECT_ROOT / "docs" / "formats.md").read_text(encoding="utf-8")


def test_the_table_has_every_format_in_the_order_of_asking():
    assert re.findall(r"^\| `([a-z-]+)` \|", PAGE, re.MULTILINE) == list(FORMATS)


@pytest.mark.parametrize("name", [*ACCEPTANCE_DEFINITIONS, *POSITION_DEFINITIONS])
def test_every_definition_is_explained(name):
    assert f"- **{name}**: " in PAGE
    assert name in PAGE.partition("## What an acceptance rate counts")[0]
