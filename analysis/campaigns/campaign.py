"""A campaign as it is loaded: which files and which settings make it up?

`load` is the only way from a folder to a :class:`Campaign`; it reads the
settings, checks them, and has ``parsers`` read the logs that they name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.campaigns.campaign_file import SETTINGS_FILE, SettingsFile
from analysis.campaigns.entry_runs import recorded_conditions, run_of
from analysis.campaigns.run_entries import RunEntry, run_entries
from analysis.errors import CampaignError, one_of
from analysis.hub.terms import problems
from analysis.parsers.text.published import readable
from analysis.privacy import public, public_model, public_values
from analysis.records import Run

if TYPE_CHECKING:
    # For annotations only: few campaigns come with model files.
    from analysis.models.model_files import ModelFile

__all__ = ["PROJECT_ROOT", "SETTINGS_FILE", "Campaign", "find", "load"]


def _clone() -> Path | None:
    """The clone that this package lies in; null where it is installed without one."""
    root = Path(__file__).resolve().parents[2]
    own = root / "pyproject.toml", root / "notebooks" / "model_card.ipynb"
    return root if all(path.is_file() for path in own) else None


PROJECT_ROOT = _clone()


@dataclass(frozen=True)
class Campaign:
    """One comparison: its settings and everything measured for it.

    Attributes
    ----------
    slug
        Name of the folder; also the name of the report.
    folder
        Where the raw data is.
    baseline
        Id of the run without speculation, or null: then there are no speedups.
    conditions
        What is known of hardware, build and sampler: what live runs recorded,
        and the author's words, which win.
    card
        Facts and front matter for the card.
    runs
        In the order of the settings; runs that share an id are repeats.
    logged
        Runs with their drafts' confidences, for replays: logging them takes
        time, so that nothing else is told by them.
    files
        What the model files state, when any were given: see ``model_roles``.
    """

    slug: str
    folder: Path
    title: str
    target: str | None = None
    baseline: str | None = None
    conditions: Mapping[str, str] = field(default_factory=dict)
    card: Mapping[str, Any] = field(default_factory=dict)
    workloads: Mapping[str, str] = field(default_factory=dict)
    live: Mapping[str, Any] | None = None
    runs: tuple[Run, ...] = ()
    logged: tuple[Run, ...] = ()
    files: tuple[ModelFile, ...] = ()

    @property
    def run_ids(self) -> tuple[str, ...]:
        """Distinct run ids in order."""
        return tuple(dict.fromkeys(run.id for run in self.runs))


def find(campaign: str | Path) -> Path:
    """The folder of a campaign named by path.

    Parameters
    ----------
    campaign
        A folder or its campaign.toml; a relative one is looked for from the
        working directory, then from the clone that this package lies in, if
        any, so that notebooks and papermill find it wherever they run.

    Returns
    -------
    pathlib.Path
        The folder, resolved.

    Raises
    ------
    CampaignError
        There is no such folder, or no campaign.toml in it.
    """
    given = Path(campaign).expanduser()
    places = [Path.cwd() / given]
    if PROJECT_ROOT and not given.is_absolute():
        places.append(PROJECT_ROOT / given)
    for place in places:
        folder = place.parent if place.name == SETTINGS_FILE else place
        if (folder / SETTINGS_FILE).is_file():
            return folder.resolve()
    problem = f"there is no {SETTINGS_FILE} in this folder"
    if not any(place.exists() for place in places):
        problem = "there is no such campaign"
    raise CampaignError(problem, "give a folder like raw/qwen3.6-35b-a3b-dspark", file=given)


def load(campaign: str | Path) -> Campaign:
    """Read a campaign: its settings and every log they name.

    Parameters
    ----------
    campaign
        See :func:`find`.

    Returns
    -------
    Campaign
        With sources named relative to its folder.

    Raises
    ------
    CampaignError
        campaign.toml can't be read or says something impossible.
    LogError
        A log can't be read.
    """
    folder = find(campaign)
    settings = SettingsFile.read(folder / SETTINGS_FILE)
    entries = run_entries(settings)
    head = settings.table("campaign")
    found = [(entry, run_of(entry, settings, folder)) for entry in entries]
    runs = tuple(run for entry, run in found if run is not None and not entry.logged)
    loaded = Campaign(
        slug=folder.name,
        folder=folder,
        title=readable(public(str(head.get("title", "")))) or folder.name,
        target=public_model(head["target"]) if "target" in head else None,
        baseline=_baseline(head.get("baseline"), entries),
        conditions={
            **recorded_conditions(runs),
            **public_values(
                {key: str(value) for key, value in settings.table("conditions").items()}
            ),
        },
        card=public_values(settings.table("card")),
        workloads={
            public(key): public(str(value)) for key, value in settings.table("workloads").items()
        },
        live=settings.table("live") or None,
        runs=runs,
        logged=tuple(run for entry, run in found if run is not None and entry.logged),
    )
    _check_baseline(loaded, settings, [entry.keys["id"] for entry in entries])
    _check_workloads(loaded, settings)
    _check_pairs(loaded, settings)
    for key, problem, remedy in problems(loaded.card):
        raise settings.error(problem, remedy, ("card", key))
    return loaded


def _baseline(named: str | None, entries: Sequence[RunEntry]) -> str | None:
    """The baseline's id; of a table that stands for several runs, that of the first."""
    if any(entry.keys["id"] == named for entry in entries):
        return named
    return next((entry.keys["id"] for entry in entries if entry.table == named), named)


def _check_baseline(campaign: Campaign, settings: SettingsFile, ids: Sequence[str]) -> None:
    plain = [run for run in campaign.runs if run.spec_type == "none" and not run.synthetic]
    if len({run.id for run in plain}) > 1 and campaign.baseline is None:
        names = ", ".join(dict.fromkeys(run.id for run in plain))
        raise settings.error(
            f"there are two baselines ({names})",
            'say which one counts with baseline = "ID" under [campaign]',
            ("campaign",),
        )
    if campaign.baseline is None:
        return
    place = ("campaign", "baseline")
    if campaign.baseline not in ids:
        raise settings.error(*one_of("baseline", campaign.baseline, ids), place)
    chosen = [run for run in campaign.runs if run.id == campaign.baseline]
    if any(run.spec_type not in (None, "none") for run in chosen):
        raise settings.error(
            f"baseline {campaign.baseline!r} is a run with speculation ({chosen[0].spec_type})",
            'name a run with spec_type = "none", or leave baseline out',
            place,
        )


def _check_workloads(campaign: Campaign, settings: SettingsFile) -> None:
    known = {result.task for run in campaign.runs for result in run.tasks}
    if not known:
        return
    for task in campaign.workloads:
        if task not in known:
            raise settings.error(
                f"no log has a task {task!r}",
                f"use one of: {', '.join(sorted(known))}",
                ("workloads", task),
            )


def _check_pairs(campaign: Campaign, settings: SettingsFile) -> None:
    pairs = campaign.card.get("pairs", [])
    place = ("card", "pairs")
    shaped = isinstance(pairs, list) and all(
        isinstance(pair, list) and len(pair) == 2 and pair[0] != pair[1] for pair in pairs
    )
    if not shaped:
        problem = "pairs is not a list of pairs of two runs"
        raise settings.error(problem, 'write e.g. pairs = [["ID", "ID"]]', place)
    for run in (run for pair in pairs for run in pair):
        if run not in campaign.run_ids:
            raise settings.error(*one_of("a run of pairs", run, campaign.run_ids), place)
