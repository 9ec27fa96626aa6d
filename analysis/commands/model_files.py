"""The words ``--gguf`` and ``--sha256``, which several commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analysis.models.model_files import ModelFile

__all__ = ["add_gguf", "given_files"]


def add_gguf(parser: argparse.ArgumentParser) -> None:
    """Declare the words."""
    parser.add_argument(
        "--gguf",
        action="append",
        default=[],
        metavar="[ROLE=]PATH",
        help="a model file or a folder of some, whose headers fill in what campaign.toml does not "
        "say; target=PATH or draft=PATH says what it is for; may be repeated",
    )
    parser.add_argument(
        "--sha256",
        action="store_true",
        help="hash the model files too, which reads each whole the first time",
    )


def given_files(arguments: argparse.Namespace) -> tuple[ModelFile, ...]:
    """What the given files state."""
    if not arguments.gguf:
        return ()
    from analysis.campaigns.model_roles import read_files

    return read_files(arguments.gguf, hashed=arguments.sha256)
