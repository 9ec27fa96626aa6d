"""A stand-in for llama-server that goes wrong on request.

It is run as a program with llama-server's arguments. ``FAKE_SERVER`` in the
environment holds its knobs as JSON:

``die_loading``    say this on standard error, and exit with code 1 before listening
``signal_loading`` die by this signal before listening
``never_ready``    answer /health with 503 for ever
``drips``          begin to answer /health, and never end
``steps``          what to do with the n-th chat request of this process, by number as text
                   (the warm-up is the first): ``die``, ``500``, ``malformed``, ``no-timings``,
                   ``error-chunk``, ``stop-short``, ``hang``, ``late:SECONDS``
``on``             what to do with requests whose prompt holds a text, by text
``seen``           a file: the bodies of chat requests go there, one a line
``once``           a file: the knobs count only for the process that can create it
``child``          a file: start a child process that outlives its parent, and write its id there
``metrics``        false: no /metrics
``pace``           seconds for each token
``round_ms``       milliseconds of a forward and of each drafted token, by spec_type
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

WORDS = ("one", " two", " three", " é", " four")


def knobs() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(os.environ.get("FAKE_SERVER") or "{}")
    if "once" in found:
        try:
            Path(found["once"]).touch(exist_ok=False)
        except FileExistsError:
            return {}
    return found


def flag(words: list[str], name: str, default: str = "") -> str:
    return words[words.index(name) + 1] if name in words else default


class Fake:
    """What the server remembers."""

    def __init__(self, words: list[str], found: dict[str, Any]) -> None:
        self.knobs = found
        self.words = words
        self.name = flag(words, "--alias")
        self.spec_type = flag(words, "--spec-type", "none")
        self.depth = int(flag(words, "--spec-draft-n-max", "3")) if self.spec_type != "none" else 0
        self.requests = 0
        self.at_once = self.most = 0
        self.tokenized: list[str] = []
        self.rounds = 0
        self.accepted = [0] * self.depth

    def decode(self, tokens: int, slot: int) -> tuple[int, int]:
        """Rounds that accept all but the last position; gives drafted and accepted."""
        drafted = accepted = 0
        left = tokens - 1
        while self.depth and left > 0:
            kept = min(max(self.depth - 1, 0), left - 1)
            drafted, accepted, left = drafted + self.depth, accepted + kept, left - kept - 1
            self.rounds += 1
            for position in range(kept):
                self.accepted[position] += 1
            said = f"accepted {kept:2d}/{self.depth:2d} draft tokens"
            log(f"slot operator(): id {slot:2d} | task 0 | {said}")
        return drafted, accepted


def log(line: str) -> None:
    clock = time.monotonic_ns() // 1000
    stamp = f"{clock // 60_000_000 % 1000}.{clock // 1_000_000 % 60:02d}"
    sys.stderr.write(f"{stamp}.{clock // 1000 % 1000:03d}.{clock % 1000:03d} I {line}\n")


class Handler(BaseHTTPRequestHandler):
    fake: Fake

    def log_message(self, *words: object) -> None:
        pass

    def do_GET(self) -> None:
        fake = self.fake
        if self.path == "/health" and fake.knobs.get("drips"):
            self.send_response(200)
            self.flush_headers()
            while True:
                self.wfile.write(b"X")
                time.sleep(0.02)
        if self.path == "/health":
            self.reply({"status": "ok"}, 503 if fake.knobs.get("never_ready") else 200)
        elif self.path == "/v1/models":
            self.reply({"data": [{"id": fake.name}]})
        elif self.path == "/props":
            self.reply(
                {
                    "build_info": "b1-fake",
                    "model_path": "/home/somebody/m.gguf",
                    "total_slots": int(flag(fake.words, "-np", "1")),
                    "default_generation_settings": {
                        "n_ctx": int(flag(fake.words, "-c", "4096")),
                        "params": {"temperature": 0.8, "top_k": 40},
                    },
                }
            )
        elif self.path == "/metrics" and fake.knobs.get("metrics", True):
            lines = [f"llamacpp:spec_decode_num_drafts_total {fake.rounds}"]
            name = "llamacpp:spec_decode_num_accepted_tokens_per_pos_total"
            lines += [
                f'{name}{{position="{position}"}} {count}'
                for position, count in enumerate(fake.accepted)
            ]
            self.reply_bytes("\n".join([*lines, ""]).encode(), 200, "text/plain")
        else:
            self.reply({"error": {"message": "not here"}}, 404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/tokenize":
            # A token is a word; its number is its place, and stands for it.
            words = body["content"].split()
            self.fake.tokenized = words
            self.reply({"tokens": list(range(len(words)))})
            return
        if self.path == "/detokenize":
            self.reply({"content": " ".join(self.fake.tokenized[at] for at in body["tokens"])})
            return
        self.fake.requests += 1
        if "seen" in self.fake.knobs:
            with Path(self.fake.knobs["seen"]).open("a") as file:
                file.write(json.dumps(body) + "\n")
        step = str(self.fake.knobs.get("steps", {}).get(str(self.fake.requests), ""))
        said = body["messages"][-1]["content"]
        step = next((f for t, f in self.fake.knobs.get("on", {}).items() if t in said), step)
        self.fake.at_once += 1
        self.fake.most = max(self.fake.most, self.fake.at_once)
        try:
            self.answered(body, step)
        finally:
            self.fake.at_once -= 1

    def answered(self, body: dict[str, Any], step: str) -> None:
        if step == "500":
            self.reply({"error": {"message": "it broke"}}, 500)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.chat(body, step)

    def chat(self, body: dict[str, Any], step: str) -> None:
        begins = time.perf_counter()
        tokens = int(body["max_tokens"])
        if step == "hang":
            threading.Event().wait()
        if step.startswith("late:"):
            time.sleep(float(step.removeprefix("late:")))
        # It does nothing here, so that two answers would often take the same nanoseconds, and the
        # second would be taken for a copy of the first.
        own = (time.monotonic_ns() % 1_000_000) * 1e-12
        prompt_ms = (time.perf_counter() - begins) * 1000 + own
        self.event({"choices": [{"delta": {"role": "assistant", "content": None}}]})
        timings: dict[str, Any] = {}
        for at in range(1, tokens + 1):
            timings = {
                "prompt_n": 7,
                "prompt_ms": prompt_ms,
                "predicted_n": at,
                "predicted_ms": (at - 1) * 0.01,
                "predicted_per_second": (at - 1) / max((at - 1) * 0.01, 0.001) * 1000,
            }
            delta = {"content": WORDS[at % len(WORDS)]}
            self.event({"choices": [{"delta": delta}], "timings": timings})
            if "pace" in self.fake.knobs:
                time.sleep(self.fake.knobs["pace"])
            if at == 2 and step == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            if at == 2 and step == "malformed":
                self.wfile.write(b"data: {nothing\n\n")
                return
            if at == 2 and step == "error-chunk":
                self.event({"error": {"message": "context is full"}})
                return
            if at == 2 and step == "stop-short":
                return
        slot = int(body.get("id_slot", 0))
        drafted, accepted = self.fake.decode(tokens, slot)
        if drafted:
            timings |= {"draft_n": drafted, "draft_n_accepted": accepted}
        if self.fake.spec_type in self.fake.knobs.get("round_ms", {}):
            forward, token = self.fake.knobs["round_ms"][self.fake.spec_type]
            # No two answers take the same time to the nanosecond.
            busy = (time.monotonic_ns() % 1000) * 1e-6
            spent = (tokens - 1 - accepted) * forward + drafted * token + busy
            timings |= {"predicted_ms": spent, "predicted_per_second": (tokens - 1) / spent * 1000}
        log(f"slot release: id {slot:2d} | task 0 | stop processing: n_tokens = 9, truncated = 0")
        self.event({"choices": [{"delta": {}, "finish_reason": "length"}]})
        self.event({"choices": [], **({} if step == "no-timings" else {"timings": timings})})
        self.wfile.write(b"data: [DONE]\n\n")

    def event(self, data: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(data).encode() + b"\n\n")

    def reply(self, data: dict[str, Any], status: int = 200) -> None:
        self.reply_bytes(json.dumps(data).encode(), status, "application/json")

    def reply_bytes(self, data: bytes, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main(words: list[str]) -> int:
    found = knobs()
    if "child" in found:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(found["child"]).write_text(str(child.pid))
    if "die_loading" in found:
        sys.stderr.write(found["die_loading"] + "\n")
        return 1
    if "signal_loading" in found:
        os.kill(os.getpid(), int(found["signal_loading"]))
    fake = Fake(words, found)
    handler = type("Bound", (Handler,), {"fake": fake})
    try:
        server = ThreadingHTTPServer((flag(words, "--host"), int(flag(words, "--port"))), handler)
    except OSError:
        log("E srv start: couldn't bind HTTP server socket")
        return 1
    if fake.depth:
        log(f"spec common_specu: adding speculative implementation '{fake.spec_type}'")
        log(f"spec common_specu: - n_max={fake.depth}, n_min=0, p_min=0.000000")
    server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
