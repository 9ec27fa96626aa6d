"""``mtpbench replay``: what other depths, thresholds and policies would have done on a log."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument("log", metavar="LOG", help="a llama-server log made with -lv 5")
    parser.add_argument("--format", metavar="F", help="its format, where it is not recognised")
    parser.add_argument("--json", action="store_true", help="print every row as JSON, no chart")
    parser.add_argument(
        "--chart",
        type=Path,
        metavar="FILE",
        help="where the chart goes; LOG's name with -replay.png in this folder by default",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the table and write the chart."""
    from analysis.answers.replay import replayed_runs
    from analysis.answers.replay_text import replay_text
    from analysis.replaying.table import REPLAY_COLUMNS
    from analysis.results import as_json, rows

    found = replayed_runs(arguments.log, arguments.format)
    if arguments.json:
        keys = ("run", *REPLAY_COLUMNS)
        printed = [row for one in found for row in rows(one.table.assign(run=one.run), keys)]
        sys.stdout.write(as_json(printed))
        return 0
    print("\n\n".join(replay_text(one) for one in found))
    from analysis.answers.replay_chart import write_charts

    name = Path(arguments.log).name
    place = arguments.chart or Path(f"{Path(name).stem or 'log'}-replay.png")
    for path in write_charts(found, place):
        print(f"chart: {path}")
    return 0
