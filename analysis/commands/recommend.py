"""``mtpbench recommend``: which settings for which workload, with the evidence."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analysis.summary import Summary

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument("campaign", metavar="CAMPAIGN", help="a folder with a campaign.toml")
    parser.add_argument(
        "--parallel",
        type=_from(1),
        metavar="N",
        help="for N requests at once, where several were measured",
    )
    parser.add_argument(
        "--context",
        type=_from(0),
        metavar="N",
        help="behind N tokens of context, where several were measured",
    )
    parser.add_argument(
        "--preset",
        type=Path,
        metavar="FILE",
        help="also write the settings for llama-server --models-preset",
    )
    parser.add_argument("--json", action="store_true", help="print the recommendations as JSON")


def _from(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least):
            message = f"{text!r} is no whole number from {least}"
            raise argparse.ArgumentTypeError(message)
        return int(text)

    return number


def run(arguments: argparse.Namespace) -> int:
    """Print, and write the preset; 0 also where the answer is to leave speculation off."""
    from analysis.answers.recommend import advice_text
    from analysis.pipeline import summary_of
    from analysis.results import as_json, rows
    from analysis.statistics.columns import names
    from analysis.statistics.conclusions import RecommendationRow

    summary = summary_of(arguments.campaign)
    if arguments.parallel is not None or arguments.context is not None:
        return _at(summary, arguments)
    if arguments.json:
        sys.stdout.write(as_json(rows(summary.recommendations, names(RecommendationRow))))
    else:
        print(advice_text(summary))
    return _write(summary, arguments.preset)


def _at(summary: Summary, arguments: argparse.Namespace) -> int:
    from analysis.answers.recommend_at import advice_at, advice_at_text
    from analysis.errors import CampaignError
    from analysis.results import as_json, rows
    from analysis.statistics.columns import names
    from analysis.statistics.conclusions import RecommendationRow
    from analysis.statistics.points import AXES

    advice = advice_at(summary, arguments.parallel, arguments.context)
    if advice.summary is None and arguments.preset is not None:
        raise CampaignError(
            "a preset is written of what was measured, and nothing was measured there",
            "leave --preset out, or measure it",
            file=summary.campaign.folder,
        )
    if arguments.json:
        said = {**dict(zip(AXES, advice.values, strict=True)), "source": advice.source}
        made = rows(advice.recommendations, names(RecommendationRow))
        sys.stdout.write(as_json([{**row, **said} for row in made]))
    else:
        print(advice_at_text(summary, advice))
    return _write(advice.summary or summary, arguments.preset)


def _write(summary: Summary, place: Path | None) -> int:
    from analysis.cards.preset import preset
    from analysis.files.storage import write_text

    if place is not None:
        write_text(place, preset(summary))
    return 0
