"""Which quantity do a table's words mean? One line per quantity that a card may state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["QUANTITIES", "Quantity", "quantities_of"]


@dataclass(frozen=True)
class Quantity:
    """A column of the campaign's frames and the words that mean it.

    Attributes
    ----------
    column
        Name in the frames.
    words
        Pattern of a header, a row label or a title; matched as a whole phrase.
    share
        Whether a percentage or a fraction states it.
    units
        Units that a figure of it may carry; empty is a bare number.
    """

    column: str
    words: str
    share: bool = False
    units: tuple[str, ...] = field(default=("",))

    def named_in(self, text: str) -> bool:
        """Whether the text has the quantity's words."""
        return re.search(rf"(?<![\w-])(?:{self.words})(?![\w-])", text, re.IGNORECASE) is not None


SHARE = ("percent", "")
QUANTITIES: tuple[Quantity, ...] = (
    # The first that matches wins, so that longer phrases stand above their parts.
    Quantity("break_even_acceptance", r"break[- ]?even(?: acceptance)?(?: rate)?", True, SHARE),
    Quantity("drafted_per_forward", r"draft(?:ed)?(?: tokens)? per forward"),
    Quantity("accepted_per_forward", r"accepted(?: tokens)? per (?:forward|round|step)"),
    Quantity(
        "mean_accepted_length",
        r"(?:mean|average) accept(?:ed|ance) length|tokens per (?:forward|step)|mean len(?:gth)?",
    ),
    Quantity(
        "acceptance_rate",
        r"(?:aggregate |draft )?accept(?:ance|ed)? ?(?:rate|%)|acceptance|accept_rate",
        True,
        SHARE,
    ),
    Quantity(
        "geomean_task_speedup",
        r"geo(?:metric )?mean(?: of(?: the)? tasks?)?(?: speedup)?",
        False,
        ("times", ""),
    ),
    Quantity("time_saved", r"time saved|saved time", True, ("percent",)),
    Quantity("decode_speedup", r"decode speed-?up", False, ("times", "")),
    Quantity("speedup", r"speed-?up|vs\.? baseline|relative speed", False, ("times", "")),
    Quantity("effective_tps", r"effective(?: throughput)?(?:,? \(?tok/s\)?)?", False, ("rate", "")),
    Quantity(
        "decode_tps",
        r"(?:decode|per-task)(?: throughput)?(?:,? \(?tok/s\)?)?|tok/s|t/s|tokens/s|throughput",
        False,
        ("rate", ""),
    ),
    Quantity("wall_s", r"wall(?:[- ]?(?:clock)?)?(?:[- ]?time)?(?:,? \(?s\)?)?", False, ("s", "")),
    Quantity("ms_per_forward", r"ms per (?:forward|step)|ms/forward", False, ("ms", "")),
    Quantity("step_cost_ratio", r"r|step cost(?: ratio)?", False, ("times", "")),
    Quantity("forwards", r"(?:target )?forwards"),
    Quantity("wasted_tokens", r"wasted(?: drafts| tokens)?|rejected(?: tokens)?"),
    Quantity("accepted_tokens", r"(?:total )?(?:draft )?accepted(?: (?:draft )?tokens)?"),
    Quantity("draft_tokens", r"(?:total )?draft(?:ed)?(?: tokens)?(?: total)?"),
    Quantity("predicted_tokens", r"(?:total )?(?:predicted|generated|output)(?: tokens)?"),
    Quantity("n_requests", r"requests|n_requests"),
)
BROADER = {
    # What else a short header may mean over a whole run.
    "speedup": ("speedup", "decode_speedup"),
    "decode_tps": ("decode_tps", "effective_tps"),
}


def quantities_of(text: str, unit: str = "") -> Sequence[Quantity]:
    """What a header may mean for a figure with this unit, the likeliest first.

    Examples
    --------
    >>> [q.column for q in quantities_of("Accept Rate")]
    ['acceptance_rate']
    >>> [q.column for q in quantities_of("tok/s", "rate")]
    ['decode_tps', 'effective_tps']
    """
    found = next((item for item in QUANTITIES if item.named_in(text)), None)
    if found is None or unit not in found.units:
        return ()
    if found.column == "decode_tps" and re.search(r"decode|per-task", text, re.IGNORECASE):
        return (found,)
    columns = BROADER.get(found.column, (found.column,))
    return [item for name in columns for item in QUANTITIES if item.column == name]
