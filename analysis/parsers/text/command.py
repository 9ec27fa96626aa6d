"""What a llama.cpp command line says about a run."""

from __future__ import annotations

import re
from dataclasses import dataclass

from analysis.parsers.text.grammar import count, real
from analysis.records import SPEC_TYPES

__all__ = [
    "Settings",
    "implementation",
    "server_flags",
    "settings",
    "spec_type_name",
    "without_secrets",
]

_WORD = re.compile(r"\"[^\"]*+\"|'[^']*+'|\S++")
_FLAG = re.compile(r"--?[A-Za-z]")
_TARGET = ("-m", "--model", "-hf", "-hfr", "--hf-repo")
_DRAFT = ("-md", "--model-draft", "--spec-draft-model", "-hfd", "-hfrd", "--hf-repo-draft")
_N_MAX = ("--spec-draft-n-max", "--draft-max", "--draft-n", "--draft")
_P_MIN = ("--spec-draft-p-min", "--draft-p-min")
_TEMPERATURE = ("--temp", "--temperature")
_SYNTHETIC = ("--spec-synth-rates", "--spec-synth-len")


@dataclass(frozen=True)
class Settings:
    """The settings of one command line; ``None`` where it has none."""

    spec_type: str | None = None
    n_max: int | None = None
    p_min: float | None = None
    draft: str | None = None
    target: str | None = None
    temperature: float | None = None
    synthetic: bool = False


def settings(command: str) -> Settings:
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
    """
    flags = _flags(command)

    def first(names: tuple[str, ...]) -> str | None:
        return next((flags[name] for name in names if flags.get(name)), None)

    n_max, p_min, temperature = first(_N_MAX), first(_P_MIN), first(_TEMPERATURE)
    spec_type = flags.get("--spec-type")
    return Settings(
        spec_type=spec_type_name(spec_type) if spec_type else None,
        n_max=count(n_max) if n_max else None,
        p_min=real(p_min) if p_min else None,
        draft=first(_DRAFT),
        target=first(_TARGET),
        temperature=real(temperature) if temperature else None,
        synthetic=any(name in flags for name in _SYNTHETIC),
    )


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
    for word in text.strip().lower().replace("_", "-").split(","):
        name = word if word in SPEC_TYPES else f"draft-{word}"
        if name not in SPEC_TYPES:
            return None
        names.append(name)
    return ",".join(names)


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


_SECRET = re.compile(
    r"(--(?:api-key|hf-token|[\w-]*(?:token|secret|password))|-hft)(=|\s+)(?:\"[^\"]*+\"|'[^']*+'|\S++)"
)
_HOME = re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\Users\\|[A-Za-z]:/Users/)[^/\\\s\"']+")


def without_secrets(command: str) -> str:
    r"""A command line without keys, tokens and the names of home folders.

    Examples
    --------
    >>> without_secrets("llama-server -m /home/ada/a.gguf --api-key sk-1 -hft=hf_2 -np 1")
    'llama-server -m ~/a.gguf --api-key *** -hft=*** -np 1'
    """
    return _HOME.sub("~", _SECRET.sub(r"\1\2***", command))


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


def _flags(command: str) -> dict[str, str]:
    found: dict[str, str] = {}
    flag = ""
    for match in _WORD.finditer(command):
        word = match[0]
        if _FLAG.match(word):
            flag, _, value = word.partition("=")
            found.setdefault(flag, value.strip("\"'"))
        elif flag:
            found[flag] = word.strip("\"'`")
            flag = ""
    return found
