"""Which rows of a page's tables are about one kind of text?"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from analysis.names import workload_title

__all__ = ["with_workloads"]

_ROW = re.compile(r"<tr>(\s*+<td(?:[^<]++|<(?!/?tr\b))*+</tr>)")
_CELL = re.compile(r"<td[^<>]*+>((?:[^<]++|<(?!/?td\b))*+)</td>")
_TAG = re.compile(r"<[^<>]*>")
_NAMING = 2
"""Cells of a row that may name its task or its kind: the first, or the one after a method."""


def with_workloads(content: str, workloads: Mapping[str, str]) -> str:
    """HTML whose rows of one kind of text say so, for the page's filter.

    Parameters
    ----------
    content
        HTML with tables.
    workloads
        Class of each task, by its name.
    """
    titles = {name: workload_title(name) for name in workloads.values()}
    known = {title: title for title in titles.values()}
    known |= {task: titles[name] for task, name in workloads.items()}

    def named(row: re.Match[str]) -> str:
        cells = (html.unescape(_TAG.sub("", cell)) for cell in _CELL.findall(row[1])[:_NAMING])
        kind = next((known[cell] for cell in cells if cell in known), None)
        return row[0] if kind is None else f'<tr data-workload="{html.escape(kind)}">{row[1]}'

    return _ROW.sub(named, content)
