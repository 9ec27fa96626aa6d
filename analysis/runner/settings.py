"""What does a campaign ask a live run to measure?

``[live]`` says how, and every ``[[runs]]`` table without a ``log`` is one
configuration. Everything that is wrong with them is said before anything
starts, with its line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from analysis.campaigns.campaign import find
from analysis.campaigns.campaign_file import SETTINGS_FILE, SettingsFile
from analysis.campaigns.run_entries import run_entries
from analysis.errors import one_of
from analysis.files.inside import leads_out
from analysis.runner import prompts
from analysis.runner.configurations import (
    Configuration,
    check_server_args,
    check_texts,
    read_configuration,
)
from analysis.runner.embedded_flags import UnknownFlagError, read_flags
from analysis.runner.prompt_files import read
from analysis.runner.request_fields import check_fields

__all__ = ["EMBEDDED", "STATEFUL", "LiveSettings", "is_address", "read_settings"]

EMBEDDED = "embedded"

STATEFUL = ("ngram-mod", "ngram-cache")
"""Methods that remember earlier requests: on a warm server a prompt must not come twice."""

_TEXT = (str,)
_NUMBER = (int, float)
_KEYS: Mapping[str, tuple[type, ...]] = {
    "server": _TEXT,
    "model": _TEXT,
    "max_tokens": (int,),
    "temperature": _NUMBER,
    "seed": (int,),
    "repeats": (int,),
    "tasks": (list,),
    "prompts": _TEXT,
    "server_args": (list,),
    "keep_text": (bool,),
    "confidence": (bool,),
    "timeout_s": _NUMBER,
    "start_timeout_s": _NUMBER,
    # Axes are judged where campaign.toml's runs are made of them.
    "parallel": (int, list),
    "context": (int, list),
    "grid": (bool,),
    "request": (dict,),
}
_RANGES: Mapping[str, tuple[float, float, str]] = {
    "max_tokens": (1, 1_000_000, "use 1 or more tokens"),
    "temperature": (0, 100, "use 0 or more; 0 is greedy and can be checked for loss"),
    "seed": (0, 2**32 - 2, "use a whole number from 0 to 4294967294"),
    "repeats": (1, 1000, "use 1 or more; 3 give an interval"),
    "timeout_s": (0.001, 1e6, "use a number of seconds above 0"),
    "start_timeout_s": (0.001, 1e6, "use a number of seconds above 0"),
}


@dataclass(frozen=True)
class LiveSettings:
    """``[live]``, checked, with the configurations to measure.

    Attributes
    ----------
    folder
        The campaign's folder; relative paths start there.
    server
        ``embedded``, a path, or an address.
    model
        A path or ``package:NAME``; null only for an address.
    timeout_s, start_timeout_s
        Longest wait for one answer, and for a server to be ready.
    model_line, server_line
        Where campaign.toml names the model and the server; null for a server
        that the command line names.
    server_by_campaign
        Whether campaign.toml alone names the server, and not its user.
    """

    folder: Path
    server: str
    model: str | None
    configurations: tuple[Configuration, ...]
    prompt_set: prompts.PromptSet
    max_tokens: int
    temperature: float
    seed: int
    repeats: int
    server_args: tuple[str, ...]
    keep_text: bool
    timeout_s: float
    start_timeout_s: float
    model_line: int | None = field(default=None, compare=False)
    server_line: int | None = field(default=None, compare=False)
    server_by_campaign: bool = field(default=False, compare=False)


def is_address(server: str) -> bool:
    """Whether a server is named by the address of one that runs already."""
    return server.lower().startswith(("http://", "https://"))


def read_settings(campaign: str | Path, server: str | None = None) -> LiveSettings:
    """Read and check what a campaign asks to be measured.

    Parameters
    ----------
    campaign
        See ``campaign.find``.
    server
        Overrides ``server`` of ``[live]``.

    Raises
    ------
    CampaignError
        campaign.toml can't be read, has no ``[live]`` or asks for something
        impossible; with the line.
    PromptError
        The prompt file can't be read.
    """
    folder = find(campaign)
    file = SettingsFile.read(folder / SETTINGS_FILE)
    entries = run_entries(file)
    live = file.table("live")
    if not live:
        raise file.error(
            "this campaign is not set up for live runs: it has no [live]",
            'add [live] with model = "FILE.gguf"',
            ("live",),
        )
    _check_table(file, live)
    chosen = server if server is not None else _server(live.get("server", EMBEDDED), folder)
    configurations = tuple(
        _with_server(read_configuration(file, entry, live.get("request")), folder)
        for entry in entries
        if "log" not in entry.keys
    )
    if not configurations:
        problem = "every run has a log: there is nothing to measure"
        raise file.error(problem, "add a [[runs]] table without log", ("runs", "0"))
    _check_servers(file, live, chosen, configurations)
    for entry in entries:
        if "log" not in entry.keys and entry.keys.get("server", chosen) == EMBEDDED:
            _check_embedded(file, live, ("live",))
            _check_embedded(file, entry.keys, entry.place)
    return LiveSettings(
        folder,
        chosen,
        live.get("model"),
        configurations,
        _prompt_set(file, live, folder),
        max_tokens=live.get("max_tokens", 192),
        temperature=float(live.get("temperature", 0.0)),
        seed=live.get("seed", 42),
        repeats=live.get("repeats", 3),
        server_args=tuple(live.get("server_args", ())),
        keep_text=live.get("keep_text", False),
        timeout_s=float(live.get("timeout_s", 600.0)),
        start_timeout_s=float(live.get("start_timeout_s", 600.0)),
        model_line=file.lines.get(("live", "model")),
        server_line=file.lines.get(("live", "server")) if server is None else None,
        server_by_campaign=server is None and "server" in live and not _is_users(live["server"]),
    )


def _is_users(named: str) -> bool:
    """Whether the user's environment says which program a bare `llama-server` is."""
    return named == "llama-server" and bool(os.environ.get("LLAMA_SERVER"))


def _server(named: str, folder: Path) -> str:
    """A path in campaign.toml starts at its folder; a bare name is looked for on the path."""
    if is_address(named) or Path(named).name == named:
        return named
    return str(folder / Path(named).expanduser())


def _check_table(file: SettingsFile, live: Mapping[str, Any]) -> None:
    file.check_keys(live, _KEYS, ("live",))
    for key, (low, high, remedy) in _RANGES.items():
        if key in live and not low <= live[key] <= high:
            raise file.error(f"{key} is {live[key]!r}", remedy, ("live", key))
    for key in ("server", "model", "prompts"):
        if key in live and not live[key].strip():
            raise file.error(f"{key} is empty", "fill it in, or leave it out", ("live", key))
    if "tasks" in live:
        check_texts(file, live["tasks"], ("live", "tasks"))
        if not live["tasks"]:
            problem = "tasks is empty: there is nothing to measure"
            raise file.error(problem, "leave it out for all tasks", ("live", "tasks"))
    check_server_args(file, live, ("live",))
    check_fields(
        live.get("request", {}),
        lambda name, problem, remedy: file.error(
            problem,
            remedy,
            ("live.request", name) if ("live.request",) in file.lines else ("live", "request"),
        ),
    )


def _with_server(one: Configuration, folder: Path) -> Configuration:
    return one if one.server is None else replace(one, server=_server(one.server, folder))


def _check_servers(
    file: SettingsFile,
    live: Mapping[str, Any],
    chosen: str,
    configurations: tuple[Configuration, ...],
) -> None:
    servers = dict.fromkeys(one.server or chosen for one in configurations)
    for server in servers:
        own = tuple(one for one in configurations if (one.server or chosen) == server)
        if is_address(server):
            _check_remote(file, live, own)
        elif "model" not in live:
            raise file.error("there is no model", 'add model = "FILE.gguf"', ("live",))


def _check_embedded(file: SettingsFile, table: Mapping[str, Any], place: tuple[str, ...]) -> None:
    """Refuse flags that the embedded server does not understand before it is started."""
    try:
        read_flags(table.get("server_args", ()))
    except UnknownFlagError as error:
        remedy = "remove it, or use a llama-server executable"
        raise file.error(str(error), remedy, (*place, "server_args")) from error


def _check_remote(
    file: SettingsFile, live: Mapping[str, Any], configurations: tuple[Configuration, ...]
) -> None:
    """A server that runs already is what it is: one configuration, as it was started."""
    if live.get("confidence"):
        problem = "a running server can't be told to log confidences"
        raise file.error(problem, "remove confidence", ("live", "confidence"))
    kinds = {(one.spec_type, one.n_max, one.p_min, one.draft) for one in configurations}
    if len(kinds) > 1:
        raise file.error(
            f"a running server has one configuration, and this campaign asks for {len(kinds)}",
            "keep one run without log, or let mtpbench start the servers",
            ("live", "server"),
        )
    if live.get("server_args") or any(one.server_args for one in configurations):
        problem = "a running server can't be given arguments"
        raise file.error(problem, "remove server_args", ("live", "server_args"))
    for one in configurations:
        if one.synthetic_rates:
            problem = "a running server can't be told to accept by coin"
            raise file.error(problem, "remove synthetic_rates", ("live", "server"))
        stateful = any(word in STATEFUL for word in one.spec_type.split(","))
        if stateful and live.get("repeats", 3) * len(configurations) > 1:
            problem = (
                f"{one.spec_type} remembers earlier requests, and this server can't be restarted"
            )
            raise file.error(problem, "use repeats = 1 and no axis", ("live", "repeats"))


def _prompt_set(file: SettingsFile, live: Mapping[str, Any], folder: Path) -> prompts.PromptSet:
    if "prompts" in live:
        path = folder / live["prompts"]
        # A stranger's campaign must not send files of ours to a server.
        if leads_out(path, folder):
            problem = f"prompts {live['prompts']!r} is outside the campaign folder"
            raise file.error(problem, "copy it into the folder", ("live", "prompts"))
        found = read(path)
    else:
        found = prompts.ours()
    if "tasks" not in live:
        return found
    known = [prompt.task for prompt in found.prompts]
    for task in live["tasks"]:
        if task not in known:
            raise file.error(*one_of("a task", task, known), ("live", "tasks"))
    return found.only(live["tasks"])
