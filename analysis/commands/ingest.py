"""``mtpbench ingest``: what stands in a log, and what is wrong with it."""

from __future__ import annotations

import argparse
import gc
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
        "--all", action="store_true", help="print every row, and not only the first 40"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write tasks to a .csv or .parquet, or all to a .json",
    )
    parser.add_argument(
        "--follow",
        action="store_true",
        help="print each request of a growing log as it ends, until interrupted",
    )
    parser.add_argument(
        "--init",
        type=Path,
        metavar="DIR",
        help="make a campaign folder of the logs, with a draft of its campaign.toml",
    )


def run(arguments: argparse.Namespace) -> int:
    """Read and print; 1 when a finding is an error, 130 when following was interrupted."""
    if arguments.follow:
        return _follow(arguments)
    # Records hold no cycles: looking for some takes a sixth of the time of a large log.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _ingest(arguments)
    finally:
        if collects:
            gc.enable()


def _ingest(arguments: argparse.Namespace) -> int:
    from analysis.errors import printable
    from analysis.ingesting.ingest import data, ingest, save
    from analysis.ingesting.shown import text

    found = ingest(arguments.paths, format=arguments.format)
    readable = [path for path in arguments.paths if Path(path) not in found.unread]
    if arguments.init is not None and readable:
        from analysis.ingesting.start import start

        made = start(readable, arguments.init, format=arguments.format)
        print(printable(f"{made}: complete campaign.toml, then report it"), file=sys.stderr)
    if arguments.out is not None:
        save(found, arguments.out)
    if arguments.json:
        from analysis.results import as_json

        for finding in found.findings:
            if finding.code == "log-broken":
                print(printable(f"error: {finding.where}: {finding.message}"), file=sys.stderr)
        sys.stdout.write(as_json(data(found)))
    else:
        print(text(found, all_rows=arguments.all))
    return 1 if any(finding.level == "error" for finding in found.findings) else 0


def _follow(arguments: argparse.Namespace) -> int:
    from analysis.errors import LogError
    from analysis.ingesting.follow import follow

    if len(arguments.paths) > 1 or arguments.out is not None or arguments.init is not None:
        problem = "only one log can be followed, and nothing is written while it grows"
        raise LogError(problem, "name one log, and leave --out and --init away")
    try:
        follow(
            arguments.paths[0],
            lambda line: print(line, flush=True),
            format=arguments.format,
            as_json=arguments.json,
        )
    except KeyboardInterrupt:
        return 130  # how following ends; all that had ended was printed
    return 0
