"""Plain advice: what to use for each workload, one line each."""

from __future__ import annotations

from analysis.cards.certainty import marked
from analysis.cards.commands import coded, run_flags
from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts, Recommendation, RunFacts
from analysis.cards.markdown import bullets, paragraphs
from analysis.cards.numbers import counted, percent, rate, speedup
from analysis.cards.wording import label, method_name, workload_title
from analysis.statistics.policy import TIE

__all__ = ["advice"]

USE = "**{workload}:** use {label} ({speedup})"
USE_RATE = "**{workload}:** use {label} ({rate} tok/s)"
LUCK = (
    "{use}; {label} measured {figure} on {tasks}, likely by luck: all depths together put it behind"
)
HARDLY = "{use}; {label} measured {figure}, but should hardly be faster"
OFF = "**{workload}:** leave speculation off"
OFF_CLOSEST = "**{workload}:** leave speculation off ({label}: {speedup})"
OFF_ALL = "**Every workload:** leave speculation off"
ALONE = "With {method} alone:"
OTHER_DRAFT = (
    "**Faster than this draft:** {label}, another draft ({speedup} over all prompts; {flags})"
)
OTHER_METHOD = "**Faster than this:** {label}, another method ({speedup} over all prompts; {flags})"
NEAR = "**Nearly as fast:** {label} ({share} slower over all prompts, {fewer} fewer drafted tokens)"
NEARLY = 0.03
"""Share of throughput that a shallower configuration may lose and still be named."""


def advice(facts: Facts) -> Markdown | None:
    """A line per workload, and what else is worth knowing; null where nothing is advised."""
    choices = facts.own_choices or facts.choices
    if not choices or not facts.drafting:
        return None
    judged = [choice for choice in choices[1:] if choice.workload is not None]
    lines = [_line(facts, choice) for choice in judged]
    if len(judged) > 1 and choices[0].run is None and all(one.run is None for one in judged):
        lines = [Markdown(OFF_ALL)]
    others = _other(facts)
    alone = say(ALONE, method=method_name(facts.method)) if others and lines else None
    return paragraphs(alone, bullets([*lines, *_near(facts), *others]))


def _line(facts: Facts, choice: Recommendation) -> Markdown:
    workload = workload_title(str(choice.workload))
    if choice.run is not None:
        named = label(facts.by_id[choice.run])
        if choice.expected_speedup is None:
            use = say(USE_RATE, workload=workload, label=named, rate=rate(choice.decode_tps))
        else:
            gain = marked(choice.expected_speedup, choice.low, choice.high)
            use = say(USE, workload=workload, label=named, speedup=gain)
        return _beside_the_fastest(facts, choice, use)
    rows = facts.workloads.get(str(choice.workload), ())
    closest = next((row for row in rows if row.run == choice.closest), None)
    if closest is None or closest.speedup is None:
        return say(OFF, workload=workload)
    tried = label(facts.by_id[closest.run])
    return say(
        OFF_CLOSEST,
        workload=workload,
        label=tried,
        speedup=marked(closest.speedup, closest.speedup_low, closest.speedup_high),
    )


def _beside_the_fastest(facts: Facts, choice: Recommendation, use: Markdown) -> Markdown:
    """With the one that measured faster and is not advised, or a reader takes it for a mistake."""
    own = {
        run.id for run in facts.own if not run.aside and not run.synthetic and run.draft_tokens != 0
    }
    rows = [row for row in facts.workloads.get(str(choice.workload), ()) if row.run in own]
    fastest = max(rows, key=lambda row: row.decode_tps or 0.0, default=None)
    if fastest is None or fastest.run == choice.run or fastest.decode_tps is None:
        return use
    if fastest.decode_tps <= (1 + TIE) * (choice.decode_tps or 0.0):
        return use
    values = {
        "use": use,
        "label": label(facts.by_id[fastest.run]),
        "figure": rate(fastest.decode_tps) if facts.baseline is None else speedup(fastest.speedup),
    }
    if choice.basis == "usual":
        return say(HARDLY, **values)
    return say(LUCK, **values, tasks=counted(fastest.n_tasks or 0, "prompt"))


def _near(facts: Facts) -> list[Markdown]:
    """The shallowest of the same method that loses little: a balance that many prefer."""
    best, workload = facts.shown
    if best is None or workload is not None or best.n_max is None or not _advised(facts):
        return []
    near = [run for run in facts.own if _nearly(facts, run, best)]
    if not near:
        return []
    run = min(near, key=lambda other: other.n_max or 0)
    slower = 1 - (facts.rate(run) or 0.0) / (facts.rate(best) or 1.0)
    fewer = 1 - (run.draft_tokens or 0) / (best.draft_tokens or 1)
    if slower <= 0 or fewer <= 0:
        return []
    return [say(NEAR, label=label(run), share=percent(slower), fewer=percent(fewer))]


def _advised(facts: Facts) -> bool:
    return bool(facts.own_choices) and facts.own_choices[0].run is not None


def _nearly(facts: Facts, run: RunFacts, best: RunFacts) -> bool:
    rates = facts.rate(run), facts.rate(best)
    if run.aside or run.n_max is None or best.n_max is None or None in rates:
        return False
    return run.n_max < best.n_max and (rates[0] or 0.0) >= (1 - NEARLY) * (rates[1] or 0.0)


def _other(facts: Facts) -> list[Markdown]:
    best = facts.best
    if best is None or facts.baseline is None or best in facts.own or not facts.own:
        return []
    words = OTHER_DRAFT if "draft-" in str(best.spec_type) else OTHER_METHOD
    gain = speedup(facts.gain(best))
    return [say(words, label=label(best), speedup=gain, flags=coded(run_flags(facts, best)))]
