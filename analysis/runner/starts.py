"""Is the server that is started for a step what the plan says, and has it what the step needs?"""

from __future__ import annotations

from typing import Any

from analysis.campaigns.entry_runs import LIVE_FOLDER
from analysis.errors import LiveError
from analysis.runner.configurations import Configuration
from analysis.runner.filler import Fillers, make_fillers
from analysis.runner.identity import changes
from analysis.runner.plan import Plan, Step
from analysis.runner.progress import Progress
from analysis.runner.redaction import redacted
from analysis.runner.room import check_room
from analysis.runner.running import Running

__all__ = ["ServerChangedError", "Starts", "refuse_changes"]


class ServerChangedError(LiveError):
    """What is measured is not what it was: whatever came of it would be of two kinds."""


class Starts:
    """Starts the servers of one plan.

    Parameters
    ----------
    plan
        What is measured; another one of the same servers may take its place.
    progress
        Where it is said that a server has settings of its own.
    """

    def __init__(self, plan: Plan, progress: Progress) -> None:
        self.plan = plan
        self._progress = progress
        self._engines = {
            step.planned.configuration.server: plan.server_identity(step.planned)
            for step in plan.steps
        }
        self._identities: dict[str, Any] = {}
        self._fillers: dict[int, Fillers] = {}

    def is_remote(self, step: Step) -> bool:
        """Whether a step's server is somebody else's."""
        return self.plan.engine_of(step.planned).kind == "remote"

    def fillers(self, step: Step) -> Fillers | None:
        """What stands before the tasks of a step; null for nothing."""
        return self._fillers.get(step.planned.configuration.context or 0)

    def start(self, step: Step, number: int) -> Running:
        """A ready server, the n-th of its run and repeat.

        Raises
        ------
        LiveError
            It does not start, does something else, or has no room for the step.
        """
        plan, one = self.plan, step.planned.configuration
        log = plan.folder / "logs" / f"{step.planned.id}-r{step.repeat}-{number}.log"
        server = plan.engine_of(step.planned).start(
            plan.arguments(step.planned), log, plan.settings.start_timeout_s
        )
        for path in server.facts.config_files:
            self._progress.say(
                f"{step.planned.id}: llama.cpp applied the settings of {redacted(path)}"
            )
        try:
            _check_method(one.spec_type, server)
            self._make_room(one, server)
        except BaseException:
            server.stop()
            raise
        return server

    def _make_room(self, one: Configuration, server: Running) -> None:
        prompts = self.plan.settings.prompt_set.prompts
        if one.context and one.context not in self._fillers:
            self._fillers[one.context] = make_fillers(server, prompts, one.context)
        check_room(server, one, prompts, self.plan.settings.max_tokens)

    def check_unchanged(self, step: Step) -> None:
        """Refuse to start what is not what the plan was made for any more.

        Raises
        ------
        ServerChangedError
            The program or a model is another file by now.
        """
        changed = self.plan.changed_files(step.planned)
        server = step.planned.configuration.server
        if self.plan.server_identity(step.planned) != self._engines[server]:
            changed.append("the server's program")
        if changed:
            raise ServerChangedError(
                f"{', '.join(changed)} changed while the campaign was measured",
                f"put it back and use --resume, or move {LIVE_FOLDER}/ away and start anew",
            )

    def check_identity(self, step: Step, server: Running, known: Any) -> None:
        """Refuse a server that says that it is another one than `known`, or than it was.

        Raises
        ------
        ServerChangedError
            It does.
        """
        refuse_changes(server, step.planned.id, known, server.identity)
        if self.is_remote(step):
            # One server for all conditions of a run: between them it may become another one.
            named = step.planned.configuration.server or ""
            first = self._identities.setdefault(named, server.identity)
            refuse_changes(server, step.planned.id, first, server.identity)


def refuse_changes(server: Running, id: str, before: Any, after: Any) -> None:
    """Stop where a server says otherwise of itself than before.

    Raises
    ------
    ServerChangedError
        It does; says what of it.
    """
    if found := changes(before, after):
        name = "the server" if server.process is None else f"the server of {id}"
        raise ServerChangedError(
            f"{name} is another one than before: {'; '.join(found[:3])}",
            f"move {LIVE_FOLDER}/ away and measure all of it on one server",
        )


def _check_method(spec_type: str, server: Running) -> None:
    """Refuse a server that does not do what a configuration says; llama.cpp itself goes on."""
    refusal = server.facts.refusal
    if refusal is not None:
        problem = f"the server can't use {spec_type}: {redacted(refusal)}"
        raise LiveError(problem, "use a draft that was made for this target", file=server.log)
    if spec_type == "none" and (server.identity or {}).get("speculative"):
        problem = "the server drafts, though this run has no speculation"
        remedy = "say its method in spec_type, or start it without"
        raise LiveError(problem, remedy, file=server.log)
