"""``mtpbench ingest``: what stands in a log, and what is wrong with it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a log, or a folder of logs")
    parser.add_argument("--format", help="read as this format instead of recognising it")
    parser.add_argument(
        "--json", action="store_true", help="print runs, tasks and findings as JSON"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write tasks to a .csv or .parquet, or all to a .json",
    )


def run(arguments: argparse.Namespace) -> int:
    """Read and print; 1 when a finding is an error."""
    from analysis.ingestion import ingest, save, text

    found = ingest(arguments.paths, format=arguments.format)
    if arguments.out is not None:
        save(found, arguments.out)
    if arguments.json:
        from analysis.results import as_json, measured

        sys.stdout.write(as_json(measured(found.runs, found.tasks, found.findings)))
    else:
        print(text(found))
    return 1 if any(finding.level == "error" for finding in found.findings) else 0
