"""What did an implementation of speculation do since its server started?"""

from __future__ import annotations

import re
from typing import NamedTuple

from analysis.parsers.text.command import implementation
from analysis.parsers.text.grammar import count

__all__ = ["DraftStatistics", "Statistics", "statistics"]

_REAL = r"-?(?:\d{1,15}(?:\.\d{1,9})?|nan|inf)"
_BEGINS = re.compile(
    r"(?:[\w()]+ +[\w()]+: +|common_speculative_print_stats: +)?"
    r"statistics +([\w-]{1,40}): +#calls"
)
_SHARES = re.compile(r"#acc rate/pos = \(([^()]*)\)")
_TOTALS = tuple(
    re.compile(rf"#{name} = *(\d+)") for name in ("gen drafts", "gen tokens", "acc tokens")
)
_DURATIONS = re.compile(rf"dur\(b,g,a\) = *{_REAL}, *({_REAL}), *{_REAL} ms")


class DraftStatistics(NamedTuple):
    """What one speculative implementation did, of the one or several that a server chains.

    llama-server prints it cumulated over its process; a request's own is the
    difference between two such lines.

    Attributes
    ----------
    implementation
        llama-server's present name, such as ``draft-mtp``.
    drafts
        Drafts that were made.
    drafted_tokens, accepted_tokens
        Tokens.
    draft_s
        Time spent on drafting; a lower bound for implementations that work ahead.
    """

    implementation: str
    drafts: int
    drafted_tokens: int
    accepted_tokens: int
    draft_s: float | None = None


class Statistics(NamedTuple):
    """Totals of one implementation since its server started.

    `shares` are those accepted by position as printed: few are ever read.
    """

    totals: DraftStatistics
    shares: str = ""


def statistics(text: str) -> Statistics | None:
    """Read a message with totals; null for any other."""
    found = _BEGINS.match(text)
    return _by_figures(found[1], text) if found else None


def _by_figures(name: str, text: str) -> Statistics | None:
    figures = [pattern.search(text) for pattern in _TOTALS]
    whole = [count(found[1]) for found in figures if found]
    drafts, drafted, accepted = whole if len(whole) == len(_TOTALS) else [None] * len(_TOTALS)
    if drafts is None or drafted is None or accepted is None:
        return None
    spent = _DURATIONS.search(text)
    draft_ms = _milliseconds(spent[1]) if spent else None
    totals = DraftStatistics(
        implementation(name),
        drafts,
        drafted,
        accepted,
        None if draft_ms is None else draft_ms / 1000,
    )
    printed = _SHARES.search(text)
    return Statistics(totals, printed[1] if printed else "")


def _milliseconds(text: str) -> float | None:
    return float(text) if text[0].isdigit() else None
