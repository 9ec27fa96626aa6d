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
from analysis.files.storage import write_text
from analysis.models.model_files import ModelFile
from analysis.summary import Summary, summarise

__all__ = ["card", "draw", "summary_of", "write"]


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
    """Write the card, what stands behind it, its page, results.json and preset.ini.

    Returns
    -------
    str
        The card.
    """
    text = cards.render(summary, figures)
    behind = cards.render_results(summary, figures)
    write_text(folder / "README.md", text)
    if behind is not None:
        write_text(folder / cards.RESULTS, behind)
    whole = cards.one_page(text, behind)
    workloads = dict(zip(summary.tasks["task"], summary.tasks["workload"], strict=True))
    write_text(folder / "report.html", page.page(whole, folder, figures, workloads))
    write_text(folder / "results.json", results.as_json(results.results(summary)))
    write_text(folder / "preset.ini", preset.preset(summary))
    return text
