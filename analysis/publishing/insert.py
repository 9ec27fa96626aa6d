"""A campaign's sections into a README that somebody has already."""

from __future__ import annotations

import difflib
import stat
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from analysis import cards, charts
from analysis.cards.insertion import inserted
from analysis.cards.markdown import picture
from analysis.cards.markers import lines_of
from analysis.charts import DARK, LIGHT, Chart, DrawnChart
from analysis.errors import CardError, ReportError, one_of
from analysis.files.inside import leads_out
from analysis.files.storage import write_bytes
from analysis.models.model_files import ModelFile
from analysis.pipeline import summary_of
from analysis.summary import Summary

__all__ = ["FIGURES", "Insertion", "insert", "pictures", "read", "sections", "shown"]

FIGURES = "mtpbench-figures"
"""Folder beside the README that its pictures go into, one folder in it per campaign."""


@dataclass(frozen=True)
class Insertion:
    """What putting sections into a README changed, or would change.

    Attributes
    ----------
    file
        The README.
    before, after
        Its text.
    replaced
        Names of the sections that have markers, in the README's order.
    empty
        Those of them on which the campaign's data has nothing to say.
    pictures
        Files that the sections show, relative to the README.
    """

    file: Path
    before: str
    after: str
    replaced: tuple[str, ...]
    empty: tuple[str, ...]
    pictures: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether the README differs."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """A unified diff of the README; empty when nothing changes."""
        before, after = ([*_whole_lines(text)] for text in (self.before, self.after))
        name = self.file.name
        said = []
        for line in difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"):
            ends = line.endswith("\n")
            said.append(line if ends else f"{line}\n\\ No newline at end of file\n")
        return "".join(said)


def _whole_lines(text: str) -> list[str]:
    return [content + newline for _, content, newline in lines_of(text)]


def sections(
    summary: Summary, wanted: Collection[str] = (), folder: str = FIGURES
) -> tuple[dict[str, str], dict[str, tuple[Chart, DrawnChart]]]:
    """A campaign's sections with pictures that lie in a folder of their own.

    Parameters
    ----------
    summary
        The campaign's figures.
    wanted
        Names of sections; by default all.
    folder
        Where the pictures are to lie, relative to the README.

    Returns
    -------
    sections : dict
        Name to Markdown, in card order; those without data are absent.
    pictures : dict
        The charts that they show, not drawn yet, and how they are called.

    Raises
    ------
    CardError
        There is no section of a wanted name.
    """
    for name in wanted:
        if name not in cards.known_names():
            raise CardError(*one_of("a section", name, cards.known_names()))
    made = pictures(summary, f"{folder}/{summary.campaign.slug}")
    written = cards.render_sections(summary, {name: drawn for name, (_, drawn) in made.items()})
    chosen = {name: text for name, text in written.items() if not wanted or name in wanted}
    whole = "\n".join(chosen.values())
    return chosen, shown(whole, made)


def shown(
    text: str, pictures: Mapping[str, tuple[Chart, DrawnChart]]
) -> dict[str, tuple[Chart, DrawnChart]]:
    """Those of the charts that a text shows."""
    return {name: item for name, item in pictures.items() if _shows(text, item[1])}


def pictures(summary: Summary, folder: str) -> dict[str, tuple[Chart, DrawnChart]]:
    """A campaign's charts by name, not drawn yet, and how they are called in a folder."""
    place, made = PurePosixPath(folder), charts.make_all(charts.frames_of(summary))
    return {chart.name: (chart, _named(chart, place)) for chart in made}


def _named(chart: Chart, place: PurePosixPath) -> DrawnChart:
    light, dark = place / f"{chart.name}.png", place / f"{chart.name}-dark.png"
    return DrawnChart(chart.name, light, dark, chart.title, chart.alt, chart.caption)


def _shows(text: str, drawn: DrawnChart) -> bool:
    return str(picture(drawn.alt, str(drawn.light), str(drawn.dark))) in text


def insert(
    campaign: str | Path,
    into: str | Path,
    wanted: Collection[str] = (),
    *,
    dry_run: bool = False,
    files: Sequence[ModelFile] = (),
) -> Insertion:
    """Put a campaign's sections between their markers in an existing README.

    Parameters
    ----------
    campaign
        A campaign folder.
    into
        The README. Every byte outside the markers stays; pictures go into a
        folder beside it.
    wanted
        Names of sections; by default all that have markers.
    dry_run
        Only say what would change.
    files
        What the campaign's model files state, see ``model_roles.read_files``.

    Returns
    -------
    Insertion
        What changed; nothing is written where nothing does.

    Raises
    ------
    CardError
        The README can't be read, or its markers are not in order.
    ReportError
        A place can't be written.
    """
    file = Path(into)
    before = read(file)
    summary = summary_of(campaign, files)
    made, _ = sections(summary, wanted)
    after, spans = inserted(before, made, cards.known_names(), wanted, str(file))
    names = tuple(span.name for span in spans)
    _, drawn_in = sections(summary, names)
    insertion = Insertion(
        file=file,
        before=before,
        after=after,
        replaced=names,
        empty=tuple(name for name in names if name not in made),
        pictures=tuple(
            str(path) for _, drawn in drawn_in.values() for path in (drawn.light, drawn.dark)
        ),
    )
    if not dry_run:
        # A link stays a link: what it leads to is written.
        real = file.resolve()
        _check_folder(real.parent / FIGURES / summary.campaign.slug, real.parent)
        for chart, drawn in drawn_in.values():
            for theme, path in ((LIGHT, drawn.light), (DARK, drawn.dark)):
                charts.write(chart.png(theme), real.parent / path)
        if insertion.changed:
            mode = stat.S_IMODE(real.stat().st_mode)
            write_bytes(real, after.encode("utf-8", "surrogateescape"), mode)
    return insertion


def _check_folder(folder: Path, place: Path) -> None:
    if leads_out(folder, place):
        raise ReportError(
            f"{FIGURES} leads to a place outside of the README's folder",
            "remove that link: pictures are written beside the README",
            file=folder,
        )


def read(file: Path) -> str:
    """A README's text with its line ends; bytes that are no UTF-8 survive writing it again.

    Raises
    ------
    CardError
        It can't be read.
    """
    try:
        if file.exists() and not (file.is_file() or file.is_dir()):
            # A pipe would be waited for, and a device may never end.
            problem = "this README is no regular file"
            raise CardError(problem, "name an existing file", file=file)
        data = file.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        problem = f"this README can't be read: {reason}"
        raise CardError(problem, "name an existing file", file=file) from error
    if b"\0" in data:
        raise CardError("this is a binary file, and no README", "name a text file", file=file)
    return data.decode("utf-8", "surrogateescape")
