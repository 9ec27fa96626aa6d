"""From what a figure may state to the verdict on it."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.checking.book import Value
from analysis.checking.figures import Figure, agrees
from analysis.checking.lines import Line
from analysis.checking.verdict import Verdict

__all__ = ["Read", "judged", "judged_generated"]

SHOWN = 100


@dataclass(frozen=True, eq=False)
class Read:
    """What a figure may state: values, or the words of a name.

    Attributes
    ----------
    evidence
        By what it was read; see ``verdict.Verdict``.
    values
        The likeliest first; empty where it was not understood.
    name
        What it is a part of the name of.
    certain
        Whether its run stands beside it, so that nothing was inferred.
    """

    evidence: str
    values: tuple[Value, ...] = ()
    name: str | None = None
    certain: bool = False


def judged(line: Line, figure: Figure, read: Read) -> Verdict:
    """The verdict on a figure by what it was read as."""
    around = _around(line.text, figure)
    if read.name is not None:
        return Verdict(
            line.number, figure.text, around, "verified", read.name, evidence=read.evidence
        )
    if not read.values:
        return Verdict(line.number, figure.text, around, "untied")
    good = next((value for value in read.values if _states(figure, value, read)), None)
    value = good or read.values[0]
    return Verdict(
        line.number,
        figure.text,
        around,
        "differs" if good is None else "verified",
        value.says,
        _shown(value.value, figure),
        value.source,
        read.evidence,
    )


def _states(figure: Figure, value: Value, read: Read) -> bool:
    # A quoted log line is quoted to the digit.
    if read.evidence == "raw line":
        return figure.value == value.value
    return agrees(figure, value.value)


def judged_generated(line: Line, figure: Figure, read: Read, fresh: Figure | None) -> Verdict:
    """The verdict on a figure of a generated section: it must be in a fresh rendering."""
    own = judged(line, figure, read)
    if fresh is None:
        if own.status != "untied":
            return own
        return Verdict(
            line.number,
            figure.text,
            own.context,
            "differs",
            f"no line of a fresh rendering of {line.section or 'the front matter'} has these words",
            evidence="rendering",
        )
    if figure.text == fresh.text or (not figure.token and figure.value == fresh.value):
        if own.status == "differs" and not read.certain:
            # The words were misread: what they are about was inferred, and the section is ours.
            own = Verdict(line.number, figure.text, own.context, "verified")
        if own.status == "differs":
            return own
        evidence = f"{own.evidence} + rendering" if own.status == "verified" else "rendering"
        return Verdict(
            line.number,
            figure.text,
            own.context,
            "verified",
            own.quantity,
            own.recomputed,
            own.source,
            evidence.removeprefix(" + "),
        )
    return Verdict(
        line.number,
        figure.text,
        own.context,
        "differs",
        own.quantity or f"figure of the section {line.section}" if line.section else own.quantity,
        fresh.text,
        own.source,
        "rendering",
    )


def _around(text: str, figure: Figure) -> str:
    """Some words on both sides."""
    half = SHOWN // 2
    start, end = max(0, figure.start - half), min(len(text), figure.stop + half)
    before, behind = "…" if start else "", "…" if end < len(text) else ""
    return f"{before}{text[start:end].strip()}{behind}"


def _shown(value: float, figure: Figure) -> str:
    """A recomputed value with one digit more than is stated."""
    if value == int(value) and not figure.decimals:
        return f"{int(value)}"
    return f"{value:.{figure.decimals + 1}f}"
