"""The verdict: what to use, and the one figure that says what it brings."""

from __future__ import annotations

from analysis.cards.certainty import ends
from analysis.cards.commands import coded, run_flags
from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts, Recommendation, RunFacts
from analysis.cards.numbers import rate, speedup
from analysis.cards.wording import (
    OFF,
    clear,
    kind,
    label,
    method_name,
    no_baseline,
    workload_names,
)

__all__ = ["verdict"]

KINDS = {"effective": "whole requests", "decode": "generation only"}
PAYS = "**Use {label}: {speedup} as fast as {off} over all prompts** ({kind})."
MAY_BE_NOISE = " The gain may be noise."
OFF_FOR = " Leave speculation off for {off_for}."
OFF_NOWHERE = " On no workload measured is it better off."
PARTLY = "**Use it for {workload}: {label} is {speedup} as fast as {off} there** ({kind})."
PARTLY_SEVERAL = (
    "**Use it for {pays}: {label} is {speedup} as fast as {off} on {workload}** ({kind})."
)
NOT_FOR_ALL = " For all prompts together it does not pay."
FASTER_THERE = " On {workload} {label}, another {kind}, is {speedup} as fast."
PAYS_NOT = (
    "**Leave speculation off: no configuration measured with {method} is faster.** The closest, "
    "{label}, is {speedup} as fast as {off} over all prompts ({kind})."
)
PAYS_NOWHERE = (
    "**Leave speculation off: no configuration measured is faster.** The closest, {label}{flags}, "
    "is {speedup} as fast as {off} over all prompts ({kind})."
)
FLAGS = " ({flags})"
PAYS_NOT_ONE = (
    "**Leave speculation off:** {label} is {speedup} as fast as {off} over all prompts ({kind})."
)
NO_BASELINE = (
    "**Use {label}: {rate} tok/s over all prompts** ({kind}), {which}. "
    "{reason}, so how much faster that is, and where speculation should be off, is not known."
)
FASTEST = "the fastest of {number} configurations"
MODELLED = "of {number} configurations the one that is best with noise taken into account"
ALONE = (
    "**{label} gives {rate} tok/s over all prompts** ({kind}); no other configuration was "
    "measured. {reason}, so how much faster that is, and where speculation should be off, is not "
    "known."
)
SYNTHETIC = (
    "**Every run with speculation here is synthetic:** tokens were accepted by coin to measure the "
    "cost of a step. Nothing about real text follows, and nothing is recommended."
)
NOTHING = "**No run with speculation has results**, so there is nothing to compare."


def verdict(facts: Facts) -> Markdown:
    """The sentence to remember, of the card's own method where it was measured."""
    run, workload = facts.shown
    if run is None or facts.undeclared:
        run = facts.best or facts.fastest(facts.compared)
    if run is None or not facts.drafting:
        return Markdown(SYNTHETIC if any(run.synthetic for run in facts.runs) else NOTHING)
    if facts.baseline is None:
        return _unpaired(facts, run)
    paying = [choice for choice in facts.own_choices[1:] if choice.run is not None]
    if workload is not None:
        return _partly(facts, run, workload, paying)
    gain, (low, high), of = facts.gain(run), ends(facts, run), kind(facts)
    chosen = facts.own_choices[0].run if facts.own_choices else None
    if chosen is not None and (gain is None or gain < 1):
        # Chosen for what it generates; the prompt's time has hidden it.
        gain, of = run.decode_speedup, "decode"
        low, high = run.decode_speedup_low, run.decode_speedup_high
    open_ = gain is not None and clear(gain, low, high) != "faster"
    if chosen is None:
        return _off(facts, run, gain, of)
    said = say(PAYS, label=label(run), speedup=speedup(gain), off=OFF, kind=KINDS[of])
    return Markdown(said + MAY_BE_NOISE * open_ + _off_for(facts))


def _off(facts: Facts, run: RunFacts, gain: float | None, of: str) -> Markdown:
    """Of the card's own method, or of all that was tried where nothing is faster."""
    tried = [one for one in facts.drafting if not one.aside and facts.gain(one) is not None]
    words = PAYS_NOT
    # One whose speedup is not known may be faster.
    if tried and all((facts.gain(one) or 1.0) < 1 for one in facts.drafting):
        run = max(tried, key=lambda one: facts.gain(one) or 0.0)
        gain, of = facts.gain(run), kind(facts)
        words = PAYS_NOWHERE if len(tried) > 1 else PAYS_NOT_ONE
    started = run is facts.shown[0]
    values = {
        "label": label(run),
        "speedup": speedup(gain),
        "off": OFF,
        "kind": KINDS[of],
        "method": method_name(facts.method),
        "flags": Markdown("") if started else say(FLAGS, flags=coded(run_flags(facts, run))),
    }
    return say(words, **{name: text for name, text in values.items() if f"{{{name}}}" in words})


def _off_for(facts: Facts) -> Markdown:
    """For whom all prompts are not what they have."""
    judged = [choice for choice in facts.own_choices if choice.workload is not None]
    off = [str(choice.workload) for choice in judged if choice.run is None]
    if off:
        return say(OFF_FOR, off_for=workload_names(off))
    return Markdown(OFF_NOWHERE if judged else "")


def _partly(facts: Facts, run: RunFacts, workload: str, paying: list[Recommendation]) -> Markdown:
    choice = next(choice for choice in paying if choice.workload == workload)
    gain = choice.expected_speedup
    open_ = gain is not None and clear(gain, choice.low, choice.high) != "faster"
    names = [str(choice.workload) for choice in paying]
    said = say(
        PARTLY if len(names) == 1 else PARTLY_SEVERAL,
        pays=workload_names(names),
        workload=workload_names([workload]),
        label=label(run),
        speedup=speedup(gain),
        off=OFF,
        kind=KINDS["decode"],
    )
    noise = MAY_BE_NOISE * open_
    return Markdown(said + noise + NOT_FOR_ALL + _faster_there(facts, workload, gain))


def _faster_there(facts: Facts, workload: str, gain: float | None) -> Markdown:
    """What a reader of this sentence would want to know beside it; empty where nothing is."""
    rival = facts.best
    rows = [row for row in facts.workloads.get(workload, ()) if rival and row.run == rival.id]
    if rival is None or rival in facts.own or not rows or (rows[0].speedup or 0.0) <= (gain or 0.0):
        return Markdown("")
    return say(
        FASTER_THERE,
        workload=workload_names([workload]),
        label=label(rival),
        kind="draft" if "draft-" in str(rival.spec_type) else "method",
        speedup=speedup(rows[0].speedup),
    )


def _unpaired(facts: Facts, run: RunFacts) -> Markdown:
    rated = [other for other in facts.compared if facts.rate(other)]
    values = {
        "label": label(run),
        "rate": rate(facts.rate(run)),
        "kind": KINDS[kind(facts)],
        "reason": no_baseline(facts),
    }
    if len(rated) < 2:
        return say(ALONE, **values)
    which = FASTEST if run is facts.fastest(rated) else MODELLED
    return say(NO_BASELINE, **values, which=say(which, number=len(rated)))
