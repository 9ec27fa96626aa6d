"""What does a record say of one server start? See the package's documentation for each key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.runner.environment import server_environment, told
from analysis.runner.filler import Fillers
from analysis.runner.flags import shown_command
from analysis.runner.plan import Plan, Step
from analysis.runner.request_fields import sampler
from analysis.runner.running import Running

__all__ = ["SCHEMA", "run_record"]

SCHEMA = 1


def run_record(
    plan: Plan,
    step: Step,
    server: Running,
    *,
    number: int,
    machine: dict[str, Any] | None,
    started: str,
    at_s: float,
    identity: Mapping[str, Any] | None,
    fillers: Fillers | None = None,
    surroundings: Mapping[str, Any] | None = None,
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
        Facts from before the start; null where the server runs on another one.
    started
        UTC.
    at_s
        The start, in s since the sweep's.
    identity
        What the server says that it is.
    fillers
        What stands before the tasks.
    surroundings
        What goes on in the machine now.
    """
    planned = step.planned
    settings, configuration = plan.settings, planned.configuration
    rates = configuration.synthetic_rates
    speculative = configuration.spec_type != "none"
    drafting = speculative and "draft-" in configuration.spec_type
    arguments, engine = plan.arguments(planned), plan.engine_of(planned)
    p_min = configuration.p_min
    if p_min is None and drafting and engine.kind != "remote":
        p_min = 0.0
    return {
        "record": "run",
        "schema": SCHEMA,
        "run": planned.id,
        "repeat": step.repeat,
        "start": number,
        "label": configuration.label,
        "started": started,
        "at_s": at_s,
        "place": 1 + plan.steps.index(step),
        "server": engine.kind,
        "engine": engine.name,
        "build": server.build,
        "identity": identity,
        "command": shown_command(arguments) if arguments else None,
        "environment": told(server_environment()) if arguments else None,
        "config_files": list(server.facts.config_files) if arguments else None,
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
        "sampler": sampler(
            configuration.request,
            configuration.request.get("temperature", settings.temperature),
            settings.seed,
        ),
        "parallel": configuration.clients,
        "context": configuration.context,
        "request": dict(configuration.request) or None,
        "filler": None
        if fillers is None
        else {"sha256": fillers.digest, "tokens": dict(fillers.tokens)},
        "surroundings": surroundings,
    }
