"""A campaign's figures as a complete model card for the Hub.

`render` is the whole of it: front matter, then every section that the data has
something to say on, each between its markers.
"""

from __future__ import annotations

from collections.abc import Mapping

from analysis.cards.facts import Facts
from analysis.cards.front_matter import front_matter
from analysis.cards.markers import BEGIN, END
from analysis.cards.section import Picture
from analysis.cards.sections import SECTIONS
from analysis.summary import Summary

__all__ = [
    "BEGIN",
    "DOCUMENTED",
    "END",
    "known_names",
    "marked",
    "render",
    "render_sections",
    "section_names",
]

DOCUMENTED = (
    "summary",
    "overall",
    "per-task",
    "pairs",
    "acceptance",
    "positions",
    "depth",
    "workloads",
    "recommendation",
    "conditions",
    "raw",
    "limits",
)
"""Names that a README may rely on; one that no section fills stays empty."""


def section_names() -> tuple[str, ...]:
    """Names of all sections, in card order."""
    return tuple(name for name, _ in SECTIONS)


def known_names() -> tuple[str, ...]:
    """Names that a marker may have: all sections and the documented ones."""
    return tuple(dict.fromkeys((*section_names(), *DOCUMENTED)))


def render_sections(
    summary: Summary, figures: Mapping[str, Picture] | None = None
) -> dict[str, str]:
    """The sections that a campaign's data fills.

    Parameters
    ----------
    summary
        The campaign's figures.
    figures
        Drawn charts by name (``throughput``, ``task_speedup``, ``heatmap``,
        ``drafted``, ``depth_cost``), their paths relative to the card; any may
        be absent.

    Returns
    -------
    dict
        Name to Markdown without markers, LF, no line break at the end; in
        card order.
    """
    facts = Facts(summary)
    written = ((name, write(facts, figures or {})) for name, write in SECTIONS)
    return {name: str(section) for name, section in written if section is not None}


def marked(name: str, text: str) -> str:
    """A section between its markers, ending in a line break."""
    return f"{BEGIN.format(name=name)}\n\n{text}\n\n{END.format(name=name)}\n"


def render(summary: Summary, figures: Mapping[str, Picture] | None = None) -> str:
    """A complete README for the Hub.

    Parameters
    ----------
    summary, figures
        See :func:`render_sections`.

    Returns
    -------
    str
        Front matter and all sections between their markers; LF, ending in a
        line break. The same data gives the same text.
    """
    method = Facts(summary).method
    head = str(front_matter(summary.campaign, () if method is None else (method,)))
    parts = [marked(name, text) for name, text in render_sections(summary, figures).items()]
    return "\n".join([head, *parts])
