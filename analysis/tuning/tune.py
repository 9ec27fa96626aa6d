"""Tuning a machine: measure what decides, one server start after the other."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from analysis.campaigns.campaign import LIVE_FOLDER, Campaign, load
from analysis.campaigns.campaign_file import SETTINGS_FILE
from analysis.errors import LiveError, one_of
from analysis.models.model_files import read_model
from analysis.records import LOGGED
from analysis.runner.embedded_flags import UnknownFlagError, read_flags
from analysis.runner.flags import refusal
from analysis.runner.interrupts import Interrupts
from analysis.runner.journal import Journal, locked
from analysis.runner.machine import energy_meter
from analysis.runner.models import PACKAGE, find_draft, find_model
from analysis.runner.plan import Plan, Step, make_plan, records_of
from analysis.runner.prompts import Prompt, ours
from analysis.runner.servers import Engine, engine
from analysis.runner.settings import EMBEDDED, is_address, read_settings
from analysis.runner.steps import Outcome, Steps
from analysis.tuning.chooser import SPENT, Ask, Choice, Chooser
from analysis.tuning.decisions import Decisions
from analysis.tuning.folder import Wanted, slug, write_campaign
from analysis.tuning.measured import Measured, is_deepest, measured
from analysis.tuning.methods import (
    OFF_ID,
    Method,
    Setting,
    drafters,
    settings_frame,
    settings_of,
    supported,
)
from analysis.tuning.progress import TuningProgress

__all__ = ["Tuned", "tune"]

CHAT = ("creative", "explanation", "reasoning")
PER_WORKLOAD = 2
"""Built-in prompts of each kind of text, where none is asked for in particular."""

NO_TIME = "the time is up"
INTERRUPTED = "interrupted"


@dataclass(frozen=True, eq=False)
class Tuned:
    """What tuning came to.

    Attributes
    ----------
    folder
        A campaign folder.
    choice
        The last one: what is advised, and how sure that is.
    ended
        Why no more was measured.
    settings
        Everything that was thought of, by id.
    tried
        Ids of what was measured, in order.
    skipped
        What could not be tried, and why.
    tasks, workloads
        What was asked, and of which kinds of text it is.
    requests, starts, seconds
        What it took, this time.
    model, drafts
        The files, by the name that the user gave them.
    draft_is_missing
        Whether there was neither a draft nor a model with MTP layers.
    architecture
        As the model's file states it.
    engine
        What ran llama.cpp.
    max_tokens
        Of each answer.
    """

    folder: Path
    choice: Choice
    ended: str
    settings: Mapping[str, Setting]
    tried: tuple[str, ...]
    skipped: tuple[str, ...]
    tasks: tuple[str, ...]
    workloads: tuple[str, ...]
    requests: int
    starts: int
    seconds: float
    model: tuple[str, Path]
    drafts: Mapping[str, Path]
    draft_is_missing: bool
    architecture: str | None
    engine: str
    max_tokens: int

    @property
    def interrupted(self) -> bool:
        """Whether somebody ended it."""
        return self.ended == INTERRUPTED

    @property
    def advised(self) -> Setting | None:
        """The setting to use; null where too little was measured to say."""
        return None if self.choice.advised is None else self.settings[self.choice.advised]


def tune(
    model: str,
    drafts: Sequence[str] = (),
    server: str = EMBEDDED,
    *,
    workloads: Sequence[str] = (),
    minutes: float | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    explain: bool = False,
    max_tokens: int = 192,
    server_args: Sequence[str] = (),
    chooser: Chooser | None = None,
    progress: TuningProgress | None = None,
) -> Tuned:
    """Find the fastest setting of llama.cpp for a model on this machine.

    Parameters
    ----------
    model
        A GGUF file, or ``package:NAME``, see ``models.find_model``.
    drafts
        Files of draft models for it, or ``demo:…``.
    server
        ``embedded``, or the path of a llama-server.
    workloads
        Kinds of text, of those of the built-in prompts; ``chat`` is all that is no
        code. None is some of each.
    minutes
        After which no more is begun.
    out
        The campaign folder; ``raw/tune-MODEL`` by default.
    resume
        Go on with what is in that folder.
    explain
        Write the decisions into it, as ``decisions.json``.
    max_tokens
        Of each answer.
    server_args
        llama-server's flags for all servers.
    chooser
        Its settings.
    progress
        Where progress is shown; on standard error by default.

    Returns
    -------
    Tuned
        An interrupt ends the measuring, and what is known so far is in it.

    Raises
    ------
    MtpbenchError
        A file or a server that can't be used, a folder that is taken, a model that
        does not load.
    """
    begins = time.monotonic()
    if is_address(server):
        raise LiveError(
            "a server that runs already has one setting, and tuning starts one for each",
            "give the path of a llama-server with --server, or leave it out",
        )
    _check_arguments(server, server_args)
    named = _Files.find(model, drafts)
    program = engine(server).asked()
    methods, skipped = drafters(
        named.model, named.drafts, supported(getattr(program, "flags", None))
    )
    prompts = _prompts(workloads)
    folder = Path(out) if out is not None else Path("raw") / f"tune-{slug(model)}"
    folder = folder.expanduser().resolve()
    wanted = Wanted(
        f"{named.title}: tuned",
        _from(folder, model, named.model),
        tuple(prompt.task for prompt in prompts),
        max_tokens,
        tuple(server_args),
    )
    kept = [replace(one, draft=_from(folder, one.draft, named.drafts[one.draft]))
            if one.draft is not None else one for one in methods]  # fmt: skip
    work = _Tuning(
        folder, wanted, program, server, kept, list(skipped), prompts, chooser or Chooser(),
        progress or TuningProgress(), explain, None if minutes is None else begins + 60 * minutes,
    )  # fmt: skip
    ended = work.run(resume)
    return Tuned(
        folder,
        work.choice,
        ended,
        {one.id: one for one in work.settings_ever},
        tuple(one.id for one in work.tried),
        tuple(work.skipped),
        wanted.tasks,
        tuple(dict.fromkeys(prompt.workload for prompt in prompts)),
        work.requests,
        work.starts,
        time.monotonic() - begins,
        (model, named.model),
        {_from(folder, name, path): path for name, path in named.drafts.items()},
        not any("draft-" in method.spec_type for method in methods),
        read_model(named.model).architecture,
        program.name,
        max_tokens,
    )


def _check_arguments(server: str, words: Sequence[str]) -> None:
    """Refuse flags that the runner sets itself, or that the embedded server does not have."""
    if (refused := refusal(words)) is not None:
        raise LiveError(*refused)
    if server == EMBEDDED:
        try:
            read_flags(words)
        except UnknownFlagError as error:
            raise LiveError(str(error), "remove it, or use a llama-server executable") from error


@dataclass(frozen=True)
class _Files:
    """The model's and the drafts' files, by the names that the user gave."""

    model: Path
    drafts: Mapping[str, Path]
    title: str

    @classmethod
    def find(cls, model: str, drafts: Sequence[str]) -> _Files:
        here = Path.cwd()
        target = find_model(model, here)
        found = {name: find_draft(name, target, here) for name in drafts}
        facts = read_model(target)
        return cls(target, found, facts.name or target.stem)


def _prompts(workloads: Sequence[str]) -> list[Prompt]:
    """Some built-in prompts of each kind of text that is asked for."""
    known = ours().prompts
    kinds = list(dict.fromkeys(prompt.workload for prompt in known))
    wanted: list[str] = []
    for name in workloads:
        if name not in (*kinds, "chat"):
            raise LiveError(*one_of("the kind of text", name, [*kinds, "chat"]))
        wanted += CHAT if name == "chat" else [name]
    # The shortest list that has two of each; of one kind alone, all of it.
    chosen = list(dict.fromkeys(wanted)) or kinds
    most = PER_WORKLOAD if len(chosen) > 1 else len(known)
    return [
        prompt
        for kind in chosen
        for prompt in [one for one in known if one.workload == kind][:most]
    ]


def _from(folder: Path, named: str, path: Path) -> str:
    """A model as the campaign in a folder names it: no home folder stands in it."""
    if named.startswith((PACKAGE, "demo:")):
        return named
    whole = path.resolve()
    if whole.is_relative_to(Path.cwd()) and folder.is_relative_to(Path.cwd()):
        return os.path.relpath(whole, folder)
    home = Path.home()
    return f"~/{whole.relative_to(home)}" if whole.is_relative_to(home) else str(whole)


@dataclass
class _Tuning:
    """The work on one folder."""

    folder: Path
    wanted: Wanted
    program: Engine
    server: str
    methods: list[Method]
    skipped: list[str]
    prompts: list[Prompt]
    chooser: Chooser
    progress: TuningProgress
    explain: bool
    ends_at: float | None
    settings: list[Setting] = field(default_factory=list)
    settings_ever: list[Setting] = field(default_factory=list)
    tried: list[Setting] = field(default_factory=list)
    choice: Choice = field(default_factory=lambda: Choice(None, SPENT))
    requests: int = 0
    starts: int = 0
    confidence: bool = False
    steps: list[Step] = field(default_factory=list)
    took_s: list[float] = field(default_factory=list)

    def run(self, resume: bool) -> str:
        """Measure until it is enough; gives why it ended."""
        self.settings = settings_of(self.methods)
        self.settings_ever = list(self.settings)
        self._refuse(resume)
        interrupts = Interrupts()
        try:
            with (
                interrupts.handled(),
                locked(self.folder / LIVE_FOLDER),
                energy_meter() as meter,
            ):
                work = Steps(self._begin(resume), interrupts, self.progress, meter)
                with self.progress.shown():
                    while True:
                        self._choose()
                        ask = self.choice.ask
                        if ask is None:
                            return self.choice.why
                        if self._is_late():
                            return NO_TIME
                        self._measure(ask, work)
        except KeyboardInterrupt:
            self._choose()
            return INTERRUPTED

    def _refuse(self, resume: bool) -> None:
        there = (self.folder / SETTINGS_FILE).exists()
        if there and not resume:
            raise LiveError(
                "there is a campaign in this place already",
                "go on with it with --resume, or choose another place with --out",
                file=self.folder,
            )
        if resume and not there:
            raise LiveError(
                "there is nothing to go on with", "leave --resume out", file=self.folder
            )

    def _begin(self, resume: bool) -> Plan:
        """Write the campaign as far as it goes; nothing is lost of one that was begun."""
        live = self.folder / LIVE_FOLDER
        if resume:
            self._plan().check_unchanged()
            self.tried = [one for one in self.settings if records_of(live, one.id).exists()]
            self.confidence = any(live.glob(f"*{LOGGED}.jsonl"))
            for path in sorted(live.glob("*.jsonl")):
                Journal(path).repair()
        if not any(one.id == OFF_ID for one in self.tried):
            self.tried.insert(0, self.settings[0])
        return self._save()

    def _save(self) -> Plan:
        """Write campaign.toml and its plan as they are by now."""
        write_campaign(self.folder, self.wanted, self.tried, confidence=self.confidence)
        plan = self._plan()
        plan.save()
        return plan

    def _plan(self) -> Plan:
        return make_plan(read_settings(self.folder, self.server), self.program)

    def _loaded(self) -> Campaign | None:
        live = self.folder / LIVE_FOLDER
        return load(self.folder) if any(live.glob("*.jsonl")) else None

    def _choose(self) -> None:
        """Learn from what there is, and decide what comes next."""
        seen = measured(self._loaded(), self.settings)
        self._clamp(seen)
        self.choice = self.chooser(
            settings_frame(self.settings),
            seen.requests,
            seen.foreseen,
            self.wanted.tasks,
            seen.logs,
        )
        self.progress.learned(self.choice, self._left_s())
        if self.explain:
            Decisions.add(self.folder, self.choice)

    def _clamp(self, seen: Measured) -> None:
        """Leave out depths that the server lowers: they are the one in effect once more."""
        for one in list(self.settings):
            effective = seen.depths.get(one.id)
            if one.method is None or effective is None or effective >= one.n_max:
                continue
            self._leave_out(
                [other for other in self.settings
                 if other.method is one.method and other.n_max > effective],
                f"{one.id}: the server lowers its depth to {effective}",
            )  # fmt: skip

    def _leave_out(self, gone: Sequence[Setting], why: str) -> None:
        ids = {one.id for one in gone}
        self.settings = [one for one in self.settings if one.id not in ids]
        self.skipped.append(why)
        self.progress.say(why)

    def _measure(self, ask: Ask, work: Steps) -> None:
        """One server start: all tasks of a setting that have no answer yet."""
        one = next(one for one in self.settings if one.id == ask.setting)
        if one not in self.tried:
            self.tried.append(one)
        self.confidence = self.confidence or ask.logged
        plan = self._save()
        id = f"{one.id}{LOGGED}" if ask.logged else one.id
        planned = next(step.planned for step in plan.steps if step.planned.id == id)
        step = Step(planned, 1 if ask.logged else ask.start)
        self.steps.append(step)
        work.plan = replace(plan, steps=(*self.steps, *plan.steps))
        done = self._done(one, ask)
        left = [prompt for prompt in self.prompts if prompt.task not in done]
        begins, before = time.monotonic(), work.outcome
        work.step(step, left)
        self.starts += 1
        self.took_s.append(time.monotonic() - begins)
        new = work.outcome.measured - before.measured
        self.requests += new
        if new < len(left):
            self._failed(one, ask, work.outcome, before)

    def _done(self, one: Setting, ask: Ask) -> set[str]:
        seen = measured(self._loaded(), self.settings)
        if ask.logged:
            return set(seen.logs.loc[seen.logs["setting"] == one.id, "task"])
        rows = seen.requests[seen.requests["start"] == f"{one.id}/{ask.start}"]
        return set(rows["task"])

    def _failed(self, one: Setting, ask: Ask, now: Outcome, before: Outcome) -> None:
        """Leave a setting out that can't be measured; with its method, if it was its first."""
        told = [error.problem for error in now.not_started[len(before.not_started) :]]
        told += list(now.failed[len(before.failed) :])
        why = told[0] if told else f"{one.id} could not be measured"
        if one.method is None:
            errors = now.not_started[len(before.not_started) :]
            raise errors[0] if errors else LiveError(why, "see the server's log, then --resume")
        if ask.logged:
            gone = [other for other in self.settings if other.method is one.method and other.p_min]
            why = f"{one.method.name}: no thresholds, as its confidences were not logged: {why}"
        elif is_deepest(one, self.settings):
            gone = [other for other in self.settings if other.method is one.method]
        else:
            gone = [one]
        ids = {other.id for other in gone}
        self.tried = [other for other in self.tried if other.id not in ids]
        self._save()
        self._leave_out(gone, why)

    def _left_s(self) -> float | None:
        return None if self.ends_at is None else max(self.ends_at - time.monotonic(), 0.0)

    def _is_late(self) -> bool:
        """Whether the next start would end too late, as far as those before it tell."""
        left = self._left_s()
        if left is None or self.choice.drawn is None:
            return left == 0.0
        usual = sum(self.took_s) / max(len(self.took_s), 1)
        return left < usual
