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
    assert (run.spec_type, run.n_max) == ("draft-mtp", 3)


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


def table(*rows):
    head, *others = rows
    rule = "|" + "---|" * (head.count("|") - 1)
    return "\n".join([head, rule, *others]) + "\n"


def totals(text):
    return [
        (
            run.spec_type,
            run.n_max,
            run.aggregate.draft_tokens,
            run.aggregate.accepted_tokens,
            run.aggregate.acceptance_rate,
            run.aggregate.quoted_tps,
        )
        for run in runs_in(text)
    ]


@pytest.mark.parametrize(
    "heading",
    [
        "DSpark tok/s", "T/s (CUDA)", "tok/s (median)", "Speed (tok/s)", "median t/s", "Decode t/s",
        "decode (tok/s)", "TG t/s", "tok/s with DSpark", "Generation tokens/s", "**tok/s**",
    ],
)  # fmt: skip
def test_a_speed_s_heading_with_a_method_a_device_or_a_statistic(heading):
    ((_, depth, drafted, accepted, rate, speed),) = totals(
        table(f"| Depth | {heading} | Acceptance | Drafted | Accepted |",
              "| 2 | 88.94 | 0.555 | 119 | 66 |")
    )  # fmt: skip
    assert (depth, drafted, accepted, rate, speed) == (2, 119, 66, 0.555, 88.94)


@pytest.mark.parametrize(
    "heading",
    ["Prompt tok/s", "PP (tok/s)", "Peak tok/s", "tok/s (prompt)", "Draft tok/s", "max t/s",
     "tok/s \u0394", "tok/s \u00b1", "Speedup", "MTP \u00d7", "tok/s std", "Prefill t/s"],
)  # fmt: skip
def test_a_speed_of_something_else_is_none(heading):
    text = table(f"| n_max | {heading} | Acceptance |", "| 2 | 88.94 | 0.555 |")
    with pytest.raises(LogError):
        runs_in(text)


@pytest.mark.parametrize(
    ("heading", "cell"),
    [
        ("Draft Accepted/Total", "66/119"),
        ("Drafted / accepted", "119 / 66"),
        ("accepted/drafted", "66/119"),
        ("acceptance", "55% (66/119)"),
        ("acceptance", "66/119 (55.5%)"),
        ("acceptance", "66 of 119 = 55.46%"),
        ("Accept rate", "**66/119**"),
        ("accepted", "66/119"),
    ],
)
def test_two_counts_in_a_cell(heading, cell):
    text = table(f"| n-max | t/s | {heading} |", f"| 2 | 50.0 | {cell} |")
    ((_, depth, drafted, accepted, rate, _),) = totals(text)
    assert (depth, drafted, accepted) == (2, 119, 66)
    assert rate is None or rate == pytest.approx(66 / 119, abs=0.01)


@pytest.mark.parametrize("cell", ["70% (66/119)", "0.53\u20130.86", "0.53-0.86", ">60", "119/66/3"])
def test_what_is_no_rate_is_said(cell):
    (run,) = runs_in(table("| n-max | t/s | acceptance |", f"| 2 | 50.0 | {cell} |"))
    total = run.aggregate
    assert (total.acceptance_rate, total.draft_tokens, total.accepted_tokens) == (None, None, None)
    assert [finding.code for finding in run.findings] == ["number-unread"]


@pytest.mark.parametrize("word", ["none", "off", "no MTP", "baseline"])
def test_a_depth_that_says_that_nothing_was_drafted(word):
    first, second = totals(
        table("| draft-n-max | T/s | draft rate |", f"| {word} | 36.00 | N/A |",
              "| 1 | 47.77 | 0.47 |")
    )  # fmt: skip
    assert first == ("none", None, None, None, None, 36.0)
    assert second == (None, 1, None, None, 0.47, 47.77)


def test_two_speeds_are_two_runs():
    runs = runs_in(
        table("| ctx | base t/s | DFlash t/s | DFlash \u00d7 | DFlash accepted/8 | accept % |",
              "| 512 | 33.84 | 81.78 | 2.42\u00d7 | 6.00 | 71 |",
              "| 2048 | 29.88 | 76.40 | 2.56\u00d7 | 6.00 | 69 |")
    )  # fmt: skip
    assert [(run.label, run.spec_type, run.aggregate.quoted_tps) for run in runs] == [
        ("base, ctx 512", "none", 33.84),
        ("base, ctx 2048", "none", 29.88),
        ("DFlash, ctx 512", "draft-dflash", 81.78),
        ("DFlash, ctx 2048", "draft-dflash", 76.4),
    ]
    # The rate is of the one that drafts.
    assert [run.aggregate.acceptance_rate for run in runs] == [None, None, 0.71, 0.69]


def test_a_rate_beside_two_methods_is_of_neither():
    runs = runs_in(table("| ctx | MTP t/s | DFlash t/s | accept % |", "| 512 | 33.8 | 81.8 | 71 |"))
    assert [run.aggregate.acceptance_rate for run in runs] == [None, None]


def test_two_devices_are_two_runs():
    runs = runs_in(
        table("| n_max | T/s (CUDA) | T/s (Vulkan) | accept |", "| 2 | 50.0 | 40.0 | 0.7 |")
    )
    assert [(run.label, run.aggregate.quoted_tps) for run in runs] == [
        ("CUDA, n_max 2", 50.0),
        ("Vulkan, n_max 2", 40.0),
    ]


def test_tasks_under_two_methods():
    plain, fast = runs_in(
        table("| Task | Baseline tok/s | DSpark tok/s |", "| code_python | 128.6 | 199.0 |",
              "| summarize | 129.0 | 130.1 |")
    )  # fmt: skip
    assert (plain.spec_type, fast.spec_type) == ("none", "draft-dspark")
    assert [(task.task, task.decode_tps) for task in fast.tasks] == [
        ("code_python", 199.0), ("summarize", 130.1),
    ]  # fmt: skip


def test_configurations_in_the_first_column_and_the_unit_in_the_cells():
    plain, fast = runs_in(
        table("| | median decode | runs |", "| baseline (no spec) | **14.71 tok/s** | 14.7, 14.8 |",
              "| MTP n=3 | **12.72 tok/s** | 12.37, 12.72 |")
    )  # fmt: skip
    assert (plain.label, plain.spec_type, plain.aggregate.quoted_tps) == (
        "baseline (no spec)", "none", 14.71,
    )  # fmt: skip
    assert (fast.label, fast.spec_type, fast.n_max) == ("MTP n=3", "draft-mtp", 3)


def test_counts_without_a_speed():
    (run,) = runs_in(
        table("| Prompt | Drafted | Accepted | Rate |", "| echo | 150 | 150 | 100% |",
              "| prose | 180 | 118 | 65.6% |")
    )  # fmt: skip
    assert [(t.task, t.draft_tokens, t.accepted_tokens, t.reported_rate) for t in run.tasks] == [
        ("echo", 150, 150, 1.0), ("prose", 180, 118, 0.656),
    ]  # fmt: skip


def test_of_several_tables_the_one_with_counts_is_read_and_the_other_said():
    text = (
        table("| A | Accept % | Speed |", "| x | 38.0% | 50 |", "| y | 39.0% | 51 |")
        + "\nWords.\n\n"
        + table("| Output Tokens | Speed (tok/s) | Draft Accepted/Total | Accept % |",
                "| 64 | 92.1 | 52/137 | 38.0% |", "| 128 | 70.8 | 97/421 | 23.0% |")
    )  # fmt: skip
    first, second = runs_in(text)
    assert [run.label for run in (first, second)] == ["Output Tokens 64", "Output Tokens 128"]
    assert (first.aggregate.predicted_tokens, first.aggregate.draft_tokens) == (64, 137)
    (finding,) = first.findings
    assert (finding.level, finding.code, finding.where) == ("note", "table-left-out", "a.md:1-4")
    # Two of a kind are both read.
    assert len(runs_in(RUNS + "\n" + RUNS)) == 4


def test_a_count_with_a_percent_sign_is_a_rate():
    ((_, _, drafted, accepted, rate, _),) = totals(
        table("| n-max | t/s | Acc % |", "| 2 | 50.0 | 71 |")
    )
    assert (drafted, accepted, rate) == (None, None, 0.71)
