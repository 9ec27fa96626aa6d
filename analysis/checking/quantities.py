"""Which one quantity do the words of a clause mean, and may a figure state it?"""

from __future__ import annotations

from analysis.checking.figures import Figure
from analysis.checking.roles import Parts

__all__ = ["BAD", "SPEED", "carries", "quantity_of"]

SPEED = ("throughput", "effective", "decode")
BAD = ("time", "wasted", "forward_ms", "cost", "rejected_share")
"""Of which less is better."""
_SHARES = ("acceptance", "break_even", "rejected_share", "time_saved")
_COUNTS = ("drafted", "accepted", "wasted", "predicted", "forwards", "requests")
_UNITS = {
    **dict.fromkeys(SPEED, ("rate", "")),
    "time": ("s",),
    "forward_ms": ("ms", ""),
    "length": ("",),
    **dict.fromkeys(("cost", "geomean", "speedup"), ("times", "")),
}
_OF_UNIT = {"rate": "throughput", "s": "time", "ms": "forward_ms"}


def quantity_of(parts: Parts, figure: Figure | None) -> str:
    """The quantity that a clause is about; empty where that is open.

    Several words may mean one: *accepts … of its drafts* is a share if a
    percentage follows, *decode throughput* is no throughput of whole requests.
    """
    said = set(parts.quantities)
    unit = "" if figure is None else figure.unit
    noun = any(one.kind == "quantities" and one.value == "time" for one in parts.tokens)
    if unit in ("rate", "ms") and not noun:
        said -= {"time"}
    if unit == "rate":
        said -= {"predicted"}
    share = unit in ("percent", "points") or (
        figure is not None and bool(figure.decimals) and figure.value <= 1
    )
    found = _several(said, share=share)
    return _OF_UNIT.get(unit, "") if not said else found


def _several(said: set[str], *, share: bool) -> str:
    shared = {"accepted", "acceptance"}
    if share and said & shared and said <= {*shared, "drafted", "predicted"}:
        return "acceptance"
    if share and "wasted" in said and said <= {"wasted", "drafted"}:
        return "rejected_share"
    if said & {"speedup", "decode_speedup"}:
        if said & {"decode", "decode_speedup"}:
            return "decode_speedup"
        return "speedup" if said <= {"speedup", "throughput", "effective"} else ""
    for one, others in (
        ("decode", {"throughput", "predicted"}),
        ("effective", {"throughput", "predicted"}),
        ("acceptance", {"drafted"}),
        ("accepted", {"drafted"}),
        ("wasted", {"drafted"}),
    ):
        if one in said and said - {one} <= others:
            return one
    return next(iter(said)) if len(said) == 1 else ""


def carries(quantity: str, figure: Figure | None) -> bool:
    """Whether a quantity is stated in the figure's unit."""
    if figure is None or not quantity or figure.unit == "points":
        return False
    if figure.unit == "percent":
        return quantity in _SHARES
    if quantity in _SHARES:
        return not figure.unit and figure.decimals > 0 and 0 <= figure.value <= 1
    if quantity in _COUNTS:
        return not figure.unit and not figure.decimals
    if quantity in SPEED and not figure.unit and not figure.decimals:
        return False
    return figure.unit in _UNITS.get(quantity, ())
