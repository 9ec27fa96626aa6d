"""What a batch of campaigns costs over as many calls of the `papermill` command."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
import tempfile
from pathlib import Path

from timing import ROOT, SCRIPTS, Ratio, main, medians, seconds

CAMPAIGN = ROOT / "raw" / "qwen3.6-35b-a3b-dspark"
NOTEBOOK = ROOT / "notebooks" / "model_card.ipynb"
# As many for each side as the goal is stated for; fewer are quicker and say less.
CAMPAIGNS = int(os.environ.get("MTPBENCH_CAMPAIGNS", "50"))
FEW = 4
JOBS = 2


def measure(runs: int, quick: bool = False) -> list[Ratio]:
    n_campaigns = FEW if quick else CAMPAIGNS
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        campaigns = [folder / "raw" / f"campaign-{number:03}" for number in range(n_campaigns)]
        for campaign in campaigns:
            shutil.copytree(CAMPAIGN, campaign)
        number = itertools.count()

        def batch() -> float:
            # A new folder each time, so that nothing is skipped as unchanged.
            out = folder / f"reports-{next(number)}"
            command = [
                SCRIPTS / "mtpbench",
                "report",
                *campaigns,
                "--out",
                out,
                "--jobs",
                str(JOBS),
            ]
            return seconds(command)

        def separate() -> float:
            words = [sys.executable, "-m", "papermill", NOTEBOOK, folder / "out.ipynb"]
            return sum(
                seconds([*words, "-p", "campaign", campaign, "-p", "out", folder / "out"])
                for campaign in campaigns
            )

        batch_s, separate_s = medians(batch, separate, min(runs, 1), warm_up=False)
        unchanged = folder / "reports-0"
        again = [SCRIPTS / "mtpbench", "report", *campaigns, "--out", unchanged]
        again_s = seconds(again)
    subject, floor = f"{n_campaigns} campaigns, {JOBS} jobs", f"{n_campaigns} calls of papermill"
    return [
        Ratio("batch", subject, floor, batch_s, separate_s, 0.4, 1),
        Ratio("unchanged", f"{n_campaigns} unchanged", subject, again_s, batch_s, 0.1, 1),
    ]


if __name__ == "__main__":
    sys.exit(main(measure))
