"""What llama-server prints for a request, in the shapes of its builds."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """One request: tokens, milliseconds, and (drafted, accepted) of each round."""

    predicted: int = 140
    rounds: tuple[tuple[int, int], ...] = ((4, 3), (4, 0), (3, 3))
    eval_ms: float = 1667.16
    prompt: int = 44
    prompt_ms: float = 276.98

    @property
    def drafted(self) -> int:
        return sum(drafted for drafted, _ in self.rounds)

    @property
    def accepted(self) -> int:
        return sum(accepted for _, accepted in self.rounds)

    @property
    def per_position(self) -> list[float]:
        deepest = max((drafted for drafted, _ in self.rounds), default=0)
        counts = [sum(accepted > i for _, accepted in self.rounds) for i in range(deepest)]
        return [count / len(self.rounds) for count in counts]


def clock(at_ms: float) -> str:
    micros = round(at_ms * 1000)
    return (
        f"{micros // 60_000_000}.{micros // 1_000_000 % 60:02d}.{micros // 1000 % 1000:03d}"
        f".{micros % 1000:03d}"
    )


def figures(asked: Asked, divisor: int = 1) -> list[str]:
    """The times; `divisor` is how many of the tokens the time is not divided by."""
    over = max(asked.predicted - divisor, 0)
    each = asked.eval_ms / over if over else 0.0
    speed = 1000 / each if each else 0.0
    return [
        f"prompt eval time = {asked.prompt_ms:10.2f} ms / {asked.prompt:5d} tokens "
        f"({asked.prompt_ms / asked.prompt:8.2f} ms per token, "
        f"{1000 * asked.prompt / asked.prompt_ms:8.2f} tokens per second)",
        f"       eval time = {asked.eval_ms:10.2f} ms / {asked.predicted:5d} tokens "
        f"({each:8.2f} ms per token, {speed:8.2f} tokens per second)",
        f"      total time = {asked.prompt_ms + asked.eval_ms:10.2f} ms / "
        f"{asked.prompt + asked.predicted:5d} tokens",
    ]


def acceptance(asked: Asked) -> str:
    return (
        f"{asked.accepted / asked.drafted:0.5f} ({asked.accepted:5d} accepted / "
        f"{asked.drafted:5d} generated)"
    )


def new(asked: Asked, task: int = 0, slot: int = 0, at_ms: float = 1000.0) -> list[str]:
    """All lines of a request as builds from August 2026 on print them with LLAMA_TRACE."""

    def line(name: str, text: str) -> str:
        nonlocal at_ms
        at_ms += 17.0
        return f"{clock(at_ms)} I slot {name:>12}: id {slot:2d} | task {task} | {text}"

    lines = [line("launch_slot_", "processing task, is_child = 0")]
    lines += [
        line("operator()", f"accepted {accepted:2d}/{drafted:2d} draft tokens")
        for drafted, accepted in asked.rounds
    ]
    lines += [line("print_timing", text) for text in figures(asked)]
    if asked.drafted:
        mean = 1 + asked.accepted / len(asked.rounds)
        shares = ", ".join(f"{share:.3f}" for share in asked.per_position)
        lines += [
            line("print_timing", f"draft acceptance = {acceptance(asked)}, mean len = {mean:5.2f}"),
            line("print_timing", f"     acc per pos = ({shares})"),
        ]
    return [*lines, line("release", "stop processing: n_tokens = 267, truncated = 0")]


def middle(asked: Asked, task: int = 0, slot: int = 0) -> list[str]:
    """June 2026: positions on the acceptance line, times divided by all tokens."""
    begin = f"0.16.519.182 I slot print_timing: id {slot:2d} | task {task} | "
    lines = [begin + text for text in figures(asked, divisor=0)]
    if asked.drafted:
        mean = 1 + asked.accepted / len(asked.rounds)
        shares = ", ".join(f"{share:.3f}" for share in asked.per_position)
        lines.append(
            f"{begin}draft acceptance = {acceptance(asked)}, mean acceptance length = {mean:5.2f}, "
            f"acceptance rate per position = ({shares})"
        )
    return [
        *lines,
        f"0.16.519.200 I slot      release: id {slot:2d} | task {task} | stop processing",
    ]


def old(asked: Asked, task: int = 0, slot: int = 0) -> list[str]:
    """2025: only the first line of a block has a tag."""
    lines = [f"slot print_timing: id {slot:2d} | task {task} | ", *figures(asked, divisor=0)]
    if asked.drafted:
        lines.append(f"draft acceptance rate = {acceptance(asked)}")
    return [
        *lines,
        f"slot      release: id {slot:2d} | task {task} | stop processing: n_tokens = 1",
    ]


def as_json(lines: list[str]) -> list[str]:
    """The same as ``--log-jsonl`` prints it."""
    objects = []
    for line in lines:
        at, _, text = line.partition(" I ")
        minutes, seconds, millis, micros = map(int, at.split("."))
        time = ((minutes * 60 + seconds) * 1000 + millis) * 1000 + micros
        objects.append({"type": "log", "time": time, "level": "info", "msg": text + "\n"})
    return [json.dumps(one, separators=(",", ":")) for one in objects]
