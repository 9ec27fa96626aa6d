"""What exactly is measured, and in which order?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from analysis.campaigns.campaign_file import SETTINGS_FILE
from analysis.campaigns.entry_runs import LIVE_FOLDER
from analysis.errors import LiveError, ModelFileError
from analysis.files.hashes import sha256
from analysis.models.model_files import ModelFile, read_model
from analysis.runner.configurations import Configuration
from analysis.runner.draft_recipes import DemoDraftError
from analysis.runner.flags import SpecSettings, server_arguments
from analysis.runner.models import find_draft, find_model
from analysis.runner.order import imbalance, orders
from analysis.runner.servers import Engine
from analysis.runner.settings import LiveSettings

__all__ = [
    "Plan",
    "Planned",
    "Step",
    "make_plan",
    "named_in",
    "records_of",
]


@dataclass(frozen=True)
class Planned:
    """A configuration with its files found and read.

    Attributes
    ----------
    configuration
        What campaign.toml asks for.
    target_path, draft_path
        The models' files.
    target, draft
        Facts of the models. All four are null where they are not known or there is none.
    """

    configuration: Configuration
    target_path: Path | None = None
    draft_path: Path | None = None
    target: ModelFile | None = None
    draft: ModelFile | None = None

    @property
    def id(self) -> str:
        """The run's id."""
        return self.configuration.id


@dataclass(frozen=True)
class Step:
    """One server start: a configuration and the number of its repeat."""

    planned: Planned
    repeat: int


@dataclass(frozen=True)
class Plan:
    """The whole sweep.

    Attributes
    ----------
    settings
        As checked.
    engine
        Which llama.cpp.
    steps
        In order.
    engines
        Those of runs that name a server of their own, by that name.
    """

    settings: LiveSettings
    engine: Engine
    steps: tuple[Step, ...]
    engines: Mapping[str, Engine] = field(default_factory=dict)

    def engine_of(self, planned: Planned) -> Engine:
        """Which llama.cpp a configuration is measured on."""
        named = planned.configuration.server
        return self.engine if named is None else self.engines[named]

    def asked(self) -> Plan:
        """The same, with what its servers say of themselves, see ``servers.Engine``.

        Raises
        ------
        LiveError
            One is something else, or does not answer; with the line that names it.
        """
        found = {}
        for one in (step.planned.configuration for step in self.steps):
            if one.server is not None and one.server not in found:
                with named_in(self.settings, one.server_line):
                    found[one.server] = self.engines[one.server].asked()
        engine = self.engine
        if any(step.planned.configuration.server is None for step in self.steps):
            with named_in(self.settings, self.settings.server_line):
                engine = engine.asked()
        return replace(self, engine=engine, engines=found)

    @property
    def folder(self) -> Path:
        """Where its records are."""
        return self.settings.folder / LIVE_FOLDER

    @property
    def imbalance(self) -> float:
        """By how many starts the mean places of configurations in the order differ at most."""
        return imbalance([step.planned.id for step in self.steps])

    @property
    def n_requests(self) -> int:
        """Requests to be measured, those that are discarded left out."""
        return len(self.steps) * len(self.settings.prompt_set.prompts)

    def arguments(self, planned: Planned) -> tuple[str, ...]:
        """llama-server's for a configuration, without address and port; none for an address."""
        one, engine = planned.configuration, self.engine_of(planned)
        if planned.target_path is None or engine.kind == "remote":
            return ()
        words = server_arguments(
            SpecSettings(one.spec_type, one.n_max, one.p_min, one.synthetic_rates),
            planned.target_path,
            planned.draft_path,
            (*engine.extra, *self.settings.server_args, *one.server_args),
            engine.plain,
            confidence=one.confidence,
            slots=one.clients,
        )
        return tuple(words)

    def changed_files(self, planned: Planned) -> list[str]:
        """What is another file by now than when the plan was made, by name; of models, what fits.

        Raises
        ------
        MtpbenchError
            A file can't be read any more.
        """
        models = (
            ("target", planned.target_path, planned.target),
            ("draft", planned.draft_path, planned.draft),
        )
        return [
            f"the {name} {path.name}"
            for name, path, facts in models
            if path is not None
            and facts is not None
            and sha256(path) not in [part.sha256 for part in facts.parts]
        ]

    def server_identity(self, planned: Planned) -> dict[str, str]:
        """What says that it is the same llama.cpp."""
        engine = self.engine_of(planned)
        return {"kind": engine.kind, **engine.identity}


def records_of(folder: Path, id: str) -> Path:
    """The file with the records of a run."""
    return folder / f"{id}.jsonl"


def make_plan(
    settings: LiveSettings,
    engine: Engine,
    reads_only: bool = False,
    engines: Mapping[str, Engine] | None = None,
) -> Plan:
    """Find and read every file, and put everything in order.

    Parameters
    ----------
    settings
        From ``settings.read_settings``.
    engine
        From ``servers.engine``.
    reads_only
        Write nothing: files have no digests, and a demo draft that is not there yet
        has a path and no facts.
    engines
        Those of runs that name their own server.

    Raises
    ------
    MtpbenchError
        A model can't be found or read.
    """
    target = None
    if settings.model is not None:
        with named_in(settings, settings.model_line):
            target = find_model(settings.model, settings.folder)
    # A digest is kept in the user's cache.
    hashed = not reads_only
    facts = None if target is None else read_model(target, hashed)
    planned = []
    for configuration in settings.configurations:
        draft = None
        own = engine if configuration.server is None else (engines or {})[configuration.server]
        if configuration.draft is not None and own.kind != "remote" and target is not None:
            with named_in(settings, configuration.line):
                draft = find_draft(configuration.draft, target, settings.folder, not reads_only)
        there = draft is not None and (draft.is_file() or not reads_only)
        draft_facts = read_model(draft, hashed) if draft is not None and there else None
        planned.append(Planned(configuration, target, draft, facts, draft_facts))
    timed = [one for one in planned if not one.configuration.confidence]
    steps = [
        Step(timed[number], repeat)
        for repeat, order in enumerate(orders(len(timed), settings.repeats, settings.seed), 1)
        for number in order
    ]
    # What is not timed comes last and once: it tells nothing of speed, and warms up the machine.
    steps += [Step(one, 1) for one in planned if one.configuration.confidence]
    return Plan(settings, engine, tuple(steps), engines or {})


@contextmanager
def named_in(settings: LiveSettings, line: int | None) -> Iterator[None]:
    """Point at the line that names a model or a server which can't be used; null is none."""
    try:
        yield
    except (ModelFileError, DemoDraftError, LiveError) as error:
        if line is None:
            raise
        problem = f"{Path(error.file).name}: {error.problem}" if error.file else error.problem
        file = settings.folder / SETTINGS_FILE
        raise type(error)(problem, error.remedy, file, line) from error
