"""``mtpbench run``: a live sweep on llama.cpp, its records into the campaign's folder."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument("campaign", metavar="CAMPAIGN", help="a folder with a campaign.toml")
    parser.add_argument(
        "--server",
        metavar="SERVER",
        help="embedded, the path of a llama-server, or http://… of one that runs already",
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with a sweep: measure only what is missing"
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print the plan and the commands; read files, start and ask nothing",
    )
    parser.add_argument(
        "--trust",
        action="store_true",
        help="run the program and the flags that only the campaign names",
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure; 1 when something is missing in the end."""
    from analysis.errors import INTERRUPTED
    from analysis.runner.interrupts import Interrupts

    try:
        # Already while the plan is made: it reads model files, which may take minutes.
        with Interrupts().handled():
            return _run(arguments)
    except KeyboardInterrupt:
        print(
            "error: interrupted; every finished request is kept, --resume goes on", file=sys.stderr
        )
        return INTERRUPTED


def _run(arguments: argparse.Namespace) -> int:
    from analysis.errors import printable, said
    from analysis.runner.consent import agree
    from analysis.runner.estimate import lines, summary
    from analysis.runner.progress import Progress
    from analysis.runner.session import measure, plan_of, problems

    plan = plan_of(arguments.campaign, arguments.server, reads_only=arguments.dry_run)
    if arguments.dry_run:
        print("\n".join(printable(line) for line in lines(plan)))
        return 0
    consent = agree if arguments.trust else _ask
    progress = Progress(0, first=summary(plan))
    outcome = measure(plan, arguments.resume, progress, consent)
    for problem in problems(outcome):
        print(said(problem), file=sys.stderr)
    if outcome.drift is not None:
        print(printable(outcome.drift))
    requests = f"{outcome.measured} request{'' if outcome.measured == 1 else 's'} measured"
    missed = ", nothing was missing" if outcome.complete and not outcome.measured else ""
    print(printable(f"{requests}{missed}: {outcome.folder}"))
    return 0 if outcome.complete else 1


def _ask(lines: Sequence[str]) -> bool:
    """Show what only the campaign names, and ask; where nobody can answer it is not wanted."""
    from analysis.errors import printable

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    shown = "".join(f"  {printable(line)}\n" for line in lines)
    sys.stderr.write(f"This campaign, not you, names what would be done now:\n{shown}Do it? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
