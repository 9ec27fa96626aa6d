"""Tables, folds, pictures, links and lists of Markdown that no text from outside can break.

The dialect is that of the Hub and GitHub: CommonMark with tables.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Literal
from urllib.parse import quote

from analysis.cards.escaping import Markdown, clean, escape

__all__ = [
    "NOT_KNOWN",
    "RIGHT",
    "Align",
    "bullets",
    "details",
    "join",
    "link",
    "paragraphs",
    "picture",
    "repository",
    "table",
]

Align = Literal["left", "right"]

RIGHT: Align = "right"

NOT_KNOWN = "–"

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_CHART = 640
"""Pixels a chart is shown at where there is room: its letters are then those of the text."""


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[str | int | None]],
    align: Sequence[Align] | None = None,
) -> Markdown:
    """A table with as many columns as headers, less those that hold nothing but dashes.

    Parameters
    ----------
    headers
        One text per column.
    rows
        Cells: text, Markdown or whole numbers; ``None`` is an en dash.
    align
        One per column; by default the first column is text and the others are
        numbers, which belong to the right.

    Raises
    ------
    ValueError
        A row, or `align`, has another length than `headers`.
    """
    align = align or ["left", *[RIGHT] * (len(headers) - 1)]
    body = [[Markdown(NOT_KNOWN) if cell is None else cell for cell in row] for row in rows]
    widths = {len(headers), len(align), *map(len, body)}
    if len(widths) != 1:
        raise ValueError(f"a table of {len(headers)} columns got rows of {sorted(widths)}")
    kept = [
        not body or not all(_is_dash(row[place]) for row in body) for place in range(len(headers))
    ]
    rules = ["---:" if side == "right" else "---" for side in align]
    return Markdown("\n".join(_row([*compress(row, kept)]) for row in (headers, rules, *body)))


def _is_dash(cell: object) -> bool:
    """Whether a cell was left empty by us; a stranger's dash is text."""
    return isinstance(cell, Markdown) and cell == NOT_KNOWN


def _row(cells: Sequence[str | int]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(cell: str | int) -> str:
    if isinstance(cell, int):
        return str(cell)
    if re.fullmatch(r"-{3}:?", cell) or not cell:
        return cell or " "
    return re.sub(r"(?<![^\S\n])[^\S\n]*+\n\s*", " ", escape(cell)).replace("|", "&#124;")


def details(summary: str, body: Markdown) -> Markdown:
    """A folded part. `summary` is plain text: Markdown is not read inside ``<summary>``."""
    title = html.escape(clean(summary), quote=False)
    return Markdown(f"<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>")


def picture(alt: str, light: str, dark: str) -> Markdown:
    """One chart in two themes, by the classes that the Hub understands."""
    text = html.escape(clean(alt, limit=1000))
    sources = [html.escape(quote(clean(path, limit=None), safe="/.-_~")) for path in (light, dark)]
    return Markdown(
        f'<img class="dark:hidden" width="{_CHART}" alt="{text}" src="{sources[0]}">\n'
        f'<img class="hidden dark:block" width="{_CHART}" alt="{text}" src="{sources[1]}">'
    )


def link(text: str, address: str) -> Markdown:
    """A link to a web address; only the text when the address is none."""
    target = clean(address, limit=None)
    if not re.match(r"https?://[\w.-]+(/|$)", target, re.ASCII):
        return escape(text)
    return Markdown(f"[{escape(text)}]({quote(target, safe=':/?&=%#.,;@+~-_')})")


def repository(name: str) -> Markdown:
    """A Hub repository, linked when `name` has the form ``owner/name``."""
    if not _REPOSITORY.fullmatch(name):
        return escape(name)
    return link(name, f"https://huggingface.co/{name}")


def join(parts: Sequence[str], last: str = "and") -> Markdown:
    """A list in a sentence.

    Examples
    --------
    >>> join(["a", "b", "c"]), join(["a", "b"], last="or"), join(["a"])
    ('a, b and c', 'a or b', 'a')
    """
    shown = [escape(part) for part in parts]
    if len(shown) < 2:
        return Markdown("".join(shown))
    return Markdown(f"{', '.join(shown[:-1])} {last} {shown[-1]}")


def bullets(items: Iterable[str]) -> Markdown:
    """A list, one item a line."""
    return Markdown("\n".join(f"- {escape(item, limit=1000)}" for item in items))


def paragraphs(*blocks: Markdown | None) -> Markdown:
    """Blocks with an empty line between them; nothing for those that are null or empty."""
    return Markdown("\n\n".join(block for block in blocks if block))
