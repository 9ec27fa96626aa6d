"""What is each word of a sentence: a run, a task, a quantity, a relation, a figure, or unknown?

A phrase may be of several kinds; its neighbours decide, by the rules of the vocabulary. What it
does not have stays unknown, and no claim is read from words that are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from analysis.checking.conditions import stated_conditions
from analysis.checking.figures import Figure
from analysis.checking.lexicon import Lexicon
from analysis.checking.positions import with_positions
from analysis.checking.tokens import Token, stands
from analysis.checking.vocabulary import LINKS, vocabulary

__all__ = ["tokens_of"]


def tokens_of(text: str, lexicon: Lexicon) -> list[Token]:
    """The tokens of a text, in order."""
    found = _named(stated_conditions(text, lexicon.scan(text), lexicon.facts), lexicon)
    decided = [_decided(found, at) for at in range(len(found))]
    return _with_units(_bounded(with_positions(text, decided)))


def _named(found: Sequence[Token], lexicon: Lexicon) -> list[Token]:
    """``max 3``, ``depths 2 and 5``, ``DSpark at depth 3``, ``with 5 drafted tokens`` as runs."""
    out: list[Token] = []
    methods: set[str] = set()
    for at, token in enumerate(found):
        one = token
        if one.whole is not None:
            after, known = found[at + 1 :], lexicon.chosen(depth=one.whole)
            led = stands("depth", out, one, after)
            led = led or (stands("lone_depth", out, one, after) if known else None)
            if led:
                named = replace(one, kind="run", value=known, figure=None, depth=one.whole)
                one, _ = _widened(named, out, led)
                owned = stands("owned", out, one, after)
                if owned:
                    one, owner = _widened(one, out, owned)
                    methods = _methods(owner, lexicon)
                ids = lexicon.chosen(depth=one.depth, methods=methods)
                one = replace(one, value=ids if ids or owned else known)
        if one.kind == "run":
            one = replace(one, group=len(one.value) > 1)
            methods = _methods(one, lexicon) - {"none"} or methods
        out.append(one)
    return out


def _methods(run: Token, lexicon: Lexicon) -> set[str]:
    return {str(lexicon.facts.by_id[one].spec_type) for one in run.value}


def _widened(one: Token, out: list[Token], led: re.Match[str]) -> tuple[Token, Token]:
    """A token and what a rule takes in before it, and the first of these."""
    taken = len(out) - led[1].count(" ") if led.lastindex else len(out)
    first = [*out, one][taken]
    del out[taken:]
    return replace(one, start=first.start), first


def _decided(found: Sequence[Token], at: int) -> Token:
    """Give a token that may be several things one kind: the first that no rule takes from it."""
    token = found[at]
    if token.kind != "open":
        return token
    for kind in vocabulary()["not"]:
        if kind in token.kinds and stands(kind, found[:at], token, found[at + 1 :]):
            kinds = {key: meaning for key, meaning in token.value.items() if key != kind}
            token = replace(token, value=kinds)
    bare = "fillers" if {"quantifiers", "depths"} & {*found[at].kinds} else "unknown"
    kind = next((kind for kind in token.kinds if kind != "depths"), bare)
    return replace(token, kind=kind, value=token.value.get(kind))


def _bounded(found: Sequence[Token]) -> list[Token]:
    """Give figures the bounds beside them, and words of number their figures."""
    out: list[Token] = []
    bound = ""
    for at, one in enumerate(found):
        after = found[at + 1 :]
        to = one.kind == "bounds" and stands("to", out, one, after)
        if to or (one.kind == "bounds" and stands("levels", out, one, after)):
            out.append(replace(one, kind="prepositions", text="to"))
        if one.word == "than" and stands("than", out, one, after):
            bound = "gt" if str(out.pop().value).endswith(("+", "better")) else "lt"
        elif one.kind == "bounds" and not to:
            # "a little less than about": the last word before the figure wins, but for "about".
            bound = one.value if bound in ("", "about") or one.value != "about" else bound
        elif one.kind == "behind" and out and out[-1].kind == "figure":
            out[-1] = replace(out[-1], bound=one.value)
        elif one.kind in ("figure", "factors", "fractions"):
            figure = _figure(one, out, after)
            bound = "lt" if bound == "gt" and one.word in LINKS["halving"] else bound
            bound = bound or ("about" if figure.about else "")
            value = figure.value if one.figure is None else one.value
            out.append(replace(one, kind="figure", value=value, figure=figure, bound=bound))
            bound = ""
        elif not to:
            out.append(one)
    return out


def _figure(one: Token, before: Sequence[Token], after: Sequence[Token]) -> Figure:
    """What a figure or a word of number states: *a third of its drafts*, *of the baseline's*."""
    unit = "times" if one.kind == "factors" else "percent"
    figure = one.figure or Figure(
        one.text, float(one.value), 0, unit, one.start, one.end, one.end, loose=True
    )
    if stands("factor", before, one, after):
        return replace(figure, unit="times")
    if figure.unit == "percent" and stands("of_run", before, one, after):
        decimals = figure.decimals + 2
        return replace(figure, value=figure.value / 100, decimals=decimals, unit="times")
    return figure


def _with_units(found: Sequence[Token]) -> list[Token]:
    """Give figures the one unit of their sentence: "max 3 gives 164.3, max 2 155.3 tok/s"."""
    stated = [one.figure for one in found if one.kind == "figure" and one.figure is not None]
    units = {one.unit for one in stated if one.unit and one.decimals}
    decimals = {one.decimals for one in stated if one.unit} - {0}
    out = list(found)
    for at, one in enumerate(found) if len(units) == 1 else ():
        figure = one.figure if one.kind == "figure" else None
        noun = any(other.kind == "quantities" for other in found[at + 1 : at + 2])
        if figure is not None and not figure.unit and figure.decimals in decimals and not noun:
            out[at] = replace(one, figure=replace(figure, unit=min(units)))
    return out
