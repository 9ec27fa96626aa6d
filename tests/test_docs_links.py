"""Every relative link and anchor of the Markdown pages leads somewhere; no network is asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from analysis.campaigns.campaign import PROJECT_ROOT

PAGES = [
    PROJECT_ROOT / "README.md",
    PROJECT_ROOT / "CONTRIBUTING.md",
    PROJECT_ROOT / "CHANGELOG.md",
    *sorted((PROJECT_ROOT / "docs").glob("*.md")),
    *sorted((PROJECT_ROOT / "reports").glob("*/*.md")),
    *sorted((PROJECT_ROOT / "notebooks").glob("*.ipynb")),
]


class _Tags(HTMLParser):
    """Targets and anchors of raw HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value is not None:
                self.targets.append(value)
            elif (name == "id" or (tag == "a" and name == "name")) and value is not None:
                self.anchors.append(value)


def _markdown(text: str) -> str:
    """Without the front matter, which is not Markdown."""
    return re.sub(r"\A---\n.*?^---\n", "", text, count=1, flags=re.DOTALL | re.MULTILINE)


def _slug(heading: str) -> str:
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or [])


def _look(text: str) -> tuple[list[str], set[str]]:
    """Targets and anchors of a page."""
    tokens = MarkdownIt("commonmark").enable("table").parse(_markdown(text))
    tags = _Tags()
    targets: list[str] = []
    seen: Counter[str] = Counter()
    anchors: set[str] = set()
    for token in _flat(tokens):
        if token.type == "link_open":
            targets.append(str(token.attrs["href"]))
        elif token.type == "image":
            targets.append(str(token.attrs["src"]))
        elif token.type in ("html_inline", "html_block"):
            tags.feed(token.content)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            shown = "".join(
                part.content
                for part in inline.children or []
                if part.type in ("text", "code_inline")
            )
            slug = _slug(shown)
            anchors.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1
    return [*targets, *tags.targets], anchors | set(tags.anchors)


def _text(path: Path) -> str:
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8")
    cells = nbformat.read(path, 4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


@cache
def _page(path: Path) -> tuple[list[str], set[str]]:
    return _look(_text(path))


def broken(page: Path) -> Iterator[str]:
    """Say which relative targets of a page do not exist."""
    for target in _page(page)[0]:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        place = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not place.exists() or (
            parts.fragment and unquote(parts.fragment) not in _page(place)[1]
        ):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(PROJECT_ROOT).as_posix())
def test_every_relative_link_leads_somewhere(page):
    assert list(broken(page)) == []


def test_the_index_leads_to_every_page_of_the_documentation():
    folder = PROJECT_ROOT / "docs"
    linked = set(_page(folder / "README.md")[0])
    assert linked == {path.name for path in folder.glob("*.md")} - {"README.md"}


def test_the_readme_leads_to_the_index():
    assert "docs/README.md" in _page(PROJECT_ROOT / "README.md")[0]


def test_what_leads_nowhere_is_found(tmp_path):
    (tmp_path / "there.md").write_text("# A `code` – title!\n\n# Twice\n\n# Twice\n")
    page = tmp_path / "page.md"
    page.write_text(
        "---\ntitle: '[x](front-matter.md)'\n---\n# Here\n\n"
        "[a](there.md) [b](there.md#a-code--title) [c](#here) [d](https://example.org/x)\n"
        "[e](there.md#twice-1) `[f](code.md)`\n\n"
        "[1](gone.md) [2](there.md#twice-2) [3](#nowhere) ![4](gone.png)\n\n"
        "<p><img src='gone-too.png'><a href='there.md'>x</a></p>\n"
    )
    assert list(broken(page)) == [
        "gone.md",
        "there.md#twice-2",
        "#nowhere",
        "gone.png",
        "gone-too.png",
    ]
