"""``mtpbench scrub``: a copy of a log that can be posted."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument("log", metavar="FILE", help="a log, or - for standard input")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="the copy; by default standard output",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the copy, and say how much of it differs."""
    from analysis.errors import ReportError, printable
    from analysis.parsers import open_log
    from analysis.publishing.scrub import scrub, scrubbed

    if arguments.out is not None:
        done = scrub(arguments.log, arguments.out)
        print(f"{printable(arguments.out)}: ", end="", file=sys.stderr)
    elif sys.stdout.isatty():
        raise ReportError(
            "a log may hold what a terminal obeys, and none is shown on one",
            "name a file with --out, or pipe it on",
        )
    else:
        with open_log(arguments.log) as log:
            done = scrubbed(log.pieces(), sys.stdout.buffer)
    print(f"{done.changed} of {done.lines} lines had something private", file=sys.stderr)
    return 0
