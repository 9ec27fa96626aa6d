"""What do the lines of one server, from its start to its end, add up to?"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from analysis.parsers.llama_server.request import Request, convention
from analysis.parsers.llama_server.setup import (
    Implementation,
    Parameters,
    ServerSetting,
    SetupMark,
    Started,
)
from analysis.parsers.llama_server.totals import Statistics
from analysis.parsers.text.command import ADAPTIVE, settings
from analysis.parsers.text.grammar import real
from analysis.privacy import public
from analysis.records import Finding, Level, Run, Source, TaskResult

__all__ = ["ServerRun"]

Told = Callable[["ServerRun", TaskResult], None]


@dataclass
class ServerRun:
    """One start of a server and the requests that it answered.

    Parameters
    ----------
    file, format
        How the log and its format are called.
    told
        Called with every request as soon as it is known to be one.
    """

    file: str
    format: str
    told: Told | None = None
    first_line: int | None = None
    last_line: int | None = None
    first_s: float | None = None
    clock_s: float | None = None
    label: str | None = None
    command: str | None = None
    began: bool = False
    active: bool = False
    launches: bool = False
    failure: tuple[int, str] | None = None
    tasks: list[TaskResult] = field(default_factory=list)
    _marks: set[str] = field(default_factory=set)
    _build: str | None = None
    _target: str | None = None
    _settings: dict[str, str] = field(default_factory=dict)
    _temperatures: set[str] = field(default_factory=set)
    _implementations: list[tuple[str, Parameters]] = field(default_factory=list)
    _clamped: list[tuple[int, str]] = field(default_factory=list)
    _conventions: set[str] = field(default_factory=set)
    _statistics: dict[str, Statistics] = field(default_factory=dict)
    _chains: set[tuple[str, ...]] = field(default_factory=set)
    _untimed: list[Request] = field(default_factory=list)
    _unfinished: list[tuple[int | None, int | None]] = field(default_factory=list)
    _ignored: list[int] = field(default_factory=list)
    _known: set[Hashable] = field(default_factory=set)
    _twice: list[int] = field(default_factory=list)
    _timed: bool = False
    _adaptive: bool = False
    _lines: dict[str, int] = field(default_factory=dict)
    _busy: set[int] = field(default_factory=set)
    _most_busy: int = 0
    _released: bool = False

    def saw(self, line: int) -> None:
        """Note that a line belongs to this run."""
        self.first_line = line if self.first_line is None else self.first_line
        self.last_line = line

    def time(self, at_s: float | None, *, own: bool = True) -> None:
        """Note a time; by the server's `own` clock it tells whether that began anew."""
        if at_s is None:
            return
        self.first_s = at_s if self.first_s is None else self.first_s
        if own:
            self.clock_s = at_s if self.clock_s is None else max(self.clock_s, at_s)

    def starts_anew(self, mark: Started) -> bool:
        """Whether a server that says `mark` is another one than this."""
        return self.active or mark.kind in self._marks

    def set_up(self, mark: SetupMark, line: int) -> None:
        """Take what the server says about itself."""
        if isinstance(mark, Started):
            self.began = True
            self._marks.add(mark.kind)
            self._build = mark.build or self._build
            self._target = mark.target or self._target
        elif isinstance(mark, Implementation):
            self._implementations.append((mark.name, Parameters()))
            self._adaptive = self._adaptive or mark.adaptive
        elif isinstance(mark, Parameters):
            self._parameters(mark, line)
        elif isinstance(mark, ServerSetting) and mark.name == "temperature":
            self._temperatures.add(mark.value)
        elif isinstance(mark, ServerSetting):
            self._settings.setdefault(mark.name, mark.value)
            self._lines.setdefault(mark.name, line)
        elif self.failure is None or mark.is_cause:
            # What fails while memory is only measured is followed by what fails for good.
            self.failure = (line, public(mark.message))

    def _parameters(self, given: Parameters, line: int) -> None:
        if not self._implementations:
            self._implementations.append(("", Parameters()))
        name, known = self._implementations[-1]
        if given.clamped and known.n_max is not None and given.n_max is not None:
            self._clamped.append((line, f"{name}: n_max {known.n_max} became {given.n_max}"))
        merged = Parameters(
            known.n_max if given.n_max is None else given.n_max,
            known.p_min if given.p_min is None else given.p_min,
            known.block_size if given.block_size is None else given.block_size,
        )
        self._implementations[-1] = (name, merged)

    def busy(self, slot: int) -> None:
        """Note that a slot began a request."""
        self.active = self.launches = True
        self._busy.add(slot)
        self._most_busy = max(self._most_busy, len(self._busy))

    def idle(self, slot: int) -> None:
        """Note that a slot is done with a request."""
        self._released = True
        self._busy.discard(slot)

    def counted(self, statistics: Statistics) -> Statistics | None:
        """Take new totals of an implementation; gives its totals before."""
        name = statistics.totals.implementation
        before = self._statistics.get(name)
        self._statistics[name] = statistics
        return before

    def timed(self) -> None:
        """Note that this log has the times of requests.

        An acceptance line without them is then none, or belongs to a request
        whose first lines were cut off where the log begins.
        """
        if self._timed:
            return
        self._timed = True
        for request in self._untimed:
            if self.began or request.launched:
                self._ignored.append(request.first_line or 0)
            else:
                self._add(request)
        self._untimed.clear()

    def untimed(self, request: Request) -> None:
        """Take an acceptance line that has no times before it."""
        request.launched = self.launches
        if self._timed:
            self._ignored.append(request.first_line or 0)
        else:
            self._untimed.append(request)

    def finished(self, request: Request) -> None:
        """Take a request that has come to its end."""
        if request.decoded is None:
            if request.launched:
                self._unfinished.append((request.slot, request.task))
            return
        self._add(request)

    def _add(self, request: Request) -> None:
        self.active = True
        if request.task is not None and request.began_s is not None:
            clocks = (request.began_s, request.ended_s)
            own = (request.slot, request.task, *clocks, request.decoded, request.accepted)
            if own in self._known:
                self._twice.append(request.first_line or 0)
                return
            self._known.add(own)
        if request.decoded and (found := convention(request.decoded)):
            self._conventions.add(found)
        if request.statistics:
            # Every one that a server uses has its line after each request, whatever it did.
            self._chains.add(tuple([now.totals.implementation for now, _ in request.statistics]))
        name = f"request {len(self.tasks) + 1}"
        drafts = bool(self._implementations or self._statistics)
        task = request.result(name, self.file, self.first_s, drafts)
        self.tasks.append(task)
        if self.told:
            self.told(self, task)

    def record(self) -> Run:
        """The run as it is known by now."""
        # Of a log without any times, the requests with an acceptance line did end.
        ended = {(request.slot, request.task) for request in self._untimed}
        self._unfinished = [one for one in self._unfinished if one not in ended]
        for request in self._untimed:
            self._add(request)
        self._untimed.clear()
        run = self.so_far(tuple(self.tasks))
        return replace(run, findings=self._findings(str(run.source)))

    def so_far(self, tasks: tuple[TaskResult, ...]) -> Run:
        """The run with some of its requests and no findings."""
        source = Source(self.file, self.first_line, self.last_line)
        found = settings(self.command or "")
        named = [name for name, _ in self._implementations if name]
        spec_type = ",".join(named) or self._settings.get("spec_type")
        depths = [parameters.n_max for _, parameters in self._implementations]
        known = [depth for depth in depths if depth is not None]
        p_mins = {parameters.p_min for _, parameters in self._implementations} - {None}
        return Run(
            source,
            self.format,
            tasks,
            label=self.label,
            command=self.command,
            spec_type=spec_type or found.spec_type or self._by_statistics(),
            # Of a chain, the deepest: no round can draft more.
            n_max=max(known) if known and len(known) == len(depths) else found.n_max,
            p_min=p_mins.pop() if len(p_mins) == 1 else found.p_min,
            draft=self._settings.get("draft") or found.draft,
            target=self._target or found.target,
            build=self._build,
            temperature=self._temperature() if self._temperatures else found.temperature,
            concurrency=self._most_busy or None if self._released else None,
            synthetic=found.synthetic,
            rate_convention=self._rate_convention(),
            **self._drafting(),
            conditions=self._conditions(),
        )

    def _drafting(self) -> dict[str, Any]:
        """Drafts of all slots, and their time, by the last totals."""
        totals = [found.totals for found in self._statistics.values()]
        times = [part.draft_s for part in totals if part.draft_s is not None]
        if len(times) < len(totals) or not totals:
            return {}
        return {"drafts": max(part.drafts for part in totals), "draft_s": sum(times)}

    def _by_statistics(self) -> str | None:
        """How the server speculates, told by which implementations it has statistics of."""
        chains = {tuple(dict.fromkeys(chain)) for chain in self._chains}
        if len(chains) == 1:
            return ",".join(chains.pop())
        return ",".join(self._statistics) or None if self.launches else None

    def _temperature(self) -> float | None:
        return real(next(iter(self._temperatures))) if len(self._temperatures) == 1 else None

    def _rate_convention(self) -> Literal["n", "n-1"] | None:
        if self._conventions == {"n"}:
            return "n"
        return "n-1" if self._conventions == {"n-1"} else None

    def _conditions(self) -> dict[str, str]:
        conditions = dict(settings(self.command or "").conditions)
        conditions |= ADAPTIVE if self._adaptive else {}
        for name, called in (("slots", "slots"), ("config", "config file")):
            if name in self._settings:
                conditions[called] = self._settings[name]
        for name, parameters in self._implementations:
            of = f" of {name}" if len(self._implementations) > 1 and name else ""
            if parameters.block_size is not None:
                conditions[f"block size{of}"] = str(parameters.block_size)
            if of and parameters.n_max is not None:
                conditions[f"n_max{of}"] = str(parameters.n_max)
        return conditions

    def _findings(self, where: str) -> tuple[Finding, ...]:
        found: list[tuple[Level, str, str, str]] = []
        if self._ignored:
            place = str(Source(self.file, self._ignored[0]))
            message = (
                f"{len(self._ignored)} acceptance lines have no time line of their slot and task "
                "before them and are left out; a request's text may have been logged"
            )
            found.append(("warning", "acceptance-untimed", place, message))
        if self._twice:
            place = str(Source(self.file, self._twice[0]))
            number = len(self._twice)
            message = (
                f"{number} {'request stands' if number == 1 else 'requests stand'} here with the "
                "slot, task, clock and figures of an earlier one, and count once"
            )
            found.append(("warning", "request-twice", place, message))
        if "config" in self._settings:
            place = str(Source(self.file, self._lines["config"]))
            message = f"{self._settings['config']} config.ini was applied before the arguments"
            found.append(("warning", "config-file", place, message))
        if self._unfinished:
            number = len(self._unfinished)
            message = (
                f"{number} {'request' if number == 1 else 'requests'} began and have no times, "
                "because they were cancelled or the log was cut; they are left out"
            )
            found.append(("note", "requests-unfinished", where, message))
        for line, message in self._clamped:
            found.append(("note", "depth-clamped", str(Source(self.file, line)), message))
        if self.failure and not self.tasks:
            line, message = self.failure
            text = f"a server did not start: {message}"
            found.append(("warning", "server-failed", str(Source(self.file, line)), text))
        return tuple(Finding(*parts) for parts in found)
