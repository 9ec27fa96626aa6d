"""``mtpbench explain``: what a finding means, and why something is not faster."""

from __future__ import annotations

import argparse
import os
import sys

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument(
        "asked",
        nargs="*",
        metavar="CODE|QUESTION|LOG",
        help="a finding, a question in words, or logs; all findings are listed without",
    )
    parser.add_argument("--markdown", action="store_true", help="print docs/findings.md")


def run(arguments: argparse.Namespace) -> int:
    """Print one explanation, the list, the page, or the reasons that fit."""
    from analysis.answers.explain import explain, overview, page

    if arguments.markdown:
        sys.stdout.write(page())
    elif not arguments.asked:
        sys.stdout.write(overview())
    elif all(map(os.path.exists, arguments.asked)):
        from analysis.answers.reasons import of_runs
        from analysis.ingesting.ingest import ingest

        sys.stdout.write(of_runs(ingest(arguments.asked).records))
    elif len(arguments.asked) > 1 or " " in arguments.asked[0].strip():
        from analysis.answers.reasons import answer

        sys.stdout.write(answer(" ".join(arguments.asked)))
    else:
        sys.stdout.write(explain(arguments.asked[0]))
    return 0
