"""What happens with one configuration and repeat, on one server after the other?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from analysis.errors import LiveError
from analysis.runner.at_once import LOST, AtOnce, between_times
from analysis.runner.drift import Drift, drift, witness
from analysis.runner.identity import changes, read_identity
from analysis.runner.interrupts import Interrupts
from analysis.runner.journal import Journal, read_records
from analysis.runner.machine import EnergyMeter, machine_facts
from analysis.runner.measuring import Requests, no_meter
from analysis.runner.plan import Plan, Step, records_of
from analysis.runner.progress import Progress
from analysis.runner.prompts import Prompt
from analysis.runner.redaction import redacted
from analysis.runner.run_record import run_record
from analysis.runner.running import Running
from analysis.runner.settings import STATEFUL
from analysis.runner.starts import ServerChangedError, Starts, refuse_changes
from analysis.runner.surroundings import Sampler, Watch

__all__ = ["Outcome", "Steps"]

Record = dict[str, Any]

ENOUGH = "enough"
"""Why a start ended before all prompts were asked, where whoever asks had learned enough."""

MOST_STARTS = 3
"""Servers started for one configuration and repeat before the configuration is given up."""


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
    drift
        What the repeats of the baseline say of the machine; null where it was not repeated.
    """

    folder: Path
    measured: int = 0
    failed: tuple[str, ...] = ()
    not_started: tuple[LiveError, ...] = ()
    drift: Drift | None = field(default=None, compare=False)

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return not self.failed and not self.not_started


@dataclass
class Steps:
    """The work on one plan, step after step."""

    plan: Plan
    interrupts: Interrupts
    progress: Progress
    meter: EnergyMeter
    outcome: Outcome = field(init=False)

    def __post_init__(self) -> None:
        self.outcome = Outcome(self.plan.folder)
        self._given_up: set[str] = set()
        self._begins = time.monotonic()
        self._enough: Callable[[], bool] = lambda: False
        self._journals: dict[str, Journal] = {}
        self._starts = Starts(self.plan, self.progress)
        self._seen: set[str] = set()
        self._shown = self._begins

    def go_on(self, plan: Plan) -> None:
        """Take a plan of the same servers with other steps: not all are known from the start."""
        self.plan = self._starts.plan = plan

    def step(
        self, step: Step, prompts: Sequence[Prompt], enough: Callable[[], bool] = lambda: False
    ) -> None:
        """Measure the prompts of one configuration and repeat, or as many as are enough."""
        id = step.planned.id
        self._enough = enough
        left = list(prompts)
        for _ in range(MOST_STARTS):
            if not left or id in self._given_up:
                break
            left = self._on_one_server(step, left)
        self._look_for_drift(id)
        if left and id not in self._given_up:
            self._given_up.add(id)
            names = ", ".join(prompt.task for prompt in left)
            problem = f"{id}, repeat {step.repeat}: given up after {MOST_STARTS} servers: {names}"
            self._note(failed=problem)

    def _look_for_drift(self, id: str) -> None:
        if id == witness(self.plan):
            found = drift(id, read_records(records_of(self.plan.folder, id)))
            self.outcome = replace(self.outcome, drift=found)
            if found is not None:
                self.progress.say(str(found))

    def check_records(self) -> None:
        """Be sure in the end that what was measured is still there."""
        for journal in self._journals.values():
            journal.check()

    def _on_one_server(self, step: Step, prompts: list[Prompt]) -> list[Prompt]:
        """Measure until the end or until the server is of no more use; gives what is left."""
        id = step.planned.id
        self.progress.starting(id, step.repeat)
        begins = time.monotonic()
        journal = self._journals.setdefault(id, Journal(records_of(self.plan.folder, id)))
        machine = None if self._starts.is_remote(step) else machine_facts()
        started = _now()
        before = [record for record in read_records(journal.path) if record["record"] == "run"]
        number = 1 + sum(record["repeat"] == step.repeat for record in before)
        self._starts.check_unchanged(step)
        try:
            server = self._starts.start(step, number)
        except LiveError as error:
            self._given_up.add(id)
            problem = f"{id} was not measured: {error.problem}"
            self._note(not_started=LiveError(problem, error.remedy, error.file))
            return []
        end: dict[str, Any] = {"record": "end", "run": id, "repeat": step.repeat}
        end["reason"] = "failed"
        try:
            identity = server.identity
            known = next((record.get("identity") for record in before), identity)
            self._starts.check_identity(step, server, known)
            watch = None if server.process is None else Watch(server.process.pid, self.meter.nvml)
            header = run_record(
                self.plan,
                step,
                server,
                number=number,
                machine=machine,
                started=started,
                at_s=begins - self._begins,
                identity=identity,
                fillers=self._starts.fillers(step),
                surroundings=None if watch is None else watch.now(),
            )
            self._append(journal, header, server)
            self._shown = begins
            requests = self._requests(step, server, watch)
            left = self._measure(step, prompts, requests, journal, end)
            end["surroundings"] = None if watch is None else watch.now()
            if end["reason"] != ENOUGH:
                end["reason"] = "server-died" if left else "done"
            if not left:
                after = read_identity(server.at)
                end["changes"] = changes(identity, after)
                refuse_changes(server, id, identity, after)
        except KeyboardInterrupt:
            end["reason"] = "interrupted"
            raise
        except ServerChangedError:
            end["reason"] = "changed"
            raise
        finally:
            server.stop()
            end["finished"] = _now()
            # When the disk is full this line is missing, and nothing else is.
            with suppress(LiveError):
                if journal.path.exists():
                    self._append(journal, end, server)
        return left

    def _requests(self, step: Step, server: Running, watch: Watch | None) -> Requests:
        settings, configuration = self.plan.settings, step.planned.configuration
        fillers = self._starts.fillers(step)
        return Requests(
            server,
            step.planned.id,
            step.repeat,
            configuration.spec_type != "none",
            settings.max_tokens,
            settings.temperature,
            settings.seed,
            settings.timeout_s,
            settings.keep_text,
            configuration.synthetic_rates is not None,
            no_meter if server.process is None else self.meter.joules,
            self._seen,
            watch,
            configuration.request,
            fillers.before if fillers else None,
        )

    def _measure(
        self, step: Step, prompts: list[Prompt], requests: Requests, journal: Journal, end: Record
    ) -> list[Prompt]:
        """Measure what this server can; gives what is left when it is of no more use."""
        requests.warm_up()
        numbered = [(prompt, self._number(step, prompt)) for prompt in prompts]
        if step.planned.configuration.clients > 1:
            return self._at_once(step, numbered, requests, journal, end)
        for at, (prompt, number) in enumerate(numbered):
            self.progress.asking(step.planned.id, step.repeat, prompt.task)
            record = self._kept(step, requests.measure(prompt, number), journal, requests.server)
            if record["record"] == "error" and record["kind"] in LOST:
                # A server that hangs is still busy with what nobody waits for any more.
                return prompts[at + 1 :]
            if at + 1 < len(numbered) and self._enough():
                end["reason"] = ENOUGH
                return []
        return []

    def _at_once(
        self,
        step: Step,
        prompts: list[tuple[Prompt, int]],
        requests: Requests,
        journal: Journal,
        end: Record,
    ) -> list[Prompt]:
        clients = step.planned.configuration.clients
        stateful = any(word in STATEFUL for word in step.planned.configuration.spec_type.split(","))
        fillers = between_times(self.plan.settings.prompt_set, stateful)
        self.progress.asking(step.planned.id, step.repeat, f"{clients} at once")
        with ExitStack() as stack:
            watch = requests.watch
            sampler = None if watch is None else stack.enter_context(Sampler(watch).running())
            work = AtOnce(requests, clients, sampler)
            for record in work.measure(prompts, fillers):
                self._kept(step, record, journal, requests.server)
        steady = work.steady
        end["thrown_away"] = work.thrown_away
        end["steady"] = None if steady is None else {"s": steady.seconds, "tokens": steady.tokens}
        return work.left

    def _kept(self, step: Step, record: Record, journal: Journal, server: Running) -> Record:
        """Write a request's record, show it, and note what failed."""
        record = self._append(journal, record, server)
        now = time.monotonic()
        self.progress.done(record, now - self._shown)
        self._shown = now
        if record["record"] == "error":
            self._note(
                failed=f"{step.planned.id}, repeat {step.repeat}, {record['task']}: "
                f"{record['kind']}: {record['message']}"
            )
        else:
            self.outcome = replace(self.outcome, measured=self.outcome.measured + 1)
        return record

    def _number(self, step: Step, prompt: Prompt) -> int:
        """Which request of its configuration this is, from 0, in whatever part it is sent."""
        prompts = self.plan.settings.prompt_set.prompts
        return (step.repeat - 1) * len(prompts) + prompts.index(prompt)

    def _append(self, journal: Journal, record: dict[str, Any], server: Running) -> dict[str, Any]:
        """Write a record without secrets and home folders, and give it back as it was written."""
        # A generated text has lost its secrets already, and keeps what looks like a home folder.
        text = {key: record[key] for key in ("text",) if key in record}
        clean = redacted(record, server.secrets) | text
        with self.interrupts.held_back():
            journal.append(clean)
        return clean

    def _note(self, failed: str | None = None, not_started: LiveError | None = None) -> None:
        self.outcome = replace(
            self.outcome,
            failed=self.outcome.failed + ((failed,) if failed else ()),
            not_started=self.outcome.not_started + ((not_started,) if not_started else ()),
        )
        if not_started:
            self.progress.say(str(not_started))


def _now() -> str:
    """The time in UTC, fine enough that the order of server starts follows from it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
