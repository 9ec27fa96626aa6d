"""Who is who in a clause: whom is it about, what is that held against, on which tasks?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from analysis.cards.facts import Facts, RunFacts
from analysis.checking.clauses import RELATIONS
from analysis.checking.tokens import Token

__all__ = ["EVERYTHING", "Group", "Parts", "Place", "Places", "parts_of"]

Place = tuple[str | None, str | None]
"""Workload and task, of which one is null, or both for everything."""
EVERYTHING: Place = (None, None)
_REST = ("others", "the rest", "rest", "anything", "else", "other")
_BEFORE = ("fillers", "prepositions", "pronouns", "quantities", "counted")


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
    """Tasks and classes, each with what else its words may mean, and of how many it is said.

    `each` says that it is a number of tasks, not tasks by their names.
    """

    options: tuple[tuple[Place, ...], ...] = ((EVERYTHING,),)
    quantifier: str = ""
    stated: bool = False
    each: bool = False


@dataclass
class Parts:
    """The parts of a clause; `why` says what is not understood, `meant` its quantity in the end."""

    tokens: list[Token]
    subject: Group | None = None
    reference: Group | None = None
    start: Group | None = None
    domain: Group | None = None
    places: Places | None = None
    other_places: Places | None = None
    start_places: Places | None = None
    quantities: tuple[str, ...] = ()
    relation: Token | None = None
    figures: list[Token] = field(default_factory=list)
    noun: str = ""
    negated: bool = False
    degree: str = ""
    passive: bool = False
    why: str = ""
    sure: bool = True
    meant: str = ""

    def has(self, *kinds: str) -> bool:
        """Whether it has a token of a kind."""
        return any(token.kind in kinds for token in self.tokens)


@dataclass(frozen=True)
class _Named:
    """A name with the quantifier before it."""

    at: int
    token: Token
    quantifier: str = ""


def parts_of(tokens: list[Token], facts: Facts, before: Sequence[str]) -> Parts:
    """The parts of a clause.

    Parameters
    ----------
    tokens
        Of the clause.
    facts
        Of the campaign.
    before
        Runs named before, the last one last: "the former" and "the latter" are two of them.
    """
    return _Roles(tokens, facts, before).parts


class _Roles:
    """Goes over the tokens once, knowing which part a name here would have."""

    def __init__(self, tokens: list[Token], facts: Facts, before: Sequence[str]) -> None:
        self.tokens, self.facts, self.named_before = tokens, facts, before
        self.parts = _bare(tokens)
        self.runs: dict[str, list[_Named]] = {}
        self.places: dict[str, list[_Named]] = {}
        self.role = "subject"
        self.quantifier = ""
        for at, token in enumerate(tokens):
            self._token(at, token)
        self._assign()
        self._place()

    def _token(self, at: int, token: Token) -> None:
        kind = token.kind
        if kind in ("references", "equals") or (kind == "beats" and token is self.parts.relation):
            self.parts.passive = kind == "beats" and self._text(at + 1) == "by"
            self.role = "reference"
        elif kind == "break":
            self.role = "subject"
        elif kind == "prepositions":
            self._preposition(at, token.text.lower())
        elif kind == "quantifiers":
            self.quantifier = str(token.value)
        elif kind == "figure":
            self._figure(at, token)
        elif kind in ("run", "positions"):
            self._run(at, token)
        elif kind == "scope":
            self._scope(at, token)
        elif kind == "counted":
            self._counted(at, token)
        elif kind == "whole":
            self.places.setdefault("whole", []).append(_Named(at, token))
        elif kind in ("states", "comparatives", "changes", "superlatives") and self.role in (
            "among",
            "to",
        ):
            self.role = "subject"

    def _text(self, at: int) -> str:
        return self.tokens[at].text.lower() if 0 <= at < len(self.tokens) else ""

    def _preposition(self, at: int, word: str) -> None:
        superlative = self.parts.relation is not None and self.parts.relation.kind == "superlatives"
        if word == "from":
            if any(one.text.lower() == "to" for one in self.tokens[at + 1 : at + 12]):
                self.role = "from"
        elif word == "to" and self.role == "from":
            self.role = "to" if self.runs.get("from") or self.places.get("from") else "subject"
        elif word in ("among", "amongst", "between", "out of") or (
            word == "of" and superlative and self.role != "reference"
        ):
            self.role = "among"
        elif word == "per":
            self.quantifier = "all"
        elif (self.role == "among" and word != "of") or (
            self.role == "reference" and self.runs.get("reference")
        ):
            self.role = "subject"

    def _figure(self, at: int, token: Token) -> None:
        figure = token.figure
        if figure is None:
            return
        if figure.unit == "times" and self._run_behind(at):
            self.role = "reference"
        elif not figure.unit and not figure.decimals and self._counts(at):
            self.quantifier = self.quantifier or f"={int(figure.value)}"
            self.parts.figures = [one for one in self.parts.figures if one is not token]

    def _run_behind(self, at: int) -> bool:
        """``2.33 times the baseline's``, ``1.2x the throughput of max 3``."""
        for one in self.tokens[at + 1 : at + 6]:
            if one.kind in ("run", "positions"):
                return True
            if one.kind not in _BEFORE or one.text.lower() in ("with", "on", "at", "for", "in"):
                return False
        return False

    def _counts(self, at: int) -> bool:
        """Whether a number counts runs or tasks: ``all three depths``, ``of the four``."""
        for one in self.tokens[at + 1 : at + 4]:
            if one.kind == "counted":
                return one.value in ("runs", "tasks", "classes")
            if one.kind == "run":
                return len(one.value) > 1
            if one.kind not in ("fillers", "prepositions", "scope") or one.text.lower() == "with":
                break
        after = self.tokens[at + 1].kind if at + 1 < len(self.tokens) else "conjunctions"
        ends = after in ("prepositions", "conjunctions")
        return ends and self._text(at - 1) == "the" and self._text(at - 2) in ("of", "all", "among")

    def _run(self, at: int, token: Token) -> None:
        one = token if token.kind == "run" else self._by_place(token)
        if one is not None:
            self.runs.setdefault(self.role, []).append(_Named(at, one, self.quantifier))
            self.quantifier = ""

    def _by_place(self, token: Token) -> Token | None:
        if token.value in ("former", "latter"):
            pair = list(dict.fromkeys(self.named_before))[-2:]
            if len(pair) == 2:
                return replace(token, kind="run", value=(pair[token.value == "latter"],))
            self.parts.why = self.parts.why or f'nobody knows who "{token.text}" is'
            return None
        named = [run for one in self.tokens if one.kind == "run" for run in one.value]
        pool = [self.facts.by_id[run] for run in named] or list(self.facts.drafting)
        known = [run for run in pool if run.n_max is not None]
        if len({run.spec_type for run in known}) != 1:
            self.parts.why = self.parts.why or "it does not say of which method"
            return None
        chosen = max(known, key=_depth) if token.value == "deepest" else min(known, key=_depth)
        return replace(token, kind="run", value=(chosen.id,))

    def _scope(self, at: int, token: Token) -> None:
        role = self.role if self.role in ("from", "to") else "subject"
        led = at > 0 and self.tokens[at - 1].kind in ("prepositions", "references")
        if self.role == "reference" and not self.runs.get("reference") and led:
            role = "reference"
        self.places.setdefault(role, []).append(_Named(at, token, self.quantifier))
        self.quantifier = ""
        if not any(self._measured(place) for place in token.value):
            self.parts.why = self.parts.why or "no such task was measured"

    def _measured(self, place: Place) -> bool:
        return place[1] in self.facts.task_names if place[1] else place[0] in self.facts.workloads

    def _counted(self, at: int, token: Token) -> None:
        self.parts.noun = self.parts.noun or str(token.value)
        if token.value == "runs":
            self._counted_runs(at, token)
        elif token.value in ("tasks", "classes") and self.quantifier:
            self._counted_places(at, token)

    def _counted_runs(self, at: int, token: Token) -> None:
        if any(one.kind == "run" and one.group for one in self.tokens[at + 1 : at + 4]):
            return  # the quantifier is that of the name behind: "no depth of DSpark"
        named = any(one.kind == "run" for one in self.tokens[max(0, at - 2) : at])
        rest = self.role == "reference" and token.text.lower() in _REST
        if not named and (self.quantifier or rest):
            whole = tuple(run.id for run in self.facts.real if run.predicted_tokens)
            one = replace(token, kind="run", value=whole, group=True)
            self.runs.setdefault(self.role, []).append(_Named(at, one, self.quantifier or "all"))
        self.quantifier = ""

    def _counted_places(self, at: int, token: Token) -> None:
        scopes = [one for one in self.tokens[max(0, at - 2) : at] if one.kind == "scope"]
        names: list[Place] = [(None, task) for task in self.facts.task_names]
        if token.value == "classes":
            names = [(name, None) for name in self.facts.workloads]
        elif scopes:
            names = self._tasks_in(scopes[0])
            self.places["subject"] = [
                one for one in self.places.get("subject", []) if one.token is not scopes[0]
            ]
        many = replace(token, kind="many", value=tuple((name,) for name in names))
        self.places.setdefault("subject", []).append(_Named(at, many, self.quantifier))
        self.quantifier = ""

    def _tasks_in(self, scope: Token) -> list[Place]:
        classes = {place[0] for place in scope.value if place[0]}
        rows = (str(row.task) for row in self.facts.tasks if row.workload in classes)
        return [(None, task) for task in dict.fromkeys(rows)]

    # ---- what it comes to

    def _assign(self) -> None:
        parts, plain = self.parts, self.runs.get("subject", [])
        if len(plain) > 1 and not self._listed(plain):
            plain = self._one_of(plain)
        parts.subject = _group(plain)
        parts.reference = _group(self.runs.get("reference", []))
        among = _group(self.runs.get("among", []))
        if among is not None:
            self._among(among)
        parts.start = _group(self.runs.get("from", [])) or parts.start
        parts.subject = _group(self.runs.get("to", [])) or parts.subject

    def _one_of(self, plain: list[_Named]) -> list[_Named]:
        """Of several names in one clause, the one that it is about."""
        parts = self.parts
        wide = max(plain, key=lambda one: len(one.token.value))
        rest = [one for one in plain if one is not wide]
        runs = set(wide.token.value)
        if len(runs) > 1 and all(set(one.token.value) <= runs for one in rest):
            # "DSpark's fastest depth is max 3", "no setting with DFlash".
            parts.domain = _group([wide])
            return [replace(one, quantifier=one.quantifier or wide.quantifier) for one in rest]
        if all(one.token.value == wide.token.value for one in plain):
            return plain[:1]
        compared = parts.relation is not None and parts.relation.kind in ("comparatives", "changes")
        if (compared and not self.runs.get("reference")) or len(plain) != len(parts.figures):
            parts.why = parts.why or "several runs, and nothing says which is meant"
        return plain

    def _listed(self, named: Sequence[_Named]) -> bool:
        """Whether names stand side by side: ``max 2, max 3 and DFlash``."""
        for first, second in pairwise(named):
            between = {one.kind for one in self.tokens[first.at + 1 : second.at]}
            if not between <= {"conjunctions", "fillers", "quantifiers", "counted"}:
                return False
            if "conjunctions" not in between:
                return False
        return True

    def _among(self, among: Group) -> None:
        if len(self.runs["among"]) > len(among.runs):
            self.parts.why = self.parts.why or "it names the same run twice"
        parts, kind = self.parts, self.parts.relation.kind if self.parts.relation else ""
        if kind == "superlatives" and (parts.subject is not None or len(among.runs) > 1):
            parts.domain = among
        elif kind == "comparatives" and parts.subject is not None and parts.reference is None:
            parts.domain = among
            parts.reference = replace(among.without(parts.subject), quantifier="all")
        elif parts.subject is None and len(among.runs) == 2 and kind:
            parts.start, parts.subject = Group(among.runs[:1]), Group(among.runs[1:])
        elif parts.subject is None:
            parts.subject = among

    def _place(self) -> None:
        parts = self.parts
        parts.places = self._made(self.places.get("subject") or self.places.get("to", []))
        parts.other_places = self._made(self.places.get("reference", []))
        parts.start_places = self._made(self.places.get("from", []))
        if parts.places is None and self.places.get("whole"):
            parts.places = Places(stated=True)

    def _made(self, entries: Sequence[_Named]) -> Places | None:
        if not entries:
            return None
        options: list[tuple[Place, ...]] = []
        for one in entries:
            if one.token.kind == "many":
                options += list(one.token.value)
            elif one.quantifier in ("all", "none", "most", "some") and one.token.value[0][0]:
                options += [(task,) for task in self._tasks_in(one.token)]
            else:
                options.append(one.token.value)
        said = next((one.quantifier for one in entries if one.quantifier), "")
        each = any(one.token.kind == "many" for one in entries)
        return Places(tuple(dict.fromkeys(options)), said or "all", stated=True, each=each)


def _depth(run: RunFacts) -> int:
    return run.n_max or 0


def _group(entries: Sequence[_Named]) -> Group | None:
    if not entries:
        return None
    runs = tuple(dict.fromkeys(run for one in entries for run in one.token.value))
    said = next((one.quantifier for one in entries if one.quantifier), "")
    if said.startswith("=") and len(runs) == 1:
        said = ""  # "the one to use of 4 configurations"
    return Group(runs, said or ("all" if len(entries) > 1 else ""))


def _bare(tokens: list[Token]) -> Parts:
    """What a clause's tokens say one by one."""
    relations = [one for one in tokens if one.kind in RELATIONS]
    strong = [one for one in relations if one.kind != "equals"] or relations
    nouns = _values(tokens, "quantities")
    actions = _values(tokens, "actions")
    if nouns - actions:
        # "needs 535 more drafted tokens", "generates fewer drafts": the noun says of what.
        actions &= {"accepted", "wasted", "drafted"}
    parts = Parts(
        tokens,
        quantities=tuple(sorted(nouns | actions)),
        relation=strong[0] if len(strong) == 1 else None,
        figures=[one for one in tokens if one.kind == "figure"],
        negated=sum(one.kind == "negations" for one in tokens) % 2 == 1,
        degree=next((str(one.value) for one in tokens if one.kind == "degrees"), ""),
    )
    for one in tokens:
        if one.kind == "unknown":
            parts.why = parts.why or f'"{one.text}" is not understood'
        elif one.kind in ("hedges", "estimates"):
            parts.why = parts.why or f'"{one.text}" is no statement of what was measured'
        elif one.kind == "run" and not one.value:
            parts.why = parts.why or "it names a run that this campaign does not have"
    if len(strong) > 1:
        parts.why = parts.why or "several relations in one clause"
    return parts


def _values(tokens: Iterable[Token], kind: str) -> set[str]:
    return {str(one.value) for one in tokens if one.kind == kind}
