"""Is a sweep that is resumed still the one that was begun?"""

from __future__ import annotations

import json
from typing import Any

from analysis.campaigns.entry_runs import LIVE_FOLDER
from analysis.errors import LiveError
from analysis.files.storage import remove_leftovers, write_text
from analysis.models.model_files import ModelFile
from analysis.runner.configurations import Configuration
from analysis.runner.plan import Plan, Planned, records_of

__all__ = ["PLAN_FILE", "check_unchanged", "save"]

PLAN_FILE = "plan.json"
SCHEMA = 1


def save(plan: Plan) -> None:
    """Write down what this sweep is, for ``--resume``."""
    # What a runner that was killed while it wrote this left behind.
    remove_leftovers(plan.folder)
    text = json.dumps(_whole(plan), indent=2, sort_keys=True, ensure_ascii=False)
    write_text(plan.folder / PLAN_FILE, text + "\n")


def check_unchanged(plan: Plan) -> None:
    """Refuse to go on with a sweep that is another one by now.

    Raises
    ------
    LiveError
        There is no sweep to go on with, or it differs; says in what.
    """
    path = plan.folder / PLAN_FILE
    try:
        before = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LiveError(
            "there is no sweep to go on with", "leave --resume out", file=path
        ) from None
    except (OSError, ValueError) as error:
        raise LiveError(
            f"the plan of the sweep can't be read: {error}",
            f"restore it, or move {LIVE_FOLDER}/ away and start anew",
            file=path,
        ) from error
    changed = _differences(_begun(plan, before), _begun(plan, _whole(plan)))
    if changed:
        raise LiveError(
            f"this is not the sweep that was begun: {'; '.join(changed[:3])}",
            f"change it back, or move {LIVE_FOLDER}/ away and start anew",
            file=path,
        )


def _whole(plan: Plan) -> dict[str, Any]:
    """Everything that may not change between the first part of a sweep and the rest.

    Plain data, readable, without paths: models are known by their content.
    """
    settings = plan.settings
    by_id = {step.planned.id: step.planned for step in plan.steps}
    return {
        "schema": SCHEMA,
        "server": {"kind": plan.engine.kind, **plan.engine.identity},
        "prompts": {
            "digest": settings.prompt_set.digest,
            "tasks": [prompt.task for prompt in settings.prompt_set.prompts],
        },
        "sampler": {"temperature": settings.temperature, "seed": settings.seed},
        "max_tokens": settings.max_tokens,
        "repeats": settings.repeats,
        "server_args": list(settings.server_args),
        "runs": {
            id: {**_identity(planned), **_own_server(plan, planned)}
            for id, planned in by_id.items()
        },
    }


def _own_server(plan: Plan, planned: Planned) -> dict[str, Any]:
    own = planned.configuration.server is not None
    return {"server": plan.server_identity(planned)} if own else {}


def _begun(plan: Plan, identity: Any) -> Any:
    """An identity without the runs of which nothing was measured: they may still change."""
    if not isinstance(identity, dict) or not isinstance(identity.get("runs"), dict):
        return identity
    begun = {
        id: run for id, run in identity["runs"].items() if records_of(plan.folder, id).exists()
    }
    return {**identity, "runs": begun}


def _identity(planned: Planned) -> dict[str, Any]:
    configuration = planned.configuration
    rates = configuration.synthetic_rates
    return {
        "spec_type": configuration.spec_type,
        "n_max": configuration.n_max,
        "p_min": configuration.p_min,
        "synthetic_rates": None if rates is None else list(rates),
        "server_args": list(configuration.server_args),
        **_conditions(configuration),
        "target": _hashes(planned.target),
        "draft": _hashes(planned.draft),
    }


def _conditions(one: Configuration) -> dict[str, Any]:
    """Its conditions; without axes no key, as in records from before there were any."""
    said = {"parallel": one.parallel, "context": one.context, "request": dict(one.request) or None}
    return {key: value for key, value in said.items() if value is not None}


def _hashes(model: ModelFile | None) -> list[str | None] | None:
    return None if model is None else [part.sha256 for part in model.parts]


def _differences(before: Any, after: Any, where: str = "") -> list[str]:
    """Where two pieces of plain data differ, as phrases."""
    if isinstance(before, dict) and isinstance(after, dict):
        found = []
        for key in dict.fromkeys([*before, *after]):
            inner = f"{where}.{key}" if where else str(key)
            found += _differences(before.get(key), after.get(key), inner)
        return found
    if before == after:
        return []
    return [f"{where} was {_short(before)} and is {_short(after)}"]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 80 else text[:77] + "…"
