"""Which prompts are in a user's file?

Of a ``.py`` file the literal list is read and nothing of it is ever run, because
prompt lists are passed around inside benchmark scripts of strangers.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from analysis.errors import one_of, printable
from analysis.runner.prompts import PromptError, PromptSet, checked
from analysis.runner.question_files import rows_of

__all__ = ["read"]

LARGEST_FILE = 16 * 1024 * 1024
"""Bytes of a prompt file; a larger one is a data set and no prompt list."""


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
        return checked(path.name, _of_parquet(path), path)
    if path.suffix not in readers:
        raise PromptError(*one_of("the ending", path.suffix, [*readers, ".parquet"]), file=path)
    return checked(path.name, readers[path.suffix](_text(path), path), path)


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
