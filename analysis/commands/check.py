"""``mtpbench check``: do the claims of a README follow from the raw data?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.commands.model_files import add_gguf, given_files

if TYPE_CHECKING:
    from analysis.checking import CheckResult, Verdict
    from analysis.publishing.traps import Trap

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument(
        "readme", type=Path, metavar="README", help="a card, generated or written by hand"
    )
    parser.add_argument("campaign", metavar="CAMPAIGN", help="a folder with a campaign.toml")
    parser.add_argument(
        "--all", action="store_true", help="list the verified claims too, with their source"
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit with 1 for a claim that is not tied, too"
    )
    add_gguf(parser)
    parser.add_argument("--json", action="store_true", help="print every claim as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Check and print; 1 when a claim differs."""
    from analysis.checking import check_text
    from analysis.errors import CardError
    from analysis.pipeline import summary_of
    from analysis.publishing.insert import read
    from analysis.publishing.traps import traps

    text, summary = read(arguments.readme), summary_of(arguments.campaign, given_files(arguments))
    result = check_text(text, summary, str(arguments.readme))
    beside = [path.name for path in arguments.readme.absolute().parent.iterdir()]
    found = traps(summary, text, beside)
    if not result.verdicts:
        raise CardError(
            "this file claims nothing about the campaign: there is nothing to check",
            "name the README of the campaign",
            file=arguments.readme,
        )
    if arguments.json:
        from analysis.results import as_json

        sys.stdout.write(as_json({**result.as_dict(), "traps": [vars(trap) for trap in found]}))
    else:
        _print(result, found, every=arguments.all)
    loose = arguments.strict and result.those("untied")
    return 0 if result.agrees and not loose else 1


def _print(result: CheckResult, found: Sequence[Trap], *, every: bool) -> None:
    from collections import Counter

    from analysis.errors import printable

    for verdict in result.verdicts:
        if every or verdict.status != "verified":
            print(printable(_said(result.file, verdict)))
    for trap in found:
        print(printable(trap))
    kinds = Counter(verdict.kind for verdict in result.those("verified"))
    by = ", ".join(f"{kind} {number}" for kind, number in sorted(kinds.items()))
    print(
        f"{len(result.verdicts)} claims: {len(result.those('verified'))} verified"
        f"{f' ({by})' if by else ''}, {len(result.those('differs'))} differ, "
        f"{len(result.those('untied'))} not tied to the data"
    )


def _said(file: str, verdict: Verdict) -> str:
    source = f" [{verdict.source}]" if verdict.source else ""
    word = "not tied" if verdict.status == "untied" else verdict.status
    said = f'{file}:{verdict.line}: {word}: {verdict.kind} "{verdict.text}": {verdict.says}'
    if verdict.recomputed is not None and verdict.status != "untied":
        said += f" = {verdict.recomputed}" if verdict.kind in ("sentence", "table") else ""
        if verdict.kind == "quote" and verdict.status == "differs":
            said += f': "{verdict.recomputed}"'
    return said + source
