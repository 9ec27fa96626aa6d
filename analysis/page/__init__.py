"""The card as one self-contained HTML page: report.html.

The page needs nothing from the network and asks for nothing: its style and
script are inline, its pictures are data URLs, and a policy in its head forbids
everything else.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from analysis.charts import DrawnChart
from analysis.page.markup import PageHeading, rendered
from analysis.page.pictures import with_pictures
from analysis.page.workloads import with_workloads

__all__ = ["page"]

_HERE = Path(__file__).parent
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def page(
    card: str,
    folder: Path,
    figures: Mapping[str, DrawnChart] | None = None,
    workloads: Mapping[str, str] | None = None,
) -> str:
    """Render a card as a page of its own.

    Parameters
    ----------
    card
        The card's Markdown, with front matter.
    folder
        Where its relative pictures are; they are put into the page.
    figures
        The charts that the card shows, for their values.
    workloads
        Class of each task by its name, for the filter.

    Returns
    -------
    str
        HTML, the same for the same card and pictures.
    """
    content, headings = rendered(_FRONT_MATTER.sub("", card, count=1))
    content = with_pictures(content, folder, (figures or {}).values())
    content = with_workloads(content, workloads or {})
    style, script = _part("page.css"), _part("page.js")
    title = next((heading.text for heading in headings if heading.level == 1), "mtpbench report")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"{_contents(headings)}<main>\n{content}</main>\n<script>{script}</script>\n"
        "</body>\n</html>\n"
    )


@cache
def _part(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """What the page may do: its own style and script, and pictures that are in it."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")

    return (
        "default-src 'none'; img-src data:; "
        f"style-src 'sha256-{digest(style)}'; script-src 'sha256-{digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _contents(headings: list[PageHeading]) -> str:
    """Links to the sections; none for a page that has hardly any."""
    sections = [heading for heading in headings if heading.level == 2]
    if len(sections) < 3:
        return ""
    links = "".join(
        f'<li><a href="#{heading.anchor}">{heading.text}</a></li>\n' for heading in sections
    )
    return f'<nav aria-label="Contents">\n<ul>\n{links}</ul>\n</nav>\n'
