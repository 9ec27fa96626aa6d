"""The sweep: every configuration and repeat on a server of its own, every record kept."""

from __future__ import annotations

from pathlib import Path

from analysis.campaigns.entry_runs import LIVE_FOLDER
from analysis.errors import LiveError, MtpbenchError
from analysis.runner.consent import Consent, agree, check_consent, refuse
from analysis.runner.interrupts import Interrupts
from analysis.runner.journal import Journal, locked, read_records
from analysis.runner.machine import energy_meter
from analysis.runner.plan import Plan, make_plan, named_in, records_of
from analysis.runner.progress import Progress
from analysis.runner.prompts import Prompt
from analysis.runner.same_sweep import check_unchanged, save
from analysis.runner.servers import Engine, engine
from analysis.runner.settings import read_settings
from analysis.runner.steps import Outcome, Steps
from analysis.runner.time_left import TimeLeft

__all__ = ["Outcome", "answered", "measure", "plan_of", "problems", "run"]


def run(
    campaign: str | Path,
    server: str | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    trust: bool = False,
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
    trust
        Run what only the campaign names: its program, its flags, its address.

    Returns
    -------
    Outcome
        Records are in ``live/`` of the campaign's folder, whatever happens.

    Raises
    ------
    MtpbenchError
        A mistake in campaign.toml, a model or a server that can't be found, a program
        that nobody agreed to, records that are there already, another runner at work,
        a disk that is full, a server that is another one by now.
    KeyboardInterrupt
        Interrupted; every finished request is kept.
    """
    return measure(plan_of(campaign, server), resume, progress, agree if trust else refuse)


def plan_of(campaign: str | Path, server: str | None = None, *, reads_only: bool = False) -> Plan:
    """Read a campaign and find everything that it names; nothing is started or asked.

    With `reads_only` nothing is written either: a demo draft is not made.
    """
    settings = read_settings(campaign, server)
    engines: dict[str, Engine] = {}
    program = None
    for one in settings.configurations:
        if one.server is not None:
            with named_in(settings, one.server_line):
                engines[one.server] = engine(one.server, named_by_user=False)
        elif program is None:
            with named_in(settings, settings.server_line):
                program = engine(settings.server, named_by_user=not settings.server_by_campaign)
    program = program or next(iter(engines.values()))
    return make_plan(settings, program, reads_only, engines)


def answered(plan: Plan) -> dict[tuple[str, int], set[str]]:
    """The tasks that have an answer already, by run id and repeat."""
    found: dict[tuple[str, int], set[str]] = {}
    for id in dict.fromkeys(step.planned.id for step in plan.steps):
        for record in read_records(records_of(plan.folder, id)):
            if record["record"] == "request":
                found.setdefault((id, record["repeat"]), set()).add(record["task"])
    return found


def measure(
    plan: Plan,
    resume: bool = False,
    progress: Progress | None = None,
    consent: Consent = refuse,
) -> Outcome:
    """Carry out a plan; see :func:`run`. `consent` is asked for what only the campaign names."""
    interrupts = Interrupts()
    with interrupts.handled():
        check_consent(plan, consent)
        plan = plan.asked()
        with locked(plan.folder), energy_meter() as meter:
            _begin(plan, resume)
            done = answered(plan)
            missing = [
                (step, _missing(plan, done.get((step.planned.id, step.repeat), set())))
                for step in plan.steps
            ]
            missing = [(step, prompts) for step, prompts in missing if prompts]
            shown = progress or Progress(0)
            shown.total = sum(len(prompts) for _, prompts in missing)
            shown.time_left = TimeLeft(
                {(step.planned.id, step.repeat): len(prompts) for step, prompts in missing}
            )
            work = Steps(plan, interrupts, shown, meter)
            with shown.shown():
                for step, prompts in missing:
                    work.step(step, prompts)
                work.check_records()
            return work.outcome


def _begin(plan: Plan, resume: bool) -> None:
    if resume:
        check_unchanged(plan)
        for id in dict.fromkeys(step.planned.id for step in plan.steps):
            Journal(records_of(plan.folder, id)).repair()
    elif there := sorted(plan.folder.glob("*.jsonl")):
        raise LiveError(
            "there are records of a sweep already",
            f"go on with it with --resume, or move {LIVE_FOLDER}/ away",
            file=there[0],
        )
    save(plan)


def _missing(plan: Plan, done: set[str]) -> list[Prompt]:
    return [prompt for prompt in plan.settings.prompt_set.prompts if prompt.task not in done]


def problems(outcome: Outcome) -> list[MtpbenchError]:
    """What is missing after a sweep, each as an error with its remedy."""
    failed = [LiveError(text, "try it again with --resume") for text in outcome.failed]
    return [*outcome.not_started, *failed]
