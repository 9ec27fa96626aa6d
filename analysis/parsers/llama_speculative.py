"""Summaries of llama-speculative and llama-speculative-simple."""

from __future__ import annotations

import re
from dataclasses import replace

from analysis.errors import LogError
from analysis.parsers.text.command import settings
from analysis.parsers.text.document import Document
from analysis.parsers.text.grammar import NUMBER, as_count, as_measure, decimals, real, scaled
from analysis.parsers.text.headings import heading
from analysis.records import Finding, Run, TaskResult

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "llama-speculative"
SHAPE = "a summary of llama-speculative (`n_drafted =`, `n_accept =`)"
HINTS = ("n_draft ", "n_predict", "n_drafted", "n_accept", "accept ")

_SUMMARY = re.compile(
    rf"\bn_draft[ ]*=[ ]*(?P<n_draft>{NUMBER})\s+"
    rf"n_predict[ ]*=[ ]*(?P<n_predict>{NUMBER})\s+"
    rf"n_drafted[ ]*=[ ]*(?P<n_drafted>{NUMBER})\s+"
    rf"n_accept[ ]*=[ ]*(?P<n_accept>{NUMBER})"
    rf"(?:\s+accept[ ]*=[ ]*(?P<accept>{NUMBER})[ ]*%)?"
)
_PHASE = re.compile(
    rf"\b(?P<phase>encoded|decoded|generated)[ ]+(?P<tokens>{NUMBER})[ ]+tokens in[ ]+"
    rf"(?P<seconds>{NUMBER})[ ]+seconds(?:, speed:[ ]+(?P<speed>{NUMBER})[ ]*t/s)?"
)
_SIMPLE = re.compile(r"\bllama-speculative-simple\b")
_REACH = 4000
# One summary states one text of one prompt.
_TASK = "generation"


def recognises(document: Document) -> bool:
    """Whether the five counts stand together."""
    return _SUMMARY.search(document.cleaned.text) is not None


def read(document: Document) -> tuple[Run, ...]:
    """Read a run of one request per summary.

    llama-speculative counts the draft model's decoding steps, which are fewer
    than its tokens where it drafts a tree; llama-speculative-simple counts
    tokens. The output is the same, so only the command tells them apart.

    Raises
    ------
    LogError
        When there is no summary.
    """
    numbered = document.cleaned
    text = numbered.text
    runs: list[Run] = []
    floor = 0
    for summary in _SUMMARY.finditer(text):
        above = text[max(floor, summary.start() - _REACH) : summary.start()]
        phase = _PHASE.search(above)
        found = heading(above[: phase.start()] if phase else above)
        flags = settings(found.command or "")
        simple = bool(_SIMPLE.search(found.command or above))
        source = document.source(numbered, summary.start(), summary.end())
        times = {match["phase"]: match for match in _PHASE.finditer(above)}
        decoded = times.get("decoded") or times.get("generated")
        encoded = times.get("encoded")
        counts = {
            name: as_count(summary[name])
            for name in ("n_draft", "n_predict", "n_drafted", "n_accept")
        }
        unread = [name for name, value in counts.items() if value is None]
        accept = as_measure(real(summary["accept"])) if summary["accept"] else None
        task = TaskResult(
            _TASK,
            source,
            predicted_tokens=counts["n_predict"],
            draft_tokens=counts["n_drafted"],
            accepted_tokens=counts["n_accept"],
            reported_rate=None if accept is None else scaled(accept, -2),
            rate_decimals=decimals(summary["accept"]) + 2 if accept is not None else None,
            decode_s=(as_measure(decoded["seconds"]) or None) if decoded else None,
            prompt_tokens=as_count(encoded["tokens"]) if encoded else None,
            prompt_s=as_measure(encoded["seconds"]) if encoded else None,
        )
        # The first versions timed prefill and decoding together.
        if decoded and decoded["phase"] == "generated":
            task = replace(task, decode_s=None, wall_s=as_measure(decoded["seconds"]))
        runs.append(
            Run(
                source,
                FORMAT,
                (task,),
                label=found.label,
                command=found.command,
                spec_type=flags.spec_type or "draft-simple",
                n_max=counts["n_draft"],
                p_min=flags.p_min,
                draft=flags.draft,
                target=flags.target,
                temperature=flags.temperature,
                acceptance_definition="accepted/drafted" if simple else "accepted/draft-steps",
                findings=tuple(
                    Finding("warning", "number-unread", str(source), f"{name} can't be read")
                    for name in unread
                ),
            )
        )
        floor = summary.end()
    if not runs:
        problem = "no summary of llama-speculative is here"
        raise LogError(problem, "paste it from n_draft to accept", document.name)
    return tuple(runs)
