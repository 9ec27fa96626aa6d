"""What is each word of a sentence: a run, a task, a quantity, a relation, a figure, or unknown?

A phrase may be of several kinds; its neighbours decide. What the vocabulary
does not have stays unknown, and no claim is read from words that are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from analysis.checking.conditions import stated_conditions
from analysis.checking.figures import Figure
from analysis.checking.lexicon import Lexicon
from analysis.checking.positions import with_positions
from analysis.checking.quantities import SPEED
from analysis.checking.tokens import Token, ahead, scan
from analysis.checking.vocabulary import LINKS, vocabulary

__all__ = ["tokens_of"]

_BEHIND = {phrase: bound for bound, phrases in vocabulary()["behind"].items() for phrase in phrases}
_CLOSE = {"gt": "just_over", "lt": "nearly"}
_ENDS = {"conjunctions", "prepositions", "references", "states", "actions", "changes"}
_TO = {"up to", "down to"}
_COUNTING = {"fillers", "prepositions", "quantifiers", "pronouns", "figure"}
_NUMERIC = {"figure", "factors", "fractions"}


def tokens_of(text: str, lexicon: Lexicon) -> list[Token]:
    """The tokens of a text, in order."""
    scanned = stated_conditions(text, scan(text, lexicon), lexicon.facts)
    found = _joined(_named(scanned, lexicon), lexicon)
    decided = with_positions(text, [_decided(found, at) for at in range(len(found))])
    return _with_units(_bounded(decided))


def _named(found: list[Token], lexicon: Lexicon) -> list[Token]:
    """``max 3``, ``depths 2 and 5``, ``n_max = 4/5``, ``DSpark 3`` as names of runs."""
    runs = lexicon.facts.by_id
    out: list[Token] = []
    for at, token in enumerate(found):
        depth, past = token.whole, out[-4:][::-1]
        counted = any(
            one.word in LINKS["no_depth"] or "counted" in one.kinds
            for one in found[at + 1 : at + 2]
        )
        word = ahead(past, {"depths"}, {"=", ":", "of", "goes", "from", "is"})
        listed = ahead(past, {"run"}, LINKS["depths"])
        beside = ahead(past, {"run"}, {"at"}, 2)
        one = token
        alone = not counted and (_bare(found, at) or _between(found, at, past, lexicon))
        if alone and (ids := lexicon.chosen(depth=depth)):
            one = _run(token, ids, token, depth)
        elif _of_tokens(found, at) and lexicon.chosen(depth=depth):
            one = _run(token, lexicon.chosen(depth=depth), token, depth)
            if found[at + 1].word in LINKS["tokens"]:
                found[at + 1] = replace(found[at + 1], kind="fillers", value="the")
        elif depth is not None and word is not None:
            one = _run(token, lexicon.chosen(depth=depth), word, depth)
            del out[out.index(word) :]
        elif depth is not None and beside is not None and beside.depth is None and not counted:
            own = tuple(run for run in beside.value if runs[run].n_max == depth)
            if own and len({runs[run].spec_type for run in beside.value}) == 1:
                one = _run(token, own, beside, None)
                del out[out.index(beside) :]
        elif depth is not None and listed is not None and listed.depth is not None and not counted:
            ids = lexicon.chosen(depth=depth)
            one = _run(token, ids, token, depth) if ids and listed is not past[0] else token
        out.append(one)
    return out


def _bare(found: Sequence[Token], at: int) -> bool:
    """``114.5 tok/s at 3``, ``@ five``: a number that has no unit and no noun behind it."""
    before, after = found[max(0, at - 2) : at], found[at + 1 : at + 2]
    free = {"conjunctions", "prepositions", "references", "pronouns", "fillers"}
    ends = not after or (after[0].word not in ("token", "tokens") and free & {*after[0].kinds})
    led = bool(before) and before[-1].word in LINKS["at"]
    return found[at].whole is not None and led and bool(ends)


def _between(found: Sequence[Token], at: int, past: Sequence[Token], lexicon: Lexicon) -> bool:
    """``from 2 to 5``: two depths, and no values."""
    after = [*found[at + 1 : at + 3]]
    led = past[0].word if past and found[at].whole is not None else ""
    if led == "from" and len(after) == 2 and after[0].word == "to":
        return after[1].whole is not None and bool(lexicon.chosen(depth=after[1].whole))
    ends = not after or bool(_ENDS & {*after[0].kinds})
    return led == "to" and len(past) > 1 and past[1].depth is not None and ends


def _of_tokens(found: Sequence[Token], at: int) -> bool:
    """``with 5 drafted tokens``, ``from 3 to 5 tokens``: a depth."""
    before = found[at - 1].word if at else ""
    after = [*(one.word for one in found[at + 1 : at + 4]), "", "", ""]
    if found[at].whole is None or before not in LINKS["drafting"]:
        return False
    ranges = before == "from" and after[0] == "to" and found[at + 2].whole is not None
    return (after[0] in LINKS["tokens"] and after[1] != "per") or (
        ranges and after[2] in LINKS["tokens"]
    )


def _run(token: Token, ids: tuple[str, ...], first: Token, depth: int | None) -> Token:
    return replace(token, kind="run", value=ids, start=first.start, figure=None,
                   group=len(ids) > 1, depth=depth)  # fmt: skip


def _joined(found: list[Token], lexicon: Lexicon) -> list[Token]:
    """A method and a depth beside it are one name; a depth alone is of the method named last."""
    runs = lexicon.facts.by_id
    out: list[Token] = []
    methods: set[str | None] = set()
    for token in found:
        one = token
        if one.kind == "run" and one.depth is None:
            methods = {runs[run].spec_type for run in one.value} - {"none"} or methods
        elif one.kind == "run":
            # "DSpark, n_max 2", "DSpark at depth 3"
            owner = ahead(out[-4:][::-1], {"run"}, LINKS["method"])
            owner = owner if owner is not None and owner.depth is None and owner.value else None
            named = out.index(owner) if owner else 0
            family = {runs[run].spec_type for run in owner.value} if owner else methods
            ids = lexicon.chosen(depth=one.depth, methods=[str(name) for name in family])
            if owner is not None:
                del out[named:]
            if owner is not None or ids:
                one = _run(one, ids, owner or one, one.depth)
        out.append(one)
    return out


# ---- one kind for each


def _decided(found: Sequence[Token], at: int) -> Token:
    """Give a token that may be several things one kind."""
    token, after = found[at], found[at + 1 :]
    if token.kind != "open":
        return token
    kinds: dict[str, Any] = {kind: token.value[kind] for kind in token.value if kind != "depths"}
    if not ahead(after, _NUMERIC, {"bounds", *LINKS["figure"]}, 3):
        kinds.pop("bounds", None)
    if {"bounds", "superlatives"} <= {*kinds}:
        # "It peaks at 235 tok/s with max 4" ranks depths, "DSpark peaks at 109" none.
        single = any(one.kind == "run" and len(one.value) == 1 for one in after)
        kinds.pop("bounds" if single else "superlatives")
    if token.word in LINKS["weak"] and not _names(after):
        kinds.pop("references", None)
    if token.word == "as" and [*after[:2]] and "run" in after[0].kinds and (
        {"states", "changes"} & {kind for one in after[1:3] for kind in one.kinds}
    ):  # fmt: skip
        kinds.pop("references", None)  # "as DSpark goes from 2 to 5"
    counts = ahead(after, {"run", "scope", "counted"}, _COUNTING)
    if "superlatives" in kinds and at and found[at - 1].word == "the":
        kinds.pop("quantifiers", None)  # "gains the most over the baseline"
    if "quantifiers" in kinds and not counts and kinds.pop("quantifiers") == "none":
        kinds["negations"] = "not"
    if "beats" in kinds and "references" in kinds:
        # "stays below the baseline" is a relation, "5 % below" is none of its own.
        stated = any("states" in one.kinds for one in found[max(0, at - 2) : at])
        by = next((one.figure for one in found[:at][::-1] if "fillers" not in one.kinds), None)
        stated = stated or (by is not None and bool(by.unit))
        kinds.pop("references" if stated and not _break_even(after) else "beats")
    if "changes" in kinds and "states" in kinds:
        # "costs 4 %" is a change, "costs 24.9 ms" is a state.
        figure = next((one.figure for one in after[:4] if one.figure is not None), None)
        share = figure is not None and figure.unit in ("percent", "points")
        kinds.pop("states" if share else "changes")
    if token.word == "runs" and at and {"scope", "run"} & {*found[at - 1].kinds}:
        kinds.pop("counted", None)  # "translation runs fastest at 2"
    if "advice" in kinds and "states" in kinds:
        # "Use max 2 for code" advises, "we use max 2" tells.
        told = [one for one in found[max(0, at - 3) : at] if one.kind != "unknown"]
        owned = any(
            one.word in LINKS["tellers"] or {"run", "pronouns"} & {*one.kinds} for one in told
        )
        kinds.pop("advice" if owned else "states")
    bare = "fillers" if {"quantifiers", "depths"} & {*token.kinds} else "unknown"
    kind = next((kind for kind in vocabulary() if kind in kinds), bare)
    return replace(token, kind=kind, value=kinds.get(kind))


def _names(after: Sequence[Token]) -> bool:
    """Whether a name follows, or break-even."""
    free = {"quantities", "quantifiers", "counted", "fillers"}
    return _break_even(after) or ahead(after, {"run", "scope", "pronouns"}, free) is not None


def _break_even(after: Sequence[Token]) -> bool:
    found = ahead(after, {"quantities"}, {"fillers", "pronouns"}, 3)
    return found is not None and found.kind == "open" and found.value["quantities"] == "break_even"


def _bounded(found: list[Token]) -> list[Token]:
    """Give a figure its bound, and words of number their figure."""
    out: list[Token] = []
    bound = ""
    for at, token in enumerate(found):
        one, last = token, out[-1] if out else None
        if one.word in _TO and any(other.word == "from" for other in out):
            one = replace(one, kind="prepositions", text="to")  # "from 56 % down to 37 %"
        if one.kind == "bounds":
            if last is not None and last.kind == "changes" and one.word in LINKS["levels"]:
                out.append(replace(one, kind="prepositions", text="to"))  # "drops under 80 %"
            # "a little less than about": the last word before the figure wins, but for "about".
            bound = one.value if bound in ("", "about") or one.value != "about" else bound
            if last is not None and last.value == "slightly":
                bound = _CLOSE.get(bound, bound)  # "a hair under"
            continue
        if last is not None and last.kind == "figure" and one.word in _BEHIND:
            out[-1] = replace(last, bound=_BEHIND[one.word])
            continue
        numeric = one.word == "than" and ahead(found[at + 1 :], _NUMERIC, LINKS["figure"], 3)
        if last is not None and last.kind == "comparatives" and numeric:
            # "more than 90 %"
            bound = "gt" if str(out.pop().value).endswith(("+", "better")) else "lt"
            if out and out[-1].value == "slightly":
                bound = _CLOSE[bound]
            continue
        if one.kind in ("factors", "fractions"):
            one = _worded(one, found[at + 1 :])
        if one.kind == "figure" and one.figure is not None:
            one = replace(
                _of_run(one, found[at + 1 :]), bound=bound or ("about" if one.figure.about else "")
            )
            one, bound = _multiplied(one, out), ""
            if (
                one.figure is not None
                and one.figure.loose
                and {other.word for other in out[-2:]} & LINKS["measured"]
            ):
                # "was run three times"
                out.append(replace(one, figure=replace(one.figure, unit="", loose=False)))
                one = Token("counted", "repeats", "times", one.start, one.end)
        out.append(one)
    return out


def _multiplied(one: Token, past: Sequence[Token]) -> Token:
    """``more than halved`` is less than half, ``a factor of 1.75`` is 1.75 times."""
    if one.word.startswith("halv") and one.bound == "gt":
        return replace(one, bound="lt")
    if past and "factor" in past[-1].word and one.figure and not one.figure.unit:
        return replace(one, figure=replace(one.figure, unit="times"))
    return one


def _with_units(found: list[Token]) -> list[Token]:
    """Give figures the one unit of their sentence: "max 3 gives 164.3, max 2 155.3 tok/s"."""
    stated = [one.figure for one in found if one.kind == "figure" and one.figure is not None]
    units = {one.unit for one in stated if one.unit and one.decimals}
    if len(units) != 1:
        return found
    (unit,) = units
    decimals = {one.decimals for one in stated if one.unit}
    out = []
    for at, token in enumerate(found):
        figure = token.figure if token.kind == "figure" else None
        noun = any(other.kind == "quantities" for other in found[at + 1 : at + 2])
        if figure is None or figure.unit or figure.decimals not in decimals - {0} or noun:
            out.append(token)
        else:
            out.append(replace(token, figure=replace(figure, unit=unit)))
    return out


def _of_run(token: Token, after: Sequence[Token]) -> Token:
    """``54 % of the baseline's speed`` is 0.54 times as much."""
    figure, behind = token.figure, [one.word for one in after[:1]]
    run = ahead(after[1:], {"run"}, {"fillers"})
    noun = ahead(after[after.index(run) + 1 :], {"quantities"}, {"fillers"}) if run else None
    if figure is None or figure.unit != "percent" or behind != ["of"] or noun is None:
        return token
    if noun.value not in (*SPEED, "time"):
        return token
    times = replace(figure, value=figure.value / 100, decimals=figure.decimals + 2, unit="times")
    return replace(token, figure=times)


def _worded(token: Token, after: Sequence[Token]) -> Token:
    """The figure that a word states: *a third of its drafts*, *a third of the baseline's*."""
    value, unit = float(token.value), "times"
    if token.kind == "fractions":
        shares = ("accepted", "acceptance", "wasted")
        near = after[:3]
        if near and near[0].word.startswith("what"):
            near = [one for one in after[:5] if one.kind == "run"]  # "of what you get with it off"
        of_run = any(one.kind == "run" for one in near)
        of_run = of_run and not any(one.kind == "prepositions" and one.word != "of" for one in near)
        of_run = of_run and not any(one.value in shares for one in after)
        of_run = of_run and not (after and after[0].kind in ("comparatives", "changes"))
        value, unit = (value / 100, "times") if of_run else (value, "percent")
    figure = Figure(token.text, value, 0, unit, token.start, token.end, token.end, loose=True)
    return replace(token, kind="figure", value=value, figure=figure)
