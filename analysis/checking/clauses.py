"""Where does one statement of a sentence end, and where does the next begin?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from analysis.checking.tokens import Token, ahead
from analysis.checking.vocabulary import LINKS

__all__ = ["RELATIONS", "clauses", "predicates"]

RELATIONS = ("comparatives", "superlatives", "beats", "changes", "pays", "equals")
_LINKING = {"fillers", "conjunctions", "quantifiers", "prepositions", "degrees"}
_DRAFTS = ("accepted", "wasted", "drafted")
_SIGNS = (";", ":", "—", "–")
_EVERY = LINKS["entirely"] | LINKS["nothing"]
Clause = list[Token]


def predicates(tokens: Iterable[Token]) -> bool:
    """Whether something is stated: there is a figure or a relation, or it is all or nothing."""
    tokens = [*tokens]
    drafts = any(one.value in _DRAFTS and one.kind != "run" for one in tokens)
    drafts = drafts or any(one.kind == "position" for one in tokens)
    if drafts and any(one.word in _EVERY for one in tokens):
        return True
    return any(
        token.figure is not None
        or token.kind in (*RELATIONS, "advice", "conditions", "topics")
        or token.value == "break_even"
        for token in tokens
    )


def clauses(tokens: Sequence[Token]) -> Iterator[Clause]:
    """The statements of a sentence; one in brackets follows the one that it stands in."""
    main, asides = _asides(tokens)
    for clause in _merged(_parts(main)):
        yield clause
        while asides and asides[0][0] <= clause[-1].end:
            yield from _merged(_parts(asides.pop(0)[1]))


def _asides(tokens: Sequence[Token]) -> tuple[Clause, list[tuple[int, Clause]]]:
    """A sentence without what stands in brackets, and that with its place.

    A figure right behind a name is of it, unless it compares: "max 3 (120.9 tok/s)".
    """
    main: Clause = []
    asides: list[tuple[int, Clause]] = []
    inside: Clause | None = None
    for token in tokens:
        if token.text == "(" and inside is None:
            inside = []
        elif token.text == ")" and inside is not None:
            if main and main[-1].kind == "figure" and {one.kind for one in inside} == {"run"}:
                main += inside  # "237.4 tok/s (DFlash)"
            elif inside and main:
                asides.append((main[-1].end, _owned(main, inside, first=not asides)))
            else:
                main += inside
            inside = None
        else:
            (main if inside is None else inside).append(token)
    return main + (inside or []), asides


def _owned(main: Clause, inside: Clause, *, first: bool) -> Clause:
    figures = [one.figure for one in inside if one.figure is not None]
    plain = len(figures) == 1 and figures[0].unit != "times" and not figures[0].signed
    compared = first and any(one.kind == "references" for one in main[-3:-1])
    return [main[-1], *inside] if main[-1].kind == "run" and plain and not compared else inside


def _parts(tokens: Sequence[Token]) -> list[Clause]:
    parts: list[Clause] = [[]]
    for at, token in enumerate(tokens):
        if token.kind == "conjunctions" and not _glues(token, parts[-1], tokens[at + 1 :]):
            parts.append([])
        parts[-1].append(token)
    return [part for part in parts if any(one.kind != "conjunctions" for one in part)]


def _merged(parts: Sequence[Clause]) -> list[Clause]:
    """What states nothing goes with its neighbour."""
    found: list[Clause] = []
    waiting: Clause = []
    for part, after in zip_longest(parts, parts[1:]):
        strange = any(one.kind in ("estimates", "hedges", "unknown") for one in waiting)
        apart = part[0].word in LINKS["leading"] and not strange
        if waiting and (apart or part[0].text in _SIGNS) and _states(waiting, part[0].text):
            found.append(waiting)
            waiting = []
        first = _first(part)
        leads = part[0].word in LINKS["leading"] and after is not None
        leads = leads and after[0].word not in LINKS["leading"]
        # "…, reached on code"
        participle = first.kind == "states" and first.text.endswith("ed") and not leads
        last = found[-1] if found and not waiting else None
        adverbial = first.kind == "prepositions" and after is not None and (not found or leads)
        if predicates(part) and not (adverbial and not _says(part)):
            if last is not None and _completes(last, part):
                last += part
            else:
                found.append([*waiting, _break(part), *part] if waiting else part)
            waiting = []
        elif last is not None and (first.word in LINKS["finite"] or participle):
            last += part
        elif first.kind in ("states", "actions") and not first.text.endswith("ing"):
            found.append(part)  # "leave speculation off for translation"
        elif last is not None and {"negations", "scope"} <= {one.kind for one in part}:
            # "pays on code, but not on translation": the same is said again.
            dropped = ("scope", "whole", "negations", "figure")
            found.append([*[one for one in last if one.kind not in dropped], *part])
        elif last is not None and not _verb(part) and not leads:
            last += [_break(part), *part]
        else:
            waiting = [*waiting, *part]
    if waiting:
        found.append(waiting)
    return found


def _completes(clause: Clause, part: Clause) -> bool:
    """``the lowest acceptance rate, 36.8 %, is that of max 5``: a figure in apposition."""
    kinds = {one.kind for one in clause}
    alone = {one.kind for one in part} <= {"figure", "conjunctions", "fillers"}
    return alone and "superlatives" in kinds and not kinds & {"run", "figure", "states"}


def _first(part: Clause) -> Token:
    return next(
        (one for one in part if one.kind not in ("conjunctions", "fillers", "bounds")), part[0]
    )


def _says(part: Clause) -> bool:
    """Whether there is more than an adverbial: "on four of the thirteen tasks," is none."""
    return _verb(part) or any(one.kind in ("run", *RELATIONS) for one in part)


def _states(part: Clause, sign: str) -> bool:
    """Whether a part before a sign is a statement of its own, whatever it says."""
    return sign == ";" or any(one.kind in ("states", "negations") for one in part)


def _verb(part: Clause) -> bool:
    return any(one.kind in ("states", "actions", "negations") for one in part)


def _break(part: Clause) -> Token:
    return Token("break", None, "", part[0].start, part[0].start)


def _glues(sign: Token, part: Clause, behind: Sequence[Token]) -> bool:
    """Whether a conjunction joins two names or two figures and no two statements."""
    left = next((one for one in reversed(part) if one.kind != "fillers"), None)
    if left is None or sign.word in (";", ":", "but", "while", "whereas"):
        return False
    right = ahead(behind, {"run", "scope", "figure"}, _LINKING, len(behind))
    if right is None or left.kind != right.kind:
        return False
    if left.figure is not None and right.figure is not None:
        return left is part[-1] and left.figure.unit == right.figure.unit
    if left.kind == "run" and sign.text == "," and not _list_ends(behind):
        # Of two names a comma makes no list: "compared with max 5, DFlash is".
        return False
    if left.kind == "run" and any(one.word == "between" for one in part[-4:]):
        return True
    rest = behind[behind.index(right) + 1 :]
    ends = {"conjunctions", "prepositions"} | ({"run"} if left.kind == "scope" else set())
    free = {"fillers", "counted"}
    alone = all(one.kind in free for one in rest)
    return not predicates(part) or alone or ahead(rest, ends, free, len(rest)) is not None


def _list_ends(tokens: Sequence[Token]) -> bool:
    """Whether names and commas lead to an *and* and a last name."""
    free = {"run", "fillers", "quantifiers", ","}
    joint = next((at for at, one in enumerate(tokens) if one.word in LINKS["joining"]), len(tokens))
    plain = all(one.kind in free or one.word in free for one in tokens[:joint])
    return plain and ahead(tokens[joint + 1 :], {"run"}, {"fillers", "quantifiers"}) is not None
