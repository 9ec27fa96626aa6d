"""Which prompts does a live run send, and under which name may its figures be compared?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from analysis.errors import MtpbenchError, one_of, printable
from analysis.records import BUILT_IN_WORKLOADS
from analysis.runner.our_prompts import PROMPTS
from analysis.runner.question_files import is_question, prompts_of
from analysis.statistics.frames import OTHER_WORKLOAD

__all__ = ["Prompt", "PromptError", "PromptSet", "checked", "ours"]

LONGEST_NAME = 64
_SHAPE = 'write {"name": "TASK", "prompt": "TEXT"}, and "workload": "CLASS" if you like'
_TURNS = 'write "messages": [{"role": "user", "content": "TEXT"}, …], the last one the user\'s'
_KEYS = ("name", "prompt", "messages", "workload")
_ROLES = ("system", "user", "assistant")


class PromptError(MtpbenchError):
    """A prompt file that can't be read, or that holds something else."""


@dataclass(frozen=True)
class Prompt:
    """What is sent, the task that it stands for and its workload class.

    Attributes
    ----------
    turns
        Role and text of each message; one of the user's where there is no more to it.
    """

    task: str
    turns: tuple[tuple[str, str], ...]
    workload: str

    @property
    def text(self) -> str:
        """All that is said in it."""
        return "\n".join(text for _, text in self.turns)


@dataclass(frozen=True)
class PromptSet:
    """Prompts that are measured and compared together.

    Attributes
    ----------
    name
        ``"mtpbench"`` for the built-in ones, else the file's name.
    prompts
        Those to send, in the order of the file.
    digest
        ``sha256:…`` of every task name and text of the whole set, see
        :func:`digest_of`. Choosing some of the tasks does not change it, since
        runs are compared on the tasks that they share.
    left_out
        Later turns of questions to which the file has no answers, see ``question_files``.
    """

    name: str
    prompts: tuple[Prompt, ...]
    digest: str
    left_out: int = 0

    def only(self, tasks: Sequence[str]) -> PromptSet:
        """The same set reduced to some tasks, in its own order.

        Raises
        ------
        PromptError
            A task is not in the set.
        """
        known = [prompt.task for prompt in self.prompts]
        for task in tasks:
            if task not in known:
                raise PromptError(*one_of("a task", task, known))
        chosen = tuple(prompt for prompt in self.prompts if prompt.task in tasks)
        return replace(self, prompts=chosen)


def digest_of(prompts: Iterable[Prompt]) -> str:
    """What identifies a prompt set: its tasks and texts, whatever their order.

    Workload classes are left out: they say how results are grouped, and not
    what was measured.
    """
    texts = sorted([prompt.task, _said(prompt)] for prompt in prompts)
    canonical = json.dumps(texts, ensure_ascii=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def _said(prompt: Prompt) -> str:
    """One user's message as it is, a conversation as JSON: no text is both."""
    roles = [role for role, _ in prompt.turns]
    return prompt.text if roles == ["user"] else json.dumps(prompt.turns, ensure_ascii=True)


def ours() -> PromptSet:
    """The thirteen built-in prompts, see ``our_prompts``."""
    return checked("mtpbench", ((entry, None) for entry in PROMPTS), None)


def checked(
    name: str, entries: Iterable[tuple[object, int | None]], path: Path | None
) -> PromptSet:
    """A set of prompts as somebody wrote them, each with its line where it has one.

    Raises
    ------
    PromptError
        One is no prompt, or has the name of another one; with the line.
    """
    prompts: dict[str, Prompt] = {}
    left_out = 0
    for entry, line in entries:
        own, without_answer = prompts_of(entry) if is_question(entry) else ([entry], 0)  # type: ignore[arg-type]
        left_out += without_answer
        for one in own:
            prompt = _prompt(one, path, line)
            if prompt.task in prompts:
                problem = f"there are two prompts with the name {prompt.task!r}"
                raise PromptError(problem, "give each its own name", path, line)
            prompts[prompt.task] = prompt
    if not prompts:
        raise PromptError("there is no prompt in this file", _SHAPE, path)
    whole = tuple(prompts.values())
    return PromptSet(name, whole, digest_of(whole), left_out)


def _prompt(entry: object, path: Path | None, line: int | None) -> Prompt:
    if isinstance(entry, tuple | list) and len(entry) == 2:
        entry = dict(zip(("name", "prompt"), entry, strict=True))
    if not isinstance(entry, dict):
        raise PromptError("this is not a prompt", _SHAPE, path, line)
    for key in entry:
        if key not in _KEYS:
            problem, remedy = one_of("this key", key, _KEYS)
            raise PromptError(printable(problem), remedy, path, line)
    for key in ("name", *(() if "messages" in entry else ("prompt",)), "workload"):
        if key != "workload" or key in entry:
            _check_text(entry, key, path, line)
    if {"prompt", "messages"} <= set(entry):
        raise PromptError("this has a prompt and messages", "keep one of them", path, line)
    turns = (
        _turns(entry["messages"], path, line)
        if "messages" in entry
        else (("user", entry["prompt"]),)
    )
    task = entry["name"]
    workload = entry.get("workload", BUILT_IN_WORKLOADS.get(task, OTHER_WORKLOAD))
    return Prompt(task, turns, workload)


def _turns(messages: object, path: Path | None, line: int | None) -> tuple[tuple[str, str], ...]:
    """The messages of a conversation, checked."""
    shaped = isinstance(messages, list) and all(
        isinstance(one, dict) and set(one) == {"role", "content"} and one["role"] in _ROLES
        for one in messages
    )
    if not shaped or not messages or messages[-1]["role"] != "user":  # type: ignore[index]
        problem = "this prompt's messages are no conversation that waits for an answer"
        raise PromptError(problem, _TURNS, path, line)
    for one in messages:  # type: ignore[attr-defined]
        _check_text({"prompt": one["content"]}, "prompt", path, line)
    return tuple((one["role"], one["content"]) for one in messages)  # type: ignore[attr-defined]


def _check_text(entry: dict[Any, Any], key: str, path: Path | None, line: int | None) -> None:
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise PromptError(f"this prompt's {key} is not a text", _SHAPE, path, line)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        problem = f"this prompt's {key} has half of a character (a lone surrogate)"
        raise PromptError(problem, "write the whole character", path, line) from error
    # A name becomes a row of tables and logs.
    if key != "prompt" and (
        len(value) > LONGEST_NAME or not value.isprintable() or value != value.strip()
    ):
        problem = f"this prompt's {key} is not a name of at most {LONGEST_NAME} characters"
        raise PromptError(problem, "use letters, digits and underscores", path, line)
