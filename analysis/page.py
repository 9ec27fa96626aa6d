"""The card as one self-contained HTML page: report.html.

The page needs nothing from the network: its style is inline and its pictures
are data URLs. Raw HTML in the card is closed except for the few tags that the
card writes itself, so that a stranger's text can't become markup here even if
an escape was forgotten there.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

__all__ = ["page"]

_OWN_TAG = re.compile(
    r"""</?(?:details|summary|p|br|sub|sup|b|strong|em|code)\s*/?>
      | <img(?:\s+(?:class|src|alt|width)="[^"<>]*")+\s*/?>
      | <!--.*?-->""",
    re.VERBOSE | re.DOTALL,
)
_IMAGE = re.compile(r'<img\s[^<>]*?src="([^"<>]*)"[^<>]*?>')
_CALLOUT = re.compile(r"<blockquote>\s*<p>\[!(NOTE|WARNING|TIP|IMPORTANT|CAUTION)\]\s*")

STYLE = """
:root{color-scheme:light dark;--ink:#1c1e21;--ground:#fdfdfc;--line:#dcdfe4;
--band:#f3f4f6;--link:#0b57a4}
@media(prefers-color-scheme:dark){:root{--ink:#e6e7ea;--ground:#16181c;
--line:#363a42;--band:#1f2228;--link:#8ab8ee}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:58rem;background:var(--ground);
color:var(--ink);font:16px/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.7rem;line-height:1.2}h2{font-size:1.3rem;margin-top:2.4rem;padding-bottom:.25rem;
border-bottom:1px solid var(--line)}h3{font-size:1.08rem;margin-top:1.8rem}
a{color:var(--link)}img{max-width:100%;height:auto;display:block;margin:1rem 0}
.table{overflow-x:auto;margin:1rem 0}table{border-collapse:collapse;font-size:.9rem;
font-variant-numeric:tabular-nums}th,td{padding:.35rem .7rem;border-bottom:1px solid var(--line);
text-align:left;overflow-wrap:normal}th{border-bottom-width:2px}
tbody tr:hover{background:var(--band)}
pre{overflow-x:auto;padding:.8rem 1rem;background:var(--band);border-radius:6px;font-size:.85rem;
overflow-wrap:normal}code{font-family:ui-monospace,monospace;font-size:.92em}
:not(pre)>code{background:var(--band);padding:.1em .3em;border-radius:4px}
blockquote{margin:1rem 0;padding:.1rem 1rem;border-left:4px solid var(--link);
background:var(--band)}
details{margin:1rem 0}summary{cursor:pointer;font-weight:600}.dark{display:none}
@media(prefers-color-scheme:dark){.dark{display:block}.light{display:none}}
@media print{body{max-width:none;background:#fff;color:#000}pre{white-space:pre-wrap}
.dark{display:none}.light{display:block}h2,h3{break-after:avoid}table,img{break-inside:avoid}}
"""


def page(card: str, folder: Path) -> str:
    """Render a card as a page of its own.

    Parameters
    ----------
    card
        The card's Markdown, with front matter.
    folder
        Where its relative pictures are; they are put into the page.

    Returns
    -------
    str
        HTML, the same for the same card and pictures.
    """
    body = re.sub(r"\A---\n.*?\n---\n", "", card, count=1, flags=re.DOTALL)
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    # The renderer's table of functions is plain attributes; these two close raw HTML.
    parser.add_render_rule("html_block", _closed_html)
    parser.add_render_rule("html_inline", _closed_html)
    content = parser.render(body)
    content = _IMAGE.sub(lambda image: _embedded(image, folder), content)
    content = content.replace("<table>", '<div class="table"><table>')
    content = content.replace("</table>", "</table></div>")
    content = _CALLOUT.sub(
        lambda kind: f"<blockquote><p><strong>{kind[1].title()}:</strong> ", content
    )
    found = re.search(r"<h1>(.*?)</h1>", content, re.DOTALL)
    title = re.sub(r"<[^>]*>", "", found[1]) if found else "mtpbench report"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{content}</main>\n"
        "</body>\n</html>\n"
    )


def _closed_html(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    del renderer, options, env
    text = tokens[index].content
    out, end = [], 0
    for tag in _OWN_TAG.finditer(text):
        out += [html.escape(text[end : tag.start()]), "" if tag[0].startswith("<!--") else tag[0]]
        end = tag.end()
    return "".join([*out, html.escape(text[end:])])


def _embedded(image: re.Match[str], folder: Path) -> str:
    tag, source = image[0], html.unescape(image[1])
    path = folder / source
    try:
        if path.suffix != ".png" or not path.resolve().is_relative_to(folder.resolve()):
            return ""
        data = base64.b64encode(path.read_bytes()).decode("ascii")
    except (OSError, RuntimeError, ValueError):
        # It is not there, or its name is one that no file can have.
        return ""
    tag = tag.replace(f'src="{image[1]}"', f'src="data:image/png;base64,{data}"')
    return tag.replace("hidden dark:block", "dark").replace("dark:hidden", "light")
