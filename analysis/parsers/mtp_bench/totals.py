"""mtp-bench's totals, under the names that its forks give them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from analysis.parsers.text.grammar import as_count, as_measure
from analysis.records import Aggregate, Source

__all__ = ["TOTALS", "aggregate_from", "key_name"]

TOTALS = frozenset(
    {
        "n_requests",
        "total_predicted",
        "total_draft",
        "total_draft_accepted",
        "aggregate_accept_rate",
        "wall_s_total",
    }
)
"""The keys of which one at least makes an object mtp-bench's aggregate."""


def key_name(text: str) -> str:
    """Return a key as mtp-bench spells it, from one whose underscores were eaten.

    Examples
    --------
    >>> key_name("n requests"), key_name("wall_s_total")
    ('n_requests', 'wall_s_total')
    """
    return re.sub(r"[\s\\_]+", "_", text.strip().lower())


def aggregate_from(
    values: Mapping[str, object], source: Source
) -> tuple[Aggregate, tuple[str, ...]]:
    """Make an aggregate of a source's keys and values.

    ``wall_s_total`` sums the requests' times, except where a fork states that
    sum as ``request_wall_s_total``: there it is elapsed time.

    Parameters
    ----------
    values
        Numbers, or numbers as text, by key; ``None`` for null.
    source
        Where the totals stand.

    Returns
    -------
    Aggregate
        With ``None`` for every total that is missing or impossible.
    tuple of str
        The keys that have an impossible value.
    """
    counts = {
        key: as_count(values.get(key))
        for key in (
            "n_requests",
            "total_predicted",
            "total_draft",
            "total_draft_accepted",
        )
    }
    measures = {
        key: as_measure(values.get(key))
        for key in (
            "aggregate_accept_rate",
            "wall_s_total",
            "request_wall_s_total",
            "batch_wall_s",
        )
    }
    read: dict[str, object] = {**counts, **measures}
    unread = tuple(
        key for key, value in read.items() if value is None and values.get(key) is not None
    )
    summed, elapsed = measures["wall_s_total"], measures["batch_wall_s"]
    if values.get("request_wall_s_total") is not None:
        summed, elapsed = measures["request_wall_s_total"], measures["wall_s_total"]
    return (
        Aggregate(
            source=source,
            n_requests=counts["n_requests"],
            predicted_tokens=counts["total_predicted"],
            draft_tokens=counts["total_draft"],
            accepted_tokens=counts["total_draft_accepted"],
            acceptance_rate=measures["aggregate_accept_rate"],
            wall_s=summed,
            elapsed_s=elapsed,
        ),
        unread,
    )
