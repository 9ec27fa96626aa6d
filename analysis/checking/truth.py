"""Does a claim hold? It is held against every quantity that its words may mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from analysis.checking.advice import follows
from analysis.checking.book import Book, Scope, spoken
from analysis.checking.claim import EVERYTHING, Claim, Place
from analysis.checking.figures import agrees
from analysis.checking.quantities import QUANTITIES
from analysis.checking.verdict import Status, Verdict
from analysis.checking.weighing import CLOSE, NOISE, Meaning, Truth, counted, in_unit, weighed

__all__ = ["Judge"]

CONVENTION = 0.025
"""How far another convention may lead off."""
CONVENTIONAL = ("decode_tps", "decode_s", "ms_per_forward", "mean_accepted_length",
                "step_cost_ratio", "break_even_acceptance", "decode_speedup", "speedup",
                "geomean_task_speedup")  # fmt: skip
SPEEDS = ("effective_tps", "decode_tps", "1/wall_s", "wall_s", "decode_s", "speedup",
          "decode_speedup")  # fmt: skip
AMBIGUOUS = 4
_ENDS = ("low", "high")


class Judge:
    """Holds claims against a campaign's figures."""

    def __init__(self, book: Book) -> None:
        self.book, self.facts = book, book.facts

    def __call__(self, claim: Claim, verdict: Verdict) -> Verdict:
        """A verdict with what was found out about its claim.

        With a figure, one meaning for which it is right is enough; without one a claim must hold
        for all. It differs where no meaning fits, and nothing in it was guessed.
        """
        if claim.kind == "unread":
            return replace(verdict, says=claim.why)
        if claim.kind == "condition":
            states: dict[bool | None, Status] = {True: "verified", False: "differs", None: "untied"}
            return replace(verdict, status=states[claim.holds], says=claim.why)
        kinds = {"value": self._value, "extreme": self._extreme, "advice": self._advice}
        readings = [one for one in kinds.get(claim.kind, self._compare)(claim) if one.says]
        if not readings:
            return replace(verdict, says="the data has no such figure")
        truths = [one.truth for one in readings]
        status: Status = "untied"
        if all(truths) or (claim.figures and True in truths):
            status = "verified"
        elif all(truth is False for truth in truths) and claim.sure:
            status = "differs"
        good = [one for one in readings if one.truth is (status == "verified")]
        shown = (good or readings)[0]
        decimals = claim.figures[0].decimals if claim.figures else 0
        whole = shown.value is not None and shown.value == int(shown.value) and not decimals
        found = None if shown.value is None else f"{shown.value:.{0 if whole else decimals + 1}f}"
        source = self.book.source(shown.scopes) or None
        return replace(verdict, status=status, says=shown.says, recomputed=found, source=source)

    def _over(
        self, claim: Claim, test: Callable[[Scope, int], Meaning | None]
    ) -> Iterator[Meaning]:
        """Hold a test against every run and place, and count as the quantifiers say."""
        options = claim.places.options
        several = sum(len(option) > 1 for option in options)
        picks: Iterable[tuple[Place, ...]] = [tuple(option[0] for option in options)]
        if several <= AMBIGUOUS:
            picks = list(product(*options))
        runs, quantifier = claim.subject.runs, claim.places.quantifier or "all"
        group = len(runs) > 1
        if group and "drafts" in QUANTITIES[claim.quantity].flags:
            runs = tuple(run for run in runs if self.facts.by_id[run].drafts)
        meanings = len(QUANTITIES[claim.quantity].columns)
        for index, pick in product(range(meanings), picks):
            by_place = [[test(Scope(run, *place), index) for place in pick] for run in runs]
            by_run = [counted(found, quantifier) for found in by_place]
            said = claim.subject.quantifier
            if said == "none" and quantifier == "all":
                # "On any task" is on a single one, "on all tasks" on each: it must hold for both.
                on_some = [counted(found, "some") for found in by_place]
                by_run = [
                    one if one.truth == other.truth else replace(one, truth=None)
                    for one, other in zip(by_run, on_some, strict=True)
                ]
            if said == "only":
                # Of the others it must not hold.
                taken = {*claim.subject.runs, *claim.reference.runs}
                every = (
                    claim.domain.runs if claim.domain else [run.id for run in self.facts.drafting]
                )
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

        yield from self._together(claim)
        for one in self._over(claim, test):
            # "DSpark reaches 94 %": some depth of it, on some task.
            open_ = len(claim.subject.runs) > 1 and not claim.subject.quantifier
            yield replace(one, truth=None) if open_ and not one.truth else one

    def _together(self, claim: Claim) -> Iterator[Meaning]:
        """What counts or lasts may be of all the runs and tasks that are named, added up."""
        scopes = _scopes(claim.subject.runs, [option[0] for option in claim.places.options])
        if QUANTITIES[claim.quantity].unit not in ("count", "s") or len(scopes) < 2:
            return
        known = [self.book.meaning(claim.quantity, 0, scope) for scope in scopes]
        values = [one[1] for one in known if one is not None]
        if len(values) == len(scopes) and agrees(claim.figures[0], sum(values), claim.bound):
            says = f"{spoken(known[0][0] if known[0] else '')} of {len(scopes)} together"
            yield Meaning(True, says, sum(values), tuple(scopes[:6]))

    def _states(self, claim: Claim, scope: Scope, column: str, value: float) -> Truth:
        """Whether the claim's figure states a value, or one that another convention gives.

        That is n or n - 1 tokens, or a mean of rates. A rate that a log states has one decimal.
        """
        figure = claim.figures[0]
        shown = in_unit(value, claim)
        truth = agrees(figure, shown, claim.bound)
        stated = scope.task is not None and abs(10 * value - round(10 * value)) < 1e-6
        if " survival " in column:
            key = column.partition(" ")[2]
            low, high = (
                in_unit(self.book.get(f"{end} {key}", scope) or 0.0, claim) for end in _ENDS
            )
            if column.startswith("conditional"):
                return None if truth else False  # "once the one before was" is seldom said
            return None if low <= figure.value <= high and not truth else truth
        near = abs(figure.value - shown) <= CONVENTION * abs(shown)
        if claim.quantity == "break_even" and claim.bound in ("gt", "lt") and truth:
            return None  # "clears its break-even of 5 %"
        if column in ("n_tasks", "n_runs", "n_real", "n_drafting") and figure.value < value:
            return None  # it may be of some of them only
        return None if truth is False and near and column in CONVENTIONAL and not stated else truth

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
        column = first[0]
        says = f"{spoken(column)} of {self.book.name(scope)} against {self.book.name(other)}"
        apart = scope.run != other.run and not self.book.comparable(scope.run, other.run)
        if column in SPEEDS and apart:
            return Meaning(None, "speeds of runs that can't be compared", None, (scope, other))
        truth, value = weighed(claim, first[1], second[1])
        if claim.kind == "order" and column in SPEEDS and self._unsure(scope, other):
            says += ", as measured: it may be noise"
        return Meaning(truth, says, value, (scope, other))

    def _unsure(self, *scopes: Scope) -> bool:
        """Whether the interval of a speedup holds 1, so that the order may not repeat."""
        plain = self.facts.baseline
        runs = [self.facts.by_id[scope.run] for scope in scopes]
        if plain is None or plain not in runs or not scopes[0].whole:
            return False
        ends = [(run.speedup_low, run.speedup_high) for run in runs]
        return any(low is not None and high is not None and low < 1 < high for low, high in ends)

    # ---- extremes

    def _extreme(self, claim: Claim) -> Iterator[Meaning]:
        """``X is the fastest``, ``the highest acceptance is 97.1 %``."""
        axes = ("runs", "tasks", "both") if claim.axis == "open" else (claim.axis,)
        for runs, axis, index in product(self._domains(claim), axes, range(2)):
            pools = self._pools(claim, runs, axis)
            results = [self._best(claim, index, pool, mine) for pool, mine in pools]
            if axis == "both":
                yield from (one for one in results if one is not None)
                continue
            quantifier = claim.places.quantifier if axis == "runs" else claim.subject.quantifier
            yield counted(results, quantifier or "all")

    def _domains(self, claim: Claim) -> list[tuple[str, ...]]:
        """The runs that one may be the first of."""
        real = tuple(run.id for run in self.facts.real if run.predicted_tokens)
        drafting = tuple(run.id for run in self.facts.drafting)
        if claim.domain is not None and (len(claim.domain.runs) > 1 or claim.axis == "both"):
            named = tuple(dict.fromkeys((*claim.domain.runs, *claim.subject.runs)))
            return [named] if named else [real, drafting]
        if not set(claim.subject.runs) <= set(real):
            return []
        if "drafts" in QUANTITIES[claim.quantity].flags:
            return [drafting]
        plain = self.facts.baseline
        alone = plain is not None and plain.id in claim.subject.runs
        return [real] if alone else [real, drafting]

    def _pools(
        self, claim: Claim, runs: tuple[str, ...], axis: str
    ) -> list[tuple[list[Scope], list[Scope]]]:
        """What is ranked, and which of it is said to be first."""
        subject, stated = claim.subject.runs, [option[0] for option in claim.places.options]
        if axis == "runs":
            return [(_scopes(runs, [place]), _scopes(subject, [place])) for place in stated]
        named = stated if claim.places.stated and stated != [EVERYTHING] else []
        places: list[Place] = [(None, task) for task in self.facts.task_names]
        classes = [place for place in named if place[0] is not None]
        if classes and len(classes) < len(named):
            named = [place for place in named if place[0] is None]
            places = [(None, task) for name, _ in classes for task in self.book.tasks_of(name)]
        elif classes:
            places = [(name, None) for name in self.facts.workloads]
        if axis == "tasks":
            single = [(run,) for run in runs] if not subject else [subject]
            return [(_scopes(own, places), _scopes(own, named)) for own in single]
        mine = _scopes(subject or runs, named or (places if subject else []))
        if claim.domain is not None and not subject:
            # "up to 94 %", "between 11 and 14 % on creative text": of the class, or of its tasks.
            wholes: list[list[Place]] = (
                [named] if named else [[place] for place in claim.places.options[0]]
            )
            tasks: list[list[Place]] = [[(None, task) for place in whole if place[1] is None
                      for task in self.book.tasks_of(place[0])] for whole in wholes]  # fmt: skip
            if EVERYTHING in [place for whole in wholes for place in whole]:
                tasks.append([(name, None) for name in self.facts.workloads])
            return [(_scopes(runs, where), []) for where in [*wholes, *tasks] if where]
        return [(_scopes(runs, places), mine)]

    def _best(
        self, claim: Claim, index: int, pool: list[Scope], mine: list[Scope]
    ) -> Meaning | None:
        """Whether the extreme of a pool is one of some scopes, and has the stated figure."""
        found = [(self.book.meaning(claim.quantity, index, scope), scope) for scope in pool]
        ranked = sorted(
            ((claim.sign * one[1], one[0], scope) for one, scope in found if one is not None),
            key=lambda item: -item[0],
        )
        own = [item for item in ranked if item[2] in mine]
        few = 1 if claim.axis == "both" else max(2, claim.rank)
        if len(ranked) < few or (mine and not own) or not (mine or claim.figures):
            return None
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
