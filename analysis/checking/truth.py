"""Does a claim hold? It is held against every quantity that its words may mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from analysis.checking.advice import follows
from analysis.checking.book import Book, Scope, spoken
from analysis.checking.claim import EVERYTHING, Claim, Place
from analysis.checking.completions import completions
from analysis.checking.figures import agrees
from analysis.checking.quantities import QUANTITIES
from analysis.checking.verdict import Status, Verdict
from analysis.checking.weighing import CLOSE, NOISE, Meaning, Truth, counted, in_unit, weighed

__all__ = ["Judge"]

CONVENTION = 0.025
"""How far another convention may lead off: n or n - 1 tokens, or a mean of rates."""
CONVENTIONAL = ("decode_tps", "decode_s", "ms_per_forward", "mean_accepted_length",
                "step_cost_ratio", "break_even_acceptance", "decode_speedup", "speedup",
                "geomean_task_speedup")  # fmt: skip
SPEEDS = ("effective_tps", "decode_tps", "1/wall_s", "wall_s", "decode_s", "speedup",
          "decode_speedup")  # fmt: skip
NUMBERS = ("n_tasks", "n_runs", "n_real", "n_drafting")
AMBIGUOUS = 4
Test = Callable[[Scope, int], Meaning | None]


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
        for all. It differs where no meaning fits, and nothing in it was guessed.
        """
        if claim.kind in ("unread", "condition"):
            states: dict[bool | None, Status] = {True: "verified", False: "differs", None: "untied"}
            return replace(verdict, status=states[claim.holds], says=claim.why)
        readings = self._readings(claim)
        if not readings:
            return replace(verdict, says="the data has no such figure")
        truths = [one.truth for one in readings]
        status: Status = "untied"
        if all(truths) or (claim.figures and True in truths):
            status = "verified"
        elif claim.sure and not any(truth is not False for truth in truths):
            said = verdict.kind == "sentence" and self._elsewhere(claim)
            status = "untied" if said else "differs"
        shown = next((one for one in readings if one.truth is (status == "verified")), readings[0])
        decimals = claim.figures[0].decimals if claim.figures else 0
        whole = shown.value is not None and shown.value == int(shown.value) and not decimals
        found = None if shown.value is None else f"{shown.value:.{0 if whole else decimals + 1}f}"
        source = self.book.source(shown.scopes) or None
        return replace(verdict, status=status, says=shown.says, recomputed=found, source=source)

    def _readings(self, claim: Claim) -> list[Meaning]:
        kinds = {"value": self._value, "extreme": self._extreme, "advice": self._advice}
        return [one for one in kinds.get(claim.kind, self._compare)(claim) if one.says]

    def _elsewhere(self, claim: Claim) -> bool:
        """Whether it names no place, and its figure is that of one to the last digit."""
        return any(
            one.truth is not False
            for other in completions(claim, self.facts)
            for one in self._readings(other)
        )

    def _over(self, claim: Claim, test: Test) -> Iterator[Meaning]:
        """Hold a test against every run and place, and count as the quantifiers say."""
        options, quantifier = claim.places.options, claim.places.quantifier or "all"
        picks: Iterable[tuple[Place, ...]] = [tuple(option[0] for option in options)]
        if sum(len(option) > 1 for option in options) <= AMBIGUOUS:
            picks = list(product(*options))
        quantity, runs = QUANTITIES[claim.quantity], claim.subject.runs
        if len(runs) > 1 and "drafts" in quantity.flags:
            runs = tuple(run for run in runs if self.facts.by_id[run].drafts)
        said, group = claim.subject.quantifier, len(claim.subject.runs) > 1
        if said == "none" and quantifier == "any":
            quantifier = "some"
        for index, pick in product(range(len(quantity.columns)), picks):
            by_run = [
                counted([test(Scope(run, *place), index) for place in pick], quantifier)
                for run in runs
            ]
            if said == "only":
                # Of the others it must not hold.
                every = claim.domain.runs if claim.domain else self.drafting
                taken = {*runs, *claim.reference.runs}
                for run in (run for run in every if run not in taken):
                    other = counted([test(Scope(run, *place), index) for place in pick], quantifier)
                    turned = None if other.truth is None else not other.truth
                    if turned is False and self._method(run) not in map(self._method, taken):
                        turned = None  # "only max 3", of its method
                    by_run.append(replace(other, truth=turned))
            yield counted(by_run, said, group=group)

    def _method(self, run: str) -> str | None:
        return self.facts.by_id[run].spec_type

    # ---- values

    def _value(self, claim: Claim) -> Iterator[Meaning]:
        """``X reaches 133.9 tok/s``, ``X accepted 55 of 119 drafted tokens``."""

        def test(scope: Scope, index: int) -> Meaning | None:
            known = self.book.meaning(claim.quantity, index, scope)
            if known is None or known[0] == "s_per_token":  # times are stated as they were
                return None
            says = f"{spoken(known[0])} of {self.book.name(scope)}"
            truth = self._states(claim, scope, *known)
            for whole in claim.figures[1:]:
                drafted = self.book.get("draft_tokens", scope)
                truth = truth and drafted is not None and agrees(whole, drafted)
            return Meaning(truth, says, in_unit(known[1], claim), (scope,))

        scopes = _scopes(claim.subject.runs, [option[0] for option in claim.places.options])
        if QUANTITIES[claim.quantity].unit in ("count", "s") and len(scopes) > 1:
            # What counts or lasts may be of all that is named, added up.
            known = [self.book.meaning(claim.quantity, 0, scope) for scope in scopes]
            total = sum(one[1] for one in known if one is not None)
            if None not in known and agrees(claim.figures[0], total, claim.bound):
                says = f"{spoken(known[0][0] if known[0] else '')} of {len(scopes)} together"
                yield Meaning(True, says, total, tuple(scopes[:6]))
        # "DSpark reaches 94 %": some depth of it, on some task.
        open_ = len(claim.subject.runs) > 1 and not claim.subject.quantifier
        for one in self._over(claim, test):
            yield replace(one, truth=None) if open_ and not one.truth else one

    def _states(self, claim: Claim, scope: Scope, column: str, value: float) -> Truth:
        """Whether the claim's figure states a value, or one that another convention gives."""
        figure = claim.figures[0]
        shown = in_unit(value, claim)
        truth = agrees(figure, shown, claim.bound)
        if " survival " in column:
            source, _, key = column.partition(" ")
            ends = [self.book.get(f"{end} {key}", scope) or 0.0 for end in ("low", "high")]
            low, high = (in_unit(end, claim) for end in ends)
            within = low <= figure.value <= high and not truth
            # That the one before was accepted is seldom said.
            if source == "conditional":
                return None if truth else False
            return None if within else truth
        if claim.quantity == "break_even" and claim.bound in ("gt", "lt") and truth:
            return None  # "clears its break-even of 5 %"
        if column in NUMBERS and figure.value < value:
            return None  # it may be of some of them only
        # A rate that a log states has one decimal, and no other convention.
        stated = scope.task is not None and abs(10 * value - round(10 * value)) < 1e-6
        near = abs(figure.value - shown) <= CONVENTION * abs(shown) and not stated
        return None if truth is False and near and column in CONVENTIONAL else truth

    def _advice(self, claim: Claim) -> Iterator[Meaning]:
        """``Use max 2 for translation``."""
        yield follows(claim, self.book)

    # ---- comparisons

    def _compare(self, claim: Claim) -> Iterator[Meaning]:
        """Every subject's quantity against every reference's."""
        reference, places = claim.reference, claim.other_places

        def test(scope: Scope, index: int) -> Meaning | None:
            others = [replace(scope, run=run) for run in reference.runs if run != scope.run]
            if places is not None:
                runs = reference.runs if reference.runs != claim.subject.runs else (scope.run,)
                others = [Scope(run, *option[0]) for run in runs for option in places.options]
            results = [self._pair(claim, index, scope, one) for one in others if one != scope]
            return counted(results, reference.quantifier, group=len(results) > 1)

        yield from self._over(claim, test)

    def _pair(self, claim: Claim, index: int, scope: Scope, other: Scope) -> Meaning | None:
        timed = claim.kind == "difference" and claim.figures[0].unit == "s"
        quantity = "time" if timed else claim.quantity
        first, second = (self.book.meaning(quantity, index, one) for one in (scope, other))
        if first is None or second is None:
            return None
        says = f"{spoken(first[0])} of {self.book.name(scope)} against {self.book.name(other)}"
        if first[0] in SPEEDS and scope.run != other.run:
            if not self.book.comparable(scope.run, other.run):
                says = "speeds of runs that can't be compared"
                return Meaning(None, says, None, (scope, other))
            ends = [self.facts.by_id[one.run] for one in (scope, other) if one.whole]
            if claim.kind == "order" and self.plain in (scope.run, other.run) and any(
                (run.speedup_low or 1) < 1 < (run.speedup_high or 1) for run in ends
            ):  # fmt: skip
                says += ", as measured: it may be noise"
        truth, value = weighed(claim, first[1], second[1])
        return Meaning(truth, says, value, (scope, other))

    # ---- extremes

    def _extreme(self, claim: Claim) -> Iterator[Meaning]:
        """``X is the fastest``, ``the highest acceptance is 97.1 %``."""
        axes = ("runs", "tasks", "both") if claim.axis == "open" else (claim.axis,)
        for runs, axis, index in product(self._domains(claim), axes, range(2)):
            pools = self._pools(claim, runs, axis)
            results = [self._best(claim, index, pool, mine) for pool, mine in pools]
            if axis == "both":
                yield from results
                continue
            said = claim.places.quantifier if axis == "runs" else claim.subject.quantifier
            yield counted(results, said or "all")

    def _domains(self, claim: Claim) -> list[tuple[str, ...]]:
        """The runs that one may be the first of."""
        subject = claim.subject.runs
        if claim.domain is not None and (len(claim.domain.runs) > 1 or claim.axis == "both"):
            named = tuple(dict.fromkeys((*claim.domain.runs, *subject)))
            return [named] if named else [self.real, self.drafting]
        if not set(subject) <= set(self.real):
            return []
        if "drafts" in QUANTITIES[claim.quantity].flags:
            return [self.drafting]
        return [self.real] if self.plain in subject else [self.real, self.drafting]

    def _pools(
        self, claim: Claim, runs: tuple[str, ...], axis: str
    ) -> list[tuple[list[Scope], list[Scope]]]:
        """What is ranked, and which of it is said to be first."""
        subject, stated = claim.subject.runs, [option[0] for option in claim.places.options]
        if axis == "runs":
            return [(_scopes(runs, [place]), _scopes(subject, [place])) for place in stated]
        named = stated if claim.places.stated and stated != [EVERYTHING] else []
        within = [place for place in named if place[0] is not None]
        rivals: list[Place] = [(None, task) for task in self.facts.task_names]
        if within and len(within) < len(named):
            # "Of the code tasks, code_python is the slowest"
            named = [place for place in named if place[0] is None]
            rivals = [(None, task) for name, _ in within for task in self.book.tasks_of(name)]
        elif within:
            rivals = [(name, None) for name in self.facts.workloads]
        if axis == "tasks":
            single = [subject] if subject else [(run,) for run in runs]
            return [(_scopes(own, rivals), _scopes(own, named)) for own in single]
        if claim.domain is None or subject:
            mine = _scopes(subject or runs, named or (rivals if subject else []))
            return [(_scopes(runs, rivals), mine)]
        # "up to 94 %", "between 11 and 14 % on creative text": of the class, or of its tasks.
        wholes = named or [*claim.places.options[0]]
        wheres = [named] if named else [[place] for place in wholes]
        wheres += [[(None, task) for task in self.book.tasks_of(name)]
                   for name, one in wholes if one is None]  # fmt: skip
        if EVERYTHING in wholes:
            wheres.append([(name, None) for name in self.facts.workloads])
        return [(_scopes(runs, where), []) for where in wheres]

    def _best(self, claim: Claim, index: int, pool: list[Scope], mine: list[Scope]) -> Meaning:
        """Whether the extreme of a pool is one of some scopes, and has the stated figure."""
        found = [(self.book.meaning(claim.quantity, index, scope), scope) for scope in pool]
        ranked = sorted(
            ((claim.sign * one[1], one[0], scope) for one, scope in found if one is not None),
            key=lambda item: -item[0],
        )
        own = [item for item in ranked if item[2] in mine]
        few = 1 if claim.axis == "both" else max(2, claim.rank)
        if len(ranked) < few or (mine and not own) or not (mine or claim.figures):
            return Meaning(None)
        if len(own) == len(ranked):
            return Meaning(None, "that the first of all is one of all of them says nothing")
        best, column, scope = ranked[claim.rank - 1]
        truth: Truth = True
        if own and own[0][0] != best:
            near = (CLOSE if column in SPEEDS else NOISE) * abs(best)
            truth = None if abs(best - own[0][0]) <= near else False
        truth = truth if truth is None else truth != claim.negated
        if claim.figures and truth and not claim.negated:
            truth = self._states(claim, scope, column, claim.sign * best)
        word = "most" if claim.sign > 0 else "least"
        says = f"{word} {spoken(column)} of {len(ranked)}: {self.book.name(scope)}"
        value = in_unit(claim.sign * best, claim) if claim.figures else None
        return Meaning(truth, says, value, (scope,))


def _scopes(runs: Iterable[str], places: Sequence[Place]) -> list[Scope]:
    return [Scope(run, *place) for run in runs for place in places]
