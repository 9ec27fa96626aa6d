"""``mtpbench report``: campaigns in, report folders out."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from analysis.commands.model_files import add_gguf, given_files

if TYPE_CHECKING:
    from analysis.reports import Rendered

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument(
        "campaigns", nargs="+", metavar="CAMPAIGN", help="a folder with a campaign.toml"
    )
    parser.add_argument("--out", default="reports", help="where the report folders go (reports)")
    parser.add_argument(
        "--jobs", type=_count, default=1, metavar="N", help="campaigns rendered at once (1)"
    )
    parser.add_argument(
        "--force", action="store_true", help="render also what has not changed since its report"
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=600.0,
        metavar="SECONDS",
        help="how long one cell of a notebook may take (600)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="render on the workers of this Dask scheduler, e.g. tcp://10.0.0.1:8786",
    )
    add_gguf(parser)


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return number


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no length of time")
    return number


def run(arguments: argparse.Namespace) -> int:
    """Render; 1 when a campaign failed, with every failing one named."""
    from analysis.reports import report

    files = given_files(arguments)
    failed = 0
    with _ended_like_an_interrupt(), _progress(len(arguments.campaigns)) as bar:
        outcomes = report(
            arguments.campaigns,
            arguments.out,
            jobs=arguments.jobs,
            files=files,
            force=arguments.force,
            timeout_s=arguments.timeout,
            scheduler=arguments.scheduler,
            done=lambda _: bar.update(),
        )
        with closing(outcomes):
            for outcome in outcomes:
                failed += outcome.error is not None
                bar.clear()
                _say(outcome)
                bar.refresh()
    if failed:
        print(f"{failed} of {len(arguments.campaigns)} campaigns failed", file=sys.stderr)
    return 1 if failed else 0


def _say(outcome: Rendered) -> None:
    from analysis.errors import printable, said

    if outcome.error is None:
        how = " (unchanged)" if outcome.unchanged else ""
        print(printable(f"{outcome.campaign}: {outcome.folder}{how}"), flush=True)
    else:
        print(said(outcome.error), file=sys.stderr, flush=True)


def _progress(total: int) -> Any:
    """A bar on a terminal, where several are rendered; else the lines alone tell."""
    from tqdm import tqdm

    off = total < 2 or not sys.stderr.isatty()
    return tqdm(total=total, unit="campaign", leave=False, disable=off)


@contextmanager
def _ended_like_an_interrupt() -> Iterator[None]:
    """Take the polite request to end for an interrupt, so that it cleans up as well."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    former = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, former)
