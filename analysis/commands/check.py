"""``mtpbench check``: do the figures that a README states follow from the raw data?"""

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
        "--all", action="store_true", help="list the verified figures too, with their source"
    )
    add_gguf(parser)
    parser.add_argument("--json", action="store_true", help="print every figure as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Check and print; 1 when a figure differs."""
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
            "this file states no figure: there is nothing to check",
            "name the README of the campaign",
            file=arguments.readme,
        )
    if arguments.json:
        from analysis.results import as_json

        sys.stdout.write(as_json({**result.as_dict(), "traps": [vars(trap) for trap in found]}))
    else:
        _print(result, found, every=arguments.all)
    return 0 if result.agrees else 1


def _print(result: CheckResult, found: Sequence[Trap], *, every: bool) -> None:
    from collections import Counter

    from analysis.errors import printable

    for verdict in result.verdicts:
        if every or verdict.status != "verified":
            print(printable(_said(result.file, verdict)))
    for trap in found:
        print(printable(trap))
    kinds = Counter(verdict.evidence for verdict in result.those("verified"))
    by = ", ".join(f"{number} by {kind}" for kind, number in sorted(kinds.items()))
    print(
        f"{len(result.verdicts)} figures: {len(result.those('verified'))} verified"
        f"{f' ({by})' if by else ''}, {len(result.those('differs'))} differ, "
        f"{len(result.those('untied'))} could not be tied to the data"
    )


def _said(file: str, verdict: Verdict) -> str:
    place = f"{file}:{verdict.line}"
    source = f" [{verdict.source}]" if verdict.source else ""
    quoted = f'"{verdict.context}"'
    if verdict.status == "untied":
        return f"{place}: not tied: {verdict.stated} in {quoted}"
    if verdict.status == "verified":
        found = "" if verdict.recomputed is None else f" = {verdict.recomputed}"
        what = verdict.quantity or "as rendered"
        return f"{place}: verified: {verdict.stated}: {what}{found}{source}"
    found = "" if verdict.recomputed is None else f", recomputed {verdict.recomputed}"
    return (
        f"{place}: differs: stated {verdict.stated}{found} ({verdict.quantity}) in {quoted}{source}"
    )
