"""What a llama.cpp command line says about a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from analysis.parsers.text.grammar import count, real
from analysis.records import SPEC_TYPES

__all__ = [
    "ADAPTIVE",
    "CommandSettings",
    "implementation",
    "server_flags",
    "settings",
    "spec_type_name",
]

_WORD = re.compile(r"\"[^\"]*+\"|'[^']*+'|\S++")
_FLAG = re.compile(r"--?[A-Za-z]")
_TARGET = ("-m", "--model", "-hf", "-hfr", "--hf-repo")
_DRAFT = (
    "-md", "--model-draft", "--spec-draft-model", "-hfd", "-hfrd", "--hf-repo-draft",
    "--spec-draft-hf",
)  # fmt: skip
_N_MAX = ("--spec-draft-n-max", "--draft-max", "--draft-n", "--draft")
_DEPTH_OF = {
    "ngram-simple": ("--spec-ngram-simple-size-m", "--spec-ngram-size-m"),
    "ngram-map-k": ("--spec-ngram-map-k-size-m", "--spec-ngram-size-m"),
    "ngram-map-k4v": ("--spec-ngram-map-k4v-size-m", "--spec-ngram-size-m"),
    "ngram-mod": ("--spec-ngram-mod-n-max",),
}
"""Flags of the depth of those that draft without a model."""
_P_MIN = ("--spec-draft-p-min", "--draft-p-min")
_TEMPERATURE = ("--temp", "--temperature")
_SYNTHETIC = ("--spec-synth-rates", "--spec-synth-len")
_CONDITIONS = {
    "n_min": ("--spec-draft-n-min", "--draft-min", "--spec-ngram-mod-n-min"),
    "draft sampling": ("--spec-draft-sampling",),
    "p_split": ("--spec-draft-p-split", "--draft-p-split"),
}
"""Settings that change acceptance and have no field of their own in a run."""
_ADAPTIVE = ("--spec-draft-adaptive", "--spec-autotune")
ADAPTIVE = {"depth": "adaptive"}
"""Condition of a drafter that chooses its depth itself, up to ``n_max``."""
# What `--spec-default` stands for.
_DEFAULT = ("ngram-mod", 64, "48")


@dataclass(frozen=True)
class CommandSettings:
    """The settings of one command line; ``None`` where it has none.

    `conditions` are those that change acceptance and have no place of their own.
    """

    spec_type: str | None = None
    n_max: int | None = None
    p_min: float | None = None
    draft: str | None = None
    target: str | None = None
    temperature: float | None = None
    synthetic: bool = False
    conditions: Mapping[str, str] = field(default_factory=dict)


def settings(command: str) -> CommandSettings:
    """Read the settings that matter here from a command line.

    Parameters
    ----------
    command
        A ``llama-server`` or ``llama-cli`` command, or only its flags. It need
        not be well quoted.

    Examples
    --------
    >>> found = settings("llama-server -m a.gguf --spec-type mtp --spec-draft-n-max 3")
    >>> found.spec_type, found.n_max, found.p_min, found.target
    ('draft-mtp', 3, None, 'a.gguf')
    >>> chained = settings("--spec-type ngram-mod --spec-type draft-mtp --spec-draft-n-max 3")
    >>> chained.spec_type, chained.n_max
    ('ngram-mod,draft-mtp', None)
    """
    flags = _flags(command)

    def last(names: tuple[str, ...]) -> str | None:
        return next((flags[name][-1] for name in names if flags.get(name, [""])[-1]), None)

    def whole(names: tuple[str, ...]) -> int | None:
        value = last(names)
        return count(value) if value else None

    types = ",".join(word for word in flags.get("--spec-type", []) if word)
    spec_type = spec_type_name(types) if types else None
    conditions = {
        name: value for name, names in _CONDITIONS.items() if (value := last(names)) is not None
    }
    p_min, temperature = last(_P_MIN), last(_TEMPERATURE)
    n_max = _depth(spec_type, whole)
    if spec_type is None and not types and "--spec-default" in flags:
        spec_type, n_max, conditions["n_min"] = _DEFAULT
    if "adaptive" in types or any(name in flags for name in _ADAPTIVE):
        conditions |= ADAPTIVE
    return CommandSettings(
        spec_type=spec_type,
        n_max=n_max,
        p_min=real(p_min) if p_min else None,
        draft=last(_DRAFT),
        target=last(_TARGET),
        temperature=real(temperature) if temperature else None,
        synthetic=any(name in flags for name in _SYNTHETIC),
        conditions=conditions,
    )


def _depth(spec_type: str | None, whole: Callable[[tuple[str, ...]], int | None]) -> int | None:
    """The deepest of a chain, where all of it say how deep they go."""
    names = (spec_type or "").split(",")
    depths = [whole(_DEPTH_OF.get(name, _N_MAX)) for name in names]
    known = [depth for depth in depths if depth is not None]
    if not known and len(names) == 1:
        return whole(_N_MAX)  # as earlier builds limited all drafters
    return max(known) if len(known) == len(depths) else None


def spec_type_name(text: str) -> str | None:
    """Return llama-server's present name for a ``--spec-type``, or ``None``.

    Builds of early 2026 wrote ``mtp`` for ``draft-mtp``; a comma list chains
    several.

    Examples
    --------
    >>> spec_type_name("mtp"), spec_type_name("ngram-mod,draft-mtp"), spec_type_name("fast")
    ('draft-mtp', 'ngram-mod,draft-mtp', None)
    """
    names = []
    for part in text.strip().lower().replace("_", "-").split(","):
        # A fork's drafter that chooses its depth is the same drafter.
        word = part.strip().removesuffix("-adaptive")
        name = word if word in SPEC_TYPES else f"draft-{word}"
        if name not in SPEC_TYPES:
            return None
        names.append(name)
    return ",".join(names)


@lru_cache(maxsize=64)  # a large log names the same one in every request
def implementation(name: str) -> str:
    """llama-server's present name for one of its speculative implementations.

    Examples
    --------
    >>> implementation("ngram_mod"), implementation("mtp"), implementation("draft")
    ('ngram-mod', 'draft-mtp', 'draft-simple')
    """
    if name == "draft":
        return "draft-simple"
    return spec_type_name(name) or name.replace("_", "-")


_NAMED_ELSEWHERE = (*_TARGET, *_DRAFT, *_N_MAX, *_P_MIN, *_TEMPERATURE, "--host", "--port")
"""Flags of a server that a run says in words of its own, or that don't move a figure."""


def server_flags(command: str) -> str | None:
    """The flags that neither name a model nor say how it speculates; null without any.

    Examples
    --------
    >>> server_flags("llama-server -m a.gguf -md b.gguf --spec-draft-n-max 4 -np 1 --metrics")
    '-np 1 --metrics'
    """
    kept: list[str] = []
    keeps = False
    for match in _WORD.finditer(command):
        if _FLAG.match(match[0]):
            name = match[0].partition("=")[0]
            keeps = name not in _NAMED_ELSEWHERE and not name.startswith("--spec-")
        if keeps:
            kept.append(match[0])
    return " ".join(kept) or None


def ngram_flags(command: str) -> dict[str, str]:
    """What a command sets of n-gram drafters, each flag's last number, without dashes.

    Examples
    --------
    >>> ngram_flags("llama-server --spec-ngram-mod-n-min 8 --spec-ngram-mod-n-min 1 -c 2048")
    {'spec-ngram-mod-n-min': '1'}
    """
    last = {name: values[-1] for name, values in _flags(command).items()}
    return {
        name.removeprefix("--"): value
        for name, value in last.items()
        if name.startswith("--spec-ngram-") and value.isascii() and value.isdecimal()
    }


def _flags(command: str) -> dict[str, list[str]]:
    """The values of each flag, in order; an empty one where it has none."""
    found: dict[str, list[str]] = {}
    flag = ""
    for match in _WORD.finditer(command):
        word = match[0]
        if _FLAG.match(word):
            flag, _, value = word.partition("=")
            found.setdefault(flag, []).append(value.strip("\"'"))
        elif flag:
            found[flag][-1] = word.strip("\"'`")
            flag = ""
    return found
