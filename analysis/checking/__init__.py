"""Do the claims of a README follow from the campaign's raw data?

What was generated is compared, word for word, with a fresh rendering. What
somebody wrote is read: text → lines with what stands above them → sentences →
tokens → claims → verdicts; cells of tables and quoted log lines are claims too.
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
    """Hold every claim of a README, generated or written by hand, against a campaign's data.

    Parameters
    ----------
    file, campaign
        The README, and the folder of the campaign that it is about.
    files
        What its model files state, see ``model_roles.read_files``, where the
        card was written with them.

    Returns
    -------
    CheckResult
        A verdict for each claim.

    Raises
    ------
    CardError
        The README can't be read, or the markers of its sections are not in order.
    """
    return check_text(readme.read(Path(file)), summary_of(campaign, files), str(file))


def check_text(text: str, summary: Summary, file: str = "README") -> CheckResult:
    """As :func:`check`, for a text and a summary."""
    return Checker(summary)(text, file)
