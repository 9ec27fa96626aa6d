"""What does a ``[[runs]]`` table without a log ask a server for?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from analysis.campaigns.campaign_file import SettingsFile
from analysis.campaigns.run_entries import RunEntry
from analysis.errors import CampaignError
from analysis.runner.flags import refusal
from analysis.runner.request_fields import check_fields

__all__ = ["Configuration", "check_server_args", "check_texts", "read_configuration"]

_RUN_KEYS = (
    "id",
    "label",
    "spec_type",
    "n_max",
    "p_min",
    "draft",
    "synthetic",
    "synthetic_rates",
    "server_args",
    "server",
    "request",
)


@dataclass(frozen=True)
class Configuration:
    """One ``[[runs]]`` table that a server is started for.

    Attributes
    ----------
    id, label
        As in campaign.toml.
    spec_type
        llama-server's name; ``none`` for a baseline.
    n_max
        Depth asked for; null leaves it to llama.cpp.
    p_min
        Draft probability below which drafting stops; null leaves it to llama.cpp.
    draft
        A path, or ``demo:…``, as written; null without a draft model.
    synthetic_rates
        Survival by position to accept by coin, or null for a real run.
    server_args
        llama-server's flags for this configuration alone.
    line
        Where campaign.toml names its draft.
    confidence
        Whether the server logs how sure its draft is of each token.
    parallel, context
        Requests at once, and tokens of filler before the task; null where the
        campaign has no such axis.
    request
        Fields of its requests, those of ``[live.request]`` included.
    server
        Its own server as campaign.toml names it; null for that of ``[live]``.
    server_line
        Where it does.
    """

    id: str
    label: str | None = None
    spec_type: str = "none"
    n_max: int | None = None
    p_min: float | None = None
    draft: str | None = None
    synthetic_rates: tuple[float, ...] | None = None
    server_args: tuple[str, ...] = ()
    line: int | None = field(default=None, compare=False)
    confidence: bool = False
    parallel: int | None = None
    context: int | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    server: str | None = None
    server_line: int | None = field(default=None, compare=False)

    @property
    def clients(self) -> int:
        """Requests at once, 1 where campaign.toml does not say."""
        return self.parallel or 1


def read_configuration(
    file: SettingsFile, entry: RunEntry, request: Mapping[str, Any] | None = None
) -> Configuration:
    """Read and check one table; `request` has the fields of all requests.

    Raises
    ------
    CampaignError
        It asks for something impossible; with the line.
    """
    keys, place = entry.keys, entry.place
    for key in keys:
        if key not in _RUN_KEYS:
            raise file.error(
                f"{key} belongs to a run with a log",
                f"remove it, or use one of: {', '.join(_RUN_KEYS)}",
                (*place, key),
            )
    spec_type = keys.get("spec_type", "none")
    words = spec_type.split(",")
    drafting = any(word.startswith("draft-") for word in words)

    def refuse(key: str, problem: str, remedy: str) -> CampaignError:
        return file.error(problem, remedy, (*place, key))

    if spec_type == "none":
        for key in ("n_max", "p_min", "draft", "synthetic_rates", "synthetic"):
            if keys.get(key):
                problem = f"{key} is set, but this run has no speculation"
                raise refuse(key, problem, 'add spec_type = "…", or remove it')
    elif keys.get("n_max") == 0:
        raise refuse("n_max", "n_max is 0", 'use 1 or more, or spec_type = "none"')
    if "draft" in keys and not drafting:
        raise refuse("draft", f"{spec_type} uses no draft model", "remove draft")
    if drafting and "draft" not in keys and "draft-mtp" not in words:
        problem = f"{spec_type} needs a draft model"
        raise refuse("spec_type", problem, 'add draft = "FILE.gguf"')
    if "p_min" in keys and keys["p_min"] and not drafting:
        problem = f"{spec_type} knows no p_min"
        raise refuse("p_min", problem, "remove it, or use a draft model")
    rates = _synthetic_rates(keys, drafting, refuse)
    if keys.get("synthetic") and rates is None:
        problem = "synthetic is set without the rates to accept at"
        raise refuse("synthetic", problem, "add synthetic_rates = [0.8, …]")
    check_server_args(file, keys, place)
    check_fields(
        keys.get("request", {}),
        lambda name, problem, remedy: refuse("request", problem, remedy),  # noqa: ARG005
    )
    if "server" in keys and not keys["server"].strip():
        raise refuse("server", "server is empty", "fill it in, or leave it out")
    return Configuration(
        keys["id"],
        keys.get("label"),
        spec_type,
        keys.get("n_max"),
        None if "p_min" not in keys else float(keys["p_min"]),
        keys.get("draft"),
        rates,
        tuple(keys.get("server_args", ())),
        file.lines.get((*place, "draft")),
        entry.logged,
        entry.point.parallel,
        entry.point.context,
        {**(request or {}), **keys.get("request", {})},
        keys.get("server"),
        file.lines.get((*place, "server")),
    )


def _synthetic_rates(
    keys: Mapping[str, Any],
    drafting: bool,
    refuse: Callable[[str, str, str], CampaignError],
) -> tuple[float, ...] | None:
    if "synthetic_rates" not in keys:
        return None
    rates = keys["synthetic_rates"]
    numbers = all(
        isinstance(rate, int | float) and not isinstance(rate, bool) and math.isfinite(rate)
        for rate in rates
    )
    if not rates or not numbers or not all(0 <= rate <= 1 for rate in rates):
        problem = f"synthetic_rates is {rates!r}"
        raise refuse("synthetic_rates", problem, "use one rate from 0 to 1 for each position")
    if list(rates) != sorted(rates, reverse=True):
        problem = "synthetic_rates rises: more drafts can't survive to a later position"
        raise refuse("synthetic_rates", problem, "give survival, which only falls")
    if not drafting:
        problem = "only a draft model's drafts can be accepted by coin"
        raise refuse("synthetic_rates", problem, "remove synthetic_rates")
    if keys.get("n_max") != len(rates):
        problem = f"synthetic_rates has {len(rates)} positions, n_max is {keys.get('n_max')}"
        raise refuse("synthetic_rates", problem, f"use n_max = {len(rates)}")
    return tuple(float(rate) for rate in rates)


def check_server_args(file: SettingsFile, table: Mapping[str, Any], place: tuple[str, ...]) -> None:
    """Refuse arguments that are no texts, or that the runner sets itself."""
    if "server_args" not in table:
        return
    here = (*place, "server_args")
    check_texts(file, table["server_args"], here)
    if (refused := refusal(table["server_args"])) is not None:
        raise file.error(*refused, here)


def check_texts(file: SettingsFile, values: list[Any], place: tuple[str, ...]) -> None:
    """Refuse a list that holds anything but texts."""
    if not all(isinstance(value, str) for value in values):
        problem = f"{place[-1]} is not a list of texts"
        raise file.error(problem, f'write {place[-1]} = ["…", "…"]', place)
