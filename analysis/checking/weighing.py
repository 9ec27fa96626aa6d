"""Are two values as a claim says, and what do many findings come to?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from analysis.checking.book import Scope
from analysis.checking.claim import Claim
from analysis.checking.figures import agrees
from analysis.checking.quantities import SPEED

__all__ = ["CLOSE", "NOISE", "Meaning", "Truth", "counted", "in_unit", "weighed"]

SAME, UNLIKE = 0.02, 0.05
"""Below the first two values are about equal; above the second they are not."""
MUCH, SLIGHT = 0.05, 0.10
NOISE, CLOSE = 0.0005, 0.01
"""Up to the first nobody can tell two values apart; up to the second no speeds are put right."""
ROUNDING = 0.004
"""How far figures rounded before they were divided may lead off."""
Truth = bool | None


@dataclass(frozen=True)
class Meaning:
    """One thing that the words may mean, and whether it holds."""

    truth: Truth
    says: str = ""
    value: float | None = None
    scopes: tuple[Scope, ...] = field(default=())


def weighed(claim: Claim, first: float, second: float) -> tuple[Truth, float | None]:
    """Whether two values are as a claim says, and the figure that it should have stated."""
    relative = abs(first - second) / max(abs(first), abs(second), 1e-12)
    if claim.kind in ("equal", "order"):
        truth: Truth = True if relative <= SAME else False if relative > UNLIKE else None
        if claim.kind == "order":
            truth = _ordered(claim, (first - second) * claim.sign, relative)
        return truth if truth is None else truth != claim.negated, None
    figure = claim.figures[0]
    if claim.kind == "within":
        apart = 100 * relative if figure.unit in ("percent", "points") else abs(first - second)
        return apart <= figure.value + figure.step / 2, apart
    if not claim.sign:
        pairs = ((first, second), (second, first))
        found = [weighed(replace(claim, sign=1), *pair) for pair in pairs]
        return next((one for one in found if one[0]), found[first <= second])
    if claim.kind == "ratio" and claim.sign < 0 and figure.unit == "times" and figure.value < 1:
        return None, None  # "loses a third", "drops to a third"
    said = list(_amounts(claim, first, second))
    truths = [agrees(figure, value, claim.bound) for value, _ in said]
    if not truths or True in truths:
        return (True, said[truths.index(True)][0]) if truths else (None, None)
    near = any(abs(figure.value - value) <= slack + figure.step / 2 for value, slack in said)
    if claim.kind == "ratio" and first and second:
        # "10 % slower" is also said where the other is 10 % faster, "0.33x by wall time" is a
        # speed: neither is accused.
        turned = replace(claim, sign=-claim.sign)
        either = claim.sign < 0 and figure.unit == "percent"
        if either or (claim.quantity == "time" and figure.unit == "times"):
            near = near or agrees(figure, _ratio(turned, second / first)) is not False
    return None if None in truths or (near and not claim.bound) else False, said[0][0]


def _amounts(claim: Claim, first: float, second: float) -> Iterator[tuple[float, float]]:
    """What an amount may state, the likeliest first, and how far rounding may lead off."""
    figure = claim.figures[0]
    if claim.kind == "ratio" and first and second:
        scale = 100.0 if figure.unit == "percent" else 1.0
        yield _ratio(claim, first / second), scale * ROUNDING * first / second
    if claim.kind == "difference" or (figure.unit == "percent" and claim.quantity == "acceptance"):
        # Nobody says whether "4 % higher acceptance" means percentage points.
        scale = 1.0 if figure.unit in ("", "rate", "s", "ms") else 100.0
        sign = -claim.sign if figure.unit == "s" and claim.quantity in SPEED else claim.sign
        slack = figure.step if figure.unit in ("points", "rate") else 0.0
        yield scale * (first - second) * sign, slack


def _ratio(claim: Claim, ratio: float) -> float:
    """A ratio as the claim's figure states it.

    "1.2x slower" is the other way round; "1.94x faster" is what people call 1.94x as fast.
    """
    figure = claim.figures[0]
    if figure.unit in ("times", ""):
        return ratio if claim.sign >= 0 else 1 / ratio
    return 100 * (ratio - 1) * (1 if figure.signed else claim.sign)


def _ordered(claim: Claim, more: float, relative: float) -> Truth:
    """Whether the first of two values is on the right side, and as far as it is said to be."""
    speed = claim.quantity in (*SPEED, "time")
    if relative < (CLOSE if speed and more <= 0 else NOISE):
        # So close that another run may turn it round: nobody is accused.
        return None if more else False
    if more <= 0 or claim.degree not in ("much", "slightly"):
        return more > 0
    return True if (relative >= MUCH if claim.degree == "much" else relative <= SLIGHT) else None


def counted(results: Sequence[Meaning | None], quantifier: str, *, group: bool = False) -> Meaning:
    """Several results as one, as a quantifier says; `group` is a kind that nobody counted."""
    if len(results) == 1 and quantifier in ("", "all"):
        return results[0] or Meaning(None)
    known = [one for one in results if one is not None and one.says]
    if not known:
        return Meaning(None)
    shown = next((one for one in known if one.truth is (quantifier == "some")), known[0])
    yes, no = (sum(one.truth is what for one in known) for what in (True, False))
    scopes = tuple(dict.fromkeys(scope for one in known for scope in one.scopes))
    size = len(results)
    few, many = _bounds(quantifier, size)
    truth: Truth = False if size - no < few or yes > many else None
    # "DSpark is slower" is true of all its runs, or of nobody, or open; so is "five tasks" of more.
    vague = group and not quantifier and yes and no
    if vague or (quantifier.startswith("=") and few < yes):
        truth = None
    elif few <= yes and size - no <= many:
        truth = True
    if "/" in quantifier or quantifier.startswith("="):
        return Meaning(truth, f"{shown.says}, …: {yes} of {size}", float(yes), scopes)
    return Meaning(truth, shown.says, shown.value, scopes[:6])


def _bounds(quantifier: str, size: int) -> tuple[int, int]:
    """Of how many out of so many something is said: at least, and at most."""
    some = {"none": (0, 0), "some": (1, size), "most": (size // 2 + 1, size)}
    few, slash, many = quantifier.removeprefix("=").partition("/")
    if slash:
        return (int(few), int(few)) if int(many) == size else (size + 1, size)
    return (int(few), size) if few.isdigit() else some.get(quantifier, (size, size))


def in_unit(value: float, claim: Claim) -> float:
    """A quantity's value in the unit of a claim's figure."""
    if not claim.figures or claim.figures[0].unit != "percent":
        return value
    over_one = claim.quantity in ("speedup", "decode_speedup", "geomean")
    return 100 * (value - 1) if over_one else 100 * value
