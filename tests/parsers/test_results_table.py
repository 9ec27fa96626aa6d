"""Markdown tables of results: rows of runs, rows of tasks, columns of runs."""

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document

RUNS = """\
| Backend | Quant | Mode | Wall (s) | Tok/s | Speedup | Accept% |
|:---:|:---:|:---:|---:|---:|---:|---:|
| Vulkan | Q5_K_M | baseline | 53.42 | 27.88 | 1.00x | — |
| Vulkan | Q5_K_M | MTP n=3 | 29.71 | 53.51 | 1.80x | 71.6 |
"""
DEPTHS = """\
| spec-draft-n-max | average tk\\s | wall_s_total|  aggregate_accept_rate |
| --- | ----               | ---                     | -- |
| n/a - no mtp |        22.92        |       77.69    | n/a |
| 2 |  29.39 | 66.00 | 0.815 |
"""
REPORT = """\
| Metric | Baseline | Candidate | Delta |
| --- | ---: | ---: | ---: |
| Total predicted tokens | 1,419 | 1,419 | +0 |
| Total wall time (s) | 17.67 | 17.36 | -1.75% |
| Aggregate throughput | 80.31 tok/s | 81.74 tok/s | +1.79% |

| Prompt | Baseline tok/s | Candidate tok/s | Delta |
| --- | ---: | ---: | ---: |
| `code_python` | 85.73 tok/s | 88.60 tok/s | +3.35% |
| `summarize` | 89.26 tok/s | 91.14 tok/s | +2.11% |
"""
ARMS = """\
| Arm | TPS | Generated | Drafted / accepted | Acceptance | Length |
|---|---:|---:|---:|---:|---:|
| Native MTP `n_max=3` | 45.9839 | 33,970 | 36,350 / 21,800 | 59.972% | 2.7987 |
"""
TASKS = """\
| Task | pred | draft | acc | rate | tok/s |
|---|---|---|---|---|---|
| code_python | 192 | 153 | 139 | 0.908 | 61.9 |
| code_cpp | 192 | 160 | 120 | 0.750 | 58.0 |
| Total | 384 | 313 | 259 | 0.827 | |
"""


def runs_in(text):
    return parsers.parse(Document.of(text, "a.md"))


def test_a_row_per_run():
    plain, fast = runs_in(RUNS)
    assert (plain.format, plain.tasks, plain.source.first_line) == ("results-table", (), 3)
    assert (plain.label, plain.spec_type, plain.n_max) == ("baseline", "none", None)
    assert (fast.label, fast.spec_type, fast.n_max) == ("MTP n=3", "draft-mtp", 3)
    assert (fast.aggregate.wall_s, fast.aggregate.acceptance_rate) == (29.71, 0.716)
    # Speedup is derived, and tok/s without its time is only quoted.
    assert (fast.aggregate.quoted_tps, fast.aggregate.quoted_is_mean) == (53.51, False)
    assert fast.aggregate.predicted_tokens is None
    assert dict(fast.conditions) == {"Backend": "Vulkan", "Quant": "Q5_K_M"}


def test_a_depth_per_row_and_a_unit_that_markdown_mangled():
    plain, fast = runs_in(DEPTHS)
    assert (plain.spec_type, plain.aggregate.acceptance_rate) == ("none", None)
    assert (fast.n_max, fast.aggregate.acceptance_rate, fast.aggregate.wall_s) == (2, 0.815, 66.0)
    assert (fast.aggregate.quoted_tps, fast.aggregate.quoted_is_mean) == (29.39, True)


def test_a_column_per_run():
    plain, candidate = runs_in(REPORT)
    assert [run.label for run in (plain, candidate)] == ["Baseline", "Candidate"]
    assert plain.spec_type == "none"
    assert plain.aggregate.predicted_tokens == 1419
    assert (plain.aggregate.wall_s, candidate.aggregate.wall_s) == (17.67, 17.36)
    assert plain.aggregate.quoted_tps == 80.31
    assert [(task.task, task.decode_tps) for task in candidate.tasks] == [
        ("code_python", 88.6),
        ("summarize", 91.14),
    ]


def test_two_figures_in_one_cell_in_the_order_of_the_heading():
    (run,) = runs_in(ARMS)
    total = run.aggregate
    assert (total.predicted_tokens, total.draft_tokens, total.accepted_tokens) == (
        33970,
        36350,
        21800,
    )
    assert (total.acceptance_rate, total.rate_decimals) == (0.59972, 5)
    assert (run.spec_type, run.n_max, total.reported_mean_length) == ("draft-mtp", 3, 2.7987)


def test_a_row_per_task_without_its_totals():
    (run,) = runs_in(TASKS)
    assert [(t.task, t.predicted_tokens, t.accepted_tokens) for t in run.tasks] == [
        ("code_python", 192, 139),
        ("code_cpp", 192, 120),
    ]
    assert run.tasks[0].reported_rate == 0.908


def test_a_table_above_the_output_of_one_run_follows_it():
    rows = "  code_python        pred= 192 draft= 153 acc= 139 rate=0.908 tok/s=61.9\n"
    runs = runs_in(f"{RUNS}\n```\n{rows}```\n")
    assert [run.format for run in runs] == ["mtp-bench", "results-table", "results-table"]
    # Naming a format leaves the others out.
    assert len(parsers.parse(Document.of(RUNS + rows, "a.md"), "mtp-bench")) == 1


def test_a_row_that_stops_in_the_middle_is_a_finding():
    cut = RUNS + "| Vulkan | Q6_K | MTP n=3 | 29.6"
    runs = runs_in(cut)
    assert len(runs) == 2
    assert [(f.code, f.where) for f in runs[-1].findings] == [("row-cut", "a.md:5")]


def test_a_cell_that_is_no_figure_is_a_finding():
    (run,) = runs_in(ARMS.replace("59.972%", "high"))
    assert run.aggregate.acceptance_rate is None
    assert [f.code for f in run.findings] == ["number-unread"]


@pytest.mark.parametrize(
    "text",
    [
        "| Model | Prompt tok/s | Gen tok/s |\n|---|---|---|\n| a | 100 | 20 |\n",
        "| Setting | Value |\n|---|---|\n| draft | 3 |\n",
        "| GPU | Wall (s) | Tok/s |\n|---|---|---|\n| a | 10 | 20 |\n",
        RUNS.splitlines()[0] + "\n" + RUNS.splitlines()[1] + "\n",
        RUNS.replace("|:---:|:---:|:---:|---:|---:|---:|---:|\n", ""),
    ],
)
def test_tables_of_something_else_yield_nothing(text):
    with pytest.raises(LogError, match="nothing was recognised"):
        runs_in(text)
    with pytest.raises(LogError, match="no table here has results"):
        parsers.parse(Document.of(text, "a.md"), "results-table")
