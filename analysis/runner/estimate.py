"""What would a sweep start, and about how long would it take?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.runner.consent import in_need_of_consent
from analysis.runner.flags import shown_command
from analysis.runner.journal import read_records
from analysis.runner.plan import Plan, Step, records_of
from analysis.runner.session import answered
from analysis.runner.time_left import duration

__all__ = ["lines", "summary"]

ASSUMED_TPS = 50.0
"""Tokens per second, prompt included, where nothing has been measured yet."""

ASSUMED_PROMPT_TPS = 500.0
"""Tokens of filler before the task that are processed in a second."""

ASSUMED_START_S = 10.0
"""For one server to load its models and warm up."""

THROWN_AWAY = 1.5
"""Requests for each slot that fill and empty a server, as far as they take time."""


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
    width = max(len(step.planned.id) for step in plan.steps)
    engines = {id(one): one for one in (plan.engine_of(step.planned) for step in plan.steps)}
    found = [f"server: {one.name} ({one.kind})" for one in engines.values()]
    found.append(f"tasks: {', '.join(tasks)}")
    most = max(step.planned.configuration.clients for step in plan.steps)
    if len(tasks) < most:
        found.append(
            f"tasks: fewer than the {most} requests at once, most of which are thrown away: "
            "figures of single requests rest on few"
        )
    if left_out := plan.settings.prompt_set.left_out:
        found.append(
            f"prompts: {left_out} later turns are left out: the file has no answers to those before"
        )
    found += [f"needs your consent (--trust): {line}" for line in in_need_of_consent(plan)]
    found.append(_order(plan))
    for number, (step, left) in enumerate(_missing(plan), start=1):
        there = len(tasks) - left
        state = f" ({there} are there already)" if there else ""
        found.append(
            f"{number:3d}. {step.planned.id:<{width}}  repeat {step.repeat}: "
            f"{len(tasks)} requests{_under(step)}{state}"
        )
    for planned in {step.planned.id: step.planned for step in plan.steps}.values():
        if arguments := plan.arguments(planned):
            found.append(f"{planned.id}: {shown_command(arguments)}")
    return [*found, summary(plan)]


def summary(plan: Plan) -> str:
    """How many requests are missing, and about how long they take."""
    return _time(plan, [(step, left) for step, left in _missing(plan) if left])


def _missing(plan: Plan) -> list[tuple[Step, int]]:
    """For each step, how many of its requests have no answer yet."""
    tasks = {prompt.task for prompt in plan.settings.prompt_set.prompts}
    done = answered(plan)
    return [
        (step, len(tasks - done.get((step.planned.id, step.repeat), set()))) for step in plan.steps
    ]


def _order(plan: Plan) -> str:
    """Whether steady drift of the machine meets all configurations alike."""
    differ = plan.imbalance
    if differ < 1e-9:
        return "order: every configuration has the same mean place, so that steady drift cancels"
    repeats = plan.settings.repeats
    why = "one repeat balances nothing" if repeats == 1 else f"{repeats} repeats can't be balanced"
    return f"order: mean places differ by up to {differ:.2g} starts ({why})"


def _under(step: Step) -> str:
    """The conditions of a step, where they are not one request at a time without filler."""
    one = step.planned.configuration
    said = ""
    if one.clients > 1:
        said += f", {one.clients} at once, besides those that fill and empty the slots"
    if one.context:
        said += f", behind {one.context} tokens"
    return said


def _time(plan: Plan, missing: Sequence[tuple[Step, int]]) -> str:
    walls = {
        id: [
            record["wall_s"]
            for record in read_records(records_of(plan.folder, id))
            if record["record"] == "request"
        ]
        for id in dict.fromkeys(step.planned.id for step in plan.steps)
    }
    requests = sum(left for _, left in missing)
    said = f"{_count(requests, 'request')} on {_count(len(missing), 'server')}"
    known = sum(map(len, walls.values()))
    seconds = sum(_seconds(plan, step, left, walls) for step, left in missing)
    seconds += len(missing) * ASSUMED_START_S
    if known:
        return (
            f"{said}: about {duration(seconds)}, by the {known} requests measured so far "
            f"and {ASSUMED_START_S:g} s for a start"
        )
    behind = any(step.planned.configuration.context for step, _ in missing)
    prompts = f" and {ASSUMED_PROMPT_TPS:g} of what stands before the task" if behind else ""
    return (
        f"{said}: about {duration(seconds)} if they run at {ASSUMED_TPS:g} tokens/s{prompts} "
        f"and a start takes {ASSUMED_START_S:g} s; nothing has been measured yet"
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _seconds(plan: Plan, step: Step, left: int, walls: Mapping[str, Sequence[float]]) -> float:
    """For the requests of one server, those that are thrown away included.

    Of a run that has no request yet nothing better is known than that several at
    once are together as fast as one, which has the time of all others.
    """
    one = step.planned.configuration
    clients = one.clients
    sent = left + THROWN_AWAY * clients * (clients > 1)
    if own := walls[step.planned.id]:
        return sent / clients * sum(own) / len(own)
    alone = [
        wall
        for other in plan.steps
        if other.planned.configuration.clients == 1
        and other.planned.configuration.context == one.context
        for wall in walls[other.planned.id]
    ]
    if alone:
        return sent * sum(alone) / len(alone)
    filler_s = (one.context or 0) / ASSUMED_PROMPT_TPS
    return sent * (plan.settings.max_tokens / ASSUMED_TPS + filler_s)
