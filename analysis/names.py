"""What are methods and kinds of text called, in charts, cards and notebooks alike?"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["METHODS", "WORKLOADS", "method_name", "method_title", "workload_name", "workload_title"]

METHODS: Mapping[str, str] = {
    "draft-simple": "a separate draft model",
    "draft-eagle3": "EAGLE-3",
    "draft-mtp": "MTP",
    "draft-dflash": "DFlash",
    "draft-dspark": "DSpark",
    "ngram-simple": "n-gram (simple)",
    "ngram-map-k": "n-gram (map-k)",
    "ngram-map-k4v": "n-gram (map-k4v)",
    "ngram-mod": "n-gram (mod)",
    "ngram-cache": "n-gram (cache)",
}
WORKLOADS: Mapping[str, str] = {
    "code": "code and structured output",
    "reasoning": "factual questions and reasoning",
    "creative": "translation and creative writing",
    "explanation": "explanation and code review",
    "other": "other tasks",
}


def method_name(spec_type: str | None) -> str:
    """A method in words, its draft's file left as it is.

    Examples
    --------
    >>> method_name("draft-dflash"), method_name("ngram-mod,draft-mtp")
    ('DFlash', 'n-gram (mod) + MTP')
    >>> method_name("draft-mtp (mtp-q4.gguf)")
    'MTP (mtp-q4.gguf)'
    """
    if spec_type is None:
        return "speculative"
    kinds, bracket, file = spec_type.partition(" (")
    return " + ".join(METHODS.get(word, word) for word in kinds.split(",")) + bracket + file


def method_title(method: str | None) -> str:
    """A method where it stands alone: beside a line, at the head of a panel.

    Examples
    --------
    >>> method_title("draft-simple"), method_title(None)
    ('separate draft model', 'method not stated')
    """
    return "method not stated" if method is None else method_name(method).removeprefix("a ")


def workload_name(workload: str) -> str:
    """A workload class inside a sentence."""
    return WORKLOADS.get(workload, workload)


def workload_title(workload: str) -> str:
    """A workload class at the head of a row."""
    name = workload_name(workload)
    return name[:1].upper() + name[1:]
