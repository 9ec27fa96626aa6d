"""The whole path of a report in one place: load, audit, summarise, draw, write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from analysis import cards, charts, page, results
from analysis.audit import audit
from analysis.campaigns.campaign import load
from analysis.campaigns.model_roles import with_files
from analysis.cards import preset
from analysis.charts import DrawnChart
from analysis.depths.measured import MeasuredRuns
from analysis.files.storage import PAGE, replaced_folder, write_text
from analysis.models.model_files import ModelFile
from analysis.summary import Summary, summarise

__all__ = ["card", "draw", "render", "summary_of", "write"]


def render(campaign: str | Path, out: str | Path, files: Sequence[ModelFile] = ()) -> Summary:
    """Turn a campaign's raw data into its report folder.

    Parameters
    ----------
    campaign
        A campaign folder, see ``campaign.find``.
    out
        The report folder. It is replaced as a whole, or left as it was; a
        folder that holds anything but a report is never replaced.
    files
        What its model files state, see ``model_roles.read_files``.

    Returns
    -------
    Summary
        The figures that were written.
    """
    summary = summary_of(campaign, files)
    with replaced_folder(Path(out), mark=PAGE) as folder:
        figures = draw(summary, folder)
        write(summary, figures, folder)
    return summary


def card(campaign: str | Path, files: Sequence[ModelFile] = ()) -> str:
    """A campaign's model card without its figures, which need a folder to be in."""
    return cards.render(summary_of(campaign, files))


def summary_of(campaign: str | Path, files: Sequence[ModelFile] = ()) -> Summary:
    """Load, audit and summarise a campaign."""
    loaded = with_files(load(campaign), files)
    measured = MeasuredRuns(
        loaded.runs, loaded.workloads, loaded.baseline, loaded.conditions.get("build")
    )
    return summarise(loaded, audit(loaded, measured), measured)


def draw(summary: Summary, folder: Path) -> Mapping[str, DrawnChart]:
    """Draw every chart that the data allows into ``folder/figures``.

    Returns
    -------
    mapping of str to DrawnChart
        By name; paths are relative to `folder`.
    """
    return charts.draw_all(summary, folder)


def write(summary: Summary, figures: Mapping[str, DrawnChart], folder: Path) -> str:
    """Write the card, its page, results.json and preset.ini beside the figures.

    Returns
    -------
    str
        The card.
    """
    text = cards.render(summary, figures)
    write_text(folder / "README.md", text)
    write_text(folder / PAGE, page.page(text, folder, figures))
    write_text(folder / "results.json", results.as_json(results.results(summary)))
    write_text(folder / "preset.ini", preset.preset(summary))
    return text
