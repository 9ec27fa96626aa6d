"""``mtpbench report``: campaigns in, report folders out."""

from __future__ import annotations

import argparse
import sys

from analysis.commands.model_files import add_gguf, given_files

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument(
        "campaigns", nargs="+", metavar="CAMPAIGN", help="a folder with a campaign.toml"
    )
    parser.add_argument("--out", default="reports", help="where the report folders go (reports)")
    parser.add_argument("--jobs", type=int, default=1, help="campaigns rendered at once (1)")
    add_gguf(parser)


def run(arguments: argparse.Namespace) -> int:
    """Render; 1 when a campaign failed, with every failing one named."""
    from analysis.cli import said
    from analysis.errors import printable
    from analysis.reports import report

    files = given_files(arguments)
    failed = 0
    for outcome in report(arguments.campaigns, arguments.out, jobs=arguments.jobs, files=files):
        if outcome.error is None:
            print(printable(f"{outcome.campaign}: {outcome.folder}"))
        else:
            failed += 1
            print(said(outcome.error), file=sys.stderr)
    if failed:
        print(f"{failed} of {len(arguments.campaigns)} campaigns failed", file=sys.stderr)
    return 1 if failed else 0
