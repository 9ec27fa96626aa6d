"""``mtpbench recommend``: which settings for which workload, with the evidence."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument("campaign", metavar="CAMPAIGN", help="a folder with a campaign.toml")
    parser.add_argument(
        "--preset",
        type=Path,
        metavar="FILE",
        help="also write the settings for llama-server --models-preset",
    )
    parser.add_argument("--json", action="store_true", help="print the recommendations as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print, and write the preset; 0 also where the answer is to leave speculation off."""
    from analysis.answers.recommend import advice_text
    from analysis.cards.preset import preset
    from analysis.files.storage import write_text
    from analysis.pipeline import summary_of
    from analysis.results import as_json, rows
    from analysis.statistics.columns import RecommendationRow, names

    summary = summary_of(arguments.campaign)
    if arguments.json:
        sys.stdout.write(as_json(rows(summary.recommendations, names(RecommendationRow))))
    else:
        print(advice_text(summary))
    if arguments.preset is not None:
        write_text(arguments.preset, preset(summary))
    return 0
