"""One request on a running server, with everything that is known of it, as a record."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from analysis.runner.client import Completion, Failure, Question, ask
from analysis.runner.counters import AcceptedByPosition, Counters, difference, read_counters
from analysis.runner.prompts import Prompt
from analysis.runner.redaction import redacted
from analysis.runner.request_fields import messages
from analysis.runner.running import Running
from analysis.runner.server_log import LogTail, RequestLog
from analysis.runner.surroundings import Watch
from analysis.runner.tokenizer import tokens_of

__all__ = ["WARM_UP", "Meter", "Requests", "no_meter"]

WARM_UP = "List the colours of the rainbow, then count down from nine to one in words."
"""No prompt of any set: what a drafter remembers of it must not help a measured one."""

WARM_UP_TOKENS = 32

ASIDE_S = 10.0
"""For counters and tokens, which are asked for beside a request."""

_BROKEN_OFF_S = {"connection": 1.0, "malformed": 0.5}
"""Failures that a dying server leaves, and how long after them its process may still be there."""

Meter = Callable[[], float | None]
"""Joules used so far, or null."""


def no_meter() -> None:
    """Nothing counts."""


@dataclass
class Requests:
    """Sends requests to one server, one after the other.

    Attributes
    ----------
    server
        A ready server.
    run, repeat
        For the records.
    speculative
        Whether the configuration drafts.
    max_tokens, temperature, seed, timeout_s
        Of every request.
    own_seeds
        Whether each request gets a seed of its own, counted up from `seed`.
        Coins that accept synthetic drafts are thrown by it: with one seed for
        all, every request would repeat the same throws.
    keep_text
        Whether records have the text.
    meter
        Energy so far.
    seen
        Timings of all earlier answers: no two requests take the same time to the
        microsecond, so an answer that has them again is another one's.
    watch
        On this machine; null for a server on another one.
    fields
        More fields of every request.
    filler
        From a prompt to the text that stands before it; null for none.
    """

    server: Running
    run: str
    repeat: int
    speculative: bool
    max_tokens: int
    temperature: float
    seed: int
    timeout_s: float
    keep_text: bool = False
    own_seeds: bool = False
    meter: Meter = no_meter
    seen: set[str] = field(default_factory=set)
    watch: Watch | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    filler: Callable[[Prompt], str] | None = None
    _tail: LogTail = field(init=False)
    _ready_at: float = field(init=False)
    _spent_s: dict[str, float] = field(init=False, default_factory=dict)
    _no_counters: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self._tail = LogTail(self.server.log)
        self._ready_at = time.perf_counter()

    def warm_up(self) -> None:
        """One request that is thrown away: the first of a fresh server is several times slower.

        It may fail; then the next one says so.
        """
        tokens = min(WARM_UP_TOKENS, self.max_tokens)
        self._tail.skip()
        done = ask(self.server, self._question((("user", WARM_UP),), tokens))
        log = self._tail.request() if isinstance(done, Completion) else None
        self._spent_s = dict(log.draft_s) if log else {}

    def measure(self, prompt: Prompt, number: int = 0) -> dict[str, Any]:
        """Send one prompt.

        Parameters
        ----------
        prompt
            The prompt.
        number
            Which request of its configuration it is, from 0.

        Returns
        -------
        dict
            A ``request`` or an ``error`` record, see the package's documentation.
        """
        before = self._counters()
        question = self.question(prompt, number)
        self._tail.skip()
        joules = self.meter()
        begins = time.perf_counter()
        with nullcontext(None) if self.watch is None else self.watch.during() as surroundings:
            done = ask(self.server, question)
        used = _difference(joules, self.meter())
        log = positions = None
        if isinstance(done, Completion):
            log = self._tail.request()
            positions = difference(before, self._counters())
        more = {"energy_j": used, "surroundings": surroundings}
        return self.record(prompt, question, begins, done, log=log, positions=positions, more=more)

    def question(self, prompt: Prompt, number: int) -> Question:
        """What is asked for the n-th request of its configuration, from 0."""
        seed = self.seed + number if self.own_seeds else self.seed
        before = "" if self.filler is None else self.filler(prompt)
        return replace(self._question(prompt.turns, self.max_tokens, before), seed=seed)

    def record(
        self,
        prompt: Prompt,
        question: Question,
        begins: float,
        done: Completion | Failure,
        *,
        log: RequestLog | None = None,
        positions: AcceptedByPosition | None = None,
        own: Mapping[str, Any] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """The record of a request that has ended.

        Parameters
        ----------
        prompt, question
            What was asked.
        begins
            When, on ``time.perf_counter``.
        done
            What came of it.
        log, positions
            What the server's log and its counters say of it.
        own
            Keys for a record of either kind.
        more
            Keys for a ``request`` alone.
        """
        if isinstance(done, Completion) and self._is_repeated(done):
            message = "the answer has the timings of an earlier one: it was not computed for this"
            done = Failure("implausible", message, done.wall_s)
        head = {
            "run": self.run,
            "repeat": self.repeat,
            "task": prompt.task,
            "workload": prompt.workload,
            "seed": question.seed,
            "at_s": begins - self._ready_at,
            "wall_s": done.wall_s,
            **(own or {}),
        }
        if isinstance(done, Failure):
            kind = self.kind_of(done)
            return {"record": "error", **head, "kind": kind, "message": done.message}
        answer = self._answer(done, log, positions)
        return {"record": "request", **head, **answer, **(more or {})}

    def _question(
        self, turns: tuple[tuple[str, str], ...], tokens: int, before: str = ""
    ) -> Question:
        said = messages(turns, self.fields, before)
        temperature = self.fields.get("temperature", self.temperature)
        return Question(said, tokens, temperature, self.seed, self.timeout_s, self.fields)

    def kind_of(self, failure: Failure) -> str:
        """What kind of failure it is; where the answer broke off, whether the server died."""
        if failure.kind not in _BROKEN_OFF_S:
            return failure.kind
        # The connection breaks a moment before the process is gone.
        deadline = time.monotonic() + _BROKEN_OFF_S[failure.kind]
        while not self.server.died and self.server.process and time.monotonic() < deadline:
            time.sleep(0.01)
        return "server-died" if self.server.died else failure.kind

    def _answer(
        self, answer: Completion, log: RequestLog | None, positions: AcceptedByPosition | None
    ) -> dict[str, Any]:
        timings = answer.timings
        drafted, accepted = timings.draft_tokens, timings.accepted_tokens
        text = redacted(answer.text, self.server.secrets, homes=False)
        if positions is not None and sum(positions.accepted) != accepted:
            # Somebody else's requests are in these counters.
            positions = None
        return {
            "first_token_s": answer.first_token_s,
            "prompt_tokens": timings.prompt_tokens,
            "predicted_tokens": timings.predicted_tokens,
            "draft_tokens": drafted,
            "accepted_tokens": accepted,
            "draft_s": self._draft_s(log),
            "timings": dict(timings.sent),
            "positions": None
            if positions is None or not self.speculative
            else {"accepted": list(positions.accepted), "rounds": positions.rounds},
            "rounds": _rounds(log, drafted, accepted) if self.speculative else None,
            "finish_reason": answer.finish_reason,
            "output_hash": answer.output_hash,
            # Whoever has the tokens has the text.
            "tokens": tokens_of(self.server, text, self._aside_s) if text == answer.text else None,
            "text": text if self.keep_text else None,
        }

    @property
    def _aside_s(self) -> float:
        """How long a question that is no request may take."""
        return min(self.timeout_s, ASIDE_S)

    def _counters(self) -> Counters | None:
        """The server's counters; one that does not give them in time is not asked again."""
        if self._no_counters:
            return None
        begins = time.monotonic()
        found = read_counters(self.server, self._aside_s)
        self._no_counters = found is None and time.monotonic() - begins >= self._aside_s
        return found

    def _is_repeated(self, answer: Completion) -> bool:
        timed = json.dumps(answer.timings.sent, sort_keys=True)
        if timed in self.seen:
            return True
        self.seen.add(timed)
        return False

    def _draft_s(self, log: RequestLog | None) -> float | None:
        """Time spent drafting in this request: the log's figures count from the server's start."""
        if log is None or not log.draft_s:
            return None
        now = dict(log.draft_s)
        before, self._spent_s = self._spent_s, now
        spent = sum(now.values()) - sum(before.get(name, 0.0) for name in now)
        return max(spent, 0.0)


def _rounds(log: RequestLog | None, drafted: int, accepted: int) -> Mapping[str, Any] | None:
    """The rounds of the trace, where they add up to what the server counted."""
    if log is None or (sum(log.drafted), sum(log.accepted)) != (drafted, accepted):
        return None
    return {
        "drafted": list(log.drafted),
        "accepted": list(log.accepted),
        "at_s": None if log.at_s is None else list(log.at_s),
        "confidence": None if log.confidence is None else [list(row) for row in log.confidence],
    }


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before
