"""Where does one statement of a sentence end, and where does the next begin?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from analysis.checking.tokens import Token

__all__ = ["RELATIONS", "clauses", "predicates"]

RELATIONS = ("comparatives", "superlatives", "beats", "changes", "pays", "equals")
_JOINING = (",", "and", "or", "&", "as well as", "/")
_FINITE = ("is", "are", "was", "were", "has", "have")
Clause = list[Token]


def predicates(tokens: Iterable[Token]) -> bool:
    """Whether something is stated: there is a figure or a relation."""
    return any(
        token.figure is not None or token.kind in RELATIONS or token.value == "break_even"
        for token in tokens
    )


def clauses(tokens: Sequence[Token]) -> Iterator[Clause]:
    """The statements of a sentence; one in brackets follows the one that it stands in."""
    main, asides = _asides(tokens)
    for clause in _merged(_parts(main)):
        yield clause
        inside = [aside for at, aside in asides if at <= clause[-1].end]
        asides = asides[len(inside) :]
        for aside in inside:
            yield from _merged(_parts(aside))


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
            if inside and main:
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
    compared = any(one.kind == "references" for one in main[-3:-1])
    if main[-1].kind == "run" and plain and not (compared and first):
        return [main[-1], *inside]
    return inside


def _parts(tokens: Sequence[Token]) -> list[Clause]:
    parts: list[Clause] = [[]]
    for at, token in enumerate(tokens):
        if token.kind == "conjunctions" and not _glues(tokens, at, parts[-1]):
            parts.append([])
        parts[-1].append(token)
    return [part for part in parts if any(one.kind != "conjunctions" for one in part)]


def _merged(parts: Sequence[Clause]) -> list[Clause]:
    """What states nothing goes with its neighbour."""
    found: list[Clause] = []
    waiting: Clause = []
    for number, part in enumerate(parts):
        if part[0].text == ";" and waiting:
            found.append(waiting)
            waiting = []
        if predicates(part):
            if found and not waiting and _completes(found[-1], part):
                found[-1] = [*found[-1], *part]
            else:
                found.append([*waiting, _break(part), *part] if waiting else part)
            waiting = []
        elif _first(part).text.lower() in _FINITE and found and not waiting:
            found[-1] = [*found[-1], *part]
        elif _imperative(part):
            found.append(part)
        elif found and not waiting and any(one.kind == "negations" for one in part):
            # "pays on code, but not on translation": the same is said again.
            dropped = ("scope", "whole", "negations", "figure")
            found.append([*[one for one in found[-1] if one.kind not in dropped], *part])
        elif found and not waiting and not _verb(part) and _trails(part, parts[number + 1 :]):
            found[-1] = [*found[-1], _break(part), *part]
        else:
            waiting = [*waiting, *part]
    if waiting and found and not _verb(waiting):
        found[-1] = [*found[-1], *waiting]
    elif waiting:
        found.append(waiting)
    return found


def _completes(clause: Clause, part: Clause) -> bool:
    """``the lowest acceptance rate, 36.8 %, is that of max 5``: a figure in apposition."""
    free = ("figure", "conjunctions", "fillers")
    if any(one.kind not in free for one in part) or any(one.kind == "run" for one in clause):
        return False
    return any(one.kind == "superlatives" for one in clause) and not any(
        one.kind in ("figure", "states") for one in clause
    )


def _trails(part: Clause, later: Sequence[Clause]) -> bool:
    """Whether a part without a statement belongs to the one before: the next may need its run."""
    if part[0].text == ";":
        return False
    names = any(one.kind == "run" for one in part)
    return not names or not any(predicates(one) for one in later)


def _first(part: Clause) -> Token:
    return next((one for one in part if one.kind not in ("conjunctions", "fillers")), part[0])


def _imperative(part: Clause) -> bool:
    """Whether it begins with a verb: "leave speculation off for translation"."""
    first = _first(part)
    return first.kind in ("states", "actions") and not first.text.endswith("ing")


def _verb(part: Clause) -> bool:
    return any(one.kind in ("states", "actions", "negations") for one in part)


def _break(part: Clause) -> Token:
    return Token("break", None, "", part[0].start, part[0].start)


def _glues(tokens: Sequence[Token], at: int, part: Clause) -> bool:
    """Whether a conjunction joins two names or two figures and no two statements."""
    sign = tokens[at].text.lower()
    free = ("fillers", "conjunctions", "quantifiers", "prepositions", "degrees")
    left = next((one for one in reversed(part) if one.kind != "fillers"), None)
    behind = list(tokens[at + 1 :])
    place = next((i for i, one in enumerate(behind) if one.kind not in free), None)
    if left is None or place is None or sign in (";", ":", "but", "while", "whereas"):
        return False
    right = behind[place]
    if left.kind != right.kind or left.kind not in ("run", "scope", "figure"):
        return False
    if left.figure is not None and right.figure is not None:
        return left.figure.unit == right.figure.unit and not _names_between(behind[:place])
    if left.kind == "run" and sign == "," and not _list_ends(behind):
        # Of two names a comma makes no list: "compared with max 5, DFlash is".
        return False
    if not predicates(part):
        return True
    rest = [one for one in behind[place + 1 :] if one.kind not in ("fillers", "counted")]
    ends = ("conjunctions", "prepositions") + (("run",) if left.kind == "scope" else ())
    return not rest or rest[0].kind in ends


def _names_between(tokens: Sequence[Token]) -> bool:
    return any(one.kind in ("run", "scope") for one in tokens)


def _list_ends(tokens: Sequence[Token]) -> bool:
    """Whether names and commas lead to an *and* and a last name."""
    joined = False
    for one in tokens:
        if one.kind == "run":
            if joined:
                return True
        elif one.kind == "conjunctions" and one.text.lower() in _JOINING:
            joined = joined or one.text != ","
        elif one.kind not in ("fillers", "quantifiers"):
            return False
    return False
