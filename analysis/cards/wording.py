"""Phrases that several sections share; a phrase of one section stands in its file."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.cards.escaping import Markdown, escape, say
from analysis.cards.facts import Facts, Recommendation, RunFacts
from analysis.cards.markdown import join
from analysis.cards.numbers import UNRECORDED, counted, percent, rate, signed_percent, speedup
from analysis.names import method_name, workload_name, workload_title
from analysis.statistics.decision import ALIKE, BOUND
from analysis.statistics.policy import TIE

__all__ = [
    "ALL_PROMPTS",
    "OFF",
    "against",
    "article",
    "clear",
    "counted_tasks",
    "difference",
    "draft_kind",
    "gained",
    "is_are",
    "kind",
    "label",
    "labels",
    "method_name",
    "no_baseline",
    "spans",
    "unlike_measured",
    "workload_name",
    "workload_names",
    "workload_title",
]

OFF = Markdown("no speculation")
ALL_PROMPTS = "All prompts"
NO_PLAIN = Markdown("No run without speculation was recorded")
UNDECLARED = (
    "No run is declared as the baseline, although {labels} drafted nothing (set `baseline` in "
    "campaign.toml)"
)

FASTER = "{share} faster than"
SLOWER = "{share} slower than"
EQUAL = "about as fast as"
OPEN = "measured {share} {way} (noise alone can do that) than"
GAINED = "{ratio} ({words})"
GAINED_WORDS = {
    "faster": "{share} faster",
    "slower": "{share} slower",
    "equal": "about equal",
    "open": "{share} {way}, within noise",
}
SYNTHETIC = "{label} (synthetic)"
PARTIAL = "{label} ({done} of {tasks})"
OTHERWISE = "{label} (other {conditions})"

UNLIKE = (
    "{where} {fastest} was measured at {above} tok/s decode and {advised}, which is advised, at "
    "{rate}: {why}"
)
UNLIKE_OFF = "with noise taken into account it should lose less than {bound}."
UNLIKE_USUAL = (
    "it is what is advised for all prompts, and with noise taken into account should lose less "
    "than {alike} here."
)
UNLIKE_MODELLED = "what all depths show together puts it ahead, and a single rate is partly luck."


def clear(ratio: float, low: float | None = None, high: float | None = None) -> str:
    """``faster``, ``slower``, ``equal`` within the tie of ``policy.TIE``, or ``open``.

    Open is a ratio that its interval does not tell from 1.

    Examples
    --------
    >>> clear(1.05), clear(1.05, 1.01, 1.09), clear(1.05, 0.99, 1.11), clear(1.004, 0.99, 1.02)
    ('faster', 'faster', 'open', 'equal')
    """
    if abs(ratio - 1) < TIE:
        return "equal"
    if low is not None and high is not None and low <= 1 <= high:
        return "open"
    return "faster" if ratio > 1 else "slower"


def against(ratio: float, low: float | None = None, high: float | None = None) -> Markdown:
    """A ratio of throughputs in front of what is compared with.

    Examples
    --------
    >>> against(1.182), against(0.9642), against(1.004)
    ('18.2 % faster than', '3.6 % slower than', 'about as fast as')
    >>> against(1.019, 0.97, 1.07)
    'measured 1.9 % faster (noise alone can do that) than'
    """
    words = {"faster": FASTER, "slower": SLOWER, "equal": EQUAL, "open": OPEN}
    return _told(words[clear(ratio, low, high)], ratio)


def _told(words: str, ratio: float) -> Markdown:
    way = "faster" if ratio > 1 else "slower"
    values = {"share": percent(abs(ratio - 1)), "way": way}
    return say(words, **{name: value for name, value in values.items() if f"{{{name}}}" in words})


def gained(ratio: float | None, low: float | None = None, high: float | None = None) -> Markdown:
    """A speedup and what it means.

    Examples
    --------
    >>> gained(1.1822), gained(0.9642), gained(1.0059)
    ('1.18× (18.2 % faster)', '0.96× (3.6 % slower)', '1.01× (about equal)')
    """
    if ratio is None:
        return UNRECORDED
    words = _told(GAINED_WORDS[clear(ratio, low, high)], ratio)
    return say(GAINED, ratio=speedup(ratio), words=words)


def is_are(things: Sequence[object]) -> str:
    """The verb for a list."""
    return "is" if len(things) == 1 else "are"


def label(run: RunFacts) -> Markdown:
    """A run's name; a synthetic one, and one that lacks tasks, is marked wherever it stands."""
    shown = escape(run.label, limit=80)
    if run.missing_tasks:
        total = run.ranked_tasks or 0
        shown = say(
            PARTIAL, label=shown, done=total - run.missing_tasks, tasks=counted(total, "task")
        )
    if run.unlike is not None:
        shown = say(OTHERWISE, label=shown, conditions=run.unlike)
    return say(SYNTHETIC, label=shown) if run.synthetic else shown


def labels(runs: Sequence[RunFacts]) -> Markdown:
    """Names in a sentence; labels often hold commas, so each is set off in bold."""
    return join([say("**{name}**", name=label(run)) for run in runs])


def draft_kind(spec_type: str | None) -> str:
    """What a draft file of a method is called.

    Examples
    --------
    >>> draft_kind("draft-dspark"), draft_kind("draft-simple")
    ('DSpark draft model', 'draft model')
    """
    if spec_type in (None, "draft-simple"):
        return "draft model"
    return f"{method_name(spec_type)} draft model"


def article(name: str) -> str:
    """The indefinite article before a name, by its sound.

    Examples
    --------
    >>> article("MTP draft model"), article("DFlash draft model"), article("EAGLE-3 draft model")
    ('An', 'A', 'An')
    """
    return "An" if name.startswith(("MTP", "n-gram")) or name[:1].lower() in "aeio" else "A"


def no_baseline(facts: Facts) -> Markdown:
    """Why there is nothing to compare with: no such run, or none that is declared."""
    if not facts.undeclared:
        return NO_PLAIN
    return say(UNDECLARED, labels=labels(facts.undeclared))


def unlike_measured(facts: Facts, choice: Recommendation) -> Markdown | None:
    """Why another setting is advised than the one with the highest measured rate; else null."""
    fastest = facts.by_id.get(choice.fastest or "")
    advised = facts.baseline if choice.run is None else facts.by_id[choice.run]
    if fastest is None or advised is None or fastest is advised:
        return None
    rows = facts.workloads.get(choice.workload or "", ())
    above = next((row.decode_tps for row in rows if row.run == fastest.id), fastest.decode_tps)
    whys = {"off": UNLIKE_OFF, "usual": UNLIKE_USUAL}
    why = whys.get(str(choice.basis), UNLIKE_MODELLED)
    return say(
        UNLIKE,
        where=Markdown("Over all prompts")
        if choice.workload is None
        else say("On {workload}", workload=workload_names([choice.workload])),
        fastest=labels([fastest]),
        above=rate(above),
        rate=rate(choice.decode_tps),
        advised=OFF if choice.run is None else labels([advised]),
        why=Markdown(why.format(bound=percent(BOUND), alike=percent(ALIKE))),
    )


def spans(numbers: Sequence[int]) -> Markdown:
    """Numbers in rising order, neighbours drawn together.

    Examples
    --------
    >>> spans([2]), spans([2, 3]), spans([1, 2, 3, 5])
    ('2', '2 and 3', '1 to 3 and 5')
    """
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][-1] + 1:
            found[-1].append(number)
        else:
            found.append([number])
    runs = [[str(run[0])] if len(run) == 1 else [str(run[0]), str(run[-1])] for run in found]
    if len(found) == 1 and len(found[0]) == 2:
        return join(runs[0])
    shown = [
        " to ".join(ends) if len(run) > 2 else ", ".join(ends)
        for run, ends in zip(found, runs, strict=True)
    ]
    return join(", ".join(shown).split(", "))


def workload_names(workloads: Sequence[str]) -> Markdown:
    """Classes in a sentence; their names hold "and", so each is set off in italics."""
    return join([say("*{name}*", name=workload_name(workload)) for workload in workloads])


def kind(facts: Facts) -> str:
    """Which throughput the card compares runs by."""
    return "effective" if facts.effective else "decode"


def counted_tasks(number: float) -> Markdown:
    """A number of tasks with its noun."""
    return counted(int(number), "task")


def difference(ratio: float) -> Markdown:
    """A ratio as a signed share."""
    return signed_percent(ratio - 1)
