"""What is a claim, and of whom and where may it be?"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from analysis.checking.figures import Figure

__all__ = ["EVERYTHING", "Above", "Claim", "Group", "Kind", "Place", "Places"]

Kind = Literal["value", "ratio", "difference", "order", "equal", "within", "extreme", "advice",
               "condition", "unread"]  # fmt: skip
Place = tuple[str | None, str | None]
"""Workload and task, of which one is null, or both for everything."""
EVERYTHING: Place = (None, None)


@dataclass(frozen=True)
class Group:
    """Some runs, and of how many of them something is said."""

    runs: tuple[str, ...] = ()
    quantifier: str = ""
    inferred: bool = False

    def without(self, other: Group) -> Group:
        """Those that are not in another group."""
        return replace(self, runs=tuple(run for run in self.runs if run not in other.runs))


@dataclass(frozen=True)
class Places:
    """Tasks and classes, each with what else its words may mean, and of how many it is said.

    `each` says that it is a number of tasks, not tasks by their names.
    """

    options: tuple[tuple[Place, ...], ...] = ((EVERYTHING,),)
    quantifier: str = ""
    stated: bool = False
    each: bool = False


@dataclass(frozen=True)
class Claim:
    """One thing that is said.

    `sign` is 1 for more, -1 for less, 0 for a difference either way. `axis` says what an extreme
    is one of: runs, tasks, both, or open. `why` says why it is unread, or which condition `holds`
    or does not. Nobody calls a claim wrong that is not `sure`, nor before what it has `left_out`
    (subject, reference, places, quantity, axis) was completed in other ways. A second figure is
    the number of drafted tokens that the first is a part of.
    """

    kind: Kind
    start: int = 0
    end: int = 0
    quantity: str = ""
    subject: Group = field(default_factory=Group)
    reference: Group = field(default_factory=Group)
    places: Places = field(default_factory=Places)
    other_places: Places | None = None
    sign: int = 1
    figures: tuple[Figure, ...] = ()
    bound: str = ""
    degree: str = ""
    negated: bool = False
    domain: Group | None = None
    rank: int = 1
    axis: str = ""
    sure: bool = True
    left_out: frozenset[str] = frozenset()
    why: str = ""
    holds: bool | None = None


@dataclass(frozen=True)
class Above:
    """What stands above a sentence: runs of titles, the run named last, a pair, classes and tasks.

    `near` is the run named last; a pronoun means it, and so does an `item` of a list. Behind
    `estimates` figures may be a model's.
    """

    subject: Group | None = None
    near: Group | None = None
    pair: tuple[str, str] | None = None
    places: tuple[Place, ...] = ()
    item: bool = False
    estimates: bool = False
