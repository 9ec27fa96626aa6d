"""Does a claim hold? It is held against every quantity that its words may mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from analysis.checking.book import Book, Scope, spoken
from analysis.checking.claims import Claim
from analysis.checking.figures import agrees
from analysis.checking.quantities import QUANTITIES, SPEED
from analysis.checking.roles import EVERYTHING, Place
from analysis.checking.verdict import Status, Verdict

__all__ = ["Judge"]

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
MEANINGS = 3
AMBIGUOUS = 4
Truth = bool | None


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

    def __call__(self, claim: Claim, verdict: Verdict) -> Verdict:
        """A verdict with what was found out about its claim.

        With a figure, one meaning for which it is right is enough; without one a claim must hold
        for all. It differs where no meaning fits, and nothing in it was guessed.
        """
        if claim.kind == "unread":
            return replace(verdict, says=claim.why)
        kinds = {"value": self._value, "extreme": self._extreme}
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
        self, claim: Claim, test: Callable[[Scope, int], _Reading | None]
    ) -> Iterator[_Reading]:
        """Hold a test against every run and place, and count as the quantifiers say."""
        options = claim.places.options
        several = sum(len(option) > 1 for option in options)
        picks: Iterable[tuple[Place, ...]] = [tuple(option[0] for option in options)]
        if several <= AMBIGUOUS:
            picks = list(product(*options))
        group, quantifier = len(claim.subject.runs) > 1, claim.places.quantifier or "all"
        for index, pick in product(range(MEANINGS), picks):
            by_run = [
                _counted([test(Scope(run, *place), index) for place in pick], quantifier)
                for run in claim.subject.runs
            ]
            yield _counted(by_run, claim.subject.quantifier, group=group)

    # ---- values

    def _value(self, claim: Claim) -> Iterator[_Reading]:
        """``X reaches 133.9 tok/s``, ``X accepted 55 of 119 drafted tokens``."""

        def test(scope: Scope, index: int) -> _Reading | None:
            known = self.book.meaning(claim.quantity, index, scope)
            if known is None:
                return None
            says = f"{spoken(known[0])} of {self.book.name(scope)}"
            truth = self._states(claim, scope, *known)
            for whole in claim.figures[1:]:
                drafted = self.book.get("draft_tokens", scope)
                truth = truth and drafted is not None and agrees(whole, drafted)
            return _Reading(truth, says, _in_unit(known[1], claim), (scope,))

        for one in self._over(claim, test):
            # "DSpark reaches 94 %": some depth of it, on some task.
            open_ = len(claim.subject.runs) > 1 and not claim.subject.quantifier
            yield replace(one, truth=None) if open_ and not one.truth else one

    def _states(self, claim: Claim, scope: Scope, column: str, value: float) -> Truth:
        """Whether the claim's figure states a value, or one that another convention gives.

        That is n or n - 1 tokens, or a mean of rates. A rate that a log states has one decimal.
        """
        figure = claim.figures[0]
        shown = _in_unit(value, claim)
        truth = agrees(figure, shown, claim.bound)
        stated = scope.task is not None and abs(10 * value - round(10 * value)) < 1e-6
        near = abs(figure.value - shown) <= CONVENTION * abs(shown)
        if column in ("n_tasks", "n_runs", "n_real", "n_drafting") and figure.value < value:
            return None  # it may be of some of them only
        return None if truth is False and near and column in CONVENTIONAL and not stated else truth

    # ---- comparisons

    def _compare(self, claim: Claim) -> Iterator[_Reading]:
        """Every subject's quantity against every reference's."""
        reference, places = claim.reference, claim.other_places

        def test(scope: Scope, index: int) -> _Reading | None:
            others = [replace(scope, run=run) for run in reference.runs if run != scope.run]
            if places is not None:
                runs = reference.runs if reference.runs != claim.subject.runs else (scope.run,)
                others = [Scope(run, *option[0]) for run in runs for option in places.options]
            results = [self._pair(claim, index, scope, other) for other in others]
            return _counted(results, reference.quantifier, group=len(results) > 1)

        yield from self._over(claim, test)

    def _pair(self, claim: Claim, index: int, scope: Scope, other: Scope) -> _Reading | None:
        timed = claim.kind == "difference" and claim.figures[0].unit == "s"
        quantity = "time" if timed else claim.quantity
        first, second = (self.book.meaning(quantity, index, one) for one in (scope, other))
        if first is None or second is None:
            return None
        column = first[0]
        says = f"{spoken(column)} of {self.book.name(scope)} against {self.book.name(other)}"
        apart = scope.run != other.run and not self.book.comparable(scope.run, other.run)
        if column in SPEEDS and apart:
            return _Reading(None, "speeds of runs that can't be compared", None, (scope, other))
        truth, value = _weighed(claim, first[1], second[1])
        if claim.kind == "order" and column in SPEEDS and self._unsure(scope, other):
            truth = None
        return _Reading(truth, says, value, (scope, other))

    def _unsure(self, *scopes: Scope) -> bool:
        """Whether the interval of a speedup holds 1, so that the order may not repeat."""
        plain = self.facts.baseline
        runs = [self.facts.by_id[scope.run] for scope in scopes]
        if plain is None or plain not in runs or not scopes[0].whole:
            return False
        ends = [(run.speedup_low, run.speedup_high) for run in runs]
        return any(low is not None and high is not None and low < 1 < high for low, high in ends)

    # ---- extremes

    def _extreme(self, claim: Claim) -> Iterator[_Reading]:
        """``X is the fastest``, ``the highest acceptance is 97.1 %``."""
        axes = ("runs", "tasks", "both") if claim.axis == "open" else (claim.axis,)
        for runs, axis, index in product(self._domains(claim), axes, range(2)):
            pools = self._pools(claim, runs, axis)
            results = [self._best(claim, index, pool, mine) for pool, mine in pools]
            if axis == "both":
                yield from (one for one in results if one is not None)
                continue
            quantifier = claim.places.quantifier if axis == "runs" else claim.subject.quantifier
            yield _counted(results, quantifier or "all")

    def _domains(self, claim: Claim) -> list[tuple[str, ...]]:
        """The runs that one may be the first of."""
        real = tuple(run.id for run in self.facts.real if run.predicted_tokens)
        drafting = tuple(run.id for run in self.facts.drafting)
        if claim.domain is not None and (len(claim.domain.runs) > 1 or claim.axis == "both"):
            named = tuple(dict.fromkeys((*claim.domain.runs, *claim.subject.runs)))
            return [named, drafting] if claim.domain.inferred else [named]
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
        if named and named[0][0] is not None:
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
            return [(_scopes(runs, where), []) for where in [*wholes, *tasks] if where]
        return [(_scopes(runs, places), mine)]

    def _best(
        self, claim: Claim, index: int, pool: list[Scope], mine: list[Scope]
    ) -> _Reading | None:
        """Whether the extreme of a pool is one of some scopes, and has the stated figure."""
        found = [(self.book.meaning(claim.quantity, index, scope), scope) for scope in pool]
        ranked = sorted(
            ((claim.sign * one[1], one[0], scope) for one, scope in found if one is not None),
            key=lambda item: -item[0],
        )
        own = [item for item in ranked if item[2] in mine]
        if len(ranked) < max(2, claim.rank) or (mine and not own) or not (mine or claim.figures):
            return None
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
        value = _in_unit(claim.sign * best, claim) if claim.figures else None
        return _Reading(truth, says, value, (scope,))


def _scopes(runs: Iterable[str], places: Sequence[Place]) -> list[Scope]:
    return [Scope(run, *place) for run in runs for place in places]


# ---- two values


def _weighed(claim: Claim, first: float, second: float) -> tuple[Truth, float | None]:
    """Whether two values are as a claim says, and the figure that it should have stated."""
    relative = abs(first - second) / max(abs(first), abs(second), 1e-12)
    if claim.kind == "equal":
        truth: Truth = True if relative <= SAME else False if relative > UNLIKE else None
        return truth if truth is None else truth != claim.negated, None
    if claim.kind == "order":
        truth = _ordered(claim, (first - second) * claim.sign, relative)
        return truth if truth is None else truth != claim.negated, None
    if not claim.sign:
        either = [_weighed(replace(claim, sign=1), *pair) for pair in ((first, second), (second, first))]
        return next((one for one in either if one[0]), either[0 if first > second else 1])
    figure = claim.figures[0]
    values, wide = [], []
    if claim.kind == "difference" or (figure.unit == "percent" and claim.quantity == "acceptance"):
        # Nobody says whether "4 % higher acceptance" means percentage points.
        scale = 1.0 if not figure.unit or figure.unit in ("rate", "s", "ms") else 100.0
        sign = -claim.sign if figure.unit == "s" and claim.quantity in SPEED else claim.sign
        values = [scale * (first - second) * sign]
        # From figures that were rounded before, the last digit may be another one.
        off = 1.01 * figure.step if figure.unit in ("points", "rate") else 0.0
        wide = [values[0] - off, values[0] + off]
    if claim.kind == "ratio" and first and second:
        values.insert(0, _ratio(claim, first / second))
        wide += [_ratio(claim, first / second * one) for one in (1 - ROUNDING, 1 + ROUNDING)]
    truths = [agrees(figure, value, claim.bound) for value in values]
    if True in truths or not truths:
        return True if truths else None, values[truths.index(True)] if truths else None
    near = None in truths or (
        wide and min(wide) - figure.step / 2 <= figure.value <= max(wide) + figure.step / 2
    )
    return None if near and not claim.bound else truths[0], values[0]


def _ordered(claim: Claim, more: float, relative: float) -> Truth:
    """Whether the first of two values is on the right side, and as far as it is said to be."""
    speed = claim.quantity in (*SPEED, "time")
    if relative < (CLOSE if speed and more <= 0 else NOISE):
        # So close that another run may turn it round: nobody is accused.
        return None if more else False
    if more <= 0 or claim.degree not in ("much", "slightly"):
        return more > 0
    return True if (relative >= MUCH if claim.degree == "much" else relative <= SLIGHT) else None


def _ratio(claim: Claim, ratio: float) -> float:
    """A ratio as the claim's figure states it.

    "1.2x slower" is the other way round; "1.94x faster" is what people call 1.94x as fast.
    """
    figure = claim.figures[0]
    if figure.unit in ("times", ""):
        return ratio if claim.sign >= 0 else 1 / ratio
    return 100 * (ratio - 1) * (1 if figure.signed else claim.sign)


# ---- many readings as one


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
    """Whether the number of those for which it holds is what a quantifier says."""
    counted = quantifier.partition("/")
    least, most = {"none": (0, 0), "some": (1, size), "most": (size // 2 + 1, size)}.get(
        quantifier, (size, size)
    )
    if counted[1]:
        least = most = int(counted[0])
        if size != int(counted[2]):
            return False if yes + no == size else None
    elif quantifier.startswith("=") and int(quantifier[1:]) != size:
        least, most = int(quantifier[1:]), size
        if yes > least:
            return None
    elif group and not quantifier and yes and no:
        return None  # "DSpark is slower": of several runs it is true of all, or of nobody, or open
    if least <= yes and size - no <= most:
        return True
    return False if size - no < least or yes > most else None


def _in_unit(value: float, claim: Claim) -> float:
    if not claim.figures or claim.figures[0].unit != "percent":
        return value
    over_one = claim.quantity in ("speedup", "decode_speedup", "geomean")
    return 100 * (value - 1) if over_one else 100 * value
