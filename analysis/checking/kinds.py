"""What is each word of a sentence: a run, a task, a quantity, a relation, a figure, or unknown?

A phrase may be of several kinds; its neighbours decide, by the rules of the vocabulary. What it
does not have stays unknown, and no claim is read from words that are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analysis.checking.conditions import stated_conditions
from analysis.checking.figures import Figure
from analysis.checking.lexicon import Lexicon
from analysis.checking.tokens import Token, stands
from analysis.checking.vocabulary import LINKS, vocabulary

__all__ = ["tokens_of"]


def tokens_of(text: str, lexicon: Lexicon) -> list[Token]:
    """The tokens of a text, in order."""
    found = _named(stated_conditions(text, lexicon.scan(text), lexicon.facts), lexicon)
    return _with_units(_bounded([_decided(found, at) for at in range(len(found))]))


def _named(found: Sequence[Token], lexicon: Lexicon) -> list[Token]:
    """``max 3``, ``depths 2 and 5``, ``DSpark at depth 3``, ``with 5 drafted tokens`` as runs."""
    out: list[Token] = []
    methods: set[str] = set()
    for at, token in enumerate(found):
        one, after, whole = token, found[at + 1 :], token.whole
        known = () if whole is None else lexicon.chosen(depth=whole)
        led = None if whole is None else stands("depth", out, token, after)
        led = led or (stands("lone_depth", out, token, after) if known else None)
        if led is not None:
            taken = len(out) - (led[led.lastindex].count(" ") if led.lastindex else 0)
            first = [*out, token][taken]
            del out[taken:]
            methods = _methods(first, lexicon) if first.kind == "run" else methods
            ids = lexicon.chosen(depth=whole, methods=methods)
            ids = ids if ids or first.kind == "run" else known
            one = replace(token, kind="run", value=ids, start=first.start, figure=None,
                          group=len(ids) > 1, depth=whole)  # fmt: skip
        if one.kind == "run":
            methods = _methods(one, lexicon) - {"none"} or methods
        out.append(one)
    return out


def _methods(run: Token, lexicon: Lexicon) -> set[str]:
    return {str(lexicon.facts.by_id[one].spec_type) for one in run.value}


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
        if one.word == "than" and stands("than", out, one, after):
            bound = "gt" if str(out.pop().value).endswith(("+", "better")) else "lt"
        elif one.kind == "bounds":
            to = stands("to", out, one, after)
            out += [replace(one, kind="prepositions", text="to")] if to else []
            # "a little less than about": the last word before the figure wins, but for "about".
            bound = one.value if bound in ("", "about") or one.value != "about" else bound
            bound = "" if to and bound in ("up_to", "down_to") else bound
        elif one.kind == "behind" and out and out[-1].kind == "figure":
            out[-1] = replace(out[-1], bound=one.value)
        elif one.kind == "figure" and one.figure is not None:
            bound = "lt" if bound == "gt" and one.word in LINKS["halving"] else bound
            out.append(replace(one, figure=_figure(one, one.figure, out, after), bound=bound))
            bound = ""
        else:
            out.append(one)
    return out


def _figure(one: Token, figure: Figure, before: Sequence[Token], after: Sequence[Token]) -> Figure:
    """A factor, or a share that is of another run: *a third of the baseline's speed*."""
    if stands("factor", before, one, after):
        return replace(figure, unit="times")
    if figure.unit == "percent" and stands("of_run", before, one, after):
        decimals = 0 if figure.loose else figure.decimals + 2
        return replace(figure, value=figure.value / 100, decimals=decimals, unit="times")
    return figure


def _with_units(found: Sequence[Token]) -> list[Token]:
    """Give figures the one unit of their sentence: "max 3 gives 164.3, max 2 155.3 tok/s"."""
    figures = [one.figure if one.kind == "figure" else None for one in found]
    alike = {(one.unit, one.decimals) for one in figures if one and one.unit and one.decimals}
    out = list(found)
    for at, one in enumerate(figures) if len({unit for unit, _ in alike}) == 1 else ():
        noun = any(other.kind == "quantities" for other in found[at + 1 : at + 2])
        unit = next((unit for unit, decimals in alike if one and decimals == one.decimals), "")
        if one and unit and not one.unit and not noun:
            out[at] = replace(found[at], figure=replace(one, unit=unit))
    return out
