"""``mtpbench card``: print a campaign's model card, or put its sections into a README."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.commands.model_files import add_gguf, given_files

if TYPE_CHECKING:
    from analysis.publishing.insert import Insertion

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument("campaign", metavar="CAMPAIGN", help="a folder with a campaign.toml")
    parser.add_argument(
        "--into",
        type=Path,
        metavar="FILE",
        help="put the sections between their markers in this README and leave the rest alone",
    )
    parser.add_argument(
        "--section",
        nargs="*",
        action="extend",
        metavar="NAME",
        help="only these sections; without a name, list them",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="with --into: show the change, write nothing"
    )
    parser.add_argument(
        "--results",
        action="store_true",
        help="print RESULTS.md, the second file, to which the card links",
    )
    add_gguf(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the card without figures, which belong to a folder, or put it into a README."""
    from analysis.pipeline import card

    if arguments.dry_run and arguments.into is None:
        from analysis.errors import CardError

        raise CardError("--dry-run shows a change, and there is none", "name a README with --into")
    if arguments.section == []:
        _list(arguments)
    elif arguments.into is not None:
        _insert(arguments)
    elif arguments.section:
        _print(arguments, arguments.section)
    elif arguments.results:
        _print_results(arguments)
    else:
        sys.stdout.write(card(arguments.campaign, given_files(arguments)))
    return 0


def _print_results(arguments: argparse.Namespace) -> None:
    from analysis.cards import render_results
    from analysis.pipeline import summary_of

    summary = summary_of(arguments.campaign, given_files(arguments))
    sys.stdout.write(render_results(summary) or "")


def _list(arguments: argparse.Namespace) -> None:
    from analysis.cards import known_names, render_sections
    from analysis.pipeline import summary_of

    written = render_sections(summary_of(arguments.campaign, given_files(arguments)))
    for name in known_names():
        text = written.get(name)
        heading = "(this campaign has nothing for it)" if text is None else _heading(text)
        print(f"{name:<16}{heading}")


def _heading(text: str) -> str:
    folded = text.startswith("<details>\n<summary>")
    line = text.split("\n", 2)[1 if folded else 0]
    return line.removeprefix("<summary>").removesuffix("</summary>").lstrip("# ")


def _print(arguments: argparse.Namespace, wanted: list[str]) -> None:
    from analysis.cards import known_names, marked, render_sections
    from analysis.errors import CardError, one_of
    from analysis.pipeline import summary_of

    for name in wanted:
        if name not in known_names():
            raise CardError(*one_of("a section", name, known_names()))
    written = render_sections(summary_of(arguments.campaign, given_files(arguments)))
    chosen = [marked(name, text) for name, text in written.items() if name in wanted]
    sys.stdout.write("\n".join(chosen))


def _insert(arguments: argparse.Namespace) -> None:
    from analysis.cards.insertion import NoMarkersError
    from analysis.publishing.insert import insert

    try:
        done = insert(
            arguments.campaign,
            arguments.into,
            arguments.section or (),
            dry_run=arguments.dry_run,
            files=given_files(arguments),
        )
    except NoMarkersError as error:
        # What to paste, ready for a pipe; the error itself is said by the command line.
        sys.stdout.write(error.lines)
        raise
    if arguments.dry_run:
        from analysis.errors import visible

        sys.stdout.write(visible(done.diff))
    _say(done, dry_run=arguments.dry_run)


def _say(done: Insertion, *, dry_run: bool) -> None:
    from analysis.cards import RESULTS
    from analysis.errors import printable

    # The change itself is the output of a dry run: it can be piped into a tool.
    out = sys.stderr if dry_run else sys.stdout
    words = "would be changed" if dry_run else "changed"
    state = words if done.changed else "was up to date"
    print(f"{printable(done.file)}: {state}; sections: {', '.join(done.replaced)}", file=out)
    if done.empty:
        print(f"nothing to say on: {', '.join(done.empty)}", file=out)
    if done.pictures:
        place = printable(Path(done.pictures[0]).parent)
        print(f"{len(done.pictures)} pictures in {place}/", file=out)
    if f"]({RESULTS}" in done.after and not done.file.with_name(RESULTS).is_file():
        behind = printable(done.file.with_name(RESULTS))
        print(f"it links to {behind}, which --results prints: put it there", file=out)
