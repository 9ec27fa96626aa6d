"""Print docs/api.md: the names of `analysis.__all__`, from their docstrings.

`make pages` writes it to its place, and all others that the program writes itself.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property

import analysis
from analysis.statistics.columns import Column, columns
from analysis.statistics.rows import RoundRow, RunRow, TaskRow

FRAMES = """\
## The frames

`summary.runs` and `summary.tasks` are pandas frames with these columns; a notebook has them, and
the verification rounds of logs that have any, from
`runs, tasks, rounds = notebooks.frames(summary)` (`from analysis import notebooks`). Null is what
the source does not say. `runs` has more: `n_tasks`, `timed_tokens`, `significance` of the speedup,
and, as `stated_…`, totals that a source states for itself."""
ROUNDS = (
    Column("id of the run within the campaign", name="run", nullable=False),
    Column("which repetition, from 1", name="repeat", kind="integer", nullable=False),
    Column("name of the prompt", name="task", nullable=False),
    *columns(RoundRow),
)

HEAD = """\
# The Python interface

What the command line does, as functions. `make pages` writes this page from their docstrings.

```python
import analysis

summary = analysis.summary_of("raw/qwen3.6-35b-a3b-dspark")
print(summary.runs[["id", "effective_tps", "speedup"]])
```

A mistake of the user's is raised as [`MtpbenchError`](#mtpbencherror) or a subclass of it. Folders
are paths or texts; a relative one that is not in the working directory is looked for in the
project.
"""


class _Words:
    """An annotation as it was written."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __repr__(self) -> str:
        return self.words


def _plain(annotation: object) -> object:
    return _Words(annotation) if isinstance(annotation, str) else annotation


def _signature(name: str, thing: object) -> str:
    """One parameter a line where one line for all is too long."""
    found = inspect.signature(thing)
    found = found.replace(
        parameters=[
            parameter.replace(annotation=_plain(parameter.annotation))
            for parameter in found.parameters.values()
        ],
        return_annotation=(
            found.empty if inspect.isclass(thing) else _plain(found.return_annotation)
        ),
    )
    line = f"{name}{found}".replace("<factory>", "…")
    if len(line) <= 95:
        return line
    words, starred = [], False
    for parameter in found.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            words.append("*")
            starred = True
        words.append(str(parameter).replace("<factory>", "…"))
    gives = found.return_annotation
    end = ")" if gives is found.empty else f") -> {gives!r}"
    return "\n".join([f"{name}(", *(f"    {word}," for word in words), end])


def _inline(text: str) -> str:
    """Roles and literals of reStructuredText as Markdown's."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`").replace("*", r"\*")


def _docstring(text: str) -> Iterator[str]:
    """Numpy's sections as lists; everything else as it is."""
    first, *sections = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.MULTILINE)
    yield _inline(first.strip())
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        entries: list[list[str]] = []
        for line in body.strip().splitlines():
            if line and not line[0].isspace():
                entries.append([line])
            else:
                entries[-1].append(line.strip())
        lines = [
            f"- `{entry}`: {_inline(' '.join(rest))}" if rest else f"- `{entry}`"
            for entry, *rest in entries
        ]
        yield f"**{title}**\n\n" + "\n".join(lines)


def _members(thing: type) -> Iterator[str]:
    """What an instance offers beyond its fields."""
    for name, member in vars(thing).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property | cached_property):
            text, shown = inspect.getdoc(member), name
        elif inspect.isfunction(member):
            text, shown = inspect.getdoc(member), f"{name}()"
        else:
            continue
        if text:
            yield f"- `.{shown}`: {_inline(' '.join(text.partition(chr(10) * 2)[0].split()))}"


def page() -> str:
    """The whole page."""
    parts = [HEAD.rstrip()]
    for name in analysis.__all__:
        thing = getattr(analysis, name)
        parts.append(f"## {name}")
        parts.append(f"```python\n{_signature(name, thing)}\n```")
        parts.extend(_docstring(inspect.getdoc(thing) or ""))
        if inspect.isclass(thing) and (members := list(_members(thing))):
            parts.append("**Also**\n\n" + "\n".join(members))
    parts.append(FRAMES)
    parts += [_columns("runs", columns(RunRow)), _columns("tasks", columns(TaskRow))]
    parts.append(_columns("rounds", ROUNDS))
    return "\n\n".join(parts) + "\n"


def row(column: Column) -> str:
    """A column as a row of a table."""
    kind = column.kind + " or null" * column.nullable
    return f"| `{column.name}` | {kind} | {column.unit} | {column.meaning} |"


def _columns(frame: str, own: Iterable[Column]) -> str:
    rows = [row(one) for one in own]
    head = ["| column | type | unit | meaning |", "|---|---|---|---|"]
    return "\n".join([f"### {frame}", "", *head, *rows])


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.write(page())
