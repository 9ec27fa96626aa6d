"""How well do depth curves and advice do where the truth is known?

Prints the table of docs/maths.md: simulated campaigns of 13 texts at depths 2, 3 and 5 and without
speculation, by the number of repeats and the noise of requests and runs. Nothing is timed.
`python benchmarks/depth_truth.py [campaigns per row]`; 60 take about five minutes.
"""

from __future__ import annotations

import sys

import numpy as np
from timing import ROOT

sys.path.insert(0, str(ROOT))

from tests.known_truth import Scenario, outcome
from tests.simulator import TRENDS

SCENARIOS = (
    *(Scenario(repeats, 0.02, run) for run in (0.0, 0.02) for repeats in (1, 3)),
    *(Scenario(3, 0.02, run, greedy=True) for run in (0.0, 0.02)),
    *(Scenario(repeats, 0.02, 0.01) for repeats in (1, 2, 3, 5)),
    *(Scenario(repeats, 0.05, 0.03) for repeats in (1, 2, 3, 5)),
    *(Scenario(repeats, 0.1, 0.02) for repeats in (1, 3)),
    *(Scenario(repeats, 0.02, 0.01, jump=at) for at in (4, 5) for repeats in (1, 3)),
)


def main(campaigns: int) -> None:
    print(f"{campaigns} campaigns a row; coverage of 90 % intervals, loss of the advised setting")
    print(
        "scenario                                    throughput  at 2, 3, 5    survival  "
        "loss    highest rate loses"
    )
    for scenario in SCENARIOS:
        found = outcome(scenario, range(campaigns // len(TRENDS)))
        run = found.covered[:, [1, 2, 4]].mean()
        print(
            f"{scenario!s:<45}{found.covered.mean():8.2f}{run:12.2f}{found.survival.mean():13.2f}"
            f"{np.mean(found.regret):10.2%}{np.mean(found.by_rate):12.2%}",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
