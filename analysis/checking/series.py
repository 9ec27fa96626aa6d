"""Which of several figures in one sentence is which run's? *from 56 % at 2 to 37 % at 5*"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from analysis.cards.facts import Facts
from analysis.checking.tokens import Token

__all__ = ["elementary"]

_FREE = {"fillers", "prepositions", "conjunctions", "states", "quantities", "actions", "scope",
         "whole", "changes", "comparatives", "trends", "degrees", "references", "pronouns",
         "break", "run", "figure"}  # fmt: skip
_TURNS = re.compile(r"(RF)+|(FR)+|R+F+|F+R+")


def elementary(tokens: Sequence[Token], facts: Facts) -> list[list[Token]]:
    """A sentence as statements of one figure each, and how the last compares with the first.

    None where the names and figures do not stand in turns, or one row behind the other.
    """
    figures = [one for one in tokens if one.kind == "figure"]
    relations = [one for one in tokens if one.kind in ("changes", "comparatives")]
    units = {one.figure.unit for one in figures if one.figure} - {""}
    alike = all(len({one.value for one in tokens if one.kind in kinds}) < 2
                for kinds in (("quantities", "actions"), ("scope",)))  # fmt: skip
    kinds = {one.kind for one in tokens if one.kind != "quantifiers" or one.value != "all"}
    # "131 tok/s and max 5 two more": an amount, unless it goes on with depth.
    compared = "comparatives" in kinds and "trends" not in kinds
    alike = alike and max(len(units), len(relations)) < 2 and not compared
    if len(figures) < 2 or not alike or not kinds <= _FREE:
        return []
    runs = _runs(tokens, len(figures), facts)
    if not runs:
        return []
    unit = min(units, default="")
    figures = [replace(one, figure=replace(one.figure, unit=unit)) for one in figures if one.figure]
    if not any(one.kind == "quantities" for one in tokens) and unit == "rate":
        tokens = [*tokens, Token("quantities", "throughput", "", tokens[-1].end, tokens[-1].end)]
    shared = [one for one in tokens if one.kind in ("quantities", "actions", "scope", "whole")]
    span = tokens[0].start, tokens[-1].end
    names = {run: Token("run", (run,), "run", *span) for run in runs}
    found = [[names[run], *shared, one] for run, one in zip(runs, figures, strict=True)]
    if relations:
        first, last = runs[0], runs[-1]
        if relations[0].kind == "comparatives":
            first, *_, last = sorted(runs, key=lambda run: facts.by_id[run].n_max or 0)
        than = Token("references", "than", "than", tokens[-1].end, tokens[-1].end)
        found.append([names[last], *shared, relations[0], than, names[first]])
    return found


def _runs(tokens: Sequence[Token], size: int, facts: Facts) -> list[str]:
    """So many runs in the order of their figures; none where that is not said."""
    named = [one.value for one in tokens if one.kind == "run"]
    single = [value[0] for value in named if len(value) == 1]
    ours = [one for one in tokens if one.kind == "figure" or (one.kind == "run" and not one.group)]
    turns = "".join("F" if one.kind == "figure" else "R" for one in ours)
    if len({*single}) == len(single) == size:
        return single if _TURNS.fullmatch(turns) else []
    wide = {*named} if not single else set()
    pool = wide.pop() if len(wide) == 1 else tuple(run.id for run in facts.drafting)
    depths = [run for _, run in sorted((facts.by_id[run].n_max or 0, run) for run in pool)]
    methods = {facts.by_id[run].spec_type for run in (*pool, *single)}
    # "as it goes from 2 to 5" names the ends.
    named_so = not (wide or single) or single == [depths[0], depths[-1]]
    return depths if named_so and len(depths) == size > 2 and len(methods) == 1 else []
