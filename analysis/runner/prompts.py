"""Which prompts does a live run send, and under which name may its figures be compared?

``read`` takes a user's ``.jsonl`` or ``.py`` file. Of the latter the literal
list is read and nothing of it is ever run, because prompt lists are passed
around inside benchmark scripts of strangers.
"""

from __future__ import annotations

import ast
import hashlib
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from analysis.errors import MtpbenchError, one_of, printable
from analysis.records import BUILT_IN_WORKLOADS
from analysis.runner.our_prompts import PROMPTS
from analysis.runner.question_files import is_question, prompts_of, rows_of
from analysis.statistics.frames import OTHER_WORKLOAD

__all__ = ["Prompt", "PromptError", "PromptSet", "ours", "read"]

LARGEST_FILE = 16 * 1024 * 1024
"""Bytes of a prompt file; a larger one is a data set and no prompt list."""

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
    return _checked("mtpbench", ((entry, None) for entry in PROMPTS), None)


def read(path: Path) -> PromptSet:
    """Read a prompt file.

    Parameters
    ----------
    path
        ``.jsonl``: one object per line with `name`, `prompt` and perhaps
        `workload`, or with questions (see ``question_files``); empty lines are passed
        over. ``.parquet``: questions. ``.py``: the one list at the
        top level whose items are such dicts or (name, prompt) pairs.

    Returns
    -------
    PromptSet
        A task without a class has its built-in one, or ``"other"``.

    Raises
    ------
    PromptError
        The file can't be read or is no prompt list; with the line.
    """
    readers: dict[str, Callable[[str, Path], Iterator[tuple[object, int]]]] = {
        ".jsonl": _of_json_lines,
        ".py": _of_python,
    }
    if path.suffix == ".parquet":
        return _checked(path.name, _of_parquet(path), path)
    if path.suffix not in readers:
        raise PromptError(*one_of("the ending", path.suffix, [*readers, ".parquet"]), file=path)
    return _checked(path.name, readers[path.suffix](_text(path), path), path)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PromptError("this is not UTF-8", "save it as UTF-8", path, line) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        problem = f"these prompts can't be read: {reason}"
        raise PromptError(problem, "correct the name, or make the file readable", path) from error
    if len(data) > LARGEST_FILE:
        problem = f"this file is larger than {LARGEST_FILE // 2**20} MiB"
        raise PromptError(problem, "keep the prompts to be measured and no others", path)
    return text


def _of_json_lines(text: str, path: Path) -> Iterator[tuple[object, int]]:
    # Not splitlines: a prompt may hold the other characters that end a line for it.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield json.loads(line), number
        except (ValueError, RecursionError) as error:
            said = error.msg if isinstance(error, json.JSONDecodeError) else error
            problem = f"this line is not JSON: {said}"
            raise PromptError(problem, "write one JSON object per line", path, number) from error


def _of_parquet(path: Path) -> Iterator[tuple[object, None]]:
    try:
        for row in rows_of(path):
            yield row, None
    except ValueError as error:
        problem = f"these prompts can't be read: {printable(error)}"
        raise PromptError(
            problem, "name a Parquet file with question_id and turns", path
        ) from error


def _of_python(text: str, path: Path) -> Iterator[tuple[object, int]]:
    try:
        with warnings.catch_warnings():
            # Strange escapes in a stranger's strings are their affair.
            warnings.simplefilter("ignore")
            module = ast.parse(text)
    except SyntaxError as error:
        problem = f"this is not Python: {error.msg}"
        raise PromptError(problem, "correct it", path, error.lineno) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise PromptError(f"this is not Python: {error}", "correct it", path) from error
    found = list(_lists(module))
    if not found:
        problem = "there is no list of prompts at the top level of this file"
        raise PromptError(problem, 'write PROMPTS = [{"name": "TASK", "prompt": "TEXT"}, …]', path)
    if len(found) > 1:
        lines = ", ".join(str(each.lineno) for each in found)
        problem = f"there are {len(found)} lists of prompts, in lines {lines}"
        raise PromptError(problem, "keep one in a file of its own", path, found[1].lineno)
    for item in found[0].elts:
        yield _literal(item, path), item.lineno


def _lists(module: ast.Module) -> Iterator[ast.List | ast.Tuple]:
    """Top-level assignments of lists whose first item has the look of a prompt."""
    for statement in module.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign):
            continue
        value = statement.value
        if isinstance(value, ast.List | ast.Tuple) and value.elts and _like_prompt(value.elts[0]):
            yield value


def _like_prompt(item: ast.expr) -> bool:
    if isinstance(item, ast.Dict):
        keys = [key.value for key in item.keys if isinstance(key, ast.Constant)]
        return {"name", "prompt"} <= set(keys)
    # A pair of texts at least: (name, prompt). Other tuples are a script's own tables.
    return (
        isinstance(item, ast.Tuple)
        and len(item.elts) == 2
        and isinstance(item.elts[0], ast.Constant)
        and isinstance(item.elts[0].value, str)
    )


def _literal(item: ast.expr, path: Path) -> object:
    try:
        return ast.literal_eval(_joined(item))
    except (ValueError, TypeError, RecursionError, MemoryError) as error:
        problem = "this prompt is computed, and no literal"
        remedy = "write it out: nothing in this file is run"
        raise PromptError(problem, remedy, path, item.lineno) from error


class _Joiner(ast.NodeTransformer):
    """Turns ``"a" + "b"`` into ``"ab"``: the one computation that is still a literal."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        left, right = node.left, node.right
        if (
            isinstance(node.op, ast.Add)
            and isinstance(left, ast.Constant)
            and isinstance(right, ast.Constant)
            and isinstance(left.value, str)
            and isinstance(right.value, str)
        ):
            return ast.copy_location(ast.Constant(left.value + right.value), node)
        return node


def _joined(item: ast.expr) -> ast.expr:
    joined: ast.expr = _Joiner().visit(item)
    return joined


def _checked(
    name: str, entries: Iterable[tuple[object, int | None]], path: Path | None
) -> PromptSet:
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
