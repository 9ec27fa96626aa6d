"""What can be tried with these files on this server?"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from analysis.models.gguf_header import read_header
from analysis.models.model_files import ModelFile, read_model
from analysis.records import SPEC_TYPES
from analysis.tuning.belief import OFF, SETTING_COLUMNS

__all__ = [
    "OFF_ID",
    "Method",
    "Setting",
    "draft_type",
    "drafters",
    "published_kinds",
    "settings_frame",
    "settings_of",
    "supported",
]

OFF_ID = "off"

DEPTHS = tuple(range(1, 9))
MTP_DEPTHS = tuple(range(1, 7))
NGRAM_DEPTHS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"ngram-simple": (4, 8, 16), "ngram-mod": (8, 16, 32)}
)
"""Of the n-gram drafters two, at llama.cpp's own sizes of what they look for."""

THRESHOLDS = (0.3, 0.5, 0.75)
SURE = frozenset({"draft-simple", "draft-eagle3", "draft-mtp", "draft-dflash"})
"""Drafters whose threshold looks at the confidences that the server logs."""

_KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "llama": ("EAGLE-3 drafts", "smaller models of the same family"),
        "qwen2": ("smaller models of the same family",),
        "qwen3": ("DFlash drafts", "EAGLE-3 drafts", "smaller models of the same family"),
        "qwen3moe": ("DFlash drafts", "EAGLE-3 drafts", "smaller models of the same family"),
        "qwen3next": ("its own MTP layers",),
        "qwen35": ("its own MTP layers", "DFlash drafts"),
        "qwen35moe": ("its own MTP layers", "DFlash drafts", "DSpark drafts"),
        "deepseek2": ("its own MTP layers",),
        "glm4moe": ("its own MTP layers",),
        "gpt-oss": ("EAGLE-3 drafts",),
        "gemma3": ("smaller models of the same family",),
    }
)
"""Kinds of draft that were published for models of an architecture, by its name in GGUF files."""


@dataclass(frozen=True)
class Method:
    """One way to draft.

    Attributes
    ----------
    name
        In ids: short, and its own.
    spec_type
        llama-server's name.
    depths
        To choose from, ascending.
    thresholds
        To choose from beside none.
    draft
        The draft's file as the user named it; null without one.
    """

    name: str
    spec_type: str
    depths: tuple[int, ...]
    thresholds: tuple[float, ...] = ()
    draft: str | None = None


@dataclass(frozen=True)
class Setting:
    """A method at one depth and threshold; without a method, no speculation."""

    id: str
    method: Method | None = None
    n_max: int = 0
    p_min: float = 0.0


def drafters(
    model: Path, drafts: Mapping[str, Path], types: Collection[str], deepest: int = DEPTHS[-1]
) -> tuple[list[Method], list[str]]:
    """Every way to draft for a model, and what can't be tried and why.

    Parameters
    ----------
    model
        The target's file.
    drafts
        Files of drafts by the name that the user gave them.
    types
        The ``--spec-type`` that the server knows, see :func:`supported`.
    deepest
        The deepest depth of a draft model.

    Raises
    ------
    ModelFileError
        A file can't be read or is no GGUF file.
    """
    found: list[Method] = []
    skipped: list[str] = []
    layers = _mtp_layers(model)
    if layers:
        depths = tuple(depth for depth in MTP_DEPTHS if depth <= deepest)
        found.append(Method("mtp", "draft-mtp", depths, THRESHOLDS))
    names: set[str] = {"mtp", *NGRAM_DEPTHS}
    for given, path in drafts.items():
        facts = read_model(path)
        spec_type = draft_type(facts)
        if facts.parts[0].name == path.name and path.resolve() == model.resolve():
            skipped.append(f"{given}: this is the model itself")
            continue
        trained = facts.trained_depth(spec_type) or deepest
        depths = tuple(depth for depth in range(1, deepest + 1) if depth <= trained)
        name = _free(spec_type.removeprefix("draft-"), path.stem, names)
        names.add(name)
        thresholds = THRESHOLDS if spec_type in SURE else ()
        found.append(Method(name, spec_type, depths, thresholds, given))
    found += [Method(name, name, depths) for name, depths in NGRAM_DEPTHS.items()]
    for method in list(found):
        if method.spec_type not in types:
            found.remove(method)
            skipped.append(f"{method.name}: this server knows no --spec-type {method.spec_type}")
    return found, skipped


def draft_type(facts: ModelFile) -> str:
    """llama-server's name for what a draft's file is made for."""
    architecture = facts.architecture or ""
    if facts.block_size is not None:
        return "draft-dspark" if facts.confidence_head else "draft-dflash"
    return {"eagle3": "draft-eagle3", "dspark": "draft-dspark", "dflash": "draft-dflash"}.get(
        architecture, "draft-simple"
    )


def _mtp_layers(model: Path) -> int:
    """Layers that predict tokens further ahead, which conversions often leave out."""
    fields = read_header(model).fields
    value = fields.get(f"{fields.get('general.architecture')}.nextn_predict_layers")
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _free(kind: str, stem: str, taken: Collection[str]) -> str:
    """A short name, with some of the file's where several drafts are of a kind."""
    if kind not in taken:
        return kind
    plain = re.sub(r"[^A-Za-z0-9]+", "-", stem).strip("-").lower()[-24:].strip("-") or "draft"
    numbered = (f"{kind}-{plain}{'' if number == 1 else f'-{number}'}" for number in range(1, 999))
    return next(name for name in numbered if name not in taken)


def supported(help_text: str | None) -> tuple[str, ...]:
    """The methods that a server's ``--help`` names; all where it was not asked.

    Examples
    --------
    >>> supported("--spec-type none,draft-simple,ngram-mod   ...")
    ('none', 'draft-simple', 'ngram-mod')
    """
    if help_text is None:
        return SPEC_TYPES
    words = set(re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", help_text))
    return tuple(name for name in SPEC_TYPES if name in words)


def settings_of(methods: Iterable[Method]) -> list[Setting]:
    """No speculation, then every depth and threshold of each method."""
    found = [Setting(OFF_ID)]
    for method in methods:
        for cut in (0.0, *method.thresholds):
            found += [
                Setting(f"{method.name}-n{depth}{f'-p{cut:g}' if cut else ''}", method, depth, cut)
                for depth in method.depths
            ]
    return found


def settings_frame(settings: Sequence[Setting]) -> pd.DataFrame:
    """Columns ``belief.SETTING_COLUMNS``."""
    rows = [
        (one.id, OFF if one.method is None else one.method.name, one.n_max, one.p_min)
        for one in settings
    ]
    return pd.DataFrame(rows, columns=list(SETTING_COLUMNS))


def published_kinds(architecture: str | None) -> tuple[str, ...]:
    """Kinds of draft that were published for models of an architecture; none known is empty."""
    return _KINDS.get(architecture or "", ())
