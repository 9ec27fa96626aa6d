"""What else may a claim mean, where it leaves something out?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from analysis.cards.facts import Facts
from analysis.checking.claim import Claim, Group, Place, Places
from analysis.checking.quantities import QUANTITIES, carries

__all__ = ["completions"]


def completions(claim: Claim, facts: Facts) -> Iterator[Claim]:
    """A claim with other things in the place of one that it does not say."""
    runs = [run.id for run in facts.real if run.predicted_tokens]
    everyone = [Group((run,)) for run in runs]
    if "places" in claim.left_out and claim.figures and claim.kind != "extreme":
        places: list[Place] = [(name, None) for name in facts.workloads]
        places += [(None, task) for task in facts.task_names]
        yield replace(claim, places=Places((tuple(places),)))
    if "quantity" in claim.left_out:
        for name in QUANTITIES:
            if name != claim.quantity and all(
                carries(name, one) or claim.kind != "value" for one in claim.figures
            ):
                yield replace(claim, quantity=name)
    if "subject" in claim.left_out:
        for one in everyone:
            yield replace(claim, subject=one, reference=claim.reference.without(one))
    if "reference" in claim.left_out and claim.reference.runs:
        for one in everyone:
            if one.runs != claim.subject.runs:
                yield replace(claim, reference=one)
                if claim.kind == "ratio":  # "a third of what it is without speculation"
                    yield replace(claim, subject=one, reference=claim.subject)
