"""What do notebooks take, and is it what they need?"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from analysis.answers.compare import Comparison, compare
from analysis.campaigns.campaign import Campaign, load
from analysis.campaigns.model_roles import with_files
from analysis.errors import ReportError
from analysis.models.model_files import ModelFile

__all__ = ["CompareSettings", "LiveRunSettings", "ReportSettings"]


@dataclass(frozen=True)
class ReportSettings:
    """The parameters of a notebook, checked.

    Parameters
    ----------
    campaign
        A campaign folder, relative to the working directory or to the project.
    out
        Folder for what the notebook writes; empty keeps it in a temporary one.
    files
        What model files state, as ``ModelFile.as_dict`` gives it.

    Raises
    ------
    ReportError
        A parameter is not a text.
    """

    campaign: str
    out: str = ""
    files: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        for name in ("campaign", "out"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise ReportError(f"{name} is {value!r}", "write it as a text in quotes")

    @cached_property
    def data(self) -> Campaign:
        """The loaded campaign, and what its model files say."""
        return with_files(load(self.campaign), [ModelFile.from_dict(data) for data in self.files])

    @cached_property
    def folder(self) -> Path:
        """Where figures and files go; made when first asked for."""
        if not self.out:
            return Path(tempfile.mkdtemp(prefix="mtpbench-"))
        folder = Path(self.out)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ReportError(
                f"this can't be written: {error.strerror}", "choose another folder", file=folder
            ) from error
        return folder


@dataclass(frozen=True)
class LiveRunSettings:
    """The parameters of the live notebook, checked.

    Parameters
    ----------
    campaign
        A campaign folder with ``[live]``.
    live
        Whether to measure now, in a copy; else what was recorded is shown.
    server
        ``embedded``, the path of a llama-server, or an address; empty takes
        campaign.toml's.
    into
        Where the copy is made; empty: a temporary folder.
    trust
        Whether to run what only the campaign names: its program, its flags, its address.

    Raises
    ------
    ReportError
        A parameter has the wrong type.
    """

    campaign: str
    live: bool = False
    server: str = ""
    into: str = ""
    trust: bool = False

    def __post_init__(self) -> None:
        for name in ("campaign", "server", "into"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise ReportError(f"{name} is {value!r}", "write it as a text in quotes")
        for name in ("live", "trust"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise ReportError(f"{name} is {value!r}", "write True or False")

    @cached_property
    def data(self) -> Campaign:
        """The campaign with its records; measured when first asked for, if `live`."""
        if not self.live:
            return load(self.campaign)
        # Imported late: showing recorded results needs nothing of what measuring needs.
        from analysis.runner.copies import unmeasured_copy  # noqa: PLC0415
        from analysis.runner.session import problems, run  # noqa: PLC0415

        into = Path(self.into or tempfile.mkdtemp(prefix="mtpbench-"))
        copy = unmeasured_copy(self.campaign, into)
        outcome = run(copy, self.server or None, trust=self.trust)
        for problem in problems(outcome):
            raise problem
        return load(copy)


@dataclass(frozen=True)
class CompareSettings:
    """The parameters of the comparison notebook, checked.

    Raises
    ------
    ReportError
        `campaigns` is not a list of texts.
    """

    campaigns: Sequence[str]

    def __post_init__(self) -> None:
        given = self.campaigns
        if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
            raise ReportError(f"campaigns is {given!r}", 'write it as ["FOLDER", "FOLDER"]')

    @cached_property
    def found(self) -> Comparison:
        """The campaigns side by side."""
        return compare(self.campaigns)
