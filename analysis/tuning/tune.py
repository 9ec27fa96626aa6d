"""Tuning a machine: measure what decides, one server start after the other."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from analysis.campaigns.axes import Point
from analysis.errors import LiveError
from analysis.models.model_files import read_model
from analysis.runner.embedded_flags import UnknownFlagError, read_flags
from analysis.runner.flags import refusal
from analysis.runner.models import PACKAGE, find_draft, find_model
from analysis.runner.servers import engine
from analysis.runner.settings import EMBEDDED, is_address
from analysis.tuning.choice import Choice
from analysis.tuning.chooser import Chooser
from analysis.tuning.folder import Wanted, slug
from analysis.tuning.methods import (
    Setting,
    drafters,
    supported,
)
from analysis.tuning.progress import TuningProgress
from analysis.tuning.prompts import prompts_for
from analysis.tuning.search import INTERRUPTED, Search

__all__ = ["Tuned", "tune"]


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
    point
        Requests at once, and tokens before the task.
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
    point: Point = field(default_factory=Point)

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
    parallel: int | None = None,
    context: int | None = None,
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
    parallel
        Requests at once; one where null.
    context
        Tokens of other text before each task; none where null.
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
    prompts = prompts_for(workloads)
    folder = Path(out) if out is not None else Path("raw") / f"tune-{slug(model)}"
    folder = folder.expanduser().resolve()
    wanted = Wanted(
        f"{named.title}: tuned",
        _from(folder, model, named.model),
        tuple(prompt.task for prompt in prompts),
        max_tokens,
        tuple(server_args),
        Point(parallel, context),
    )
    kept = [replace(one, draft=_from(folder, one.draft, named.drafts[one.draft]))
            if one.draft is not None else one for one in methods]  # fmt: skip
    work = Search(
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
        wanted.point,
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


def _from(folder: Path, named: str, path: Path) -> str:
    """A model as the campaign in a folder names it: no home folder stands in it."""
    if named.startswith((PACKAGE, "demo:")):
        return named
    whole = path.resolve()
    if whole.is_relative_to(Path.cwd()) and folder.is_relative_to(Path.cwd()):
        return os.path.relpath(whole, folder)
    home = Path.home()
    return f"~/{whole.relative_to(home)}" if whole.is_relative_to(home) else str(whole)
