"""What does a server say about itself while it starts, or instead of starting?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PureWindowsPath

from analysis.parsers.text.command import implementation
from analysis.parsers.text.grammar import count, real

__all__ = [
    "Failed",
    "Implementation",
    "Parameters",
    "ServerSetting",
    "SetupMark",
    "Started",
    "setup_mark",
]


@dataclass(frozen=True, slots=True)
class Started:
    """A server says that it starts; `kind` tells which of several lines that do."""

    kind: str
    build: str | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Implementation:
    """A way to speculate that a server will use; the next parameters are its."""

    name: str
    adaptive: bool = False


@dataclass(frozen=True, slots=True)
class Parameters:
    """Settings of the latest implementation, as they are in effect."""

    n_max: int | None = None
    p_min: float | None = None
    block_size: int | None = None
    clamped: bool = False


@dataclass(frozen=True, slots=True)
class ServerSetting:
    """A setting of the whole server: ``slots``, ``draft``, ``config``, …."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Why a server gave up; the last words of one say no more than that it does."""

    message: str
    is_cause: bool


SetupMark = Started | Implementation | Parameters | ServerSetting | Failed

_BUILD = re.compile(
    r"(?:\w+ +\w+: +)?(?:common_params_print_info: )?(build|build_info|version):? "
    r"(?:b?(\d{1,6})(?:-(?:([0-9a-f]{6,40})|unknown))?|unknown)"
    r"(?: \((?:([0-9a-f]{6,40})|unknown)\))?(?: with\b|$)"
)
_TARGET = re.compile(r"(?:\w+ +)?load_model: loading model '(.{1,500})'")
_DRAFT = re.compile(r"[\w ]{1,60}: loading draft model '(.{1,500})'")
_CONFIG = re.compile(r"(?:[\w ]{1,60}: )?using config file: (.{1,300})")
_DETECTED = re.compile(r"(?:[\w ]{1,60}: )?auto-detected speculative type '([\w-]{1,40})'")
_MTP = re.compile(r"[\w ]{1,60}: creating MTP draft context")
_ADDING = re.compile(r"[\w ]{1,60}: adding speculative implementation '([\w-]{1,40})'")
_PARAMETER = re.compile(r"[\w ]{1,60}: - (?:\w+=[^,]{1,40}, )*?(?:n_max|size_m|block_size)=")
_PAIR = re.compile(r"\b(n_max|p_min|size_m|block_size)=([\d.]{1,20})")
_CLAMP = re.compile(
    r"[\w ]{1,60}: requested draft size \(.{1,60}\) exceeds .{1,60}-- clamping to (\d{1,5})"
)
_NO_P_MIN = re.compile(r"[\w ]{1,60}: DFlash2? .{1,80}; ignoring p_min")
_SLOTS = re.compile(r"\w+ +\w+: initializing(?: slots)?, n_slots = (\d{1,4})")
_TEMPERATURE = re.compile(r"top_k = -?\d{1,9}, .{1,300}\btemp = ([\d.]{1,12})")
_FAILED = re.compile(
    r"(?:\w+ +\w+: +|\w+: +)?(failed to load (?:draft )?model.{0,300}|exiting due to .{1,80})"
)


def setup_mark(text: str) -> SetupMark | None:  # noqa: PLR0911 - one line for each kind
    """Read one message; ``None`` when it says nothing that is read."""
    if found := _TARGET.match(text):
        return Started("model", target=_file_name(found[1]))
    if found := _BUILD.match(text):
        return Started(found[1], build=_build(found))
    if found := _DRAFT.match(text):
        return ServerSetting("draft", _file_name(found[1]))
    if found := _CONFIG.match(text):
        return ServerSetting(
            "config", "the system's" if found[1].startswith("/etc/") else "the user's"
        )
    if found := _DETECTED.match(text):
        return ServerSetting("spec_type", implementation(found[1]))
    if _MTP.match(text):
        return ServerSetting("spec_type", "draft-mtp")
    if found := _ADDING.match(text):
        return Implementation(implementation(found[1]), "adaptive" in found[1])
    if found := _CLAMP.match(text):
        return Parameters(n_max=count(found[1]), clamped=True)
    if _NO_P_MIN.match(text):
        return Parameters(p_min=0.0)
    if _PARAMETER.match(text):
        return _parameters(dict(_PAIR.findall(text)))
    if found := _SLOTS.match(text):
        return ServerSetting("slots", found[1])
    if found := _TEMPERATURE.match(text):
        return ServerSetting("temperature", found[1])
    found = _FAILED.match(text)
    return Failed(found[1], not found[1].startswith("exiting")) if found else None


def _parameters(given: dict[str, str]) -> Parameters:
    return Parameters(
        count(given.get("n_max") or given.get("size_m") or ""),
        real(given.get("p_min", "")),
        count(given.get("block_size", "")),
    )


def _build(found: re.Match[str]) -> str | None:
    """``b9831``; the commit where a build was made without its number."""
    number = int(found[2] or 0)
    return f"b{number}" if number > 1 else found[3] or found[4]


def _file_name(path: str) -> str:
    """A model's file without its folders, which may name a person."""
    return PureWindowsPath(path).name
