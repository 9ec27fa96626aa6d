"""Generated sections into an existing README, every other byte as it was.

Text in, text out: what is read and written around it is ``analysis.publishing.insert``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from analysis.cards.markers import Span, find_spans, has_title, pair
from analysis.errors import CardError

__all__ = ["NoMarkersError", "inserted", "under_one_title"]


class NoMarkersError(CardError):
    """A README that does not say where a section goes.

    Attributes
    ----------
    missing
        Names of the sections without markers.
    """

    def __init__(self, missing: Collection[str], file: str) -> None:
        self.missing = tuple(missing)
        named = ", ".join(self.missing)
        one = len(self.missing) == 1
        problem = f"it has no markers for the section{'' if one else 's'} {named}"
        first, last = pair(self.missing[0]).split("\n")
        remedy = f"add the lines {first} and {last} where it is to stand" + (
            "" if one else ", and the same for each other that you want"
        )
        super().__init__(problem, remedy, file=file)

    @property
    def lines(self) -> str:
        """What to paste."""
        return "\n\n".join(pair(name) for name in self.missing) + "\n"


def inserted(
    text: str,
    sections: Mapping[str, str],
    known: Collection[str],
    wanted: Collection[str] = (),
    file: str = "README",
) -> tuple[str, tuple[Span, ...]]:
    r"""Put sections between their markers.

    Parameters
    ----------
    text
        The README with its own line ends.
    sections
        Name to Markdown without markers, LF, without their title where the
        README has one of its own. A section that has markers and is
        not in it becomes empty: what stood there says nothing true any more.
    known
        Names that a marker may have.
    wanted
        Sections to replace; by default all that have markers.
    file
        How the README is called in errors.

    Returns
    -------
    text : str
        The same text when everything was up to date. A section has the line
        ends of its first marker.
    spans : tuple of Span
        Which places of `text` were replaced.

    Raises
    ------
    CardError
        The markers are not in order, or a section has none.

    Examples
    --------
    >>> readme = "Hi\n<!-- mtpbench:begin raw -->\n<!-- mtpbench:end raw -->"
    >>> print(inserted(readme, {"raw": "New."}, ["raw"])[0])
    Hi
    <!-- mtpbench:begin raw -->
    <BLANKLINE>
    New.
    <BLANKLINE>
    <!-- mtpbench:end raw -->
    """
    found = find_spans(text, known, file)
    there = {span.name for span in found}
    missing = [name for name in wanted if name not in there]
    if missing or not found:
        raise NoMarkersError(missing or [name for name in known if name in sections], file)
    spans = tuple(span for span in found if not wanted or span.name in wanted)
    sections = under_one_title(sections, text, found)
    out, end = [], 0
    for span in spans:
        out += [text[end : span.start], _content(sections.get(span.name), span.newline)]
        end = span.stop
    return "".join([*out, text[end:]]), spans


def under_one_title(
    sections: Mapping[str, str], text: str, spans: Sequence[Span]
) -> Mapping[str, str]:
    """Sections as they stand in this README: one page has one title.

    Parameters
    ----------
    sections
        Name to Markdown; one may begin with a title.
    text, spans
        The README and all its generated sections.
    """
    if not has_title(text, spans):
        return sections
    return {
        name: section.partition("\n\n")[2] if section.startswith("# ") else section
        for name, section in sections.items()
    }


def _content(section: str | None, newline: str) -> str:
    if section is None:
        return ""
    return f"\n{section}\n\n".replace("\n", newline)
