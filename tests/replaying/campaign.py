"""A campaign whose deepest run has confidences, and how fast any setting of it would truly be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.records import Rounds, Run, Source, TaskResult
from tests.replaying.drafter import Answer, answer

TASKS = ("code_python", "json_output", "qa_factual", "translation", "explain_concept", "summarize")
TOKENS = 144


@dataclass(frozen=True)
class Truth:
    """A draft of known confidence on a machine of known speed."""

    answers: tuple[Answer, ...]
    plain_ms: float = 20.0
    first_ms: float = 21.0
    each_ms: float = 3.0

    @classmethod
    def of(cls, kind: str = "calibrated", seed: int = 3, **times: float) -> Truth:
        random = np.random.default_rng(seed)
        return cls(tuple(answer(random, kind, TOKENS) for _ in TASKS), **times)

    def ms(self, rounds: Rounds) -> float:
        """Decode time; a step of the draft is paid for a token that is dropped."""
        drafted = rounds.drafted
        verified = np.where(drafted > 0, self.first_ms + self.each_ms * drafted, self.plain_ms)
        return float(verified.sum())

    def tps(self, n_max: int, p_min: float) -> float:
        """Decode throughput over all answers."""
        ms = sum(self.ms(one.rounds(n_max, p_min)) for one in self.answers)
        return 1000 * (TOKENS - 1) * len(self.answers) / ms

    def run(self, n_max: int, spec_type: str = "draft-simple", *, logged: bool = False) -> Run:
        """A run of this depth, 0 for none."""
        tasks = []
        for line, (task, one) in enumerate(zip(TASKS, self.answers, strict=True), 1):
            rounds = one.rounds(n_max) if n_max else None
            ms = self.plain_ms * (TOKENS - 1) if rounds is None else self.ms(rounds)
            tasks.append(
                TaskResult(
                    task=task,
                    source=Source(f"n{n_max}.log", line, line),
                    predicted_tokens=TOKENS,
                    draft_tokens=0 if rounds is None else int(rounds.drafted.sum()),
                    accepted_tokens=0 if rounds is None else int(rounds.accepted.sum()),
                    decode_tps=1000 * (TOKENS - 1) / ms,
                    wall_s=ms / 1000 + 0.1,
                    rounds=rounds if logged else None,
                )
            )
        return Run(
            source=Source(f"n{n_max}.log", 1, len(TASKS)),
            format="mtp-bench",
            tasks=tuple(tasks),
            id=f"n{n_max}" if n_max else "plain",
            label=f"Draft, n_max {n_max}" if n_max else "No speculation",
            spec_type=spec_type if n_max else "none",
            n_max=n_max or None,
            p_min=0.0 if n_max else None,
            temperature=0.0,
        )

    def runs(self, spec_type: str = "draft-simple") -> list[Run]:
        return [
            self.run(0),
            self.run(2, spec_type),
            self.run(4, spec_type),
            self.run(6, spec_type, logged=True),
        ]
