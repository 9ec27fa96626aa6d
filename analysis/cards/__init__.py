"""A campaign's figures as a complete model card for the Hub, and what stands behind it.

`render` is the card: front matter, then every section of it that the data has
something to say on, each between its markers. `render_results` is the second
file, to which the card links.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from analysis.cards.escaping import Markdown
from analysis.cards.facts import Facts
from analysis.cards.front_matter import front_matter
from analysis.cards.markdown import bullets, paragraphs
from analysis.cards.markers import BEGIN, END
from analysis.cards.section import Picture, Place, Section
from analysis.cards.sections import SECTIONS
from analysis.cards.sections.results import CARD, FILE, TITLE
from analysis.summary import Summary

__all__ = [
    "BEGIN",
    "DOCUMENTED",
    "END",
    "RESULTS",
    "known_names",
    "marked",
    "one_page",
    "render",
    "render_results",
    "render_sections",
    "section_names",
]

RESULTS = FILE
"""The second file's name, beside the card."""

_ONLY_WITH_RESULTS = ("evidence", "results")
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
    """Names of all sections, in the order of the card and then of the second file."""
    return tuple(entry.name for entry in SECTIONS)


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
        Drawn charts by name (``throughput``, ``heatmap``,
        ``drafted``, ``depth_cost``), their paths relative to the card; any may
        be absent.

    Returns
    -------
    dict
        Name to Markdown without markers, LF, no line break at the end; in
        the order of :func:`section_names`.
    """
    facts = Facts(summary)
    found = {entry: entry.write(facts, figures or {}) for entry in SECTIONS}
    written = {entry: section for entry, section in found.items() if section is not None}
    if not any(_behind(entry.name, entry.place) for entry in written):
        written = {
            entry: section
            for entry, section in written.items()
            if entry.name not in _ONLY_WITH_RESULTS
        }
    sections = {entry.name: section.at(entry.place) for entry, section in written.items()}
    opening = SECTIONS[0].name
    sections[opening] = _with_firsts(sections[opening], written.values())
    return {name: str(text) for name, text in sections.items()}


def _behind(name: str, place: Place) -> bool:
    return place is Place.RESULTS and name not in _ONLY_WITH_RESULTS


def _with_firsts(opening: Markdown, sections: Iterable[Section]) -> Markdown:
    """The first screen ends with what other sections have for it, a sentence each."""
    firsts = [section.first for section in sections if section.first]
    return paragraphs(opening, bullets(firsts))


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
        Front matter and the sections of the card between their markers; LF,
        ending in a line break. The same data gives the same text.
    """
    method = Facts(summary).method
    head = str(front_matter(summary.campaign, () if method is None else (method,)))
    return "\n".join([head, *_parts(summary, figures, {Place.OPEN, Place.FOLDED})])


def render_results(summary: Summary, figures: Mapping[str, Picture] | None = None) -> str | None:
    """The second file, RESULTS.md, to which the card links.

    Parameters
    ----------
    summary, figures
        See :func:`render_sections`.

    Returns
    -------
    str or None
        Its sections between their markers; null where there is nothing behind
        the card, which then has no link to it.
    """
    return "\n".join(_parts(summary, figures, {Place.RESULTS})) or None


def _parts(
    summary: Summary, figures: Mapping[str, Picture] | None, places: Collection[Place]
) -> list[str]:
    there = {entry.name for entry in SECTIONS if entry.place in places}
    written = render_sections(summary, figures)
    return [marked(name, text) for name, text in written.items() if name in there]


def one_page(card: str, results: str | None) -> str:
    """Card and second file as one text, whose links between the two stay on the page."""
    if results is None:
        return card
    anchor = TITLE.removeprefix("# ").lower().replace(" ", "-")
    card = card.replace(f"]({FILE})", f"](#{anchor})").replace(f"]({FILE}#", "](#")
    return "\n".join([card, results.replace(f"]({CARD})", "](#)").replace(f"]({CARD}#", "](#")])
