"""``mtpbench compare``: campaigns side by side."""

from __future__ import annotations

import argparse
import sys

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument("campaigns", nargs="+", metavar="CAMPAIGN", help="two folders or more")
    parser.add_argument("--json", action="store_true", help="print runs and matches as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print; 0 also where something became slower."""
    from analysis.answers.compare import MATCH_COLUMNS, compare
    from analysis.answers.side_by_side import comparison_text
    from analysis.results import as_json, rows

    found = compare(arguments.campaigns)
    if arguments.json:
        data = {
            "shared": dict(found.shared),
            "differing": list(found.differing),
            "runs": rows(found.runs, list(found.runs.columns)),
            "matches": rows(found.matches, MATCH_COLUMNS),
        }
        sys.stdout.write(as_json(data))
    else:
        print(comparison_text(found))
    return 0
