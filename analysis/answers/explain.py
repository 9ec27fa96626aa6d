"""Explanation of findings: what is it, why does it matter, what can be done about it?"""

from __future__ import annotations

from difflib import get_close_matches

from analysis.audit import CHECKS
from analysis.audit.finding import Check
from analysis.errors import MtpbenchError

__all__ = ["explain", "overview", "page"]

_LEVELS = {
    "error": "figures can't be true",
    "warning": "figures may mislead",
    "note": "a reader should know",
}
_INTRO = """\
# Findings

What `mtpbench ingest` and a report may say about your data, in the order of looking.
`mtpbench explain CODE` prints one of these. An *error* means that figures can't be true, a
*warning* that they may mislead, a *note* that a reader should know.

This page is made from the checks themselves: `make pages`, or `mtpbench explain --markdown`.
"""


def explain(code: str) -> str:
    """Explain one finding.

    Parameters
    ----------
    code
        Its stable name, e.g. ``"sum-mismatch"``.

    Returns
    -------
    str
        Title, level, why it matters and what to do, as plain text.

    Raises
    ------
    MtpbenchError
        There is no such code.
    """
    check = CHECKS.get(code.strip().lower())
    if check is None:
        near = get_close_matches(code.strip().lower(), CHECKS, n=3, cutoff=0.4)
        remedy = f"did you mean {' or '.join(near)}?" if near else "list the codes with no argument"
        raise MtpbenchError(f"there is no finding {code!r}", remedy)
    return (
        f"{check.code}: {check.title} ({check.level}: {_LEVELS[check.level]})\n\n"
        f"Why it matters: {check.why}\n\nWhat to do: {check.remedy}\n"
    )


def overview() -> str:
    """Every code with its level and title, one a line."""
    width = max(map(len, CHECKS))
    lines = [f"{check.code:<{width}}  {check.level:<7}  {check.title}" for check in CHECKS.values()]
    return "\n".join(lines) + "\n"


def page() -> str:
    """docs/findings.md: every finding, in the order of the checks."""
    return _INTRO + "".join(map(_section, CHECKS.values()))


def _section(check: Check) -> str:
    return (
        f"\n## `{check.code}`\n\n**{check.title}** ({check.level})\n\n{check.why}\n\n"
        f"*What to do:* {check.remedy}\n"
    )
