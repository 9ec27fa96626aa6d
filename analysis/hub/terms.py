"""Which values does the Hub accept in a card's front matter?

The Hub's own validation needs the network; what it refuses for its shape, or
because it is not on a list, is known without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from analysis.errors import likely_meant, one_of

__all__ = [
    "CARD_KEYS",
    "LICENSES",
    "MODEL_REPOSITORY",
    "RELATIONS",
    "REPOSITORY",
    "problems",
    "quantization",
]

_LISTED = """
    apache-2.0 mit openrail bigscience-openrail-m creativeml-openrail-m bigscience-bloom-rail-1.0
    bigcode-openrail-m afl-3.0 artistic-2.0 bsl-1.0 bsd bsd-2-clause bsd-3-clause
    bsd-3-clause-clear c-uda cc cc0-1.0 cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0
    cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nd-4.0 cc-by-nc-nd-3.0
    cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cdla-sharing-1.0
    cdla-permissive-1.0 cdla-permissive-2.0 wtfpl ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1
    eupl-1.2 agpl-3.0 gfdl gpl gpl-2.0 gpl-3.0 lgpl lgpl-2.1 lgpl-3.0 isc h-research
    intel-research lppl-1.3c ms-pl apple-ascl apple-amlr mpl-2.0 odc-by odbl openmdw-1.0
    openmdw-1.1 openrail++ osl-3.0 postgresql ofl-1.1 ncsa unlicense zlib pddl lgpl-lr
    deepfloyd-if-license fair-noncommercial-research-license llama2 llama3 llama3.1 llama3.2
    llama3.3 llama4 grok2-community gemma unknown other
"""
LICENSES = frozenset(_LISTED.split())
"""Licence identifiers that the Hub lists."""

RELATIONS = ("adapter", "merge", "quantized", "finetune")
"""What a model can be to its base model."""

CARD_KEYS = (
    "license",
    "license_name",
    "license_link",
    "language",
    "base_model",
    "base_model_relation",
    "pipeline_tag",
    "tags",
    "format",
    "quantization",
    "spec_type",
    "target_file",
    "draft_file",
    "target_repo",
    "draft_repo",
    "preset_repo",
    "status",
    "conversion",
    "credits",
    "pairs",
)
"""Keys of a campaign's ``[card]`` table that are read here; others go to the Hub as they are."""

HUB_KEYS = (
    "datasets",
    "extra_gated_prompt",
    "inference",
    "library_name",
    "metrics",
    "model_name",
    "new_version",
    "thumbnail",
    "widget",
)
"""Other keys of a model card's front matter that the Hub reads."""


REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
"""A repository's name, with its owner's."""

MODEL_REPOSITORY = re.compile(rf"{REPOSITORY.pattern}(?::[\w.-]+)?", re.ASCII)
"""As llama.cpp's ``-hf`` takes it: with the quantization behind a colon, or without."""

_QUANTIZATION = re.compile(
    r"[-.](?P<kind>(?:UD-)?(?:I?Q\d|TQ\d|BF16|F16|F32|MXFP4|NVFP4)\w*)(?:-\d{5}-of-\d{5})?\.gguf",
    re.IGNORECASE | re.ASCII,
)

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*|multilingual|code")
_TAG = re.compile(r"[^\s,][^\n\r,]{0,98}[^\s,]|[^\s,]")
_PIPELINE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def quantization(file: str) -> str | None:
    """The quantization that a model file's name ends in, as ``-hf REPOSITORY:QUANT`` wants it.

    Examples
    --------
    >>> quantization("Big-Q4_K_M.gguf"), quantization("B.UD-Q3_K_XL-00001-of-00002.gguf")
    ('Q4_K_M', 'UD-Q3_K_XL')
    >>> quantization("Qwen3.6-35B-A3B.gguf")
    """
    found = _QUANTIZATION.search(file)
    return found["kind"] if found else None


Problem = tuple[str, str, str]
"""The key, what is wrong with its value, and what to do."""


def problems(card: Mapping[str, Any]) -> Iterator[Problem]:
    """What the Hub would not accept of a campaign's ``[card]`` table.

    Parameters
    ----------
    card
        The table as written. A key that is none of ours but looks like one is taken for a slip.

    Yields
    ------
    tuple of str
        Key, problem and remedy, in the order of the front matter.
    """
    for key in card:
        meant = likely_meant(key, (*CARD_KEYS, *HUB_KEYS))
        if meant:
            yield key, f"{key} is no key of a card", f"write {meant}"
    yield from _license(card)
    for key, shape, remedy in (
        ("base_model", REPOSITORY, 'write "OWNER/NAME" as in its address on the Hub'),
        ("target_repo", MODEL_REPOSITORY, 'write "OWNER/NAME" or "OWNER/NAME:QUANT" as for -hf'),
        ("draft_repo", MODEL_REPOSITORY, 'write "OWNER/NAME" or "OWNER/NAME:QUANT" as for -hfd'),
        ("preset_repo", REPOSITORY, 'write "OWNER/NAME" as in its address on the Hub'),
        ("language", _LANGUAGE, 'write ISO 639 codes like "en", or "multilingual"'),
        ("tags", _TAG, "write each tag as one short text without commas"),
    ):
        for value in _list(card.get(key)):
            if not isinstance(value, str) or not shape.fullmatch(value):
                yield key, f"{key} has {value!r}", remedy
    relation = card.get("base_model_relation")
    if relation is not None and relation not in RELATIONS:
        yield "base_model_relation", *one_of("base_model_relation", relation, RELATIONS)
    pipeline = card.get("pipeline_tag")
    if pipeline is not None and not (isinstance(pipeline, str) and _PIPELINE.fullmatch(pipeline)):
        yield "pipeline_tag", f"pipeline_tag is {pipeline!r}", 'write e.g. "text-generation"'


def _license(card: Mapping[str, Any]) -> Iterator[Problem]:
    given = card.get("license")
    for key in ("license", "license_name", "license_link"):
        value = card.get(key)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            yield key, f"{key} is {value!r}", "write a text"
            return
    if given is None:
        for key in ("license_name", "license_link"):
            if key in card:
                yield key, f"there is a {key} and no license", 'add license = "other"'
                return
        return
    listed = given.lower() in LICENSES
    if listed and given.lower() != "other":
        return
    what = "license is 'other'" if listed else f"the Hub lists no license {given!r}"
    if not listed and "license_name" not in card and "license_link" not in card:
        remedy = "use an identifier that it lists, or license_link to say where this one stands"
        yield "license", what, remedy
    elif listed and "license_name" not in card:
        yield "license", f"{what} and has no name", "add license_name"
    elif "license_link" not in card:
        yield "license", f"{what} and has no link", "add license_link, an address or LICENSE"
    elif not re.match(r"https?://\S+$|[\w./-]+$", card["license_link"]):
        yield (
            "license_link",
            f"license_link is {card['license_link']!r}",
            "write an address, or the name of a file in the repository like LICENSE",
        )


def _list(value: object) -> list[object]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]
