"""What else may a claim mean, where it leaves something out?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from analysis.cards.facts import Facts
from analysis.checking.claim import Claim, Group, Place, Places
from analysis.checking.quantities import QUANTITIES, carries

__all__ = ["completions"]


def completions(claim: Claim, facts: Facts) -> Iterator[Claim]:
    """A claim with other things in the place of one that it does not say."""
    runs = [run.id for run in facts.real if run.predicted_tokens]
    places: list[Place] = [(name, None) for name in facts.workloads]
    places += [(None, task) for task in facts.task_names]
    everyone = [Group((run,)) for run in runs]
    if "places" in claim.left_out:
        yield replace(claim, places=Places((tuple(places),)))
    if "quantity" in claim.left_out:
        for name in QUANTITIES:
            if name != claim.quantity and all(
                carries(name, one) or claim.kind != "value" for one in claim.figures
            ):
                yield replace(claim, quantity=name)
    if "subject" in claim.left_out:
        for one in everyone:
            domain = one if claim.domain else None
            yield replace(claim, subject=one, reference=claim.reference.without(one))
            yield replace(claim, domain=domain)
    if "reference" in claim.left_out and claim.reference.runs:
        # "a third of what it is without speculation" names what it is held against.
        either = {"subject"} & claim.left_out or claim.kind == "ratio"
        for one, other in permutations(everyone, 2):
            if one.runs == claim.subject.runs or either:
                yield replace(claim, subject=one, reference=other)
