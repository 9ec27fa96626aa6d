# ruff: noqa: E501, PLR0911, PLR0912, PLR0915, PLR0917, SLF001
"""What does a sentence claim: of which runs, on which tasks, which quantity, which relation?

A sentence is cut into clauses; each is read only if every word of it is
understood. What a clause leaves out it takes from the one before, then from
the lines and titles above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from analysis.checking.figures import Figure
from analysis.checking.lexicon import Lexicon
from analysis.checking.tokens import Token

__all__ = ["Above", "Claim", "Group", "Places", "claims_of"]

Place = tuple[str | None, str | None]
"""Workload and task, of which one is null, or both for everything."""
EVERYTHING: Place = (None, None)
Kind = Literal["value", "ratio", "difference", "order", "equal", "extreme", "range", "break_even",
               "counted", "pair", "unread"]  # fmt: skip
_RELATIONS = ("comparatives", "superlatives", "beats", "changes", "pays", "equals")
_SPEED = ("throughput", "effective", "decode")


@dataclass(frozen=True)
class Group:
    """Some runs, and of how many of them something is said."""

    runs: tuple[str, ...] = ()
    quantifier: str = ""
    inferred: bool = False

    def without(self, other: Group | None) -> Group:
        """Those that are not in another group."""
        taken = () if other is None else other.runs
        return replace(self, runs=tuple(run for run in self.runs if run not in taken))


@dataclass(frozen=True)
class Places:
    """Tasks and classes, each with what else its words may mean, and of how many it is said."""

    options: tuple[tuple[Place, ...], ...] = ((EVERYTHING,),)
    quantifier: str = ""
    stated: bool = False


@dataclass(frozen=True)
class Claim:
    """One thing that is said.

    `sign` is 1 for more, -1 for less, 2 and -2 for better and worse. `axis` says what an extreme
    is one of: runs, tasks, both, or empty where the words leave it open.
    """

    kind: Kind
    start: int
    end: int
    quantity: str = ""
    subject: Group = Group()
    reference: Group | None = None
    places: Places = Places()
    other_places: Places | None = None
    sign: int = 0
    figures: tuple[Figure, ...] = ()
    bound: str = ""
    degree: str = ""
    negated: bool = False
    domain: Group | None = None
    rank: int = 1
    axis: str = ""
    why: str = ""
    sure: bool = True


@dataclass(frozen=True)
class Above:
    """What stands above a sentence: runs of titles, the run named last, a pair, a class or task.

    `near` is the run named last; a pronoun means it, and so does an `item` of a list.
    """

    subject: Group | None = None
    near: Group | None = None
    pair: tuple[str, str] | None = None
    places: tuple[Place, ...] = ()
    item: bool = False


@dataclass
class _Slots:
    """The parts of a clause."""

    tokens: list[Token]
    subject: Group | None = None
    reference: Group | None = None
    start_of: Group | None = None
    domain: Group | None = None
    places: Places | None = None
    other_places: Places | None = None
    start_place: Places | None = None
    quantities: list[str] = field(default_factory=list)
    relation: Token | None = None
    figures: list[Token] = field(default_factory=list)
    noun: str = ""
    negated: bool = False
    degree: str = ""
    passive: bool = False
    why: str = ""
    sure: bool = True

    def any(self, *kinds: str) -> bool:
        return any(token.kind in kinds for token in self.tokens)


def claims_of(tokens: Sequence[Token], lexicon: Lexicon, above: Above) -> list[Claim]:
    """The claims of a sentence; what can't be read is a claim of the kind ``unread``."""
    return _Sentence(lexicon, above).read(list(tokens))


def predicates(tokens: Iterable[Token]) -> bool:
    """Whether something is said: there is a figure or a relation."""
    return any(
        token.figure is not None or token.kind in _RELATIONS or token.value == "break_even"
        for token in tokens
    )


class _Sentence:
    def __init__(self, lexicon: Lexicon, above: Above) -> None:
        self.lexicon, self.above = lexicon, above
        self.facts = lexicon.facts
        self.before: _Slots | None = None
        self.mentioned: list[Group] = []

    def read(self, tokens: list[Token]) -> list[Claim]:
        found: list[Claim] = []
        main, asides = _asides(tokens)
        for clause in _clauses(main):
            found += self._clause(clause)
            inside = [aside for at, aside in asides if at <= clause[-1].end]
            asides = asides[len(inside) :]
            for aside in inside:
                for part in _clauses(aside):
                    found += self._clause(part)
        return sorted(found, key=lambda claim: claim.start)

    def _clause(self, tokens: list[Token]) -> list[Claim]:
        slots = self._slots(tokens)
        found = self._claims(slots)
        self.before = slots
        return found

    # ---- the parts

    def _slots(self, tokens: list[Token]) -> _Slots:
        slots = _Slots(tokens)
        relations = [one for one in tokens if one.kind in _RELATIONS]
        slots.relation = _main(relations)
        slots.quantities = list(dict.fromkeys(
            str(one.value) for one in tokens if one.kind in ("quantities", "actions")))  # fmt: skip
        actions = {str(one.value) for one in tokens if one.kind == "actions"}
        if any(one.kind == "quantities" and one.value not in actions for one in tokens):
            # "needs 535 more drafted tokens", "generates fewer drafts": the noun says of what.
            slots.quantities = [
                one
                for one in slots.quantities
                if one not in actions - {"accepted", "wasted", "drafted"}
            ]
        slots.degree = next((str(one.value) for one in tokens if one.kind == "degrees"), "")
        slots.figures = [one for one in tokens if one.kind == "figure"]
        slots.negated = sum(one.kind == "negations" for one in tokens) % 2 == 1
        problem = next(
            (one for one in tokens if one.kind in ("unknown", "hedges", "estimates")), None
        )
        if problem is not None:
            slots.why = f'"{problem.text}" is not understood' if problem.kind == "unknown" else (
                f'"{problem.text}" is no statement of what was measured')  # fmt: skip
        elif len(relations) > 1 and slots.relation is None:
            slots.why = "several relations in one clause"
        if any(one.kind == "run" and not one.value for one in tokens):
            slots.why = slots.why or "it names a run that this campaign does not have"
        self._names(slots)
        return slots

    def _names(self, slots: _Slots) -> None:
        """Give each run, task and quantifier its part."""
        tokens = slots.tokens
        groups: dict[str, list[tuple[int, Token, str]]] = {}
        role, quantifier, last = "subject", "", None
        spots: dict[str, list[tuple[int, Token, str]]] = {}
        marker = ""
        for at, token in enumerate(tokens):
            before = tokens[at - 1] if at else None
            if (
                token.kind == "references"
                or (token.kind == "equals" and slots.relation is token)
                or token.kind == "equals"
            ):
                role = "reference"
            elif token.kind == "break":
                role = "subject"
            elif token.kind == "beats" and token is slots.relation:
                slots.passive = _passive(tokens, at)
                role = "reference"
            elif token.kind == "prepositions":
                marker = token.text.lower()
                if marker == "from":
                    role = "from" if self._until(tokens, at) else role
                elif marker == "to" and (groups.get("from") or spots.get("from")):
                    role = "to"
                elif marker in ("among", "amongst", "between", "out of") or (
                    marker == "of"
                    and slots.relation is not None
                    and slots.relation.kind == "superlatives"
                    and role != "reference"
                ):
                    role = "among"
                elif (role == "reference" and groups.get("reference")) or (
                    role == "among" and marker != "of"
                ):
                    role = "subject"
            elif token.kind == "quantifiers":
                quantifier = str(token.value)
            elif (
                token.kind == "figure"
                and token.figure
                and token.figure.unit == "times"
                and _run_behind(tokens, at)
            ):
                role = "reference"
            elif token.kind == "figure" and _counts(tokens, at):
                quantifier = quantifier or f"={int(token.value)}"
                if quantifier in ("all", "none", "only") or quantifier.startswith("="):
                    slots.figures = [one for one in slots.figures if one is not token]
            elif token.kind in ("run", "positions"):
                part = self._run_of(token, slots)
                if part is None:
                    continue
                where = role
                if (
                    role == "among"
                    and slots.relation is not None
                    and slots.relation.kind != "superlatives"
                    and marker == "between"
                ):
                    where = "among"
                groups.setdefault(where, []).append((at, part, quantifier))
                quantifier, last = "", part
            elif token.kind == "scope":
                where = role if role in ("from", "to") else (
                    "reference" if role == "reference" and not groups.get("reference")
                    and before is not None and (before.kind in ("prepositions", "references")) else "subject")  # fmt: skip
                spots.setdefault(where, []).append((at, token, quantifier))
                quantifier = ""
            elif token.kind == "counted" and token.value in ("runs", "tasks", "classes"):
                if not self._counted(slots, token, quantifier, role, groups, spots, at):
                    quantifier = ""
            elif token.kind == "whole":
                spots.setdefault("whole", []).append((at, token, ""))
            elif token.kind == "pronouns" and role == "reference" and not groups.get("reference"):
                pass
            elif token.kind in ("states", "comparatives", "changes", "superlatives") and role in (
                "among",
                "to",
            ):
                role = "subject"
        del last
        self._assign(slots, groups)
        self._place(slots, spots)
        for group in (slots.subject, slots.reference, slots.start_of):
            if group is not None:
                self.mentioned.append(group)

    def _until(self, tokens: list[Token], at: int) -> bool:
        return any(one.text.lower() == "to" for one in tokens[at + 1 : at + 12])

    def _run_of(self, token: Token, slots: _Slots) -> Token | None:
        if token.kind == "run":
            return token
        if token.value in ("deepest", "shallowest"):
            named = [one for one in slots.tokens if one.kind == "run" and one.value]
            pool = [self.facts.by_id[run] for one in named for run in one.value] or list(
                self.facts.drafting
            )
            pool = [run for run in pool if run.n_max is not None]
            if len({run.spec_type for run in pool}) != 1:
                slots.why = slots.why or "it does not say of which method"
                return None
            chosen = (max if token.value == "deepest" else min)(
                pool, key=lambda run: run.n_max or 0
            )
            return replace(token, kind="run", value=(chosen.id,))
        singles = [one for group in self.mentioned for one in group.runs]
        singles = list(dict.fromkeys(singles))
        pair = singles[-2:] if len(singles) >= 2 else list(self.above.pair or ())
        if len(pair) < 2:
            slots.why = slots.why or f'nobody knows who "{token.text}" is'
            return None
        return replace(token, kind="run", value=(pair[0] if token.value == "former" else pair[1],))

    def _counted(self, slots: _Slots, token: Token, quantifier: str, role: str,
                 groups: dict[str, list[tuple[int, Token, str]]],
                 spots: dict[str, list[tuple[int, Token, str]]], at: int) -> bool:  # fmt: skip
        """What is counted; true where the quantifier is that of a name that follows."""
        tokens = slots.tokens
        slots.noun = slots.noun or str(token.value)
        if token.value == "runs":
            if any(one.kind == "run" and one.group for one in tokens[at + 1 : at + 4]):
                return True
            before = [one for one in tokens[max(0, at - 2) : at] if one.kind == "run"]
            rest = role == "reference" and token.text.lower() in (
                "others",
                "rest",
                "anything",
                "else",
            )
            if before or not (quantifier or rest):
                return False
            whole = tuple(run.id for run in self.facts.real if run.predicted_tokens)
            made = replace(token, kind="run", value=whole, group=True)
            groups.setdefault(role, []).append((at, made, quantifier or "all"))
        elif quantifier:
            scope = next((one for one in tokens[max(0, at - 2) : at] if one.kind == "scope"), None)
            names = (
                list(self.facts.workloads)
                if token.value == "classes"
                else list(self.facts.task_names)
            )
            if scope is not None and token.value == "tasks":
                classes = {place[0] for place in scope.value if place[0]}
                names = [str(row.task) for row in self.facts.tasks if row.workload in classes]
                spots["subject"] = [e for e in spots.get("subject", []) if e[1] is not scope]
            value = tuple(
                ((name, None),) if token.value == "classes" else ((None, name),)
                for name in dict.fromkeys(names)
            )
            spots.setdefault("subject", []).append(
                (at, replace(token, kind="many", value=value), quantifier)
            )
        return False

    def _assign(self, slots: _Slots, groups: dict[str, list[tuple[int, Token, str]]]) -> None:
        def made(entries: list[tuple[int, Token, str]]) -> Group | None:
            if not entries:
                return None
            runs = tuple(dict.fromkeys(run for _, one, _ in entries for run in one.value))
            said = [quantifier for _, _, quantifier in entries if quantifier]
            listed = len(entries) > 1
            return Group(runs, said[0] if said else ("all" if listed else ""))

        plain, slots.domain = groups.get("subject", []), None
        if len(plain) > 1 and not _listed(slots.tokens, [at for at, _, _ in plain]):
            sets = [set(one.value) for _, one, _ in plain]
            order = sorted(range(len(plain)), key=lambda i: -len(sets[i]))
            wide, rest = order[0], [i for i in range(len(plain)) if i != order[0]]
            if len(sets[wide]) > 1 and all(sets[i] <= sets[wide] for i in rest):
                # "DSpark's fastest depth is max 3", "speculation pays with DFlash".
                slots.domain = made([plain[wide]])
                plain = [(plain[i][0], plain[i][1], plain[i][2] or plain[wide][2]) for i in rest]
            elif len(sets[wide]) == 1 and all(one == sets[0] for one in sets):
                plain = plain[:1]
            elif (
                slots.relation is not None
                and slots.relation.kind in ("comparatives", "changes")
                and not groups.get("reference")
            ):
                slots.why = slots.why or "two runs, and nothing says which is compared with which"
            elif len(plain) != len(slots.figures):
                slots.why = slots.why or "several runs, and nothing says which is meant"
        slots.subject = made(plain)
        slots.reference = made(groups.get("reference", []))
        if groups.get("among"):
            among = made(groups["among"])
            if (
                slots.relation is not None
                and slots.relation.kind in ("superlatives", "comparatives")
                and slots.subject is not None
            ):
                slots.domain = among
                if (
                    slots.relation.kind == "comparatives"
                    and slots.reference is None
                    and among is not None
                ):
                    slots.reference = replace(among.without(slots.subject), quantifier="all")
            elif (
                among is not None
                and slots.subject is None
                and len(among.runs) == 2
                and slots.relation is not None
                and slots.relation.kind != "superlatives"
            ):
                slots.start_of, slots.subject = Group(among.runs[:1]), Group(among.runs[1:])
            elif slots.subject is None:
                if (
                    slots.relation is not None
                    and slots.relation.kind == "superlatives"
                    and among is not None
                    and len(among.runs) > 1
                ):
                    slots.domain = among
                else:
                    slots.subject = among
        if groups.get("from"):
            slots.start_of = made(groups["from"])
        if groups.get("to"):
            slots.subject = made(groups["to"])

    def _place(self, slots: _Slots, spots: dict[str, list[tuple[int, Token, str]]]) -> None:
        def made(entries: list[tuple[int, Token, str]]) -> Places | None:
            if not entries:
                return None
            options: list[tuple[Place, ...]] = []
            quantifier = ""
            for _, one, said in entries:
                quantifier = quantifier or said
                if one.kind == "many":
                    options += list(one.value)
                elif said in ("all", "none", "most", "some") and one.value and one.value[0][0]:
                    options += [((None, task),) for task in self._tasks(one.value[0][0])]
                else:
                    options.append(one.value)
            return Places(tuple(dict.fromkeys(options)), quantifier or "all", stated=True)

        slots.places = made(spots.get("subject", []) or spots.get("to", []))
        slots.other_places = made(spots.get("reference", []))
        slots.start_place = made(spots.get("from", []))
        if slots.places is None and spots.get("whole"):
            slots.places = Places(stated=True)
        for one in slots.tokens:
            if one.kind == "scope" and one.value and not any(self._has(p) for p in one.value):
                slots.why = slots.why or "no such task was measured"

    def _has(self, place: Place) -> bool:
        return place[1] in self.facts.task_names if place[1] else place[0] in self.facts.workloads

    def _tasks(self, workload: str) -> list[str]:
        return list(
            dict.fromkeys(str(row.task) for row in self.facts.tasks if row.workload == workload)
        )

    # ---- what it leaves out

    def _completed(self, slots: _Slots) -> None:
        before, above = self.before, self.above
        first = next(
            (
                one.kind
                for one in slots.tokens
                if one.kind not in ("fillers", "conjunctions", "prepositions")
            ),
            "",
        )
        if slots.subject is None and slots.start_of is None:
            if before is not None and before.subject is not None and not before.why:
                slots.subject = before.subject
                slots.sure = slots.sure and before.sure
            elif above.near is not None and (above.item or slots.any("pronouns")):
                slots.subject, slots.sure = replace(above.near, inferred=True), False
            elif above.subject is not None and first != "figure":
                slots.subject, slots.sure = replace(above.subject, inferred=True), False
            elif len(self.facts.real) == 1:
                slots.subject = Group((self.facts.real[0].id,))
        if slots.places is None:
            options = list(above.places)
            if before is not None and before.places is not None and before.noun != "tasks":
                options += [place for option in before.places.options for place in option]
                if len(before.places.options) > 1 and before.places.stated:
                    slots.places, slots.sure = replace(before.places, stated=False), False
            if slots.places is None and options:
                # Of which of them it is said is open: of all prompts, or of those named before.
                slots.places = Places((tuple(dict.fromkeys([*options, EVERYTHING])),))

    def _reference(self, slots: _Slots, subject: Group) -> Group | None:
        if slots.reference is not None:
            return (
                slots.reference.without(subject)
                if len(slots.reference.runs) > 1
                else slots.reference
            )
        if slots.start_of is not None:
            return slots.start_of
        if (
            self.before is not None
            and self.before.reference is not None
            and self.before.subject is not None
        ):
            if not set(self.before.reference.runs) & set(subject.runs):
                return self.before.reference
            if self.before.subject.runs != subject.runs:
                return self.before.subject
        if (
            self.above.pair is not None
            and len(subject.runs) == 1
            and subject.runs[0] in self.above.pair
        ):
            other = [run for run in self.above.pair if run != subject.runs[0]]
            return Group(tuple(other), inferred=True)
        baseline = self.facts.baseline
        if baseline is None:
            return None
        if subject.runs == (baseline.id,):
            return Group(tuple(run.id for run in self.facts.drafting), "")
        return Group((baseline.id,), inferred=True) if baseline.id not in subject.runs else None

    # ---- the claims

    def _claims(self, slots: _Slots) -> list[Claim]:
        tokens = slots.tokens
        start, end = tokens[0].start, tokens[-1].end
        if not predicates(tokens):
            return []
        named = any(
            one.kind in ("run", "scope", "quantities", "actions", "positions") for one in tokens
        )
        if slots.why:
            worth = any(one.figure for one in tokens if one.kind != "fillers") or (
                named and slots.relation is not None
            )
            return [Claim("unread", start, end, why=slots.why)] if worth else []
        if (
            not slots.figures
            and not named
            and slots.relation is not None
            and not slots.any("whole", "counted", "pronouns")
            and self.before is None
            and self.above.subject is None
        ):
            return []
        self._completed(slots)
        found = _Clause(self, slots).claims()
        return found or [Claim("unread", start, end, why="what it says of whom is not understood")]


def _main(relations: list[Token]) -> Token | None:
    """The relation of a clause: one, or a change whose direction a comparative repeats."""
    if not relations:
        return None
    if len(relations) == 1:
        return relations[0]
    strong = [one for one in relations if one.kind != "equals"]
    if len(strong) == 1:
        return strong[0]
    return None


def _passive(tokens: list[Token], at: int) -> bool:
    return at + 1 < len(tokens) and tokens[at + 1].text.lower() == "by"


def _run_behind(tokens: list[Token], at: int) -> bool:
    """``2.33 times the baseline's``, ``1.2x the throughput of max 3``."""
    for one in tokens[at + 1 : at + 6]:
        if one.kind in ("run", "positions"):
            return True
        if one.kind not in (
            "fillers",
            "quantities",
            "prepositions",
            "pronouns",
            "counted",
        ) or one.text.lower() in ("with", "on", "at", "for", "in"):
            return False
    return False


def _counts(tokens: list[Token], at: int) -> bool:
    """Whether a number counts runs or tasks and is no figure of its own: ``all three depths``."""
    figure = tokens[at].figure
    if figure is None or figure.unit or figure.decimals:
        return False
    for one in tokens[at + 1 : at + 4]:
        if one.kind == "counted":
            return one.value in ("runs", "tasks", "classes")
        if one.kind == "run":
            return len(one.value) > 1
        if one.kind not in ("fillers", "prepositions", "scope"):
            return False
    return False


def _listed(tokens: list[Token], places: list[int]) -> bool:
    """Whether names stand side by side: ``max 2, max 3 and DFlash``."""
    free = ("conjunctions", "fillers", "quantifiers", "counted")
    for first, second in pairwise(places):
        between = tokens[first + 1 : second]
        if not between or any(one.kind not in free for one in between):
            return False
        if not any(one.kind == "conjunctions" for one in between):
            return False
    return True


def _clauses(tokens: list[Token]) -> list[list[Token]]:
    """Cut a sentence where one statement ends; what states nothing goes with its neighbour."""
    parts: list[list[Token]] = [[]]
    for at, token in enumerate(tokens):
        if token.kind == "conjunctions" and not _glues(tokens, at, parts[-1]):
            parts.append([])
            if token.text in ("(", ")"):
                continue
        parts[-1].append(token)
    parts = [part for part in parts if any(one.kind != "conjunctions" for one in part)]
    clauses: list[list[Token]] = []
    waiting: list[Token] = []
    for part in parts:
        if waiting and part[0].text == ";":
            clauses.append(waiting)
            waiting = []
        if not predicates(part):
            if _imperative(part):
                clauses.append(part)
            elif clauses and not waiting and any(one.kind == "negations" for one in part):
                # "pays on code, but not on translation": the same is said again.
                dropped = ("scope", "whole", "negations", "figure")
                clauses.append([*[one for one in clauses[-1] if one.kind not in dropped], *part])
            elif (
                clauses
                and not waiting
                and not _verb(part)
                and not any(one.kind == "run" for one in part)
            ):
                clauses[-1] = [*clauses[-1], _break(part[0]), *part]
            elif clauses and not waiting and not _verb(part):
                later = parts[parts.index(part) + 1 :]
                if any(predicates(one) for one in later):
                    waiting = [*waiting, *part]
                else:
                    clauses[-1] = [*clauses[-1], _break(part[0]), *part]
            else:
                waiting = [*waiting, *part]
        else:
            clauses.append([*waiting, *([_break(part[0])] if waiting else []), *part])
            waiting = []
    if waiting:
        if clauses and not _verb(waiting):
            clauses[-1] += waiting
        else:
            clauses.append(waiting)
    return clauses


def _asides(tokens: list[Token]) -> tuple[list[Token], list[tuple[int, list[Token]]]]:
    """A sentence without what stands in brackets, and that with its place."""
    main: list[Token] = []
    asides: list[tuple[int, list[Token]]] = []
    inside: list[Token] | None = None
    for token in tokens:
        if token.text == "(" and inside is None:
            inside = []
        elif token.text == ")" and inside is not None:
            if inside and main:
                asides.append((main[-1].end, inside))
            elif inside:
                main += inside
            inside = None
        elif inside is not None:
            inside.append(token)
        else:
            main.append(token)
    if inside:
        main += inside
    return main, asides


def _break(token: Token) -> Token:
    return Token("break", None, "", token.start, token.start)


def _imperative(part: list[Token]) -> bool:
    """Whether it begins with a verb: "leave speculation off for translation"."""
    first = next((one for one in part if one.kind not in ("conjunctions", "fillers")), None)
    return (
        first is not None and first.kind in ("states", "actions") and not first.text.endswith("ing")
    )


def _verb(part: list[Token]) -> bool:
    return any(one.kind in ("states", "actions", "negations") for one in part)


_SKIPPED = ("fillers", "prepositions", "quantifiers", "degrees", "counted", "pronouns")


def _glues(tokens: list[Token], at: int, part: list[Token]) -> bool:
    """Whether a conjunction joins two names or two figures and no two statements."""
    left = next((one for one in reversed(part) if one.kind != "fillers"), None)
    behind = tokens[at + 1 :]
    right_at = next(
        (
            i
            for i, one in enumerate(behind)
            if one.kind not in ("fillers", "conjunctions", "quantifiers", "prepositions")
        ),
        None,
    )
    if (
        left is None
        or right_at is None
        or tokens[at].text in (";", "(", ")", ":", "but", "while", "whereas")
    ):
        return False
    right = behind[right_at]
    alike = left.kind == right.kind and left.kind in ("run", "scope", "figure")
    if alike and left.kind == "figure":
        return bool(left.figure and right.figure and left.figure.unit == right.figure.unit)
    if not alike:
        return False
    if left.kind == "run" and tokens[at].text == ",":
        # Of two names a comma makes no list: "compared with max 5, DFlash is".
        rest = [one for one in behind if one.kind not in ("fillers", "quantifiers")]
        if not _list_ends(rest):
            return False
    if left.kind == "run" and predicates(part):
        after = behind[right_at + 1 :]
        follows = next((one for one in after if one.kind not in ("fillers", "counted")), None)
        return follows is None or follows.kind in ("conjunctions", "prepositions")
    if left.kind == "scope" and predicates(part):
        after = behind[right_at + 1 :]
        follows = next((one for one in after if one.kind not in ("fillers", "counted")), None)
        return follows is None or follows.kind in ("conjunctions", "prepositions", "run")
    return True


def _list_ends(tokens: list[Token]) -> bool:
    """Whether names and commas lead to an *and* and a last name."""
    joined = False
    for one in tokens:
        if one.kind == "run":
            if joined:
                return True
        elif one.kind == "conjunctions" and one.text.lower() in (
            ",",
            "and",
            "or",
            "&",
            "as well as",
        ):
            joined = joined or one.text != ","
        else:
            return False
    return False


class _Clause:
    """From the parts of a clause to its claims."""

    def __init__(self, sentence: _Sentence, slots: _Slots) -> None:
        self.sentence, self.slots = sentence, slots
        self.facts = sentence.facts
        self.start, self.end = slots.tokens[0].start, slots.tokens[-1].end

    def made(self, kind: Kind, **fields: object) -> Claim:
        slots = self.slots
        base = Claim(kind, self.start, self.end, subject=slots.subject or Group(),
                     places=slots.places or Places(), degree=slots.degree, negated=slots.negated)  # fmt: skip
        made = replace(base, **fields)  # type: ignore[arg-type]
        guessed = made.reference is not None and made.reference.inferred and not slots.any("pays") and not (
            set(slots.quantities) & {"speedup", "decode_speedup"})  # fmt: skip
        return replace(made, sure=slots.sure and not guessed)

    def claims(self) -> list[Claim]:
        slots = self.slots
        if "break_even" in slots.quantities and not slots.figures:
            return self._break_even()
        paired = self._of()
        if paired is not None:
            return paired
        trend = self._trend()
        if trend is not None:
            return trend
        relation = slots.relation
        if relation is None or (relation.kind == "changes" and self._is_range()):
            return self._values(slots.figures)
        if relation.kind == "superlatives":
            return self._extreme(relation)
        return self._relation(relation)

    # ---- quantities

    def _quantity(self, figure: Figure | None) -> str:
        """The one quantity that is meant; empty where that is open."""
        said = set(self.slots.quantities)
        unit = "" if figure is None else figure.unit
        if (
            unit in ("rate", "ms")
            and "time" in said
            and not any(
                one.value == "time" and one.kind == "quantities" for one in self.slots.tokens
            )
        ):
            said -= {"time"}
        if unit == "rate":
            said -= {"predicted"}
        if (
            unit in ("percent", "points")
            and said & {"accepted", "acceptance"}
            and said <= {"accepted", "drafted", "acceptance", "predicted"}
        ):
            return "acceptance"
        if unit == "percent" and "wasted" in said and said <= {"wasted", "drafted"}:
            return "rejected_share"
        if figure is not None and figure.decimals and figure.value <= 1 and said == {"accepted"}:
            return "acceptance"
        if said & {"speedup", "decode_speedup"}:
            if "decode" in said or "decode_speedup" in said:
                return "decode_speedup"
            return "speedup" if said <= {"speedup", "throughput", "effective"} else ""
        if said & {"decode", "effective"} and said <= {
            "decode",
            "effective",
            "throughput",
            "predicted",
        }:
            named = said & {"decode", "effective"}
            return named.pop() if len(named) == 1 else ""
        if said == {"acceptance", "drafted"}:
            return "acceptance"
        if said == {"accepted", "drafted"} and unit == "":
            return "accepted"
        if said == {"wasted", "drafted"} and unit == "":
            return "wasted"
        if len(said) == 1:
            return next(iter(said))
        if not said:
            return {"rate": "throughput", "s": "time", "ms": "forward_ms"}.get(unit, "")
        return ""

    def _inherited(self, figure: Figure | None) -> str:
        found = self._quantity(figure)
        before = self.sentence.before
        if found or before is None or before.why:
            return found
        if self.slots.quantities:
            return ""
        return _Clause(self.sentence, before)._quantity(figure)

    # ---- kinds of clauses

    def _break_even(self) -> list[Claim]:
        words = {
            one.text.lower()
            for one in self.slots.tokens
            if one.kind
            in (
                "references",
                "bounds",
                "changes",
                "beats",
                "prepositions",
                "states",
                "comparatives",
            )
        }
        above = words & {
            "above",
            "over",
            "exceeds",
            "beyond",
            "reach",
            "reaches",
            "reached",
            "higher",
            "exceed",
            "surpasses",
            "tops",
            "clears",
            "more",
            "beats",
        }
        below = words & {"below", "under", "lower", "less"}
        if bool(above) == bool(below) or not set(self.slots.quantities) <= {
            "break_even",
            "acceptance",
            "drafted",
        }:
            return []
        return [self.made("break_even", quantity="acceptance", sign=1 if above else -1)]

    def _of(self) -> list[Claim] | None:
        """``9 of 13 tasks``, ``55 accepted of 119 drafted tokens``, ``3 of the 4 runs``."""
        slots, tokens = self.slots, self.slots.tokens
        figures = [one for one in tokens if one.kind == "figure"]
        if len(figures) != 2 or any(
            one.figure is None or one.figure.unit or one.figure.decimals for one in figures
        ):
            return None
        first, second = tokens.index(figures[0]), tokens.index(figures[1])
        between = [one.text.lower() for one in tokens[first + 1 : second]]
        if not {"of", "out of", "/", "out", "from"} & set(between):
            return None
        few, many = figures[0].value, figures[1].value
        noun = next(
            (str(one.value) for one in tokens[second + 1 : second + 5] if one.kind == "counted"), ""
        )
        noun = noun or next(
            (str(one.value) for one in tokens[first + 1 : second] if one.kind == "counted"), ""
        )
        if noun in ("tasks", "runs", "classes") and slots.relation is not None:
            quantifier = f"{int(few)}/{int(many)}"
            if noun == "runs":
                group = slots.domain or slots.subject
                pool = (
                    group.runs
                    if group is not None and len(group.runs) > 1 and not group.inferred
                    else tuple(run.id for run in self.facts.real if run.predicted_tokens)
                )
                slots.subject = Group(pool, quantifier)
            else:
                names: list[tuple[Place, ...]] = [((None, name),) for name in self.facts.task_names]
                if noun == "classes":
                    names = [((name, None),) for name in self.facts.workloads]
                stated = slots.places
                if (
                    stated is not None
                    and stated.stated
                    and stated.options
                    and stated.options[0][0][0]
                    and noun == "tasks"
                ):
                    own: list[tuple[Place, ...]] = [
                        ((None, task),)
                        for task in self.sentence._tasks(str(stated.options[0][0][0]))
                    ]
                    names = own if len(own) == int(many) else names
                slots.places = Places(tuple(names), quantifier, stated=True)
            slots.figures = []
            if slots.relation.kind == "superlatives":
                return self._extreme(slots.relation)
            return self._relation(slots.relation)
        said = set(slots.quantities)
        if (
            said & {"accepted", "wasted", "acceptance"}
            and said <= {"accepted", "drafted", "wasted", "acceptance"}
            and noun in ("", "tokens")
        ):
            pair = tuple(one.figure for one in figures if one.figure is not None)
            return [
                self.made(
                    "pair", quantity="wasted" if "wasted" in said else "accepted", figures=pair
                )
            ]
        return []

    def _trend(self) -> list[Claim] | None:
        """``from 56 % at max 2 to 36.8 % at max 5``, ``between max 2 and max 3 it grows by 0.6 %``."""
        slots = self.slots
        if slots.start_of is None and slots.start_place is None:
            return None
        if len(slots.figures) == 2:
            quantity = self._inherited(slots.figures[0].figure)
            if not all(_carries(quantity, one.figure) for one in slots.figures):
                return []
            first, second = slots.figures
            begin = self.made("value", quantity=quantity, figures=(first.figure,), bound=first.bound,
                              subject=slots.start_of or slots.subject or Group(),
                              places=slots.start_place or slots.places or Places())  # fmt: skip
            ending = self.made(
                "value", quantity=quantity, figures=(second.figure,), bound=second.bound
            )
            found = [begin, ending]
            if slots.relation is not None and slots.relation.kind in ("changes", "comparatives"):
                sign = self._sign(slots.relation)[1]
                found.append(
                    self.made(
                        "order",
                        quantity=quantity,
                        sign=sign,
                        reference=slots.start_of or slots.subject,
                        other_places=slots.start_place,
                    )
                )
            return found
        if slots.relation is not None and slots.start_of is not None:
            return self._relation(slots.relation)
        return []

    def _sign(self, relation: Token) -> tuple[str, int]:
        """Quantity and direction that a word of relation has."""
        said = str(relation.value)
        for word, sign in (("better", 2), ("worse", -2), ("+", 1), ("-", -1)):
            if said.endswith(word):
                return said.removesuffix(word), sign
        return "", 1

    def _values(self, figures: list[Token]) -> list[Claim]:
        slots = self.slots
        counted = self._numbers(figures)
        if counted is not None:
            return counted
        if not figures or slots.negated:
            return []
        ranged = self._range(figures)
        if ranged is not None:
            return ranged
        pairs = self._distributed(figures)
        found: list[Claim] = []
        for token, subject, places in pairs or []:
            one = self._value(token, subject, places)
            if one is None:
                return []
            found.append(one)
        return found

    def _numbers(self, figures: list[Token]) -> list[Claim] | None:
        """``13 tasks``, ``five configurations``."""
        if len(figures) > 1 or self.slots.any("run"):
            return None
        tokens = self.slots.tokens
        for at, one in enumerate(tokens):
            if (
                one.kind == "figure"
                and one.figure
                and not one.figure.unit
                and not one.figure.decimals
            ):
                noun = next((t for t in tokens[at + 1 : at + 3] if t.kind == "counted"), None)
                if (
                    noun is not None
                    and noun.value in ("tasks", "runs", "repeats")
                    and not self.slots.quantities
                ):
                    if noun.text.lower().startswith(("depth", "method", "mode", "option", "other")):
                        return []
                    if self.slots.any("scope"):
                        return []
                    return [
                        self.made(
                            "counted",
                            quantity=str(noun.value),
                            figures=(one.figure,),
                            bound=one.bound,
                        )
                    ]
        return None

    def _is_range(self) -> bool:
        return [one.figure.role for one in self.slots.figures if one.figure] == ["low", "high"]

    def _range(self, figures: list[Token]) -> list[Claim] | None:
        if len(figures) != 2:
            return None
        ends = [one.figure for one in figures if one.figure is not None]
        between = any(one.text.lower() == "between" for one in self.slots.tokens)
        if not ((ends[0].role == "low" and ends[1].role == "high") or between):
            return None
        quantity = self._inherited(ends[1])
        if not all(_carries(quantity, one) for one in ends):
            return []
        return [
            self.made(
                "range",
                domain=Group(self.sentence.above.pair) if self.sentence.above.pair else None,
                quantity=quantity,
                figures=tuple(ends),
                bound=figures[0].bound or figures[1].bound,
            )
        ]

    def _distributed(self, figures: list[Token]) -> list[tuple[Token, Group | None, Places | None]]:
        """Which figure is of which run and task."""
        slots, tokens = self.slots, self.slots.tokens
        if len(figures) == 1:
            if (
                slots.reference is not None
                and slots.subject is not None
                and not slots.reference.inferred
                and self._ratio_like(figures[0]) is False
            ):
                return []
            return [(figures[0], slots.subject, slots.places)]
        runs = slots.subject.runs if slots.subject is not None else ()
        if len(figures) == 2 and slots.subject is not None and len(runs) == 1:
            marks = tokens[tokens.index(figures[0]) + 1 : tokens.index(figures[1])]
            if any(one.kind in ("references", "run") for one in marks):
                other = self.sentence._reference(slots, slots.subject)
                if other is not None and len(other.runs) == 1:
                    return [
                        (figures[0], slots.subject, slots.places),
                        (figures[1], other, slots.places),
                    ]
                return []
        if len(runs) == len(figures) and not slots.reference:
            return [
                (one, Group((run,)), slots.places) for one, run in zip(figures, runs, strict=True)
            ]
        places = slots.places
        if places is not None and len(places.options) == len(figures) and len(runs) == 1:
            return [(one, slots.subject, Places((option,), stated=True))
                    for one, option in zip(figures, places.options, strict=True)]  # fmt: skip
        if (
            len(figures) == 2
            and len(runs) == 1
            and slots.reference is not None
            and len(slots.reference.runs) == 1
        ):
            return [(figures[0], slots.subject, places), (figures[1], slots.reference, places)]
        return []

    def _ratio_like(self, token: Token) -> bool:
        figure = token.figure
        return figure is not None and (
            figure.unit == "times" or figure.signed or figure.unit == "percent"
        )

    def _value(self, token: Token, subject: Group | None, places: Places | None) -> Claim | None:
        figure = token.figure
        if figure is None or subject is None or not subject.runs:
            if figure is not None and (subject is None or not subject.runs):
                return None
            return None
        common = {
            "subject": subject,
            "places": places or Places(),
            "figures": (figure,),
            "bound": token.bound,
        }
        quantity = self._quantity(figure)
        ratio = figure.unit == "times" or (figure.unit == "percent" and figure.signed)
        if (
            figure.unit == "percent"
            and not ratio
            and quantity in ("", *_SPEED, "time")
            and self.slots.reference is None
        ):
            quantity = quantity or self._inherited(figure)
        if quantity in (
            "speedup",
            "decode_speedup",
            "geomean",
            "cost",
            "time_saved",
        ) and figure.unit in ("times", "", "percent"):
            if quantity in ("speedup", "decode_speedup"):
                return self._ratio(
                    figure,
                    token.bound,
                    "decode" if quantity != "speedup" else "speedup",
                    subject,
                    places,
                    1,
                )
            return self.made("value", quantity=quantity, **common)
        if ratio:
            quantity = quantity or "throughput"
            return self._ratio(figure, token.bound, quantity, subject, places, 1)
        quantity = quantity or self._inherited(figure)
        if not _carries(quantity, figure):
            return None
        return self.made("value", quantity=quantity, **common)

    def _ratio(
        self,
        figure: Figure,
        bound: str,
        quantity: str,
        subject: Group,
        places: Places | None,
        sign: int,
    ) -> Claim | None:
        reference = self.sentence._reference(self.slots, subject)
        if reference is None or not reference.runs:
            return None
        return self.made("ratio", quantity=quantity, subject=subject, reference=reference, sign=sign,
                         places=places or Places(), other_places=self.slots.other_places,
                         figures=(figure,), bound=bound)  # fmt: skip

    def _extreme(self, relation: Token) -> list[Claim]:
        slots = self.slots
        own, sign = self._sign(relation)
        figures = [one for one in slots.figures if one.figure is not None]
        rank = 1
        at = slots.tokens.index(relation)
        if at and slots.tokens[at - 1].text.lower() in ("second", "next"):
            rank = 2
        quantity = self._quantity(figures[0].figure if figures else None)
        if own and quantity not in ("", own, *(_SPEED if own in _SPEED else ())):
            return []
        quantity = quantity or own
        if not quantity and sign in (2, -2):
            quantity = "throughput"
        if not quantity:
            quantity = self._inherited(figures[0].figure if figures else None)
        if not quantity or len(figures) > 1:
            return []
        if figures and not _carries(quantity, figures[0].figure) and figures[0].figure is not None:
            if figures[0].figure.unit == "times" and quantity in _SPEED:
                quantity = "speedup"
            elif quantity in ("throughput", "") and figures[0].figure.unit != "rate":
                return []
            else:
                return []
        explicit = slots.subject is not None and slots.any("run", "positions")
        axis = self._axis(explicit)
        if not axis:
            return []
        subject = slots.subject if explicit or slots.any("pronouns") or not figures else None
        if subject is None and not figures and slots.places is None:
            return []
        if quantity == "speedup":
            quantity = "speedup"
        claim = self.made("extreme", quantity=quantity, sign=sign, rank=rank, axis=axis,
                          subject=subject or Group(), domain=slots.domain,
                          figures=tuple(one.figure for one in figures if one.figure), bound=figures[0].bound if figures else "",
                          degree="")  # fmt: skip
        return [claim]

    def _axis(self, explicit: bool) -> str:
        """What is ranked: runs, or tasks."""
        slots = self.slots
        places = slots.places
        task_named = (
            places is not None
            and places.stated
            and places.options != ((EVERYTHING,),)
            and slots.any("scope")
        )
        if (
            slots.noun == "tasks"
            and task_named
            and not (places is not None and "/" in places.quantifier)
        ):
            return "tasks"
        if slots.noun == "runs" or (explicit and not task_named):
            return "runs"
        if not task_named:
            return "open"
        first = next((one for one in slots.tokens if one.kind == "scope"), None)
        at = slots.tokens.index(first) if first is not None else 0
        prepositional = at > 0 and slots.tokens[at - 1].kind == "prepositions"
        near = slots.tokens[max(0, at - 3) : at]
        if prepositional or any(one.kind == "prepositions" for one in near):
            return "runs" if explicit else "open"
        return "tasks"

    def _relation(self, relation: Token) -> list[Claim]:
        slots = self.slots
        own, sign = self._sign(relation) if relation.kind != "equals" else ("", 1)
        if slots.passive:
            sign = -sign
        if slots.subject is None or not slots.subject.runs:
            return []
        subject = slots.subject
        figure, rest = self._difference_figure(relation)
        stated = self._quantity(
            figure.figure if figure is not None else (rest[0].figure if rest else None)
        )
        if slots.quantities and not stated:
            return []
        quantity = stated
        if own:
            if stated in ("", *_SPEED, "speedup", "decode_speedup") and own == "throughput":
                quantity = {"speedup": "throughput", "decode_speedup": "decode"}.get(
                    stated, stated or own
                )
            elif own == "throughput" and stated == "time":
                quantity = "pace"
            elif stated == "":
                quantity = own
            elif own == "time" and stated == "time":
                quantity = "time"
            elif own == "forward_ms" and stated == "forwards":
                quantity = "forward_ms"
            else:
                return []
        if relation.kind == "pays":
            if stated:
                return []
            quantity = "throughput"
        if not quantity and relation.kind == "beats":
            quantity = "throughput"
        if not quantity and relation.kind == "equals":
            quantity = "throughput" if "fast" in relation.text or "slow" in relation.text else ""
        if not quantity and sign in (2, -2):
            quantity = "throughput"
        if not quantity:
            quantity = self._inherited(figure.figure if figure is not None else None)
        if (
            not quantity
            and figure is not None
            and figure.figure is not None
            and figure.figure.unit in ("rate", "s", "ms")
        ):
            quantity = {"rate": "throughput", "s": "time", "ms": "forward_ms"}[figure.figure.unit]
        if quantity in ("speedup", "decode_speedup"):
            quantity = {"speedup": "throughput", "decode_speedup": "decode"}[quantity]
        if not quantity:
            return []
        reference = (
            self.sentence._reference(slots, subject)
            if slots.other_places is None or slots.reference
            else subject
        )
        if slots.other_places is not None and slots.reference is None:
            reference = subject
        if reference is None or not reference.runs:
            return []
        if sign in (2, -2):
            sign = (1 if sign > 0 else -1) * (
                -1 if quantity in ("time", "wasted", "forward_ms", "cost", "rejected_share") else 1
            )
        common = {
            "quantity": quantity,
            "reference": reference,
            "sign": sign,
            "other_places": slots.other_places,
        }
        found: list[Claim] = []
        if figure is None:
            to = self._changes_to(relation)
            if to is not None:
                claim = self._value(to, subject, slots.places)
                if claim is None:
                    return []
                return [replace(claim, sign=sign, degree="moves")]
            kind: Kind = "equal" if relation.kind == "equals" else "order"
            found.append(self.made(kind, **common))
        else:
            if figure.figure is None or slots.negated or relation.kind == "pays":
                return []
            unit = figure.figure.unit
            if relation.kind == "equals" and unit not in ("times", "percent"):
                return []
            if unit in ("percent", "times"):
                kind = "ratio"
            elif quantity == "acceptance" and unit == "":
                return []
            else:
                kind = "difference"
                if unit == "points" and quantity not in ("acceptance", "break_even"):
                    return []
            if relation.kind == "equals":
                common["sign"] = 1
                if unit == "percent":
                    return []
            found.append(self.made(kind, figures=(figure.figure,), bound=figure.bound, **common))
        if rest:
            values = self._rest(rest, subject, reference)
            if values is None:
                return []
            found += values
        return found

    def _rest(self, rest: list[Token], subject: Group, reference: Group) -> list[Claim] | None:
        slots = self.slots
        found: list[Claim] = []
        owners: list[Group]
        if len(rest) == 1:
            owners = [subject]
        elif len(rest) == 2 and len(subject.runs) == 1 and len(reference.runs) == 1:
            owners = [subject, reference]
        elif len(rest) == len(subject.runs):
            owners = [Group((run,)) for run in subject.runs]
        else:
            return None
        for token, owner in zip(rest, owners, strict=True):
            figure = token.figure
            if figure is None:
                return None
            quantity = self._quantity(figure)
            if figure.unit == "times":
                one = self._ratio(figure, token.bound, "throughput", owner, slots.places, 1)
                if one is None:
                    return None
                found.append(one)
                continue
            quantity = {
                "rate": "throughput" if quantity not in _SPEED else quantity,
                "s": "time",
                "ms": "forward_ms",
            }.get(figure.unit, quantity)
            if not _carries(quantity, figure):
                return None
            found.append(
                self.made(
                    "value", quantity=quantity, subject=owner, figures=(figure,), bound=token.bound
                )
            )
        return found

    def _changes_to(self, relation: Token) -> Token | None:
        tokens = self.slots.tokens
        at = tokens.index(relation)
        after = [one for one in tokens[at + 1 : at + 5] if one.kind not in ("fillers", "degrees")]
        if (
            relation.kind == "changes"
            and len(after) >= 2
            and after[0].text.lower() == "to"
            and after[1].kind == "figure"
        ):
            return after[1]
        return None

    def _difference_figure(self, relation: Token) -> tuple[Token | None, list[Token]]:
        """The figure that says by how much, and the others."""
        tokens, figures = self.slots.tokens, self.slots.figures
        at = tokens.index(relation)
        if self._changes_to(relation) is not None:
            return None, []
        chosen: Token | None = None
        for figure in figures:
            place = tokens.index(figure)
            between = tokens[min(place, at) + 1 : max(place, at)]
            kinds = {one.kind for one in between}
            words = {one.text.lower() for one in between}
            unit = figure.figure.unit if figure.figure else ""
            if place < at:
                if kinds <= {"fillers", "degrees", "prepositions", "quantities"} and (
                    unit or relation.kind == "comparatives"
                ):
                    if relation.kind == "comparatives" and "quantities" in kinds and not unit:
                        continue
                    chosen = figure
            elif relation.kind in ("changes", "beats", "comparatives", "pays"):
                direct = (
                    kinds <= {"fillers", "degrees", "prepositions"}
                    and relation.kind == "changes"
                    and not words & {"at", "to", "with", "from"}
                )
                if (
                    direct
                    or (place and tokens[place - 1].text.lower() == "by")
                    or "by" in words
                    or (unit == "percent" and figure.figure and figure.figure.signed)
                    or (
                        relation.kind == "changes"
                        and unit in ("percent", "points")
                        and not words & {"at", "to"}
                        and not kinds & {"run", "references", "figure"}
                    )
                ):
                    chosen = figure
            elif relation.kind == "equals" and unit == "times":
                chosen = figure
        return chosen, [one for one in figures if one is not chosen]


def _carries(quantity: str, figure: Figure | None) -> bool:
    """Whether a quantity is stated in the figure's unit."""
    if figure is None or not quantity:
        return False
    shares = ("acceptance", "break_even", "rejected_share", "time_saved")
    if figure.unit == "percent":
        return quantity in shares
    if figure.unit == "points":
        return False
    if quantity in shares:
        return figure.unit == "" and figure.decimals > 0 and 0 <= figure.value <= 1
    if quantity in _SPEED and figure.unit == "" and not figure.decimals:
        return False
    units = {"throughput": ("rate", ""), "effective": ("rate", ""), "decode": ("rate", ""),
             "time": ("s",), "forward_ms": ("ms", ""), "length": ("",), "cost": ("", "times"),
             "geomean": ("times", ""), "speedup": ("times", "")}  # fmt: skip
    if quantity in ("drafted", "accepted", "wasted", "predicted", "forwards", "requests"):
        return figure.unit == "" and not figure.decimals
    return figure.unit in units.get(quantity, ())
