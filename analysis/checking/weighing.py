"""Are values as a claim says, and what do many findings come to?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
    says: str
    value: float | None = None
    scopes: tuple[Scope, ...] = ()


class Amount(NamedTuple):
    """What a figure may state; within `slack` of it, or where it does not vouch, it is open."""

    value: float
    slack: float = 0.0
    vouches: bool = True


def stated(claim: Claim, amounts: Iterable[Amount]) -> tuple[Truth, float | None]:
    """Whether a claim's figure is one of some amounts, and what it should have been."""
    figure = claim.figures[0]
    found: dict[Truth, float] = {}
    for value, slack, vouches in amounts:
        truth = agrees(figure, value, claim.bound)
        open_ = abs(figure.value - value) <= slack if truth is False else not vouches
        found.setdefault(None if open_ else truth, value)
    truth = True if True in found else False if [*found] == [False] else None
    return truth, found.get(truth)


def in_unit(value: float, claim: Claim) -> float:
    """A quantity's value in the unit of a claim's figure."""
    if not claim.figures or claim.figures[0].unit != "percent":
        return value
    over_one = claim.quantity in ("speedup", "decode_speedup", "geomean")
    return 100 * (value - 1) if over_one else 100 * value


def weighed(claim: Claim, first: float, second: float) -> tuple[Truth, float | None]:
    """Whether two values are as a claim says, and the figure that it should have stated."""
    relative = abs(first - second) / max(abs(first), abs(second), 1e-12)
    if claim.kind in ("equal", "order"):
        truth = _ordered(claim, (first - second) * claim.sign, relative)
        return truth if truth is None else truth != claim.negated, None
    if claim.kind == "within":
        share = claim.figures[0].unit in ("percent", "points")
        apart = Amount(100 * relative if share else abs(first - second))
        return stated(replace(claim, bound="le"), [apart])
    if not claim.sign:
        claim, first, second = replace(claim, sign=1), max(first, second), min(first, second)
    return stated(claim, _amounts(claim, first, second))


def _ordered(claim: Claim, more: float, relative: float) -> Truth:
    """Whether two values are equal, or the first on the right side, as far as it is said to be."""
    if claim.kind == "equal":
        return True if relative <= SAME else False if relative > UNLIKE else None
    speed = claim.quantity in (*SPEED, "time")
    if relative < (CLOSE if speed and more <= 0 else NOISE):
        # So close that another run may turn it round: nobody is accused.
        return None if more else False
    far = {"much": relative >= MUCH, "slightly": relative <= SLIGHT}.get(claim.degree, True)
    return more > 0 if far or more <= 0 else None


def _amounts(claim: Claim, first: float, second: float) -> Iterator[Amount]:
    """What an amount may state, the likeliest first."""
    figure, sign = claim.figures[0], claim.sign
    percent, free = figure.unit == "percent", 0.0 if claim.bound else 1.0
    if claim.kind == "ratio" and first and second:
        ratio, turned = first / second, second / first
        off = figure.half + ROUNDING * (100 if percent else 1) * ratio
        if figure.unit not in ("times", ""):
            share = 100 * (ratio - 1) * (1 if figure.signed else sign)
            yield Amount(share, free * off)
        elif figure.value >= 1 or sign >= 0 or not figure.unit:  # not "loses a third"
            # "1.2x slower" is the other way round; "1.94x faster" is 1.94x as fast.
            yield Amount(ratio if sign >= 0 else turned, free * off)
        if percent and sign < 0:
            # "10 % slower" is also said of 10 % faster the other way.
            yield Amount(100 * (turned - 1), vouches=False)
    if claim.kind == "difference" or (percent and claim.quantity == "acceptance"):
        # Nobody says whether "4 % higher acceptance" means percentage points.
        scale = 1.0 if figure.unit in ("", "rate", "s", "ms") else 100.0
        off = figure.step * (1.5 if figure.unit in ("points", "rate") else 0.5)
        yield Amount(scale * (first - second) * sign, free * off)


def counted(
    results: Sequence[Meaning | None], quantifier: str, *, group: bool = False
) -> Meaning | None:
    """Several results as one, as a quantifier says; `group` is a kind that nobody counted."""
    known = [one for one in results if one is not None]
    if not known or (len(results) == 1 and quantifier in ("", "all")):
        return next(iter(known), None)
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
    return replace(shown, truth=truth, scopes=scopes[:6])


def _bounds(quantifier: str, size: int) -> tuple[int, int]:
    """Of how many out of so many something is said: at least, and at most."""
    some = {"none": (0, 0), "one": (1, 1), "some": (1, size), "most": (size // 2 + 1, size)}
    few, slash, many = quantifier.removeprefix("=").partition("/")
    if slash:
        return (int(few), int(few)) if int(many) == size else (size + 1, size)
    return (int(few), size) if few.isdigit() else some.get(quantifier, (size, size))
