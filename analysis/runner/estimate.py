"""What would a sweep start, and about how long would it take?"""

from __future__ import annotations

from analysis.runner.consent import in_need_of_consent
from analysis.runner.flags import shown_command
from analysis.runner.journal import read_records
from analysis.runner.plan import Plan, records_of
from analysis.runner.progress import duration
from analysis.runner.session import answered

__all__ = ["lines"]

ASSUMED_TPS = 50.0
"""Tokens per second, prompt included, where nothing has been measured yet."""

ASSUMED_START_S = 10.0
"""For one server to load its models and warm up."""


def lines(plan: Plan) -> list[str]:
    """The plan for a person: what is started, in order, the commands, and the time.

    Parameters
    ----------
    plan
        A plan.

    Returns
    -------
    list of str
        Nothing in them is secret, and no folder of this machine is named.
    """
    tasks = [prompt.task for prompt in plan.settings.prompt_set.prompts]
    done = answered(plan)
    width = max(len(step.planned.id) for step in plan.steps)
    found = [f"server: {plan.engine.name} ({plan.engine.kind})", f"tasks: {', '.join(tasks)}"]
    found += [f"needs your consent (--trust): {line}" for line in in_need_of_consent(plan)]
    found.append(_order(plan))
    missing = starts = 0
    for number, step in enumerate(plan.steps, start=1):
        there = len(done.get((step.planned.id, step.repeat), set()) & set(tasks))
        missing += len(tasks) - there
        starts += there < len(tasks)
        state = f" ({there} are there already)" if there else ""
        found.append(
            f"{number:3d}. {step.planned.id:<{width}}  repeat {step.repeat}: "
            f"{len(tasks)} requests{state}"
        )
    for planned in {step.planned.id: step.planned for step in plan.steps}.values():
        if arguments := plan.arguments(planned):
            found.append(f"{planned.id}: {shown_command(arguments)}")
    return [*found, _time(plan, missing, starts)]


def _order(plan: Plan) -> str:
    """Whether steady drift of the machine meets all configurations alike."""
    differ = plan.imbalance
    if differ < 1e-9:
        return "order: every configuration has the same mean place, so that steady drift cancels"
    repeats = plan.settings.repeats
    why = "one repeat balances nothing" if repeats == 1 else f"{repeats} repeats can't be balanced"
    return f"order: mean places differ by up to {differ:.2g} starts ({why})"


def _time(plan: Plan, missing: int, starts: int) -> str:
    walls = [
        record["wall_s"]
        for id in dict.fromkeys(step.planned.id for step in plan.steps)
        for record in read_records(records_of(plan.folder, id))
        if record["record"] == "request"
    ]
    said = f"{missing} requests on {starts} servers"
    if walls:
        seconds = missing * sum(walls) / len(walls) + starts * ASSUMED_START_S
        return (
            f"{said}: about {duration(seconds)}, by the {len(walls)} requests measured so far "
            f"and {ASSUMED_START_S:g} s for a start"
        )
    seconds = missing * plan.settings.max_tokens / ASSUMED_TPS + starts * ASSUMED_START_S
    return (
        f"{said}: about {duration(seconds)} if they run at {ASSUMED_TPS:g} tokens/s "
        f"and a start takes {ASSUMED_START_S:g} s; nothing has been measured yet"
    )
