"""Several figures of several depths in one sentence: which is whose? *from 56 % at 2 to 37 % at 5*"""

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
_ORDERS = ("RF", "FR")


def elementary(tokens: Sequence[Token], facts: Facts) -> list[list[Token]]:
    """A sentence as statements of one figure each, and how the last compares with the first.

    None where the names and figures do not stand in turns, or one row behind the other.
    """
    figures = [one for one in tokens if one.kind == "figure"]
    named = [one for one in tokens if one.kind == "run"]
    nouns = {one.value for one in tokens if one.kind in ("quantities", "actions")}
    units = {one.figure.unit for one in figures if one.figure} - {""}
    relations = [one for one in tokens if one.kind in ("changes", "comparatives")]
    if not {one.kind for one in tokens} <= _FREE or len(figures) < 2 or len(units) > 1:
        return []
    unit = min(units, default="")
    figures = [replace(one, figure=replace(one.figure, unit=unit)) for one in figures if one.figure]
    if len(nouns) > 1 or len(relations) > 1 or len({one.value for one in tokens if one.kind == "scope"}) > 1:
        return []
    single = [one for one in named if len(one.value) == 1]
    size = len(figures)
    ends = [facts.by_id[one.value[0]] for one in single]
    between = [run.id for run in facts.drafting if len(ends) == 2
               and run.spec_type == ends[0].spec_type == ends[1].spec_type
               and (ends[0].n_max or 0) <= (run.n_max or 0) <= (ends[1].n_max or 0)]  # fmt: skip
    if len(between) == size > 2:
        runs = [(run,) for run in between]  # "going from 2 to 5"
    elif len(single) == size:
        turns = "".join("F" if one.kind == "figure" else "R" for one in tokens
                        if one.kind == "figure" or one in single)  # fmt: skip
        if not re.fullmatch(r"(RF)+|(FR)+|R+F+|F+R+", turns):
            return []
        runs = [one.value for one in single]
    else:
        wide = {one.value for one in named} or {tuple(run.id for run in facts.drafting)}
        pool = [facts.by_id[run] for run in max(wide, key=len)]
        depths = sorted((run.n_max, run.id) for run in pool if run.n_max is not None)
        if single or len(wide) > 1 or len(depths) != size or len({run.spec_type for run in pool}) > 1:
            return []
        runs = [(run,) for _, run in depths]
    shared = [one for one in tokens if one.kind in ("quantities", "actions", "scope", "whole")]
    names = [Token("run", run, "run", tokens[0].start, tokens[0].start) for run in runs]
    found = [[name, *shared, one] for name, one in zip(names, figures, strict=True)]
    if relations:
        than = Token("references", "than", "than", tokens[-1].end, tokens[-1].end)
        first, last = names[0], names[-1]
        if relations[0].kind == "comparatives":
            ordered = sorted(runs, key=lambda run: facts.by_id[run[0]].n_max or 0)
            first, last = names[runs.index(ordered[0])], names[runs.index(ordered[-1])]
        found.append([last, *shared, relations[0], than, first])
    return found
