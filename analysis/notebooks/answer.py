"""An answer: sentences that follow from the data, their table, and the chart beside it."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pandas as pd
from IPython.display import display

from analysis.charts.chart import Chart

__all__ = ["Answer"]

_SWATCH = (
    '<span style="display:inline-block;width:.7em;height:.7em;border-radius:2px;'
    'margin-right:.45em;background:{colour}"></span>'
)


def _side(cells: Iterable[str]) -> str:
    """Where a column stands: text at the left, numbers with their units at the right."""
    words = any(char.isalpha() for cell in cells for char in cell)
    return "left" if words else "right"


@dataclass(frozen=True, eq=False)
class Answer:
    """What a notebook shows on one question.

    Attributes
    ----------
    said
        Sentences; plain text that may hold strangers' words.
    table
        Figures as texts, one row per thing.
    chart
        Null where the data has nothing to draw.
    colours
        Colour of a configuration on the charts, by the name of its row or column.
    best
        Rows and columns of cells that are the best of theirs.
    """

    said: tuple[str, ...]
    table: pd.DataFrame
    chart: Chart | None = None
    colours: Mapping[str, str] = field(default_factory=dict)
    best: frozenset[tuple[str, str]] = frozenset()

    def __str__(self) -> str:
        shown = ["", self.table.to_string(line_width=10_000)] if len(self.table) else []
        return "\n".join([*self.said, *shown])

    def __repr__(self) -> str:
        return str(self)

    def as_html(self) -> str:
        """Sentences and the styled table; every text escaped."""
        said = "".join(f"<p>{html.escape(one)}</p>" for one in self.said)
        if self.table.empty:
            return said
        names = [str(name) for name in self.table.columns]
        sides = [_side(map(str, self.table.iloc[:, place])) for place in range(len(names))]
        head = "".join(
            f'<th style="text-align:{side}">{self._named(name)}</th>'
            for name, side in zip(names, sides, strict=True)
        )
        rows = [
            f'<tr><th style="text-align:left">{self._named(str(row))}</th>'
            + "".join(
                self._cell(str(row), name, str(cell), side)
                for name, cell, side in zip(names, cells, sides, strict=True)
            )
            + "</tr>"
            for row, cells in zip(self.table.index, self.table.to_numpy(), strict=True)
        ]
        return (
            f"{said}<table><thead><tr><th></th>{head}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>"
        )

    def _named(self, name: str) -> str:
        colour = self.colours.get(name)
        swatch = "" if colour is None else _SWATCH.format(colour=colour)
        return swatch + html.escape(name)

    def _cell(self, row: str, column: str, text: str, side: str) -> str:
        shown = html.escape(text)
        shown = f"<b>{shown}</b>" if (row, column) in self.best else shown
        return f'<td style="text-align:{side}">{shown}</td>'

    def _ipython_display_(self) -> None:
        """Sentences and table, then the chart: what a notebook shows."""
        display({"text/plain": str(self), "text/html": self.as_html()}, raw=True)  # type: ignore[no-untyped-call]
        if self.chart is not None:
            display(self.chart)  # type: ignore[no-untyped-call]
