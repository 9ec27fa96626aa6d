"""``mtpbench card``: print a campaign's model card."""

from __future__ import annotations

import argparse
import sys

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument("campaign", metavar="CAMPAIGN", help="a folder with a campaign.toml")


def run(arguments: argparse.Namespace) -> int:
    """Print the card without figures: they belong to a report folder."""
    from analysis.pipeline import card

    sys.stdout.write(card(arguments.campaign))
    return 0
