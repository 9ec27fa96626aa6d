"""What does a record say of one server start? See the package's documentation for each key."""

from __future__ import annotations

from typing import Any

from analysis.runner.flags import shown_command
from analysis.runner.plan import Plan, Step
from analysis.runner.running import Running

__all__ = ["SCHEMA", "run_record"]

SCHEMA = 1


def run_record(
    plan: Plan,
    step: Step,
    server: Running,
    *,
    number: int,
    machine: dict[str, Any],
    started: str,
) -> dict[str, Any]:
    """The ``run`` record of a server that is ready.

    Parameters
    ----------
    plan, step
        What is measured.
    server
        The server; its log says which depth is in effect.
    number
        Which server of this run and repeat it is, from 1.
    machine
        Facts from before the start.
    started
        UTC.
    """
    planned = step.planned
    settings, configuration = plan.settings, planned.configuration
    rates = configuration.synthetic_rates
    speculative = configuration.spec_type != "none"
    drafting = speculative and "draft-" in configuration.spec_type
    p_min = configuration.p_min
    if p_min is None and drafting and plan.engine.kind != "remote":
        p_min = 0.0
    return {
        "record": "run",
        "schema": SCHEMA,
        "run": planned.id,
        "repeat": step.repeat,
        "start": number,
        "label": configuration.label,
        "started": started,
        "server": plan.engine.kind,
        "engine": plan.engine.name,
        "build": server.build,
        "command": shown_command(planned.arguments) if planned.arguments else None,
        "spec_type": configuration.spec_type,
        "n_max": server.facts.n_max if speculative else None,
        "n_max_requested": configuration.n_max,
        "clamp": server.facts.clamp,
        "p_min": p_min,
        "synthetic": rates is not None,
        "synthetic_rates": None if rates is None else list(rates),
        "target": None if planned.target is None else planned.target.as_dict(),
        "draft": None if planned.draft is None else planned.draft.as_dict(),
        "machine": machine,
        "prompt_set": settings.prompt_set.digest,
        "max_tokens": settings.max_tokens,
        "sampler": {"temperature": settings.temperature, "seed": settings.seed},
        "parallel": 1,
    }
