"""Do the figures that a README states follow from the campaign's raw data?

One way: text → lines with their context → figures → what each may state →
verdicts. A figure is tied to the data by a log line that is quoted, by the
headers and labels of its table, by the words of its sentence, or as part of a
name; a generated section is compared with a fresh rendering as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from analysis.checking.checker import Checker
from analysis.checking.verdict import CheckResult, Verdict
from analysis.models.model_files import ModelFile
from analysis.pipeline import summary_of
from analysis.publishing import insert as readme
from analysis.summary import Summary

__all__ = ["CheckResult", "Checker", "Verdict", "check", "check_text"]


def check(file: str | Path, campaign: str | Path, files: Sequence[ModelFile] = ()) -> CheckResult:
    """Recompute every figure that a README states.

    Parameters
    ----------
    file
        The README: generated, written by hand, or both.
    campaign
        The campaign folder that it is about.
    files
        What its model files state, see ``model_roles.read_files``, where the
        card was written with them.

    Returns
    -------
    CheckResult
        A verdict for each figure.

    Raises
    ------
    CardError
        The README can't be read.
    """
    return check_text(readme.read(Path(file)), summary_of(campaign, files), str(file))


def check_text(text: str, summary: Summary, file: str = "README") -> CheckResult:
    """As :func:`check`, for a text and a summary."""
    return Checker(summary)(text, file)
