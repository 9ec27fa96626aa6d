"""Where does one statement of a sentence end, and where does the next begin?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from analysis.checking.tokens import Token, stands
from analysis.checking.vocabulary import LINKS

__all__ = ["RELATIONS", "clauses", "predicates"]

RELATIONS = ("comparatives", "superlatives", "beats", "changes", "pays", "equals")
_DRAFTS = ("accepted", "wasted", "drafted")
_SIGNS = (";", ":", "—", "–", "-")
_STRANGE = {"estimates", "hedges", "unknown"}
_EVERY = LINKS["entirely"] | LINKS["nothing"]
Part = list[Token]


def predicates(tokens: Sequence[Token]) -> bool:
    """Whether something is stated: there is a figure or a relation, or it is all or nothing."""
    drafts = any(one.value in _DRAFTS and one.kind != "run" for one in tokens)
    if drafts and any(one.word in _EVERY for one in tokens):
        return True
    return any(
        token.figure is not None
        or token.kind in (*RELATIONS, "advice", "conditions", "topics")
        or token.value == "break_even"
        for token in tokens
    )


def clauses(tokens: Sequence[Token]) -> Iterator[Part]:
    """The statements of a sentence; one in brackets follows the one that it stands in."""
    main, asides = _asides(tokens)
    for clause in _merged(_parts(main)):
        yield clause
        while asides and asides[0][0] <= clause[-1].end:
            yield from _merged(_parts(asides.pop(0)[1]))


def _asides(tokens: Sequence[Token]) -> tuple[Part, list[tuple[int, Part]]]:
    """A sentence without what stands in brackets, and that with its place."""
    main: Part = []
    asides: list[tuple[int, Part]] = []
    inside: Part | None = None
    for at, token in enumerate(tokens):
        if token.text == "(" and inside is None:
            if main and not stands("whose", tokens[:at], tokens[at:]):
                inside = main[-1:] if stands("owned", tokens[:at], tokens[at:]) else []
        elif token.text == ")":
            asides += [] if inside is None else [(main[-1].end, inside)]
            inside = None
        else:
            (main if inside is None else inside).append(token)
    return main + (inside or []), asides


def _parts(tokens: Sequence[Token]) -> list[Part]:
    parts: list[Part] = [[]]
    for at, token in enumerate(tokens):
        if token.kind == "conjunctions" and not _glues(token, parts[-1], tokens[at + 1 :]):
            parts.append([])
        parts[-1].append(token)
    return [part for part in parts if any(one.kind != "conjunctions" for one in part)]


def _merged(parts: Sequence[Part]) -> list[Part]:
    """What states nothing goes with its neighbour."""
    found: list[Part] = []
    waiting: Part = []
    for part, after in zip_longest(parts, parts[1:]):
        told, kinds = ({one.kind for one in some} for some in (waiting, part))
        leading, closes = (
            one is not None and one[0].word in LINKS["leading"] for one in (part, after)
        )
        ends = part[0].text in _SIGNS or (leading and not told & _STRANGE)
        if ends and told & {"states", "negations"}:
            found.append(waiting)
            waiting = []
        last = found[-1] if found and not waiting else None
        leads = leading and after is not None and not (closes and part[0].word == "and")
        adverbial = after is not None and (leads or not found) and stands("adverbial", [], part)
        if predicates(part) and not adverbial:
            if last is not None and stands("goes_on", last, part):
                last += part
            else:
                found.append([*waiting, *part])
            waiting = []
        elif last is not None and (
            stands("goes_on", [], part)
            or stands("belongs", last, part)
            or not (leads or kinds & {"states", "actions", "negations"})
        ):
            last += [_break(part), *part]
        elif last is not None and {"negations", "scope"} <= kinds:
            # "pays on code, but not on translation": the same is said again.
            dropped = ("scope", "whole", "negations", "figure")
            found.append([*[one for one in last if one.kind not in dropped], *part])
        else:
            waiting = [*waiting, *part, _break(part)]
    return [*found, waiting] if waiting else found


def _break(part: Part) -> Token:
    return Token("break", None, "", part[-1].end, part[-1].end)


def _glues(sign: Token, part: Part, behind: Sequence[Token]) -> bool:
    """Whether a conjunction joins two names or two figures and no two statements."""
    rest = [sign, *behind]
    return bool(
        stands("joins", part, rest) or (not predicates(part) and stands("pairs", part, rest))
    )
