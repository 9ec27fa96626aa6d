"""What terminals, forums and JSON strings do to a line, undone."""

from __future__ import annotations

import re

__all__ = ["clean"]

_ANSI = re.compile(
    r"(?:\x1b|\\u001[bB]|\\x1[bB]|\\033)"
    r"(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])"
)
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")
_GROUP_SPACE = re.compile(r"(?<=\d)[\u00a0\u202f\u2009'\u2019](?=\d{3}(?!\d))")
_SPACE = re.compile(
    r"[\t\x0b\x0c\x1c-\x1f\x85\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]|&nbsp;"
)
_QUOTE = re.compile(r"[ ]*+(?:(?:>|&gt;)[ ]?)+")
_BREAK = re.compile(r"<br[ ]*/?>", re.IGNORECASE)
# A row inside a JSON or Python string ends in an escaped newline. Only such a
# line is unescaped: elsewhere \n is the beginning of a Windows file name.
_ESCAPED_ROWS = re.compile(r"tok\\*+/s[ ]*+=[ ]*+[\d.,]++[^\\\n]{0,20}(?:\\+n|\",[ ]*+\"|',[ ]*+')")
_ESCAPED_BREAK = re.compile(r"(?<!\\)(?:\\++r)?\\++n|(?<!\\)\",[ ]*+\"|',[ ]*+'")
# One line of a list of lines, as a JSON file with indents has it.
_LISTED = re.compile(r"[ ]*+\"([^\"\\]*+(?:\\\"[^\"\\]*+)++|[ ]*+\}|Aggregate: \{)\",?[ ]*+$")
_ESCAPE = re.compile(r"(?<!\\)\\++([\"/])")
_TYPOGRAPHIC = str.maketrans("\u201c\u201d\u201e\u2018\u2019", '"""\'\'')


def clean(line: str) -> list[str]:
    r"""Take from one line what pasting put there.

    Colour codes, invisible characters, ``>`` quoting, typographic quotes and
    escaped underscores go; every kind of space becomes a plain one. A line
    that holds several, because of ``<br>`` or because it is a JSON string,
    comes back as several.

    Parameters
    ----------
    line
        Without its line end.

    Returns
    -------
    list of str
        At least one line.

    Examples
    --------
    >>> clean("> \x1b[32m  summarize\u00a0pred= 48\x1b[0m")
    ['  summarize pred= 48']
    >>> clean(r'"out": "  a_b pred=1 tok/s=2.0\n  c_d pred=1 tok/s=2.0"')
    ['"out": "  a_b pred=1 tok/s=2.0', '  c_d pred=1 tok/s=2.0"']
    """
    if line.isascii() and not _SUSPECT.search(line):
        return [line]
    line = _ANSI.sub("", line)
    line = _INVISIBLE.sub("", line)
    line = _GROUP_SPACE.sub("", line)
    line = _SPACE.sub(" ", line)
    line = line.translate(_TYPOGRAPHIC).replace("&quot;", '"')
    pieces = _BREAK.split(_unquote(line))
    return [whole for piece in pieces for whole in _unescape(piece)]


_SUSPECT = re.compile(r"[\"\\\t\x0b\x0c\x1b-\x1f>&']")


def _unquote(line: str) -> str:
    quote = _QUOTE.match(line)
    return line[quote.end() :] if quote else line


def _unescape(line: str) -> list[str]:
    listed = _LISTED.match(line)
    if listed:
        line = listed[1]
    if listed or _ESCAPED_ROWS.search(line):
        pieces = _ESCAPED_BREAK.split(line)
        return [_ESCAPE.sub(r"\1", piece).replace("\\t", " ") for piece in pieces]
    return [line.replace("\\_", "_").replace("tok\\/s", "tok/s").replace("n\\/a", "n/a")]
