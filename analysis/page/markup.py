"""Markdown to HTML in which a stranger's text can't become markup.

Raw HTML in the card is closed except for the few tags that the card writes
itself, even if an escape was forgotten there.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

__all__ = ["PageHeading", "rendered"]

_OWN_TAG = re.compile(
    r"""</?(?:details|summary|p|br|sub|sup|b|strong|em|code)\s*/?>
      | <img(?:\s+(?:class|src|alt|width)="[^"<>]*")+\s*/?>
      | <!--.*?-->""",
    re.VERBOSE | re.DOTALL,
)
_BOUND = re.compile(r"(?<=\d) (?=%|tok/s|ms\b)|(?<=\bn_max) (?=\d)")
"""Spaces that a line does not end in: between a figure and its unit, and in a depth."""
_LINE = 32
"""Characters of code that fit beside each other on a telephone."""
_CALLOUT = re.compile(r"<blockquote>\s*<p>\[!(NOTE|WARNING|TIP|IMPORTANT|CAUTION)\]\s*")


@dataclass(frozen=True)
class PageHeading:
    """A heading of the page.

    Attributes
    ----------
    level
        From 1.
    text
        Without markup, escaped for HTML.
    anchor
        Its id, as the Hub and GitHub make them, so that links in the card hold.
    """

    level: int
    text: str
    anchor: str


def rendered(text: str) -> tuple[str, list[PageHeading]]:
    """HTML of a Markdown text, and its headings in order."""
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    # The renderer's table of functions is plain attributes; these two close raw HTML.
    parser.add_render_rule("html_block", _closed_html)
    parser.add_render_rule("html_inline", _closed_html)
    parser.add_render_rule("code_inline", _unbroken)
    tokens = parser.parse(text)
    headings = _named(tokens)
    for token in tokens:
        _align_by_class(token)
        for child in token.children or ():
            if child.type == "text":
                child.content = _BOUND.sub("\N{NO-BREAK SPACE}", child.content)
    content = parser.renderer.render(tokens, parser.options, {})
    content = content.replace("<table>", '<div class="table"><table>')
    content = content.replace("</table>", "</table></div>")
    content = _CALLOUT.sub(
        lambda kind: f"<blockquote><p><strong>{kind[1].title()}:</strong> ", content
    )
    return content, headings


def _unbroken(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """Flags break between each other, not at their hyphens; a name longer than a line may."""
    del renderer, options, env
    words = html.escape(tokens[index].content).split(" ")
    kept = (
        f'<span class="word">{word}</span>' if "-" in word and len(word) <= _LINE else word
        for word in words
    )
    return f"<code>{' '.join(kept)}</code>"


def _align_by_class(token: Token) -> None:
    """The page's policy has no place for style attributes."""
    if token.type in ("th_open", "td_open"):
        style = str(token.attrs.pop("style", ""))
        if style == "text-align:right":
            token.attrs["class"] = "number"


def _named(tokens: Sequence[Token]) -> list[PageHeading]:
    headings = []
    taken: set[str] = set()
    for opening, content in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        plain = "".join(_plain(child) for child in content.children or ())
        anchor = _anchor(plain, taken)
        opening.attrs["id"] = anchor
        headings.append(PageHeading(int(opening.tag[1:]), html.escape(plain, quote=False), anchor))
    return headings


def _plain(token: Token) -> str:
    if token.type in ("text", "code_inline"):
        return token.content
    return " " if token.type in ("softbreak", "hardbreak") else ""


def _anchor(text: str, taken: set[str]) -> str:
    words = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-") or "section"
    anchor, number = words, 0
    while anchor in taken:
        number += 1
        anchor = f"{words}-{number}"
    taken.add(anchor)
    return anchor


def _closed_html(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    del renderer, options, env
    text = tokens[index].content
    out, end = [], 0
    for tag in _OWN_TAG.finditer(text):
        out += [_shut(text[end : tag.start()]), "" if tag[0].startswith("<!--") else tag[0]]
        end = tag.end()
    return "".join([*out, _shut(text[end:])])


def _shut(text: str) -> str:
    """Text of raw HTML in which no tag is left; what is an entity already stays that one."""
    return html.escape(html.unescape(text))
