"""What does a claim leave out, and what else may it mean then?

A claim is called wrong only if no completion of it fits: neither another quantity
that its figure may be of, nor another run, another thing it may be held against,
or another task.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations

from analysis.cards.facts import Facts
from analysis.checking.claim import EVERYTHING, Claim, Group, Kind, Place, Places
from analysis.checking.quantities import QUANTITIES, carries

__all__ = ["completions"]


def completions(claim: Claim, facts: Facts) -> Iterator[Claim]:
    """A claim with other things in the place of what it leaves out, mostly of one at a time."""
    everyone = [Group((run.id,)) for run in facts.real if run.predicted_tokens]
    drafting = Group(tuple(run.id for run in facts.drafting), "all")
    if "places" in claim.left_out:
        places: list[Place] = [EVERYTHING, *((name, None) for name in facts.workloads)]
        places += [(None, task) for task in facts.task_names]
        for place in places:
            yield replace(claim, places=Places(((place,),), stated=place != EVERYTHING))
    if "quantity" in claim.left_out:
        for name in QUANTITIES:
            fits = claim.kind != "value" or all(carries(name, one) for one in claim.figures)
            if fits and name != "pace":  # a way to say speed, in units of its own
                yield from _other(claim, name)
    if claim.kind == "extreme" and "axis" in claim.left_out:
        yield replace(claim, axis="runs")
        for place in claim.places.options[0]:
            yield replace(claim, axis="tasks", places=Places(((place,),), stated=True))
    if "subject" in claim.left_out:
        for one in (*everyone, drafting):
            yield replace(claim, subject=one, reference=claim.reference.without(one))
            if claim.domain:
                yield replace(claim, domain=one)
    if claim.kind == "difference" and not claim.bound:
        # "Accepted 1,073 tokens fewer than max 5", where a comma is missing.
        yield replace(claim, kind="value", reference=Group(), other_places=None)
    yield from _compared(claim, everyone)


def _compared(claim: Claim, everyone: Sequence[Group]) -> Iterator[Claim]:
    """A claim with other runs held against each other."""
    held = "reference" in claim.left_out and bool(claim.reference.runs)
    amount = claim.kind == "value" and bool(claim.left_out & {"subject", "quantity"})
    # "a third of what it is without speculation" names what it is held against.
    either = "subject" in claim.left_out or claim.kind == "ratio"
    for one, other in permutations(everyone, 2) if held or amount else ():
        if not (either or one.runs == claim.subject.runs):
            continue
        if held:
            yield replace(claim, subject=one, reference=other)
        if amount:
            # "It is faster than the baseline, 2.61 s": by how much.
            kind: Kind = "ratio" if claim.figures[0].unit in ("percent", "times") else "difference"
            for name in dict.fromkeys((claim.quantity, "throughput")):
                by = replace(claim, kind=kind, quantity=name, sign=0)
                yield replace(by, subject=one, reference=other)


def _other(claim: Claim, quantity: str) -> Iterator[Claim]:
    """A claim of another quantity, of which less may be better."""
    yield replace(claim, quantity=quantity)
    if len({"less" in QUANTITIES[name].flags for name in (claim.quantity, quantity) if name}) == 2:
        yield replace(claim, quantity=quantity, sign=-claim.sign)
