"""``mtpbench push``: a campaign's card, or its settings, into a repository on the Hub."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from analysis.commands.model_files import add_gguf, given_files

if TYPE_CHECKING:
    from analysis.publishing.push import Push

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument("campaign", metavar="CAMPAIGN", help="a folder with a campaign.toml")
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument(
        "--repo", metavar="OWNER/NAME", help="the model repository on the Hub that the card is for"
    )
    place.add_argument(
        "--preset-repo",
        metavar="OWNER/NAME",
        help="a repository without model files, for the recommended settings: "
        "`llama-server -hf OWNER/NAME` then offers each by name",
    )
    parser.add_argument("--pr", action="store_true", help="propose the change as a pull request")
    parser.add_argument(
        "--yes", action="store_true", help="do it; without this, only what would change is shown"
    )
    add_gguf(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show the change, and with --yes make it."""
    from analysis.errors import visible
    from analysis.publishing.push import push, push_preset

    put = push if arguments.repo is not None else push_preset
    done = put(
        arguments.campaign,
        arguments.repo if arguments.repo is not None else arguments.preset_repo,
        pr=arguments.pr,
        dry_run=not arguments.yes,
        files=given_files(arguments),
    )
    if not arguments.yes:
        sys.stdout.write(visible(done.diff))
    _say(done, arguments)
    return 0


def _say(done: Push, arguments: argparse.Namespace) -> None:
    from analysis.errors import printable

    # The diff itself is the output of a dry run: it can be piped into a tool.
    out = sys.stdout if arguments.yes else sys.stderr
    for change in done.changes:
        print(f"{change.state:<11}{printable(change.path)} ({change.size:,} bytes)", file=out)
    for trap in done.traps:
        print(printable(trap), file=sys.stderr)
    for note in done.notes:
        print(f"the Hub remarks: {note}", file=out)
    if not done.changed:
        print(f"{done.repository} is up to date", file=out)
    elif done.address is None:
        what = "propose" if arguments.pr else "commit"
        print(f"nothing was written; {what} this to {done.repository} with --yes", file=out)
    else:
        print(printable(done.address), file=out)
