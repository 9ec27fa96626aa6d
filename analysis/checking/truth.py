# ruff: noqa: E501
"""Does a claim hold? It is held against every quantity that its words may mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from analysis.checking.book import Book, Scope, spoken
from analysis.checking.claims import EVERYTHING, Claim, Group, Place
from analysis.checking.figures import Figure, agrees
from analysis.checking.verdict import Status

__all__ = ["Judge", "Judgement"]

SAME, UNLIKE = 0.02, 0.05
"""Below the first two values are about equal; above the second they are not."""
MUCH, SLIGHT = 0.05, 0.10
NOISE, CLOSE = 0.0005, 0.01
CONVENTION, ROUNDING = 0.025, 0.004
CONVENTIONAL = ("decode_tps", "decode_s", "ms_per_forward", "mean_accepted_length", "step_cost_ratio",
                "break_even_acceptance", "decode_speedup", "speedup", "geomean_task_speedup")  # fmt: skip
SPEEDS = (
    "effective_tps",
    "decode_tps",
    "1/wall_s",
    "wall_s",
    "decode_s",
    "speedup",
    "decode_speedup",
)
Truth = bool | None


@dataclass(frozen=True)
class Judgement:
    """A claim's verdict: what it was understood as, what the data gives, and from where."""

    status: Status
    says: str = ""
    found: str = ""
    source: str = ""


@dataclass
class _Reading:
    """One thing that the words may mean, and whether it holds."""

    truth: Truth
    says: str = ""
    value: float | None = None
    scopes: list[Scope] = field(default_factory=list)


class Judge:
    """Holds claims against a campaign's figures."""

    def __init__(self, book: Book) -> None:
        self.book, self.facts = book, book.facts

    def __call__(self, claim: Claim) -> Judgement:
        """The verdict on one claim."""
        if claim.kind == "unread":
            return Judgement("untied", claim.why)
        readings = list(_KINDS[claim.kind](self, claim))
        return self._judged(claim, readings)

    def _judged(self, claim: Claim, readings: list[_Reading]) -> Judgement:
        truths = [one.truth for one in readings]
        figure = bool(claim.figures) and claim.kind not in ("order", "equal")
        status: Status = "untied"
        if (figure and True in truths) or (truths and all(truth is True for truth in truths)):
            status = "verified"
        elif truths and all(truth is False for truth in truths):
            status = "differs"
        shown = next((one for one in readings if one.truth is (status == "verified")), None)
        shown = shown or (readings[0] if readings else None)
        if shown is None:
            return Judgement("untied", "the data has no such figure")
        if status == "differs" and not claim.sure:
            status = "untied"
        return Judgement(
            status, shown.says, _shown(shown.value, claim.figures), self.book.source(shown.scopes)
        )

    # ---- readings

    def _over(
        self, claim: Claim, test: Callable[[str, Place], _Reading | None]
    ) -> Iterator[_Reading]:
        """Hold a test against every run and place, and count as the quantifiers say."""
        places = claim.places
        picks = product(*places.options) if len(places.options) <= 12 and sum(len(o) > 1 for o in places.options) <= 4 else [
            tuple(option[0] for option in places.options)]  # fmt: skip
        for pick in picks:
            results = []
            for run in claim.subject.runs:
                own = [test(run, place) for place in pick]
                results.append(_counted(own, places.quantifier or "all"))
            yield _counted(results, claim.subject.quantifier, group=len(claim.subject.runs) > 1)

    def _scopes(self, run: str, place: Place) -> Scope:
        return Scope(run, *place)

    def value(self, claim: Claim) -> Iterator[_Reading]:
        """``X reaches 133.9 tok/s``."""
        (figure,) = claim.figures
        for index in range(3):

            def test(run: str, place: Place, index: int = index) -> _Reading | None:
                scope = Scope(run, *place)
                columns = self.book.columns(claim.quantity, scope)
                if index >= len(columns):
                    return None
                value = self.book.get(columns[index], scope)
                if value is None:
                    return None
                loose = self._by_convention(columns[index], scope, value)
                value = _in_unit(value, claim.quantity, figure)
                truth = agrees(figure, value, claim.bound)
                if (
                    truth is False
                    and loose
                    and abs(figure.value - value) <= CONVENTION * abs(value)
                ):
                    truth = None
                if claim.bound in ("up_to", "down_to"):
                    truth = None
                return _Reading(
                    truth, f"{spoken(columns[index])} of {self.book.name(scope)}", value, [scope]
                )

            found = list(self._over(claim, test))
            if claim.bound in ("up_to", "down_to"):
                yield from self._reach(claim, figure, index)
                continue
            for one in found:
                if (
                    one.says
                    and claim.degree == "moves"
                    and one.truth is True
                    and not self._moved(claim, index)
                ):
                    one.truth = None
                if one.says and one.truth is False and len(claim.subject.runs) > 1:
                    # "DSpark reaches 94 %": some depth of it, on some task.
                    one.truth = one.truth if claim.subject.quantifier else None
                if one.says:
                    yield one

    def _by_convention(self, column: str, scope: Scope, value: float) -> bool:
        """Whether another convention gives another figure: n or n - 1 tokens, a mean of rates.

        A rate that a log states has one decimal; it is what it is.
        """
        stated = scope.task is not None and abs(10 * value - round(10 * value)) < 1e-6
        return column in CONVENTIONAL and not stated

    def _moved(self, claim: Claim, index: int) -> bool:
        """Whether a value that "falls to" something is below that of another run of its kind."""
        scope = Scope(claim.subject.runs[0], *claim.places.options[0][0])
        columns = self.book.columns(claim.quantity, scope)
        own = self.book.get(columns[index], scope)
        others = [self.book.get(columns[index], Scope(run, scope.workload, scope.task))
                  for run in self.book.real if run != scope.run]  # fmt: skip
        return own is not None and any(
            other is not None and (own - other) * claim.sign > 0 for other in others
        )

    def _reach(self, claim: Claim, figure: Figure, index: int) -> Iterator[_Reading]:
        """``up to 239.9 tok/s``: the most of the runs and tasks that are named."""
        pick = max if claim.bound == "up_to" else min
        every = [((None, task),) for task in self.facts.task_names]
        for options in (list(claim.places.options), every):
            scopes = [Scope(run, *option[0]) for run in claim.subject.runs for option in options]
            known = [(value, scope) for scope in scopes if index < len(self.book.columns(claim.quantity, scope))
                     and (value := self.book.get(self.book.columns(claim.quantity, scope)[index], scope)) is not None]  # fmt: skip
            if known:
                value, scope = pick(known, key=lambda item: item[0])
                value = _in_unit(value, claim.quantity, figure)
                yield _Reading(
                    agrees(figure, value),
                    f"{'most' if pick is max else 'least'} {claim.quantity}: {self.book.name(scope)}",
                    value,
                    [scope],
                )

    def range(self, claim: Claim) -> Iterator[_Reading]:
        """``between 11 and 14 %``: the least and the most of some runs and tasks."""
        low, high = claim.figures
        runs = [claim.subject.runs, tuple(run.id for run in self.facts.drafting)]
        if claim.domain is not None:
            runs.append(claim.domain.runs)
        for own, tasks in product(dict.fromkeys(runs), (False, True)):
            options = [option[0] for option in claim.places.options]
            if tasks:
                named = [
                    task
                    for place in options
                    for task in (
                        self.book.tasks_of(place[0])
                        if place[0]
                        else ()
                        if place[1]
                        else self.facts.task_names
                    )
                ]
                options = [(None, task) for task in named]
            for index in range(2):
                scopes = [Scope(run, *place) for run in own for place in options]
                values = [(value, scope) for scope in scopes if index < len(self.book.columns(claim.quantity, scope))
                          and (value := self.book.get(self.book.columns(claim.quantity, scope)[index], scope)) is not None]  # fmt: skip
                if len(values) < 2:
                    continue
                ends = [end(values, key=lambda item: item[0]) for end in (min, max)]
                bound = claim.bound
                held = [
                    agrees(figure, _in_unit(end[0], claim.quantity, figure), bound)
                    for figure, end in zip((low, high), ends, strict=True)
                ]
                truth = True if held == [True, True] else False if held == [False, False] else None
                yield _Reading(truth, f"{claim.quantity} from {self.book.name(ends[0][1])} to {self.book.name(ends[1][1])}",
                               _in_unit(ends[0][0], claim.quantity, low), [ends[0][1], ends[1][1]])  # fmt: skip

    def _compared(self, claim: Claim, weigh: Callable[[float, float], Truth]) -> Iterator[_Reading]:
        """Every subject's quantity against every reference's."""
        reference = claim.reference or Group()
        for index in range(3):

            def test(run: str, place: Place, index: int = index) -> _Reading | None:
                scope = Scope(run, *place)
                columns = self.book.columns(claim.quantity, scope)
                if index >= len(columns):
                    return None
                column = columns[index]
                others = [Scope(other, *place) for other in reference.runs if other != run]
                if claim.other_places is not None:
                    runs = reference.runs if reference.runs != claim.subject.runs else (run,)
                    others = [
                        Scope(other, *option[0])
                        for other in runs
                        for option in claim.other_places.options
                    ]
                results = [self._pair(claim, column, scope, other, weigh) for other in others]
                if claim.kind == "order" and len(reference.runs) > 1:
                    return _counted(results, reference.quantifier, group=True)
                return _counted(results, reference.quantifier, group=len(results) > 1)

            yield from [one for one in self._over(claim, test) if one.says]

    def _pair(
        self,
        claim: Claim,
        column: str,
        scope: Scope,
        other: Scope,
        weigh: Callable[[float, float], Truth],
    ) -> _Reading | None:
        first, second = self.book.get(column, scope), self.book.get(column, other)
        if first is None or second is None:
            return None
        if (
            column in SPEEDS
            and scope.run != other.run
            and not self.book.comparable(scope.run, other.run)
        ):
            return _Reading(None, "speeds of runs that can't be compared", None, [scope, other])
        return _Reading(weigh(first, second), f"{spoken(column)} of {self.book.name(scope)} against {self.book.name(other)}",
                        _difference(claim, first, second), [scope, other])  # fmt: skip

    def order(self, claim: Claim) -> Iterator[_Reading]:
        """``X is faster than Y``."""

        def weigh(first: float, second: float) -> Truth:
            more = (first - second) * claim.sign
            relative = abs(first - second) / max(abs(first), abs(second), 1e-12)
            truth: Truth = more > 0
            if relative < NOISE:
                truth = None if first != second else False
            elif (
                not truth
                and relative < CLOSE
                and claim.quantity in ("throughput", "effective", "decode", "pace", "time")
            ):
                # So close that another run may turn it round: nobody is accused.
                truth = None
            elif truth and (
                (claim.degree == "much" and relative < MUCH)
                or (claim.degree == "slightly" and relative > SLIGHT)
            ):
                truth = None
            if claim.negated and truth is not None:
                truth = not truth
            return truth

        for one in self._compared(claim, weigh):
            if one.truth is not None and self._unsure(claim, one):
                one.truth = None
            yield one

    def _unsure(self, claim: Claim, reading: _Reading) -> bool:
        """Whether the interval of a speedup holds 1, so that the order may not repeat."""
        plain = self.facts.baseline
        if plain is None or claim.quantity not in (
            "throughput",
            "effective",
            "decode",
            "pace",
            "time",
        ):
            return False
        runs = [self.facts.by_id[scope.run] for scope in reading.scopes]
        if plain not in runs or any(scope.task or scope.workload for scope in reading.scopes):
            return False
        for run in runs:
            low, high = run.speedup_low, run.speedup_high
            if low is not None and high is not None and low < 1 < high:
                return True
        return False

    def equal(self, claim: Claim) -> Iterator[_Reading]:
        """``X is as fast as Y``."""

        def weigh(first: float, second: float) -> Truth:
            relative = abs(first - second) / max(abs(first), abs(second), 1e-12)
            truth: Truth = True if relative <= SAME else False if relative > UNLIKE else None
            return truth if not claim.negated or truth is None else not truth

        yield from self._compared(claim, weigh)

    def ratio(self, claim: Claim) -> Iterator[_Reading]:
        """``X is 18 % faster than Y``, ``1.94x as fast as Y``."""
        (figure,) = claim.figures
        quantity = "throughput" if claim.quantity == "speedup" else claim.quantity

        def weigh(first: float, second: float) -> Truth:
            if not second or not first:
                return None
            ratio = first / second
            truth = _any(agrees(figure, one, claim.bound) for one in _ratios(claim, figure, ratio))
            near = any(
                agrees(figure, one, claim.bound)
                for off in (1 - ROUNDING, 1 + ROUNDING)
                for one in _ratios(claim, figure, ratio * off)
            )
            return None if truth is False and near else truth

        yield from self._compared(_with(claim, quantity), weigh)
        if figure.unit == "percent" and quantity == "acceptance" and not figure.signed:
            # Nobody says whether "4 % higher acceptance" means percentage points.
            def points(first: float, second: float) -> Truth:
                return agrees(figure, 100 * (first - second) * claim.sign, claim.bound)

            yield from self._compared(_with(claim, quantity), points)
        if figure.unit == "percent" and quantity == "time" and claim.sign < 0:
            # Time saved is for equal numbers of tokens.
            def saved(first: float, second: float) -> Truth:
                return agrees(figure, 100 * (1 - second / first), claim.bound) if first else None

            yield from self._compared(_with(claim, "effective"), saved)

    def difference(self, claim: Claim) -> Iterator[_Reading]:
        """``535 more drafted tokens than Y``, ``20.6 tok/s faster than Y``."""
        (figure,) = claim.figures
        scale = 100.0 if figure.unit == "points" else 1.0
        sign = claim.sign
        if claim.quantity in ("pace", "throughput", "effective", "decode") and figure.unit == "s":
            claim, sign = _with(claim, "time"), -sign

        def weigh(first: float, second: float) -> Truth:
            truth = agrees(figure, scale * (first - second) * sign, claim.bound)
            # From figures that were rounded before, the last digit may be another one.
            near = agrees(figure, scale * (first - second) * sign, "about")
            return (
                None
                if truth is False
                and near
                and figure.unit in ("points", "rate")
                and abs(scale * (first - second) * sign - figure.value) <= 1.01 * figure.step
                else truth
            )

        yield from self._compared(claim, weigh)

    def break_even(self, claim: Claim) -> Iterator[_Reading]:
        """Acceptance above or below what drafting costs."""

        def test(run: str, place: Place) -> _Reading | None:
            scope = Scope(run, *place)
            rate = self.book.get("acceptance_rate", scope)
            whole = self.book.get("break_even_acceptance", scope) if place == EVERYTHING else None
            if whole is not None and rate is not None:
                truth = (rate - whole) * claim.sign > 0
                value = 100 * whole
            else:
                gain = self.book.get("speedup", scope)
                if gain is None or place == EVERYTHING:
                    return None
                truth, value = (gain - 1) * claim.sign > 0, gain
            return _Reading(
                truth != claim.negated,
                f"acceptance of {self.book.name(scope)} against break-even",
                value,
                [scope],
            )

        yield from (one for one in self._over(claim, test) if one.says)

    def extreme(self, claim: Claim) -> Iterator[_Reading]:
        """``X is the fastest``, ``the highest acceptance is 97.1 %``."""
        sign = claim.sign if abs(claim.sign) == 1 else (claim.sign // 2) * (
            -1 if claim.quantity in ("time", "wasted", "forward_ms", "cost") else 1)  # fmt: skip
        for runs, axis in product(
            self._domains(claim),
            ("runs", "tasks", "both") if claim.axis == "open" else (claim.axis,),
        ):
            for index in range(2):
                yield from self._extremes(claim, runs, axis, index, sign)

    def _domains(self, claim: Claim) -> list[tuple[str, ...]]:
        if claim.domain is not None and len(claim.domain.runs) > 1:
            return [tuple(dict.fromkeys((*claim.domain.runs, *claim.subject.runs)))]
        real = tuple(run.id for run in self.facts.real if run.predicted_tokens)
        drafting = tuple(run.id for run in self.facts.drafting)
        if claim.subject.runs and not set(claim.subject.runs) <= set(real):
            return []
        kinds = (
            "acceptance",
            "drafted",
            "accepted",
            "wasted",
            "rejected_share",
            "length",
            "cost",
            "break_even",
        )
        if claim.quantity in kinds:
            return [drafting]
        plain = self.facts.baseline
        if plain is not None and plain.id in claim.subject.runs:
            return [real]
        return [real, drafting]

    def _extremes(
        self, claim: Claim, runs: tuple[str, ...], axis: str, index: int, sign: int
    ) -> Iterator[_Reading]:
        places = [option[0] for option in claim.places.options]
        if axis in ("tasks", "both"):
            named = places if claim.places.stated and places != [EVERYTHING] else []
            everything: list[Place] = [(None, task) for task in self.facts.task_names]
            if named and named[0][0] is not None:
                everything = [(name, None) for name in self.facts.workloads]
            own = claim.subject.runs if claim.subject.runs and axis == "tasks" else runs
            if axis == "tasks" and not claim.subject.runs:
                truths = [
                    self._best(
                        claim,
                        [Scope(run, *place) for place in everything],
                        {Scope(run, *place) for place in named},
                        index,
                        sign,
                    )
                    for run in own
                ]
                yield from self._one(claim, truths)
                return
            pool = [Scope(run, *place) for run in own for place in everything]
            mine = {Scope(run, *place) for run in claim.subject.runs or own for place in named}
            if not named and claim.subject.runs and axis == "both":
                mine = {Scope(run, *place) for run in claim.subject.runs for place in everything}
            yield from self._one(claim, [self._best(claim, pool, mine, index, sign)])
            return
        results: list[_Reading | None] = []
        for place in places:
            pool = [Scope(run, *place) for run in runs]
            mine = {Scope(run, *place) for run in claim.subject.runs}
            results.append(self._best(claim, pool, mine, index, sign))
        if any(one is not None for one in results):
            yield _counted(results, claim.places.quantifier or "all")

    def _one(self, claim: Claim, results: Sequence[_Reading | None]) -> Iterator[_Reading]:
        if any(one is not None for one in results):
            yield _counted(results, claim.subject.quantifier or "all")

    def _best(
        self, claim: Claim, pool: list[Scope], mine: set[Scope], index: int, sign: int
    ) -> _Reading | None:
        """Whether the extreme of a pool is one of some scopes, and has the figure that is stated."""
        known = []
        for scope in pool:
            columns = self.book.columns(claim.quantity, scope)
            value = self.book.get(columns[index], scope) if index < len(columns) else None
            if value is not None:
                known.append((sign * value, scope, columns[index]))
        if len(known) < 2 or len(known) <= claim.rank - 1:
            return None
        known.sort(key=lambda item: -item[0])
        best, scope, column = known[claim.rank - 1]
        says = f"{'most' if sign > 0 else 'least'} {spoken(column)} of {len(known)}: {self.book.name(scope)}"
        truth: Truth = True
        if mine:
            own = [item for item in known if item[1] in mine]
            if not own:
                return None
            near = abs(best - own[0][0]) <= (CLOSE if column in SPEEDS else NOISE) * abs(best)
            truth = True if own[0][1] == scope or best == own[0][0] else None if near else False
        elif not claim.figures:
            return None
        if claim.negated and truth is not None:
            truth = not truth
        value = abs(best) if best * sign >= 0 else -abs(best)
        if claim.figures and truth is not None and not claim.negated:
            (figure,) = claim.figures
            value = _in_unit(sign * best, claim.quantity, figure)
            held = agrees(figure, value, claim.bound)
            truth = held if truth else truth
        return _Reading(truth, says, value if claim.figures else None, [scope])

    def counted(self, claim: Claim) -> Iterator[_Reading]:
        """``13 tasks``, ``five configurations``."""
        (figure,) = claim.figures
        runs, real = len(self.facts.runs), len(self.facts.real)
        numbers = {"tasks": [len(self.facts.task_names)], "runs": [runs, real, len(self.facts.drafting)],
                   "repeats": [run.repeats for run in self.facts.runs if run.repeats]}[claim.quantity]  # fmt: skip
        for number in dict.fromkeys(numbers):
            truth = agrees(figure, float(number), claim.bound)
            # A smaller number may be of some of them only.
            yield _Reading(
                truth if truth or figure.value > number else None,
                f"number of {claim.quantity}",
                float(number),
                [],
            )

    def pair(self, claim: Claim) -> Iterator[_Reading]:
        """``55 accepted of 119 drafted tokens``: of whom it is said, or else of anyone."""
        few, many = claim.figures
        column = {"accepted": "accepted_tokens", "wasted": "wasted_tokens"}[claim.quantity]
        stated = bool(claim.subject.runs) and not claim.subject.inferred
        runs = claim.subject.runs or tuple(run.id for run in self.facts.runs)
        places = [option[0] for option in claim.places.options]
        closed = stated and len(runs) == 1
        if places == [EVERYTHING] and not claim.places.stated:
            places += [(None, task) for task in self.facts.task_names]
            places += [(name, None) for name in self.facts.workloads]
            closed = False
        nearest: _Reading | None = None
        for run, place in product(runs, places):
            scope = Scope(run, *place)
            first, second = self.book.get(column, scope), self.book.get("draft_tokens", scope)
            if first is None or second is None:
                continue
            truth = bool(agrees(few, first)) and bool(agrees(many, second))
            one = _Reading(
                truth,
                f"{claim.quantity} of drafted tokens of {self.book.name(scope)}",
                first,
                [scope],
            )
            if truth:
                yield one
                return
            nearest = nearest or one
        if nearest is not None:
            # Of one place it is wrong; of no place that is named it may be of one request.
            nearest.truth = False if closed or (stated and len(runs) == 1) else None
            yield nearest


_KINDS: dict[str, Callable[[Judge, Claim], Iterable[_Reading]]] = {
    "value": Judge.value, "range": Judge.range, "order": Judge.order, "equal": Judge.equal,
    "ratio": Judge.ratio, "difference": Judge.difference, "break_even": Judge.break_even,
    "extreme": Judge.extreme, "counted": Judge.counted, "pair": Judge.pair,
}  # fmt: skip


def _counted(
    results: Sequence[_Reading | None], quantifier: str, *, group: bool = False
) -> _Reading:
    """Several results as one: all of them, none, n of m, or those of a kind that nobody counted."""
    known = [one for one in results if one is not None and one.says]
    if not known:
        return _Reading(None)
    shown = next((one for one in known if one.truth is False), known[0])
    yes = sum(one.truth is True for one in known)
    no = sum(one.truth is False for one in known)
    open_, size = len(known) - yes - no, len(results)
    scopes = [scope for one in known for scope in one.scopes]
    truth: Truth
    if quantifier == "none":
        truth = False if yes else None if open_ else True
    elif quantifier == "some":
        truth = True if yes else None if open_ else False
    elif quantifier == "most":
        truth = True if yes > size / 2 else False if yes + open_ <= size / 2 else None
    elif "/" in quantifier:
        few, _, many = quantifier.partition("/")
        truth = None if open_ else size == int(many) and yes == int(few)
        truth = None if truth is False and len(known) < size else truth
        return _Reading(truth, f"{shown.says}, …: {yes} of {size}", float(yes), scopes)
    elif quantifier.startswith("="):
        wanted = int(quantifier[1:])
        if wanted == size:
            truth = False if no else None if open_ else True
        else:
            truth = None if open_ else True if yes == wanted else None if yes > wanted else False
            return _Reading(truth, f"{shown.says}, …: {yes} of {size}", float(yes), scopes)
    elif quantifier or not group:
        truth = False if no else None if open_ or len(known) < size else True
    else:
        # "DSpark is slower": of a kind with several runs it is true of all, or of nobody, or open.
        truth = True if yes == size else False if no == size else None
    return _Reading(truth, shown.says, shown.value, scopes[:6])


def _any(truths: Iterable[Truth]) -> Truth:
    found = list(truths)
    return True if True in found else None if None in found else False


def _ratios(claim: Claim, figure: Figure, ratio: float) -> Iterator[float]:
    """What a ratio may be stated as, in the figure's unit."""
    if figure.unit == "times":
        # "1.2x slower" is the other way round; "1.94x faster" is what people call 1.94x as fast.
        yield ratio if claim.sign >= 0 else 1 / ratio
        return
    if figure.signed:
        yield 100 * (ratio - 1)
        return
    yield 100 * (ratio - 1) * claim.sign


def _in_unit(value: float, quantity: str, figure: Figure) -> float:
    if figure.unit == "percent":
        if quantity in ("speedup", "decode_speedup", "geomean"):
            return 100 * (value - 1)
        return 100 * value
    return value


def _with(claim: Claim, quantity: str) -> Claim:
    return replace(claim, quantity=quantity)


def _difference(claim: Claim, first: float, second: float) -> float | None:
    if claim.kind == "difference":
        scale = 100.0 if claim.figures and claim.figures[0].unit == "points" else 1.0
        return scale * (first - second)
    if claim.kind in ("order", "equal") or not second:
        return None
    ratio = first / second
    if claim.figures and claim.figures[0].unit == "percent":
        return 100 * (ratio - 1) * (claim.sign or 1)
    return ratio if claim.sign >= 0 else 1 / ratio if ratio else None


def _shown(value: float | None, figures: Sequence[Figure]) -> str:
    """A recomputed value with one digit more than is stated."""
    if value is None:
        return ""
    decimals = figures[0].decimals if figures else 0
    if value == int(value) and not decimals:
        return f"{int(value)}"
    return f"{value:.{decimals + 1}f}"
