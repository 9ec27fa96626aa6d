"""``mtpbench explain``: what a finding means and what to do about it."""

from __future__ import annotations

import argparse
import sys

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument("code", nargs="?", metavar="CODE", help="a finding; all are listed without")
    parser.add_argument("--markdown", action="store_true", help="print docs/findings.md")


def run(arguments: argparse.Namespace) -> int:
    """Print one explanation, the list, or the page."""
    from analysis.answers.explain import explain, overview, page

    if arguments.markdown:
        sys.stdout.write(page())
    else:
        sys.stdout.write(overview() if arguments.code is None else explain(arguments.code))
    return 0
