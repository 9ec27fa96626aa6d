"""Several requests at once: how is each of them measured while all others are under way?

As many clients as there are slots send one request after the other. The first
ones fill the server and are thrown away; measured ones begin when every client
has seen a first token, so that nothing of the ramp is in them; and until the
last of them has ended, clients that find nothing more to measure send requests
that are thrown away too, so that nothing is measured while the server drains.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import Any

from analysis.runner.client import CANCELLED, Completion, Failure, Follow, Question, ask
from analysis.runner.measuring import Requests
from analysis.runner.prompts import Prompt, PromptSet
from analysis.runner.slot_log import SlotLogs
from analysis.runner.surroundings import Sampler

__all__ = ["LOST", "AtOnce", "Steady", "between_times"]

LOST = ("server-died", "timeout")
"""Failures after which a server is of no more use."""

_PAUSE_S = 0.05
"""Before a thrown away request is sent again that failed at once."""

_END_S = 2.0


_OTHERS = (
    "Describe how a lock lets a boat climb from one stretch of a canal to the next.",
    "Write a Python function that merges two sorted lists, with a short docstring.",
    "List seven things to check before a long ride on a bicycle.",
    "Tell a short story about a lamp that goes out in an old theatre.",
    "Explain to a child why the moon changes its shape.",
    "A train leaves at 9:40 and takes 95 minutes. When does it arrive? Show each step.",
    "Write a polite letter that asks a neighbour to trim a hedge.",
    "Summarise in four sentences how bread is made, from the grain to the loaf.",
    "Write a JSON object that describes a library book, with an author, a year and two tags.",
    "Compare walking and cycling to work: two points for each, and a conclusion.",
    "Write a shell command that counts the lines of all text files in a folder; explain it.",
    "Describe the view from a lighthouse on a stormy evening.",
)
"""Of no prompt set: a drafter that remembers earlier requests must not meet a prompt twice."""


def between_times(prompts: PromptSet, stateful: bool) -> tuple[Prompt, ...]:
    """What is sent, and thrown away, to keep a server busy: the set's own prompts where it can be.

    Parameters
    ----------
    prompts
        Those that are measured.
    stateful
        Whether the drafter remembers earlier requests.
    """
    if not stateful:
        return prompts.prompts
    return tuple(Prompt("between", (("user", text),), "other") for text in _OTHERS)


@dataclass(frozen=True)
class Steady:
    """What came while every client was busy, by the clients' clocks.

    Attributes
    ----------
    begin
        The first measured request's start, on ``time.perf_counter``.
    seconds
        From there to the last one's end.
    tokens
        That came in it, of all requests.
    """

    begin: float
    seconds: float
    tokens: int


@dataclass
class _Ended:
    """A measured request that has ended, as its client saw it."""

    client: int
    prompt: Prompt
    number: int
    question: Question
    begins: float
    done: Completion | Failure
    tokens_s: list[float]
    steady: bool


@dataclass
class AtOnce:
    """Sends the requests of one server, several at once.

    Attributes
    ----------
    requests
        What is common to them.
    clients
        How many at once.
    sampler
        Of the machine; null for a server on another one.
    thrown_away
        Requests that filled and emptied the server, without those that were cut off.
    steady
        What came in the steady state; null before its end, or where it was lost.
    lost
        Whether the server is of no more use, with requests left in ``left``.
    """

    requests: Requests
    clients: int
    sampler: Sampler | None = None
    thrown_away: int = 0
    steady: Steady | None = None
    lost: bool = False
    _left: deque[tuple[Prompt, int]] = field(default_factory=deque)
    _ended: queue.SimpleQueue[_Ended] = field(default_factory=queue.SimpleQueue)
    _over: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _served: set[int] = field(default_factory=set)
    _idle: bool = False
    _spans: list[tuple[float, float]] = field(default_factory=list)
    _follows: dict[int, tuple[float, Follow]] = field(default_factory=dict)
    _arrived: list[tuple[float, list[float]]] = field(default_factory=list)

    def measure(
        self, prompts: Sequence[tuple[Prompt, int]], fillers: Sequence[Prompt]
    ) -> Iterator[dict[str, Any]]:
        """Measure prompts, each with its number, while others keep all clients busy.

        Yields
        ------
        dict
            ``request`` and ``error`` records, in the order in which requests end.
        """
        self._left.extend(prompts)
        logs = SlotLogs(self.requests.server.log)
        threads = [
            threading.Thread(target=self._work, args=(client, fillers), daemon=True)
            for client in range(self.clients)
        ]
        for thread in threads:
            thread.start()
        missing = len(prompts)
        try:
            while missing:
                try:
                    ended = self._ended.get(timeout=_PAUSE_S)
                except queue.Empty:
                    if any(thread.is_alive() for thread in threads):
                        continue
                    if self._ended.empty():
                        break
                    continue
                missing -= 1
                self._spans.append((ended.begins, ended.begins + ended.done.wall_s))
                yield self._record(ended, logs)
        finally:
            self._over.set()
            for _, follow in list(self._follows.values()):
                follow.over.set()
        # Those that wait for a server of ours end with it.
        deadline = time.monotonic() + _END_S
        for thread in threads:
            thread.join(max(deadline - time.monotonic(), 0.0))
        self.steady = None if self._idle else self._window()

    @property
    def left(self) -> list[Prompt]:
        """Prompts that were not sent."""
        return [prompt for prompt, _ in self._left]

    # ---- a client

    def _work(self, client: int, fillers: Sequence[Prompt]) -> None:
        own = cycle([*fillers[client % len(fillers) :], *fillers[: client % len(fillers)]])
        most = self.requests.max_tokens
        # Clients that begin at the same moment must not end in it again and again.
        tokens = max(most * (client + 1) // self.clients, 1)
        while not self._over.is_set():
            chosen = self._next()
            if chosen is not None:
                going_on = self._one(client, *chosen)
            else:
                going_on = not self.lost and self._throw_away(client, next(own), tokens)
            tokens = most
            if not going_on:
                break
        with self._lock:
            # From now on fewer requests are under way than should be.
            self._idle |= not self._over.is_set()

    def _next(self) -> tuple[Prompt, int] | None:
        """What to measure next; null while the server fills, and when there is no more."""
        with self._lock:
            busy = len(self._follows) == self.clients and all(
                client in self._served or follow.began.is_set()
                for client, (_, follow) in self._follows.items()
            )
            return self._left.popleft() if busy and self._left and not self.lost else None

    def _one(self, client: int, prompt: Prompt, number: int) -> bool:
        """Measure one; whether the server is of further use."""
        question = replace(self.requests.question(prompt, number), slot=self._slot(client))
        begins = time.perf_counter()
        done, follow = self._send(client, question)
        lost = isinstance(done, Failure) and self._is_lost(done)
        if lost and isinstance(done, Failure) and not done.asked:
            # The server was gone before: this one is for the next server.
            with self._lock:
                self._left.appendleft((prompt, number))
            return False
        steady = not self._idle and not lost
        self._ended.put(
            _Ended(client, prompt, number, question, begins, done, follow.tokens_s, steady)
        )
        return not lost

    def _throw_away(self, client: int, prompt: Prompt, tokens: int) -> bool:
        """Send one that keeps the server busy; whether it is of further use."""
        question = self.requests.question(prompt, 0)
        question = replace(question, max_tokens=tokens, slot=self._slot(client))
        done, _ = self._send(client, question)
        if isinstance(done, Completion):
            with self._lock:
                self.thrown_away += 1
            return True
        if done.kind != CANCELLED and not self._is_lost(done):
            self._over.wait(_PAUSE_S)
        return not self.lost

    def _send(self, client: int, question: Question) -> tuple[Completion | Failure, Follow]:
        follow = Follow()
        begins = time.perf_counter()
        with self._lock:
            self._follows[client] = begins, follow
        if self._over.is_set():
            follow.over.set()
        done = ask(self.requests.server, question, follow)
        with self._lock:
            self._arrived.append((begins, follow.tokens_s))
            if follow.began.is_set():
                self._served.add(client)
        return done, follow

    def _is_lost(self, done: Failure) -> bool:
        lost = self.requests.kind_of(done) in LOST
        if lost:
            with self._lock:
                self.lost = True
        return lost

    def _slot(self, client: int) -> int | None:
        """Each client has a slot of its own, by which the log tells its rounds."""
        return client if self.requests.server.process is not None else None

    # ---- what comes of it

    def _record(self, ended: _Ended, logs: SlotLogs) -> dict[str, Any]:
        done, requests = ended.done, self.requests
        log = None
        if isinstance(done, Completion) and requests.speculative:
            counts = done.timings.draft_tokens, done.timings.accepted_tokens
            log = logs.request(ended.client, *counts)
        until = ended.begins + done.wall_s
        around = self.sampler.between(ended.begins, until) if self.sampler else None
        own = {"slot": ended.question.slot, "steady": ended.steady}
        more = {
            # Counted for all requests together.
            "energy_j": None,
            "surroundings": around,
            "tokens_s": [round(at, 4) for at in ended.tokens_s],
        }
        return requests.record(
            ended.prompt, ended.question, ended.begins, done, log=log, own=own, more=more
        )

    def _window(self) -> Steady | None:
        if not self._spans:
            return None
        begin = min(begins for begins, _ in self._spans)
        end = max(ends for _, ends in self._spans)
        with self._lock:
            arrived = [*self._arrived, *((at, one.tokens_s) for at, one in self._follows.values())]
        distinct = {id(tokens): (at, tokens) for at, tokens in arrived}.values()
        tokens = sum(begin < at + one <= end for at, tokens in distinct for one in list(tokens))
        return Steady(begin, end - begin, tokens)
