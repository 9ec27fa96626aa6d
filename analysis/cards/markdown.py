"""Markdown that no text from outside can break.

:class:`Markdown` marks text that may stand in a card as it is; everything else
is escaped on its way in, by :func:`say`, :func:`table` and their neighbours.
The dialect is that of the Hub and GitHub: CommonMark with tables.
"""

from __future__ import annotations

import html
import re
import string
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Literal
from urllib.parse import quote

__all__ = [
    "NOT_KNOWN",
    "RIGHT",
    "Align",
    "Markdown",
    "bullets",
    "clean",
    "code",
    "details",
    "escape",
    "fence",
    "join",
    "link",
    "paragraphs",
    "picture",
    "repository",
    "say",
    "table",
]

Align = Literal["left", "right"]

RIGHT: Align = "right"

NOT_KNOWN = "–"
LIMIT = 200
"""Longest text from outside, in characters; a label beyond it is cut with an ellipsis."""

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_PLAIN_CODE = re.compile(r"[^`|\\<>&]+")
_CHART = 640
"""Pixels a chart is shown at where there is room: its letters are then those of the text."""

_MARKER = re.compile(r"<(?=!--\s*mtpbench:)")


class Markdown(str):
    """Text that is Markdown already and is never escaped again."""

    __slots__ = ()


def clean(text: str, limit: int | None = LIMIT) -> str:
    r"""One line of visible characters.

    Parameters
    ----------
    text
        Anything.
    limit
        Longest result in characters; ``None`` for no limit.

    Returns
    -------
    str
        Line breaks and control characters are spaces, runs of spaces one,
        direction marks and other invisible characters gone, what can't be
        encoded a replacement character.

    Examples
    --------
    >>> clean("two\nlines\u202e")
    'two lines'
    """
    shown = " ".join("".join(_visible(char) for char in text).split())
    if limit is not None and len(shown) > limit:
        shown = shown[: limit - 1].rstrip() + "…"
    return shown


def _visible(char: str) -> str:
    kind = unicodedata.category(char)
    if kind in ("Cc", "Zl", "Zp"):
        return " "
    if kind == "Cf":
        return ""
    return "\ufffd" if kind in ("Cs", "Co", "Cn") else char


def escape(text: str, limit: int | None = LIMIT) -> Markdown:
    r"""Text as Markdown that shows it and does nothing else, in a table cell too.

    Parameters
    ----------
    text
        Anything; Markdown passes unchanged.
    limit
        See :func:`clean`.

    Returns
    -------
    Markdown
        Cleaned, with HTML, Markdown and table characters made harmless. An
        underscore inside a word is left alone because it means nothing there.

    Examples
    --------
    >>> escape("a|b <i> n_max *x*")
    'a&#124;b &lt;i&gt; n_max \\*x\\*'
    """
    if isinstance(text, Markdown):
        return text
    shown = clean(text, limit)
    shown = html.escape(shown, quote=False).replace("\\", "&#92;")
    shown = shown.replace("|", "&#124;").replace("`", "&#96;").replace("://", ":&#47;&#47;")
    shown = re.sub(r"[*\[\]~$]", r"\\\g<0>", shown)
    shown = re.sub(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", r"\\_", shown)
    # The Hub makes links of what looks like an address, whatever its signs are written as.
    shown = re.sub(r"(?<=[\w.+-])@(?=[\w-]{1,80}\.[A-Za-z])", "<!-- -->@", shown)
    shown = re.sub(r"\b(www)\.", r"\1&#46;", shown, flags=re.IGNORECASE)
    shown = re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", shown)
    return Markdown(re.sub(r"^[#+=:-]", r"\\\g<0>", shown))


class _Sayer(string.Formatter):
    """``str.format`` that escapes its values, and refuses those without a stated form."""

    def format_field(self, value: object, format_spec: str) -> str:
        if format_spec:
            raise TypeError("format numbers with analysis.cards.numbers, not in a template")
        if isinstance(value, str):
            return escape(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        raise TypeError(f"a {type(value).__name__} has no words of its own: {value!r}")


def say(template: str, /, **values: str | int) -> Markdown:
    r"""Fill a template; every plain text is escaped on its way in.

    Parameters
    ----------
    template
        Markdown with ``{name}`` fields.
    values
        Texts, :class:`Markdown` or whole numbers.

    Returns
    -------
    Markdown
        The filled template.

    Raises
    ------
    TypeError
        A value is a float, null or anything else without a stated form.

    Examples
    --------
    >>> say("**{label}** wins", label="a*b")
    '**a\\*b** wins'
    """
    return Markdown(_Sayer().vformat(template, (), values))


def code(text: str) -> Markdown:
    """Inline code; safe for any content and in table cells.

    Examples
    --------
    >>> code("n_max"), code("a|b")
    ('`n_max`', '<code>a&#124;b</code>')
    """
    shown = clean(text)
    if _PLAIN_CODE.fullmatch(shown):
        return Markdown(f"`{shown}`")
    return Markdown(f"<code>{escape(shown)}</code>")


def fence(text: str, language: str = "") -> Markdown:
    """A code block that shows `text` line by line whatever it holds.

    The fence is longer than any run of backticks inside. Control and direction
    characters become visible, and so does the first one of what could pass for
    a marker of the card's own sections.
    """
    lines = re.split(r"\r\n|\r|\n", text.strip("\r\n"))
    shown = "\n".join("".join(_printable(char) for char in line) for line in lines)
    shown = _MARKER.sub(r"\\u{3c}", shown)
    runs = [len(run) for run in re.findall(r"`+", shown)]
    ticks = "`" * max([3, *(run + 1 for run in runs)])
    return Markdown(f"{ticks}{language}\n{shown}\n{ticks}")


def _printable(char: str) -> str:
    kind = unicodedata.category(char)
    if char == "\t" or kind not in ("Cc", "Cf", "Zl", "Zp", "Cs", "Cn", "Co"):
        return char
    if kind == "Cc" and ord(char) < 0x20:
        return chr(0x2400 + ord(char))
    return f"\\u{{{ord(char):x}}}"


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
