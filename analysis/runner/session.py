"""The sweep: every configuration and repeat on a server of its own, every record kept."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from analysis.campaigns.campaign import LIVE_FOLDER
from analysis.errors import LiveError, MtpbenchError
from analysis.runner.interrupts import Interrupts
from analysis.runner.journal import Journal, locked, read_records
from analysis.runner.machine import energy_meter, machine_facts
from analysis.runner.measuring import Meter, Requests
from analysis.runner.plan import Plan, Step, make_plan, named_in, records_of
from analysis.runner.progress import Progress
from analysis.runner.prompts import Prompt
from analysis.runner.run_record import run_record
from analysis.runner.running import Running
from analysis.runner.servers import engine
from analysis.runner.settings import read_settings

__all__ = ["Outcome", "answered", "plan_of", "problems", "run", "sweep"]

MOST_STARTS = 3
"""Servers started for one configuration and repeat before it is given up."""


@dataclass(frozen=True)
class Outcome:
    """What a sweep came to.

    Attributes
    ----------
    folder
        Where the records are.
    measured
        Requests answered in this call.
    failed
        Requests that were not, each with its run, task and reason.
    not_started
        One error for each configuration whose server did not start.
    """

    folder: Path
    measured: int = 0
    failed: tuple[str, ...] = ()
    not_started: tuple[LiveError, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return not self.failed and not self.not_started


def run(
    campaign: str | Path,
    server: str | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """Measure what a campaign's ``[live]`` asks for.

    Parameters
    ----------
    campaign
        See ``campaign.find``.
    server
        ``embedded``, the path of a llama-server, or an address; overrides
        campaign.toml.
    resume
        Go on with a sweep that was begun: only what is missing is measured.
    progress
        Where it is shown; on standard error by default.

    Returns
    -------
    Outcome
        Records are in ``live/`` of the campaign's folder, whatever happens.

    Raises
    ------
    MtpbenchError
        A mistake in campaign.toml, a model or a server that can't be found, records
        that are there already, another runner at work, a disk that is full.
    KeyboardInterrupt
        Interrupted; every finished request is kept.
    """
    return sweep(plan_of(campaign, server), resume, progress)


def plan_of(campaign: str | Path, server: str | None = None) -> Plan:
    """Read a campaign and find everything that it names; see :func:`run`."""
    settings = read_settings(campaign, server)
    with named_in(settings, settings.server_line):
        program = engine(settings.server)
    return make_plan(settings, program)


def answered(plan: Plan) -> dict[tuple[str, int], set[str]]:
    """The tasks that have an answer already, by run id and repeat."""
    found: dict[tuple[str, int], set[str]] = {}
    for id in dict.fromkeys(step.planned.id for step in plan.steps):
        for record in read_records(records_of(plan.folder, id)):
            if record["record"] == "request":
                found.setdefault((id, record["repeat"]), set()).add(record["task"])
    return found


def sweep(plan: Plan, resume: bool = False, progress: Progress | None = None) -> Outcome:
    """Carry out a plan; see :func:`run`."""
    interrupts = Interrupts()
    with interrupts.handled(), locked(plan.folder), energy_meter() as meter:
        _begin(plan, resume)
        done = answered(plan)
        missing = [
            (step, _missing(plan, done.get((step.planned.id, step.repeat), set())))
            for step in plan.steps
        ]
        missing = [(step, prompts) for step, prompts in missing if prompts]
        shown = progress or Progress(0)
        shown.total = sum(len(prompts) for _, prompts in missing)
        work = _Sweep(plan, interrupts, shown, meter.joules)
        with shown.shown():
            for step, prompts in missing:
                work.step(step, prompts)
        return work.outcome


def _begin(plan: Plan, resume: bool) -> None:
    if resume:
        plan.check_unchanged()
        for id in dict.fromkeys(step.planned.id for step in plan.steps):
            Journal(records_of(plan.folder, id)).repair()
    elif there := sorted(plan.folder.glob("*.jsonl")):
        raise LiveError(
            "there are records of a sweep already",
            f"go on with it with --resume, or move {LIVE_FOLDER}/ away",
            file=there[0],
        )
    plan.save()


def _missing(plan: Plan, done: set[str]) -> list[Prompt]:
    return [prompt for prompt in plan.settings.prompt_set.prompts if prompt.task not in done]


@dataclass
class _Sweep:
    """The work on one plan, step after step."""

    plan: Plan
    interrupts: Interrupts
    progress: Progress
    meter: Meter
    outcome: Outcome = field(init=False)

    def __post_init__(self) -> None:
        self.outcome = Outcome(self.plan.folder)
        self._given_up: set[str] = set()

    def step(self, step: Step, prompts: Sequence[Prompt]) -> None:
        """Measure the prompts of one configuration and repeat."""
        id = step.planned.id
        left = list(prompts)
        for _ in range(MOST_STARTS):
            if not left or id in self._given_up:
                return
            left = self._on_one_server(step, left)
        if left:
            names = ", ".join(prompt.task for prompt in left)
            problem = f"{id}, repeat {step.repeat}: given up after {MOST_STARTS} servers: {names}"
            self._note(failed=problem)

    def _on_one_server(self, step: Step, prompts: list[Prompt]) -> list[Prompt]:
        """Measure until the end or until the server is of no more use; gives what is left."""
        id = step.planned.id
        self.progress.starting(id, step.repeat)
        begins = time.monotonic()
        journal = Journal(records_of(self.plan.folder, id))
        machine = machine_facts()
        started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        number = 1 + sum(
            record["record"] == "run" and record["repeat"] == step.repeat
            for record in read_records(journal.path)
        )
        try:
            server = self._start(step, number)
        except LiveError as error:
            self._given_up.add(id)
            problem = f"{id} was not measured: {error.problem}"
            self._note(not_started=LiveError(problem, error.remedy, error.file))
            return []
        reason = "failed"
        try:
            self._append(
                journal,
                run_record(
                    self.plan, step, server, number=number, machine=machine, started=started
                ),
            )
            left = self._measure(step, prompts, server, journal, begins)
            reason = "server-died" if left else "done"
        except KeyboardInterrupt:
            reason = "interrupted"
            raise
        finally:
            server.stop()
            end = {"record": "end", "run": id, "repeat": step.repeat, "reason": reason}
            finished = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            # When the disk is full this line is missing, and nothing else is.
            with suppress(LiveError), self.interrupts.held_back():
                journal.append({**end, "finished": finished})
        return left

    def _start(self, step: Step, number: int) -> Running:
        settings = self.plan.settings
        name = f"{step.planned.id}-r{step.repeat}-{number}.log"
        log = self.plan.folder / "logs" / name
        server = self.plan.engine.start(step.planned.arguments, log, settings.start_timeout_s)
        refusal = server.facts.refusal
        if refusal is None:
            return server
        server.stop()
        # llama.cpp goes on without: what is measured then is not this configuration.
        problem = f"the server can't use {step.planned.configuration.spec_type}: {refusal}"
        raise LiveError(problem, "use a draft that was made for this target", file=log)

    def _measure(
        self, step: Step, prompts: list[Prompt], server: Running, journal: Journal, begins: float
    ) -> list[Prompt]:
        settings = self.plan.settings
        requests = Requests(
            server,
            step.planned.id,
            step.repeat,
            step.planned.configuration.spec_type != "none",
            settings.max_tokens,
            settings.temperature,
            settings.seed,
            settings.timeout_s,
            settings.keep_text,
            step.planned.configuration.synthetic_rates is not None,
            self.meter,
        )
        requests.warm_up()
        for at, prompt in enumerate(prompts):
            self.progress.asking(step.planned.id, step.repeat, prompt.task)
            record = requests.measure(prompt, self._number(step, prompt))
            self._append(journal, record)
            now = time.monotonic()
            self.progress.done(record, now - begins)
            begins = now
            if record["record"] == "error":
                self._note(
                    failed=f"{step.planned.id}, repeat {step.repeat}, {prompt.task}: "
                    f"{record['kind']}: {record['message']}"
                )
                if record["kind"] in ("server-died", "timeout"):
                    # A server that hangs is still busy with what nobody waits for any more.
                    return prompts[at + 1 :]
            else:
                self.outcome = replace(self.outcome, measured=self.outcome.measured + 1)
        return []

    def _number(self, step: Step, prompt: Prompt) -> int:
        """Which request of its configuration this is, from 0, in whatever part it is sent."""
        prompts = self.plan.settings.prompt_set.prompts
        return (step.repeat - 1) * len(prompts) + prompts.index(prompt)

    def _append(self, journal: Journal, record: dict[str, Any]) -> None:
        with self.interrupts.held_back():
            journal.append(record)

    def _note(self, failed: str | None = None, not_started: LiveError | None = None) -> None:
        self.outcome = replace(
            self.outcome,
            failed=self.outcome.failed + ((failed,) if failed else ()),
            not_started=self.outcome.not_started + ((not_started,) if not_started else ()),
        )
        if not_started:
            self.progress.say(str(not_started))


def problems(outcome: Outcome) -> list[MtpbenchError]:
    """What is missing after a sweep, each as an error with its remedy."""
    failed = [LiveError(text, "try it again with --resume") for text in outcome.failed]
    return [*outcome.not_started, *failed]
