"""Whoever changes a sentence of the card needs no code: templates are words and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.cards.escaping import say

FILES = sorted((PROJECT_ROOT / "analysis" / "cards").rglob("*.py"))


def words(text: str) -> Iterator[tuple[str, ast.expr]]:
    """The constants at the top of a file, and what they are."""
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if name.isupper() and not name.startswith("_"):
                yield name, statement.value


def test_templates_are_texts_that_nothing_is_computed_in() -> None:
    found = [(file.name, name, value) for file in FILES for name, value in words(file.read_text())]
    texts = [one for one in found if isinstance(one[2], ast.Constant)]
    assert len(texts) > 300
    computed = [
        (file, name)
        for file, name, value in found
        if any(isinstance(part, ast.JoinedStr | ast.BinOp) for part in ast.walk(value))
    ]
    assert computed == []


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("**{lable}** is fast", r"can't be filled \('lable'\); it can have {label}, {rate}"),
        ("**{label** is fast", r"can't be filled \(.*\); it can have {label}, {rate}"),
        ("{} is fast", r"it can have {label}, {rate}"),
    ],
)
def test_a_template_that_can_not_be_filled_says_with_what_it_can(
    template: str, problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        say(template, label="a", rate="b")
    assert say("Only {rate}.", label="a", rate="b") == "Only b."
