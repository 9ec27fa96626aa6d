"""Does a claim hold? It is held against every quantity that its words may mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

from analysis.checking.book import Book, Scope, spoken
from analysis.checking.claim import EVERYTHING, Claim, Place
from analysis.checking.completions import completions
from analysis.checking.figures import agrees
from analysis.checking.quantities import QUANTITIES, SPEED
from analysis.checking.verdict import Status, Verdict
from analysis.checking.vocabulary import vocabulary
from analysis.checking.weighing import (
    CLOSE,
    NOISE,
    Amount,
    Meaning,
    Truth,
    counted,
    in_unit,
    stated,
    weighed,
)

__all__ = ["Judge"]

CONVENTION = 0.025
"""How far another convention may lead off: n or n - 1 tokens, or a mean of rates."""
LOSS = 0.10
"""What is slower by more than this than what is advised is no matter of taste."""
KINDS = {kind: frozenset(names) for kind, names in vocabulary()["column_kinds"].items()}
AMBIGUOUS = 64
"""So many of what the names of places may mean together are looked at."""
Test = Callable[[Scope, int], Meaning | None]
Meanings = Iterator[Meaning | None]
"""What the words may mean, each held against the data; null where it has no such figure."""


class Judge:
    """Holds claims against a campaign's figures."""

    def __init__(self, book: Book) -> None:
        self.book, self.facts = book, book.facts
        self.real = tuple(run.id for run in self.facts.real if run.predicted_tokens)
        self.drafting = tuple(run.id for run in self.facts.drafting)
        self.plain = self.facts.baseline.id if self.facts.baseline else ""

    def __call__(self, claim: Claim, verdict: Verdict) -> Verdict:
        """A verdict with what was found out about its claim.

        With a figure, one meaning for which it is right is enough; without one a claim must hold
        for all. It differs where nothing that it may mean fits, of what it leaves out either.
        """
        if claim.kind in ("unread", "condition"):
            states: dict[bool | None, Status] = {True: "verified", False: "differs", None: "untied"}
            return replace(verdict, status=states[claim.holds], says=claim.why)
        found = self._meanings(claim)
        if not found:
            return replace(verdict, says="the data has no such figure")
        truths, status = [one.truth for one in found], verdict.status
        if all(truths) or (claim.figures and True in truths):
            status = "verified"
        elif claim.sure and set(truths) == {False}:
            # Other things in the place of what it leaves out may fit.
            others = completions(claim, self.facts) if verdict.kind == "sentence" else ()
            fits = (one.truth is not False for other in others for one in self._meanings(other))
            status = "untied" if any(fits) else "differs"
        shown = next((one for one in found if one.truth is (status == "verified")), found[0])
        digits = claim.figures[0].decimals + 1 if claim.figures else 1
        value = None if shown.value is None else f"{shown.value:.{digits}f}".removesuffix(".0")
        source = self.book.source(shown.scopes) or None
        return replace(verdict, status=status, says=shown.says, recomputed=value, source=source)

    def _meanings(self, claim: Claim) -> list[Meaning]:
        kinds = {"value": self._value, "extreme": self._extreme, "advice": self._advice}
        return [*filter(None, kinds.get(claim.kind, self._compare)(claim))]

    def _over(self, claim: Claim, test: Test) -> Meanings:
        """Hold a test against every run and place, and count as the quantifiers say."""
        subject, said = claim.subject, claim.places.quantifier or "all"
        said = "some" if (subject.quantifier, said) == ("none", "any") else said
        indices = range(len(QUANTITIES[claim.quantity].columns))
        for index, places in product(indices, islice(product(*claim.places.options), AMBIGUOUS)):
            mine = _each(test, subject.runs, index, places, said)
            if subject.quantifier != "only":
                yield counted(mine, subject.quantifier, group=len(mine) > 1)
                continue
            # Of all the others it must not hold, or of those of its method.
            taken = (*subject.runs, *claim.reference.runs)
            every = claim.domain.runs if claim.domain else self.drafting
            rest = [run for run in every if run not in taken]
            methods = {self.facts.by_id[run].spec_type for run in taken}
            own = [run for run in rest if self.facts.by_id[run].spec_type in methods]
            for others in filter(None, (rest, own)):
                yield counted(
                    [*mine, counted(_each(test, others, index, places, said), "none")], "all"
                )

    # ---- values

    def _value(self, claim: Claim) -> Meanings:
        """``X reaches 133.9 tok/s``, ``X accepted 55 of 119 drafted tokens``."""

        def test(scope: Scope, index: int) -> Meaning | None:
            known = self.book.meaning(claim.quantity, index, scope)
            if known is None or known[0] == "time_per_token":  # times are stated as they were
                return None
            truth, value = self._states(claim, scope, *known)
            for whole in claim.figures[1:]:
                drafted = self.book.get("draft_tokens", scope)
                truth = truth and drafted is not None and agrees(whole, drafted)
            return Meaning(truth, f"{spoken(known[0])} of {self.book.name(scope)}", value, (scope,))

        # "DSpark reaches 94 %": some depth of it, on some task.
        open_ = len(claim.subject.runs) > 1 and not claim.subject.quantifier
        for one in self._over(claim, test):
            yield replace(one, truth=None) if one and open_ and not one.truth else one
        scopes = _scopes(claim.subject.runs, [option[0] for option in claim.places.options])
        known = [self.book.meaning(claim.quantity, 0, scope) for scope in scopes]
        if QUANTITIES[claim.quantity].unit in ("count", "s") and len(known) > 1:
            # What counts or lasts may be of all that is named, added up.
            total = sum(value for _, value in filter(None, known))
            if None not in known and agrees(claim.figures[0], total, claim.bound):
                says = f"{spoken(QUANTITIES[claim.quantity].columns[0])} of {len(scopes)} together"
                yield Meaning(True, says, total, tuple(scopes[:6]))

    def _states(
        self, claim: Claim, scope: Scope, column: str, value: float
    ) -> tuple[Truth, float | None]:
        """Whether the claim's figure states a value, or one that another convention gives."""
        figure, shown = claim.figures[0], in_unit(value, claim)
        source, _, key = column.partition(" ")
        # "Clears its break-even of 5 %"; that the draft before was accepted is seldom said.
        cleared = claim.quantity == "break_even" and claim.bound in ("gt", "lt")
        vouches, slack = source != "conditional" and not cleared, 0.0
        if key and vouches:
            end = self.book.get(f"{'low' if figure.value < shown else 'high'} {key}", scope)
            slack = 0.0 if end is None else abs(in_unit(end, claim) - shown)
        elif column in KINDS["numbers"]:
            slack = max(0.0, value - figure.value)  # it may be of some of them only
        elif column in KINDS["conventional"]:
            # A rate that a log states has one decimal, and no other convention.
            logged = scope.task is not None and abs(10 * value - round(10 * value)) < 1e-6
            slack = 0.0 if logged else CONVENTION * abs(shown)
        return stated(claim, [Amount(shown, slack, vouches)])

    # ---- comparisons

    def _compare(self, claim: Claim) -> Meanings:
        """Every subject's quantity against every reference's."""
        reference, places = claim.reference, claim.other_places
        if claim.kind == "difference" and claim.figures[0].unit == "s":
            # Who is faster by 2.61 s takes less.
            sign = -claim.sign if claim.quantity in SPEED else claim.sign
            claim = replace(claim, quantity="time", sign=sign)

        def test(scope: Scope, index: int) -> Meaning | None:
            others = [replace(scope, run=run) for run in reference.runs]
            if places is not None:
                runs = reference.runs if reference.runs != claim.subject.runs else (scope.run,)
                others = _scopes(runs, [option[0] for option in places.options])
            results = [self._pair(claim, index, scope, one) for one in others if one != scope]
            return counted(results, reference.quantifier, group=len(results) > 1)

        return self._over(claim, test)

    def _pair(self, claim: Claim, index: int, *scopes: Scope) -> Meaning | None:
        known = [self.book.meaning(claim.quantity, index, scope) for scope in scopes]
        runs = {scope.run: self.facts.by_id[scope.run] for scope in scopes}
        if None in known:
            return None
        (column, first), (_, second) = filter(None, known)
        says = f"{spoken(column)} of {' against '.join(map(self.book.name, scopes))}"
        if column in KINDS["speeds"] and len(runs) > 1:
            if any(run.aside for run in runs.values()):
                return Meaning(None, "speeds of runs that can't be compared", None, scopes)
            ends = [(run.speedup_low or 1, run.speedup_high or 1) for run in runs.values()]
            whole = claim.kind == "order" and self.plain in runs and scopes[0].whole
            if whole and any(low < 1 < high for low, high in ends):
                says += ", as measured: it may be noise"
        truth, value = weighed(claim, first, second)
        return Meaning(truth, says, value, scopes)

    # ---- extremes

    def _extreme(self, claim: Claim) -> Meanings:
        """``X is the fastest``, ``the highest acceptance is 97.1 %``."""
        axes = ("runs", "tasks", "both") if claim.axis == "open" else (claim.axis,)
        for runs, axis, index in product(self._domains(claim), axes, range(2)):
            results = [self._best(claim, index, *pool) for pool in self._pools(claim, runs, axis)]
            said = claim.places.quantifier if axis == "runs" else claim.subject.quantifier
            yield from results if axis == "both" else [counted(results, said or "all")]

    def _domains(self, claim: Claim) -> list[tuple[str, ...]]:
        """The runs that one may be the first of."""
        subject, domain = claim.subject.runs, claim.domain
        if domain is not None and (len(domain.runs) > 1 or (domain.runs and claim.axis == "both")):
            return [tuple(dict.fromkeys((*domain.runs, *subject)))]
        if "drafts" in QUANTITIES[claim.quantity].flags:
            return [self.drafting]
        return [self.real] if self.plain in subject else [self.real, self.drafting]

    def _pools(
        self, claim: Claim, runs: Sequence[str], axis: str
    ) -> Iterator[tuple[list[Scope], list[Scope]]]:
        """What is ranked, and which of it is said to be first."""
        subject, named = claim.subject.runs, [option[0] for option in claim.places.options]
        if axis == "runs":
            yield from ((_scopes(runs, [at]), _scopes(subject, [at])) for at in named)
            return
        named = named if claim.places.stated and named != [EVERYTHING] else []
        mine = [place for place in named if place[1]]
        # "Of the code tasks, code_python is the slowest"
        rivals = [task for name in {place[0]: 0 for place in named if place[0]} or [None]
                  for task in self._tasks(name)]  # fmt: skip
        classes: list[Place] = [(name, None) for name in self.facts.workloads]
        if named and not mine:
            mine, rivals = named, classes
        if axis == "tasks":
            for own in [subject] if subject else [(run,) for run in runs]:
                yield _scopes(own, rivals), _scopes(own, mine)
        elif claim.domain is None or subject:
            yield _scopes(runs, rivals), _scopes(subject or runs, mine or rivals * bool(subject))
        else:
            # "up to 94 %", "between 11 and 14 % on creative text": of the class, or of its tasks.
            wholes = named or claim.places.options[0]
            wheres = [named] if named else [[place] for place in wholes]
            wheres += [self._tasks(name) for name, task in wholes if task is None]
            wheres += [classes] if EVERYTHING in wholes else []
            yield from ((_scopes(runs, where), []) for where in wheres)

    def _tasks(self, workload: str | None) -> list[Place]:
        own = self.book.workload_of.items()
        return [(None, task) for task, name in own if workload in (None, name)]

    def _best(
        self, claim: Claim, index: int, pool: list[Scope], mine: list[Scope]
    ) -> Meaning | None:
        """Whether the extreme of a pool is one of some scopes, and has the stated figure."""
        known = [(self.book.meaning(claim.quantity, index, scope), scope) for scope in pool]
        ranked = [(claim.sign * one[1], one[0], scope) for one, scope in known if one is not None]
        ranked.sort(key=lambda item: -item[0])
        own = [item for item in ranked if item[2] in mine]
        few = 1 if claim.axis == "both" else max(2, claim.rank)
        if len(ranked) < few or (mine and not own) or not (mine or claim.figures):
            return None
        if len(own) == len(ranked):
            return Meaning(None, "that the first of all is one of all of them says nothing")
        best, column, scope = ranked[claim.rank - 1]
        off = abs(best - own[0][0]) if own else 0.0
        near = off <= (CLOSE if column in KINDS["speeds"] else NOISE) * abs(best)
        truth, value = None if near and off else near != claim.negated, None
        if claim.figures:
            right, value = self._states(claim, scope, column, claim.sign * best)
            truth = right if truth and not claim.negated else truth
        word = "most" if claim.sign > 0 else "least"
        says = f"{word} {spoken(column)} of {len(ranked)}: {self.book.name(scope)}"
        return Meaning(truth, says, value, (scope,))

    # ---- advice

    def _advice(self, claim: Claim) -> Meanings:
        """Whether the data advise a claim's runs for its tasks; of a method one depth is enough."""

        def test(scope: Scope, _: int) -> Meaning:
            # A setting's rivals are those of its method; those of none are all.
            method = self.facts.by_id[scope.run].spec_type if scope.run != self.plain else None
            rivals = [run.id for run in self.facts.drafting if method in (None, run.spec_type)]
            rates = [
                self.book.get("decode_tps", replace(scope, run=run))
                for run in (scope.run, self.plain, *rivals)
            ]
            best = max(filter(None, rates), default=0.0)
            advised = self.book.advised(scope)
            truth = True if scope.run in advised else None
            if truth is None and rates[0] is not None and rates[0] < (1 - LOSS) * best:
                truth = False
            names = ", ".join(self.facts.by_id[run].label for run in advised) or "nothing"
            says = f"advice; measured as the best there: {names}"
            return Meaning(truth if truth is None else truth != claim.negated, says, None, (scope,))

        said = replace(claim.subject, quantifier="all" if claim.negated else "some")
        claim = replace(claim, quantity="decode", subject=said)
        wheres = (replace(claim.places, options=(one[:1],)) for one in claim.places.options)
        found = [next(self._over(replace(claim, places=where), test)) for where in wheres]
        truths = {one.truth for one in found if one is not None}
        for one in found[:1]:
            # For one task it may be right, and wrong for another.
            yield one and replace(one, truth=truths.pop() if len(truths) == 1 else None)


def _each(
    test: Test, runs: Iterable[str], index: int, places: Sequence[Place], quantifier: str
) -> list[Meaning | None]:
    """For each run what a test over the places comes to."""
    found = [[test(scope, index) for scope in _scopes([run], places)] for run in runs]
    return [counted(results, quantifier) for results in found]


def _scopes(runs: Iterable[str], places: Iterable[Place]) -> list[Scope]:
    return [Scope(run, *place) for run in runs for place in places]
