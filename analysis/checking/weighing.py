"""Are two values as a claim says, and what do many findings come to?"""

from __future__ import annotations

from collections.abc import Sequence
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
    if claim.kind == "within":
        figure = claim.figures[0]
        apart = 100 * relative if figure.unit in ("percent", "points") else abs(first - second)
        return apart <= figure.value + figure.step / 2, apart
    if claim.kind in ("equal", "order"):
        truth: Truth = True if relative <= SAME else False if relative > UNLIKE else None
        if claim.kind == "order":
            truth = _ordered(claim, (first - second) * claim.sign, relative)
        return truth if truth is None else truth != claim.negated, None
    if not claim.sign:
        either = [
            weighed(replace(claim, sign=1), *pair) for pair in ((first, second), (second, first))
        ]
        return next((one for one in either if one[0]), either[0 if first > second else 1])
    figure = claim.figures[0]
    if claim.kind == "ratio" and claim.sign < 0 and figure.unit == "times" and figure.value < 1:
        return None, None  # "loses a third", "drops to a third"
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
        if claim.sign < 0:
            # "10 % slower" is also said where the other is 10 % faster.
            wide.append(_ratio(replace(claim, sign=1), second / first))
        wide += [_ratio(claim, first / second * one) for one in (1 - ROUNDING, 1 + ROUNDING)]
    truths = [agrees(figure, value, claim.bound) for value in values]
    if True in truths or not truths:
        return True if truths else None, values[truths.index(True)] if truths else None
    near = None in truths or (
        wide and min(wide) - figure.step / 2 <= figure.value <= max(wide) + figure.step / 2
    )
    if claim.kind == "ratio" and claim.quantity == "time" and figure.unit == "times" and first:
        # "0.33x by wall time" is a speed.
        near = near or agrees(figure, second / first) is not False
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


def counted(results: Sequence[Meaning | None], quantifier: str, *, group: bool = False) -> Meaning:
    """Several results as one, as a quantifier says; `group` is a kind that nobody counted."""
    if len(results) == 1 and quantifier in ("", "all"):
        return results[0] or Meaning(None)
    known = [one for one in results if one is not None and one.says]
    if not known:
        return Meaning(None)
    shown = next((one for one in known if one.truth is False), known[0])
    yes = sum(one.truth is True for one in known)
    no = sum(one.truth is False for one in known)
    size = len(results)
    scopes = tuple(dict.fromkeys(scope for one in known for scope in one.scopes))
    truth = _quantified(quantifier, yes, no, size, group=group)
    if "/" in quantifier or quantifier.startswith("="):
        return Meaning(truth, f"{shown.says}, …: {yes} of {size}", float(yes), scopes)
    return Meaning(truth, shown.says, shown.value, scopes[:6])


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


def in_unit(value: float, claim: Claim) -> float:
    """A quantity's value in the unit of a claim's figure."""
    if not claim.figures or claim.figures[0].unit != "percent":
        return value
    over_one = claim.quantity in ("speedup", "decode_speedup", "geomean")
    return 100 * (value - 1) if over_one else 100 * value
