"""Are values as a claim says, and what do many findings come to?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from analysis.checking.book import Scope
from analysis.checking.claim import Claim
from analysis.checking.figures import agrees
from analysis.checking.quantities import SPEED

__all__ = ["CLOSE", "NOISE", "Amount", "Meaning", "Truth", "counted", "in_unit", "stated",
           "weighed"]  # fmt: skip

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


class Amount(NamedTuple):
    """What a figure may state; within `slack` of it, or where it does not vouch, it is open."""

    value: float
    slack: float = 0.0
    vouches: bool = True


def stated(claim: Claim, amounts: Sequence[Amount]) -> tuple[Truth, float | None]:
    """Whether a claim's figure is one of some amounts, and what it should have been."""
    figure, truths = claim.figures[0], []
    for value, slack, vouches in amounts:
        truth = agrees(figure, value, claim.bound)
        open_ = abs(figure.value - value) <= slack if truth is False else not vouches
        truths.append(None if open_ else truth)
    if True in truths:
        return True, amounts[truths.index(True)].value
    return (None if None in truths or not truths else False), amounts[0].value if amounts else None


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
        claim = replace(claim, sign=1)
        first, second = max(first, second), min(first, second)
    if claim.kind == "ratio" and claim.sign < 0 and figure.unit == "times" and figure.value < 1:
        return None, None  # "loses a third", "drops to a third"
    return stated(claim, [*_amounts(claim, first, second)])


def _amounts(claim: Claim, first: float, second: float) -> Iterator[Amount]:
    """What an amount may state, the likeliest first."""
    figure, half = claim.figures[0], claim.figures[0].step / 2
    percent, seconds = figure.unit == "percent", figure.unit == "s"
    if claim.kind == "ratio" and first and second:
        slack = half + ROUNDING * (100 if percent else 1) * first / second
        yield Amount(_ratio(claim, first / second), 0.0 if claim.bound else slack)
    if claim.kind == "difference" or (percent and claim.quantity == "acceptance"):
        # Nobody says whether "4 % higher acceptance" means percentage points.
        scale = 1.0 if figure.unit in ("", "rate", "s", "ms") else 100.0
        sign = -claim.sign if seconds and claim.quantity in SPEED else claim.sign
        slack = half + (figure.step if figure.unit in ("points", "rate") else 0.0)
        yield Amount(scale * (first - second) * sign, 0.0 if claim.bound else slack)
    timed = claim.quantity == "time" and figure.unit == "times"
    if claim.kind == "ratio" and first and second and (timed or (claim.sign < 0 and percent)):
        # "10 % slower" is also said of 10 % faster the other way, "0.33x by wall time" of a speed.
        yield Amount(_ratio(replace(claim, sign=-claim.sign), second / first), vouches=False)


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
    far = {"much": relative >= MUCH, "slightly": relative <= SLIGHT}.get(claim.degree, True)
    return more > 0 if far or more <= 0 else None


def counted(results: Sequence[Meaning | None], quantifier: str, *, group: bool = False) -> Meaning:
    """Several results as one, as a quantifier says; `group` is a kind that nobody counted."""
    if len(results) == 1 and quantifier in ("", "all"):
        return results[0] or Meaning(None)
    known = [one for one in results if one is not None and one.says]
    if not known:
        return Meaning(None)
    size, (few, many) = len(results), _bounds(quantifier, len(results))
    yes, no = (sum(one.truth is what for one in known) for what in (True, False))
    truth: Truth = False if size - no < few or yes > many else None
    # "DSpark is slower" is true of all its runs, or of nobody, or open; so is "five tasks" of more.
    if (group and not quantifier and yes and no) or (quantifier.startswith("=") and few < yes):
        truth = None
    elif few <= yes and size - no <= many:
        truth = True
    shown = next((one for one in known if one.truth is (quantifier == "some")), known[0])
    scopes = tuple(dict.fromkeys(scope for one in known for scope in one.scopes))
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
