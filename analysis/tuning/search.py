"""The work on one folder: start what the chooser asks for, and learn from what it gives."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from analysis.campaigns.campaign import load
from analysis.campaigns.campaign_file import SETTINGS_FILE
from analysis.campaigns.entry_runs import LIVE_FOLDER
from analysis.errors import LiveError, MtpbenchError
from analysis.files.storage import write_text
from analysis.records import LOGGED
from analysis.runner.interrupts import Interrupts
from analysis.runner.journal import Journal, locked
from analysis.runner.machine import energy_meter
from analysis.runner.plan import Plan, Step, make_plan, records_of
from analysis.runner.prompts import Prompt
from analysis.runner.same_sweep import check_unchanged, save
from analysis.runner.servers import Engine
from analysis.runner.settings import read_settings
from analysis.runner.steps import Outcome, Steps
from analysis.tuning.choice import Ask, Choice
from analysis.tuning.chooser import SPENT, Chooser
from analysis.tuning.decisions import Decisions
from analysis.tuning.folder import Wanted, write_campaign
from analysis.tuning.measured import Measured, is_deepest, measured
from analysis.tuning.methods import OFF_ID, Method, Setting, settings_frame, settings_of
from analysis.tuning.progress import TuningProgress

__all__ = ["INTERRUPTED", "NO_TIME", "Search"]

NO_TIME = "the time is up"
INTERRUPTED = "interrupted"


@dataclass
class Search:
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
            before = self.choice
            self._choose()
            if self.choice.advised is None:
                # In the middle of a start nothing new is believed, and what was still holds.
                self.choice = before
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
            self.tried = [
                one for one in self.settings if records_of(live, self.wanted.run_id(one)).exists()
            ]
            self.confidence = any(live.glob(f"*{LOGGED}.jsonl"))
        if not any(one.id == OFF_ID for one in self.tried):
            self.tried.insert(0, self.settings[0])
        if resume:
            self._check_unchanged()
            for path in sorted(live.glob("*.jsonl")):
                Journal(path).repair()
        return self._save()

    def _check_unchanged(self) -> None:
        """Refuse to go on with what is another campaign; it stays as it is."""
        file = self.folder / SETTINGS_FILE
        before = file.read_text(encoding="utf-8")
        self._write()
        try:
            check_unchanged(self._plan())
        except MtpbenchError:
            write_text(file, before)
            raise

    def _write(self) -> None:
        write_campaign(self.folder, self.wanted, self.tried, confidence=self.confidence)

    def _save(self) -> Plan:
        """Write campaign.toml and its plan as they are by now."""
        self._write()
        plan = self._plan()
        save(plan)
        return plan

    def _plan(self) -> Plan:
        return make_plan(read_settings(self.folder, self.server), self.program)

    def _measured(self) -> Measured:
        there = any((self.folder / LIVE_FOLDER).glob("*.jsonl"))
        ids = {self.wanted.run_id(one): one.id for one in self.settings_ever}
        return measured(load(self.folder) if there else None, self.settings, ids)

    def _choose(self) -> None:
        """Learn from what there is, and decide what comes next."""
        seen = self._measured()
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
        id = f"{one.id}{LOGGED}" if ask.logged else self.wanted.run_id(one)
        planned = next(step.planned for step in plan.steps if step.planned.id == id)
        step = Step(planned, 1 if ask.logged else ask.start)
        self.steps.append(step)
        work.go_on(replace(plan, steps=(*self.steps, *plan.steps)))
        done = self._done(one, ask)
        left = [prompt for prompt in self.prompts if prompt.task not in done]
        begins, before = time.monotonic(), work.outcome
        first = ask.start == 1 and not ask.logged
        work.step(step, left, lambda: first and self._is_hopeless())
        self.starts += 1
        self.took_s.append(time.monotonic() - begins)
        new = work.outcome.measured - before.measured
        self.requests += new
        if new == len(left):
            return
        if work.outcome == replace(before, measured=work.outcome.measured):
            self.progress.say(f"{one.id}: far too slow to win at any depth; its start is left")
        else:
            self._failed(one, ask, work.outcome, before)

    def _is_hopeless(self) -> bool:
        seen = self._measured()
        return self.chooser.hopeless(settings_frame(self.settings), seen.requests, seen.foreseen)

    def _done(self, one: Setting, ask: Ask) -> set[str]:
        seen = self._measured()
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
