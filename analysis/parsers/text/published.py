"""Records without what is private in the text that they were read from.

Every parser's records go through here, so that none of them has to think of it
and nothing later can forget it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import Any

from analysis.privacy import public, public_model, public_values
from analysis.records import Finding, Run, TaskResult

__all__ = ["published", "published_task", "readable"]

_NUMBERED = re.compile(r"request \d{1,9}")
"""What parsers call a request that has no name."""


def published(run: Run) -> Run:
    """A run as it may be shown."""
    changed: dict[str, Any] = {
        "label": readable(public(run.label or "")),
        "command": _text(run.command),
        "build": _text(run.build),
        "prompt_set": _text(run.prompt_set),
        "request": _text(run.request),
        "draft": _model(run.draft),
        "target": _model(run.target),
        "conditions": public_values(run.conditions),
        "findings": tuple(map(_finding, run.findings)),
        "tasks": tuple(map(published_task, run.tasks)),
    }
    return replace(run, **changed)


def published_task(task: TaskResult) -> TaskResult:
    """A request's result as it may be shown."""
    # Most have nothing that somebody wrote, and there may be many.
    name = task.task if _NUMBERED.fullmatch(task.task) else public(task.task)
    if name == task.task and not (task.error or task.workload or task.finish_reason):
        return task
    return replace(
        task,
        task=name,
        error=_text(task.error),
        workload=_text(task.workload),
        finish_reason=_text(task.finish_reason),
    )


def readable(text: str) -> str | None:
    """A title or label; null for one in which there is nothing to read.

    Examples
    --------
    >>> readable("DFlash, 4"), readable("\u200b"), readable("****")
    ('DFlash, 4', None, None)
    """
    return text if any(unicodedata.category(sign)[0] in "LNS" for sign in text) else None


def _text(text: str | None) -> str | None:
    return None if text is None else public(text)


def _model(name: str | None) -> str | None:
    return None if name is None else public_model(name)


def _finding(finding: Finding) -> Finding:
    return replace(finding, message=public(finding.message))
