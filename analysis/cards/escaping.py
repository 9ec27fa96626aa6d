"""Text from outside in Markdown, so that it shows what it is and does nothing else.

:class:`Markdown` marks text that may stand in a card as it is; everything else
is escaped on its way in, by :func:`say` and its neighbours.
"""

from __future__ import annotations

import html
import re
import string
import unicodedata

__all__ = ["Markdown", "clean", "code", "escape", "fence", "say"]

LIMIT = 200
"""Longest text from outside, in characters; a label beyond it is cut with an ellipsis."""

_PLAIN_CODE = re.compile(r"[^`|\\<>&]+")
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
    ValueError
        The template has a brace too many or too few, or a field that is not there.

    Examples
    --------
    >>> say("**{label}** wins", label="a*b")
    '**a\\*b** wins'
    """
    try:
        return Markdown(_Sayer().vformat(template, (), values))
    except (KeyError, IndexError, ValueError) as error:
        fields = ", ".join(f"{{{name}}}" for name in sorted(values)) or "no field"
        raise ValueError(f"{template!r} can't be filled ({error}); it can have {fields}") from error


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
