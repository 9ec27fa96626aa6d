"""Does a claim hold? It is held against every quantity that its words may mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from analysis.checking.book import Book, Scope, spoken
from analysis.checking.claims import Claim
from analysis.checking.figures import Figure, agrees
from analysis.checking.quantities import BAD, SPEED
from analysis.checking.roles import EVERYTHING, Place
from analysis.checking.verdict import Status

__all__ = ["Judge", "Judgement"]

SAME, UNLIKE = 0.02, 0.05
"""Below the first two values are about equal; above the second they are not."""
MUCH, SLIGHT = 0.05, 0.10
NOISE, CLOSE = 0.0005, 0.01
"""Up to the first nobody can tell two values apart; up to the second no speeds are put right."""
CONVENTION, ROUNDING = 0.025, 0.004
"""How far another convention, and figures rounded before they were divided, may lead off."""
CONVENTIONAL = ("decode_tps", "decode_s", "ms_per_forward", "mean_accepted_length",
                "step_cost_ratio", "break_even_acceptance", "decode_speedup", "speedup",
                "geomean_task_speedup")  # fmt: skip
SPEEDS = ("effective_tps", "decode_tps", "1/wall_s", "wall_s", "decode_s", "speedup",
          "decode_speedup")  # fmt: skip
DRAFTED = ("acceptance", "drafted", "accepted", "wasted", "rejected_share", "length", "cost",
           "break_even")  # fmt: skip
MEANINGS = 3
AMBIGUOUS = 4
Truth = bool | None
Weigh = Callable[[float, float], Truth]


@dataclass(frozen=True)
class Judgement:
    """A claim's verdict: what it was understood as, what the data gives, and from where."""

    status: Status
    says: str = ""
    found: str = ""
    source: str = ""


@dataclass(frozen=True)
class _Reading:
    """One thing that the words may mean, and whether it holds."""

    truth: Truth
    says: str = ""
    value: float | None = None
    scopes: tuple[Scope, ...] = field(default=())


class Judge:
    """Holds claims against a campaign's figures."""

    def __init__(self, book: Book) -> None:
        self.book, self.facts = book, book.facts

    def __call__(self, claim: Claim) -> Judgement:
        """The verdict on one claim.

        With a figure, one meaning for which it is right is enough; without one a claim must hold
        for all. It differs where no meaning fits, and nothing in it was guessed.
        """
        if claim.kind == "unread":
            return Judgement("untied", claim.why)
        readings = [one for one in _KINDS[claim.kind](self, claim) if one.says]
        truths = [one.truth for one in readings]
        status: Status = "untied"
        if truths and (all(truths) or (claim.figures and True in truths)):
            status = "verified"
        elif truths and all(truth is False for truth in truths) and claim.sure:
            status = "differs"
        if not readings:
            return Judgement("untied", "the data has no such figure")
        good = [one for one in readings if one.truth is (status == "verified")]
        shown = (good or readings)[0]
        source = self.book.source(shown.scopes)
        return Judgement(status, shown.says, _shown(shown.value, claim.figures), source)

    def _known(self, quantity: str, index: int, scope: Scope) -> tuple[str, float] | None:
        """Column and value of one of a quantity's meanings."""
        columns = self.book.columns(quantity, scope)
        value = self.book.get(columns[index], scope) if index < len(columns) else None
        return None if value is None else (columns[index], value)

    def _over(self, claim: Claim, test: Callable[[Scope], _Reading | None]) -> Iterator[_Reading]:
        """Hold a test against every run and place, and count as the quantifiers say."""
        options = claim.places.options
        several = sum(len(option) > 1 for option in options)
        picks: Iterable[tuple[Place, ...]] = [tuple(option[0] for option in options)]
        if several <= AMBIGUOUS:
            picks = product(*options)
        group = len(claim.subject.runs) > 1
        for pick in picks:
            by_run = [
                _counted(
                    [test(Scope(run, *place)) for place in pick], claim.places.quantifier or "all"
                )
                for run in claim.subject.runs
            ]
            yield _counted(by_run, claim.subject.quantifier, group=group)

    # ---- values

    def value(self, claim: Claim) -> Iterator[_Reading]:
        """``X reaches 133.9 tok/s``."""
        for index in range(MEANINGS):
            if claim.bound in ("up_to", "down_to"):
                yield from self._reach(claim, index)
                continue

            def test(scope: Scope, index: int = index) -> _Reading | None:
                known = self._known(claim.quantity, index, scope)
                if known is None:
                    return None
                says = f"{spoken(known[0])} of {self.book.name(scope)}"
                truth = self._states(claim, scope, *known)
                return _Reading(truth, says, _in_unit(known[1], claim), (scope,))

            for one in self._over(claim, test):
                # "DSpark reaches 94 %": some depth of it, on some task.
                open_ = len(claim.subject.runs) > 1 and not claim.subject.quantifier
                moves = claim.degree == "moves" and one.truth and not self._moved(claim, index)
                yield replace(one, truth=None) if moves or (open_ and not one.truth) else one

    def _states(self, claim: Claim, scope: Scope, column: str, value: float) -> Truth:
        """Whether the claim's figure states a value, or one that another convention gives.

        That is n or n - 1 tokens, or a mean of rates. A rate that a log states has one decimal.
        """
        figure = claim.figures[0]
        shown = _in_unit(value, claim)
        truth = agrees(figure, shown, claim.bound)
        stated = scope.task is not None and abs(10 * value - round(10 * value)) < 1e-6
        near = abs(figure.value - shown) <= CONVENTION * abs(shown)
        return None if truth is False and near and column in CONVENTIONAL and not stated else truth

    def _moved(self, claim: Claim, index: int) -> bool:
        """Whether what a value "falls to" is below that of another run."""
        scope = Scope(claim.subject.runs[0], *claim.places.options[0][0])
        own = self._known(claim.quantity, index, scope)
        others = [self._known(claim.quantity, index, replace(scope, run=run))
                  for run in self.book.real if run != scope.run]  # fmt: skip
        return own is not None and any(
            other is not None and (own[1] - other[1]) * claim.sign > 0 for other in others
        )

    def _ends(
        self, claim: Claim, index: int, runs: Iterable[str], places: Iterable[Place]
    ) -> list[tuple[float, Scope]]:
        """The values of some runs and places in order."""
        scopes = [Scope(run, *place) for run in runs for place in places]
        known = [(self._known(claim.quantity, index, scope), scope) for scope in scopes]
        return sorted(((one[1], scope) for one, scope in known if one), key=lambda item: item[0])

    def _reach(self, claim: Claim, index: int) -> Iterator[_Reading]:
        """``up to 239.9 tok/s``: the most of the runs and tasks that are named."""
        every: list[Place] = [(None, task) for task in self.facts.task_names]
        for places in ([option[0] for option in claim.places.options], every):
            ends = self._ends(claim, index, claim.subject.runs, places)
            if ends:
                value, scope = ends[-1] if claim.bound == "up_to" else ends[0]
                shown = _in_unit(value, claim)
                says = f"{claim.quantity} reaches its end with {self.book.name(scope)}"
                yield _Reading(agrees(claim.figures[0], shown), says, shown, (scope,))

    def range(self, claim: Claim) -> Iterator[_Reading]:
        """``between 11 and 14 %``: the least and the most of some runs and tasks."""
        sets = [claim.subject.runs, tuple(run.id for run in self.facts.drafting)]
        sets += [claim.domain.runs] if claim.domain is not None else []
        stated = [option[0] for option in claim.places.options]
        tasks = [task for place in stated for task in self._tasks(place)]
        for runs, places, index in product(dict.fromkeys(sets), (stated, tasks), range(2)):
            ends = self._ends(claim, index, runs, places)
            if len(ends) < 2:
                continue
            pairs = zip(claim.figures, (ends[0][0], ends[-1][0]), strict=True)
            held = [agrees(figure, _in_unit(end, claim), claim.bound) for figure, end in pairs]
            truth = True if all(held) else False if held == [False, False] else None
            names = [self.book.name(end[1]) for end in (ends[0], ends[-1])]
            says = f"{claim.quantity} from {names[0]} to {names[1]}"
            yield _Reading(truth, says, _in_unit(ends[0][0], claim), (ends[0][1], ends[-1][1]))

    def _tasks(self, place: Place) -> list[Place]:
        if place[1] is not None:
            return []
        names = self.book.tasks_of(place[0]) if place[0] else self.facts.task_names
        return [(None, task) for task in names]

    # ---- comparisons

    def _compared(self, claim: Claim, weigh: Weigh, quantity: str = "") -> Iterator[_Reading]:
        """Every subject's quantity against every reference's."""
        reference, quantity = claim.reference, quantity or claim.quantity
        for index in range(MEANINGS):

            def test(scope: Scope, index: int = index) -> _Reading | None:
                others = [replace(scope, run=run) for run in reference.runs if run != scope.run]
                if claim.other_places is not None:
                    runs = reference.runs if reference.runs != claim.subject.runs else (scope.run,)
                    options = claim.other_places.options
                    others = [Scope(run, *option[0]) for run in runs for option in options]
                results = [
                    self._pair(claim, (quantity, index), (scope, other), weigh) for other in others
                ]
                return _counted(results, reference.quantifier, group=len(results) > 1)

            yield from self._over(claim, test)

    def _pair(
        self, claim: Claim, meaning: tuple[str, int], scopes: tuple[Scope, Scope], weigh: Weigh
    ) -> _Reading | None:
        scope, other = scopes
        first, second = (self._known(*meaning, one) for one in scopes)
        if first is None or second is None:
            return None
        column = first[0]
        says = f"{spoken(column)} of {self.book.name(scope)} against {self.book.name(other)}"
        apart = scope.run != other.run and not self.book.comparable(scope.run, other.run)
        if column in SPEEDS and apart:
            return _Reading(None, "speeds of runs that can't be compared", None, (scope, other))
        truth = weigh(first[1], second[1])
        return _Reading(truth, says, _compared_value(claim, first[1], second[1]), (scope, other))

    def order(self, claim: Claim) -> Iterator[_Reading]:
        """``X is faster than Y``."""
        speed = claim.quantity in (*SPEED, "pace", "time")

        def weigh(first: float, second: float) -> Truth:
            more = (first - second) * claim.sign
            relative = abs(first - second) / max(abs(first), abs(second), 1e-12)
            truth: Truth = more > 0
            if relative < (CLOSE if speed and not truth else NOISE):
                # So close that another run may turn it round: nobody is accused.
                truth = None if first != second else False
            elif truth and claim.degree in ("much", "slightly"):
                fits = relative >= MUCH if claim.degree == "much" else relative <= SLIGHT
                truth = True if fits else None
            return truth if truth is None else truth != claim.negated

        for one in self._compared(claim, weigh):
            yield replace(one, truth=None) if speed and self._unsure(one) else one

    def _unsure(self, reading: _Reading) -> bool:
        """Whether the interval of a speedup holds 1, so that the order may not repeat."""
        plain = self.facts.baseline
        whole = not any(scope.task or scope.workload for scope in reading.scopes)
        runs = [self.facts.by_id[scope.run] for scope in reading.scopes]
        if plain is None or plain not in runs or not whole:
            return False
        ends = [(run.speedup_low, run.speedup_high) for run in runs]
        return any(low is not None and high is not None and low < 1 < high for low, high in ends)

    def equal(self, claim: Claim) -> Iterator[_Reading]:
        """``X is as fast as Y``."""

        def weigh(first: float, second: float) -> Truth:
            relative = abs(first - second) / max(abs(first), abs(second), 1e-12)
            truth: Truth = True if relative <= SAME else False if relative > UNLIKE else None
            return truth if truth is None else truth != claim.negated

        yield from self._compared(claim, weigh)

    def ratio(self, claim: Claim) -> Iterator[_Reading]:
        """``X is 18 % faster than Y``, ``1.94x as fast as Y``."""
        figure, bound = claim.figures[0], claim.bound
        quantity = "throughput" if claim.quantity == "speedup" else claim.quantity

        def weigh(first: float, second: float) -> Truth:
            if not second or not first:
                return None
            truth = agrees(figure, _ratio(claim, first / second), bound)
            near = any(agrees(figure, _ratio(claim, first / second * off), bound)
                       for off in (1 - ROUNDING, 1 + ROUNDING))  # fmt: skip
            return None if truth is False and near else truth

        yield from self._compared(claim, weigh, quantity)
        if figure.unit == "percent" and quantity == "acceptance" and not figure.signed:
            # Nobody says whether "4 % higher acceptance" means percentage points.
            yield from self._compared(
                claim, lambda one, other: agrees(figure, 100 * (one - other) * claim.sign, bound)
            )
        if figure.unit == "percent" and quantity == "time" and claim.sign < 0:
            # Time saved is for equal numbers of tokens.
            yield from self._compared(
                claim,
                lambda one, other: agrees(figure, 100 * (1 - other / one), bound),
                "effective",
            )

    def difference(self, claim: Claim) -> Iterator[_Reading]:
        """``535 more drafted tokens than Y``, ``20.6 tok/s faster than Y``."""
        figure = claim.figures[0]
        scale = 100.0 if figure.unit == "points" else 1.0
        timed = claim.quantity in (*SPEED, "pace") and figure.unit == "s"
        sign = -claim.sign if timed else claim.sign

        def weigh(first: float, second: float) -> Truth:
            value = scale * (first - second) * sign
            truth = agrees(figure, value, claim.bound)
            # From figures that were rounded before, the last digit may be another one.
            near = abs(value - figure.value) <= 1.01 * figure.step
            return None if truth is False and near and figure.unit in ("points", "rate") else truth

        yield from self._compared(claim, weigh, "time" if timed else "")

    def break_even(self, claim: Claim) -> Iterator[_Reading]:
        """Acceptance above or below what drafting costs; of a part, whether it is faster."""

        def test(scope: Scope) -> _Reading | None:
            whole = scope.task is None and scope.workload is None
            rate = (
                self.book.get("acceptance_rate", scope)
                if whole
                else self.book.get("speedup", scope)
            )
            even = self.book.get("break_even_acceptance", scope) if whole else 1.0
            if rate is None or even is None:
                return None
            truth = ((rate - even) * claim.sign > 0) != claim.negated
            says = f"acceptance of {self.book.name(scope)} against break-even"
            return _Reading(truth, says, 100 * even if whole else rate, (scope,))

        yield from self._over(claim, test)

    # ---- extremes

    def extreme(self, claim: Claim) -> Iterator[_Reading]:
        """``X is the fastest``, ``the highest acceptance is 97.1 %``."""
        sign = claim.sign
        if abs(sign) == 2:
            sign = sign // 2 * (-1 if claim.quantity in BAD else 1)
        axes = ("runs", "tasks", "both") if claim.axis == "open" else (claim.axis,)
        for runs, axis, index in product(self._domains(claim), axes, range(2)):
            if axis == "runs":
                yield self._among_runs(claim, runs, index, sign)
            else:
                yield self._among_tasks(claim, runs, axis, index, sign)

    def _domains(self, claim: Claim) -> list[tuple[str, ...]]:
        """The runs that one may be the first of."""
        if claim.domain is not None and len(claim.domain.runs) > 1:
            return [tuple(dict.fromkeys((*claim.domain.runs, *claim.subject.runs)))]
        real = tuple(run.id for run in self.facts.real if run.predicted_tokens)
        drafting = tuple(run.id for run in self.facts.drafting)
        if not set(claim.subject.runs) <= set(real):
            return []
        if claim.quantity in DRAFTED:
            return [drafting]
        plain = self.facts.baseline
        alone = plain is not None and plain.id in claim.subject.runs
        return [real] if alone else [real, drafting]

    def _among_runs(self, claim: Claim, runs: tuple[str, ...], index: int, sign: int) -> _Reading:
        results = []
        for option in claim.places.options:
            pool = [Scope(run, *option[0]) for run in runs]
            mine = {Scope(run, *option[0]) for run in claim.subject.runs}
            results.append(self._best(claim, pool, mine, index, sign))
        return _counted(results, claim.places.quantifier or "all")

    def _among_tasks(
        self, claim: Claim, runs: tuple[str, ...], axis: str, index: int, sign: int
    ) -> _Reading:
        stated = [option[0] for option in claim.places.options]
        named = stated if claim.places.stated and stated != [EVERYTHING] else []
        places: list[Place] = [(None, task) for task in self.facts.task_names]
        if named and named[0][0] is not None:
            places = [(name, None) for name in self.facts.workloads]
        own = (claim.subject.runs or runs) if axis == "tasks" else runs
        if axis == "tasks" and not claim.subject.runs:
            pools = [([Scope(run, *place) for place in places],
                      {Scope(run, *place) for place in named}) for run in own]  # fmt: skip
        else:
            either = axis == "both" and bool(claim.subject.runs)
            chosen = named or (places if either else [])
            mine = {Scope(run, *place) for run in claim.subject.runs or own for place in chosen}
            pools = [([Scope(run, *place) for run in own for place in places], mine)]
        results = [self._best(claim, pool, mine, index, sign) for pool, mine in pools]
        return _counted(results, claim.subject.quantifier or "all")

    def _best(
        self, claim: Claim, pool: list[Scope], mine: set[Scope], index: int, sign: int
    ) -> _Reading | None:
        """Whether the extreme of a pool is one of some scopes, and has the stated figure."""
        found = [(self._known(claim.quantity, index, scope), scope) for scope in pool]
        known = sorted(
            ((sign * one[1], one[0], scope) for one, scope in found if one is not None),
            key=lambda item: -item[0],
        )
        own = [item for item in known if item[2] in mine]
        if len(known) < max(2, claim.rank) or (mine and not own) or not (mine or claim.figures):
            return None
        best, column, scope = known[claim.rank - 1]
        truth: Truth = True
        if own and own[0][0] != best:
            near = (CLOSE if column in SPEEDS else NOISE) * abs(best)
            truth = None if abs(best - own[0][0]) <= near else False
        truth = truth if truth is None else truth != claim.negated
        if claim.figures and truth and not claim.negated:
            truth = self._states(claim, scope, column, sign * best)
        word = "most" if sign > 0 else "least"
        says = f"{word} {spoken(column)} of {len(known)}: {self.book.name(scope)}"
        value = _in_unit(sign * best, claim) if claim.figures else None
        return _Reading(truth, says, value, (scope,))

    # ---- counts

    def counted(self, claim: Claim) -> Iterator[_Reading]:
        """``13 tasks``, ``five configurations``."""
        figure = claim.figures[0]
        counts = {
            "tasks": [len(self.facts.task_names)],
            "runs": [len(self.facts.runs), len(self.facts.real), len(self.facts.drafting)],
            "repeats": [run.repeats for run in self.facts.runs if run.repeats],
        }
        for number in dict.fromkeys(counts[claim.quantity]):
            truth = agrees(figure, float(number), claim.bound)
            # A smaller number may be of some of them only.
            kept = truth if truth or figure.value > number else None
            yield _Reading(kept, f"number of {claim.quantity}", float(number))

    def pair(self, claim: Claim) -> Iterator[_Reading]:
        """``55 accepted of 119 drafted tokens``: of whom it is said, or else of anyone."""
        few, many = claim.figures
        column = "wasted_tokens" if claim.quantity == "wasted" else "accepted_tokens"
        runs = claim.subject.runs or tuple(run.id for run in self.facts.runs)
        places = [option[0] for option in claim.places.options]
        if places == [EVERYTHING] and not claim.places.stated:
            places += [(None, task) for task in self.facts.task_names]
            places += [(name, None) for name in self.facts.workloads]
        first: _Reading | None = None
        for run, place in product(runs, places):
            scope = Scope(run, *place)
            part, whole = self.book.get(column, scope), self.book.get("draft_tokens", scope)
            if part is None or whole is None:
                continue
            says = f"{claim.quantity} of drafted tokens of {self.book.name(scope)}"
            one = _Reading(agrees(few, part) and agrees(many, whole), says, part, (scope,))
            if one.truth:
                yield one
                return
            first = first or one
        if first is not None:
            # Of one run it is wrong; of no run that is named it may be of one request.
            yield first if len(claim.subject.runs) == 1 else replace(first, truth=None)


_KINDS: dict[str, Callable[[Judge, Claim], Iterable[_Reading]]] = {
    "value": Judge.value, "range": Judge.range, "order": Judge.order, "equal": Judge.equal,
    "ratio": Judge.ratio, "difference": Judge.difference, "break_even": Judge.break_even,
    "extreme": Judge.extreme, "counted": Judge.counted, "pair": Judge.pair,
}  # fmt: skip


def _counted(
    results: Sequence[_Reading | None], quantifier: str, *, group: bool = False
) -> _Reading:
    """Several results as one, as a quantifier says; `group` is a kind that nobody counted."""
    known = [one for one in results if one is not None and one.says]
    if not known:
        return _Reading(None)
    shown = next((one for one in known if one.truth is False), known[0])
    yes = sum(one.truth is True for one in known)
    no = sum(one.truth is False for one in known)
    size = len(results)
    scopes = tuple(dict.fromkeys(scope for one in known for scope in one.scopes))
    truth = _quantified(quantifier, yes, no, size, group=group)
    if "/" in quantifier or quantifier.startswith("="):
        return _Reading(truth, f"{shown.says}, …: {yes} of {size}", float(yes), scopes)
    return _Reading(truth, shown.says, shown.value, scopes[:6])


def _quantified(quantifier: str, yes: int, no: int, size: int, *, group: bool) -> Truth:
    open_ = size - yes - no
    every = False if no else None if open_ else True
    least: dict[str, Truth] = {
        "none": False if yes else None if open_ else True,
        "some": True if yes else None if open_ else False,
        "most": True if yes > size / 2 else False if yes + open_ <= size / 2 else None,
    }
    if quantifier in least:
        return least[quantifier]
    if "/" in quantifier:
        few, _, many = quantifier.partition("/")
        return None if open_ else (size, yes) == (int(many), int(few))
    if quantifier.startswith("=") and int(quantifier[1:]) != size:
        wanted = int(quantifier[1:])
        return None if open_ or yes > wanted else yes == wanted
    if quantifier or not group:
        return every
    # "DSpark is slower": of a kind with several runs it is true of all, or of nobody, or open.
    return True if yes == size else False if no == size else None


def _ratio(claim: Claim, ratio: float) -> float:
    """A ratio as the claim's figure states it.

    "1.2x slower" is the other way round; "1.94x faster" is what people call 1.94x as fast.
    """
    figure = claim.figures[0]
    if figure.unit in ("times", ""):
        return ratio if claim.sign >= 0 else 1 / ratio
    return 100 * (ratio - 1) * (1 if figure.signed else claim.sign)


def _in_unit(value: float, claim: Claim) -> float:
    if not claim.figures or claim.figures[0].unit != "percent":
        return value
    over_one = claim.quantity in ("speedup", "decode_speedup", "geomean")
    return 100 * (value - 1) if over_one else 100 * value


def _compared_value(claim: Claim, first: float, second: float) -> float | None:
    if claim.kind == "difference":
        return (100.0 if claim.figures[0].unit == "points" else 1.0) * (first - second)
    return _ratio(claim, first / second) if claim.kind == "ratio" and first and second else None


def _shown(value: float | None, figures: Sequence[Figure]) -> str:
    """A recomputed value with one digit more than is stated."""
    if value is None:
        return ""
    decimals = figures[0].decimals if figures else 0
    if value == int(value) and not decimals:
        return f"{int(value)}"
    return f"{value:.{decimals + 1}f}"
