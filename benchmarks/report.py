"""What a report costs over a bare notebook, and `--help` over a bare interpreter."""

from __future__ import annotations

import itertools
import sys
import tempfile
from pathlib import Path

import nbformat
from timing import ROOT, SCRIPTS, Ratio, main, medians, seconds

CAMPAIGN = ROOT / "raw" / "qwen3.6-35b-a3b-dspark"

BARE_NOTEBOOK = """\
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
figure, axes = plt.subplots()
sns.lineplot(pd.DataFrame({"x": [1, 2, 3], "y": [1, 4, 9]}), x="x", y="y", ax=axes)
figure.savefig(FIGURE)
"""


def measure_report(runs: int) -> list[Ratio]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        code = BARE_NOTEBOOK.replace("FIGURE", repr(str(folder / "figure.png")))
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(code)],
            metadata={
                "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
            },
        )
        nbformat.write(notebook, folder / "bare.ipynb")
        number = itertools.count()

        def report() -> float:
            # A new folder each time, so that nothing can be skipped as unchanged.
            out = folder / f"reports-{next(number)}"
            return seconds([SCRIPTS / "mtpbench", "report", CAMPAIGN, "--out", out])

        def bare() -> float:
            command = [sys.executable, "-m", "papermill"]
            return seconds([*command, folder / "bare.ipynb", folder / "out.ipynb"])

        subject_s, floor_s = medians(report, bare, runs)
    return [
        Ratio(
            "report", "mtpbench report", "papermill, bare notebook", subject_s, floor_s, 2.0, runs
        )
    ]


def measure_help(runs: int) -> list[Ratio]:
    subject_s, floor_s = medians(
        lambda: seconds([SCRIPTS / "mtpbench", "--help"]),
        lambda: seconds([sys.executable, "-c", "pass"]),
        runs,
    )
    return [Ratio("help", "mtpbench --help", "python -c pass", subject_s, floor_s, 8.0, runs)]


def measure(runs: int, quick: bool = False) -> list[Ratio]:  # noqa: ARG001 - nothing is smaller
    return [*measure_help(runs), *measure_report(runs)]


if __name__ == "__main__":
    sys.exit(main(measure))
