"""``mtpbench collect``: campaigns in, Parquet tables out."""

from __future__ import annotations

import argparse
import sys

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument(
        "campaigns", nargs="+", metavar="CAMPAIGN", help="a folder with a campaign.toml"
    )
    parser.add_argument("--out", required=True, metavar="STORE", help="folder of the tables")
    parser.add_argument(
        "--prune", action="store_true", help="remove campaigns from the store that are not given"
    )
    parser.add_argument(
        "--force", action="store_true", help="write also what has not changed since it was written"
    )


def run(arguments: argparse.Namespace) -> int:
    """Collect; 1 when a campaign failed, with every failing one named."""
    from analysis.errors import printable, said
    from analysis.store import collect

    failed = 0
    for one in collect(
        arguments.campaigns, arguments.out, prune=arguments.prune, force=arguments.force
    ):
        if one.error is not None:
            failed += 1
            print(said(one.error), file=sys.stderr)
            continue
        rows = ", ".join(f"{count} {table}" for table, count in (one.rows or {}).items())
        how = "removed" if one.removed else rows + " (unchanged)" * one.unchanged
        print(printable(f"{one.campaign}: {how}"), flush=True)
    if failed:
        print(f"{failed} of {len(arguments.campaigns)} campaigns failed", file=sys.stderr)
    return 1 if failed else 0
