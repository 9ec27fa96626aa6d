"""Clean output: every figure by hand, with the line that it stands on."""

from pathlib import Path

import pytest

from analysis import parsers
from analysis.parsers import Document
from analysis.records import Source

DATA = Path(__file__).parents[1] / "data"
ROW = "code_python pred= 192 draft= 135 acc= 123 rate=0.911 tok/s=161.0"
SECOND = "code_cpp pred= 54 draft= 36 acc= 36 rate=1.000 tok/s=170.7"
TOTALS = (
    '{"n_requests": 1, "total_predicted": 192, "total_draft": 135, "total_draft_accepted": 123}'
)


def parse(text):
    return parsers.parse(Document.of(text, "pasted.log"))


def only(text):
    (run,) = parse(text)
    return run


def codes(run):
    return [(finding.code, finding.level, finding.where) for finding in run.findings]


def test_two_blocks_are_two_runs_with_their_labels():
    runs = parsers.read(DATA / "two_blocks.log", name="two_blocks.log")
    assert [run.label for run in runs] == ["max 2", "max 3"]
    assert [run.format for run in runs] == ["mtp-bench"] * 2
    assert [str(run.source) for run in runs] == ["two_blocks.log:6-16", "two_blocks.log:21-31"]
    assert all(run.findings == () and run.command is None for run in runs)


def test_every_figure_of_a_row():
    run = parsers.read(DATA / "two_blocks.log", name="two_blocks.log")[0]
    row = run.tasks[1]
    assert row.task == "translation"
    assert (row.predicted_tokens, row.draft_tokens, row.accepted_tokens) == (17, 20, 7)
    assert (row.reported_rate, row.rate_decimals, row.decode_tps) == (0.35, 3, 95.3)
    assert (row.pooled, row.failed, row.repeat, row.error) == (1, 0, 1, None)
    assert row.source == Source("two_blocks.log", 7, 7)


def test_every_total_of_an_aggregate():
    aggregate = parsers.read(DATA / "two_blocks.log", name="two_blocks.log")[0].aggregate
    assert aggregate.source == Source("two_blocks.log", 9, 16)
    assert aggregate.n_requests == 2
    assert aggregate.predicted_tokens == 209
    assert aggregate.draft_tokens == 155
    assert aggregate.accepted_tokens == 130
    assert aggregate.acceptance_rate == 0.8387
    assert aggregate.wall_s == 1.41
    assert aggregate.elapsed_s is None


def test_an_aggregate_without_its_word_and_rates_that_are_not_there():
    (run,) = parsers.read(DATA / "bare_aggregate.log", name="b.log")
    assert run.label == "No speculative decoding"
    assert [(t.draft_tokens, t.reported_rate, t.rate_decimals) for t in run.tasks] == [
        (0, None, None),
        (0, None, None),
    ]
    assert run.aggregate.source == Source("b.log", 6, 13)
    assert run.aggregate.acceptance_rate is None
    assert run.aggregate.predicted_tokens == 232
    assert run.findings == ()


def test_pooled_rows_failures_and_concurrency():
    (run,) = parsers.read(DATA / "pooled.log", name="p.log")
    assert [(t.task, t.pooled, t.failed, t.error) for t in run.tasks] == [
        ("code_python", 3, 0, None),
        ("code_cpp", 2, 1, None),
        ("translation", 1, 0, "HTTP Error 503: Service Unavailable"),
    ]
    assert run.tasks[2].predicted_tokens is None
    assert run.concurrency == 4
    assert run.conditions == {"requests per task": "3"}
    assert run.aggregate.n_requests == 9
    assert (run.aggregate.wall_s, run.aggregate.elapsed_s) == (12.4, 8.54)
    assert run.source == Source("p.log", 1, 17)


def test_elapsed_time_when_the_sum_of_requests_stands_beside_it():
    run = only(f'{ROW}\n{{"n_requests": 1, "total_predicted": 192, "wall_s_total": 9.5, '
               '"request_wall_s_total": 30.25}')  # fmt: skip
    assert (run.aggregate.wall_s, run.aggregate.elapsed_s) == (30.25, 9.5)


def test_a_task_that_comes_again_begins_another_run():
    runs = parse(f"{ROW}\n{SECOND}\n{ROW}\n{SECOND}\n")
    assert [len(run.tasks) for run in runs] == [2, 2]
    assert [str(run.source) for run in runs] == ["pasted.log:1-2", "pasted.log:3-4"]


@pytest.mark.parametrize(
    ("written", "task"),
    [("😀emoji", "😀emoji"), ("**bold**_", "bold"), ("`_x_1`", "x_1"), ("«été»", "«été»")],
)
def test_a_row_with_an_odd_name_is_not_lost(written, task):
    row = "pred= 100 draft=  50 acc=  25 rate=0.500 tok/s=80.0"
    (run,) = parse(f"  code_python  {row}\n  {written}  {row}\n  qa_factual  {row}\n")
    assert [result.task for result in run.tasks] == ["code_python", task, "qa_factual"]


def test_starting_the_script_begins_another_run():
    assert len(parse(f"{ROW}\n$ python3 mtp-bench.py\n{SECOND}\n")) == 2


def test_a_trailing_zero_that_was_dropped_does_not_make_a_rate_rougher():
    run = only(f"{ROW}\nsummarize pred= 50 draft= 40 acc= 36 rate=0.9 tok/s=88.1\n")
    assert [task.rate_decimals for task in run.tasks] == [3, 3]


@pytest.mark.parametrize(
    "cut",
    [
        "code_cpp",
        "code_cpp pred=",
        "code_cpp pred=  5",
        "code_cpp pred= 54 draft= 36 acc",
        "code_cpp pred= 54 draft= 36 acc= 36 rate=1.0",
        "code_cpp pred= 54 draft= 36 acc= 36 rate=1.000 tok/s=",
    ],
)
def test_a_row_cut_before_its_speed_is_left_out(cut):
    run = only(f"{ROW}\n  {cut}")
    assert [task.task for task in run.tasks] == ["code_python"]
    expected = [] if cut == "code_cpp" else [("row-cut", "warning", "pasted.log:2")]
    assert codes(run) == expected


@pytest.mark.parametrize("speed", ["1", "17", "170."])
def test_a_row_cut_inside_its_speed_keeps_its_counts(speed):
    run = only(f"{ROW}\n  code_cpp pred= 54 draft= 36 acc= 36 rate=1.000 tok/s={speed}")
    assert [(task.predicted_tokens, task.decode_tps) for task in run.tasks] == [
        (192, 161.0),
        (54, None),
    ]
    assert codes(run) == [("row-cut", "warning", "pasted.log:2")]


def test_a_whole_number_as_speed_is_one_in_the_middle_of_a_text():
    assert only("code_cpp pred= 54 draft= 36 acc= 36 rate=1.000 tok/s=170\nand so on").tasks[
        0
    ].decode_tps == pytest.approx(170.0)


def test_the_beginning_of_another_run_is_a_finding_of_the_run_before():
    run = only(f"{ROW}\nAggregate: {TOTALS}\n\ncode_python pred= 19")
    assert codes(run) == [("row-cut", "warning", "pasted.log:4")]


def test_a_row_cut_in_the_middle_does_not_hide_those_after_it():
    run = only(
        f"{ROW}\ncode_cpp pred= 54 draft= 3\n"
        "summarize pred= 48 draft= 36 acc= 29 rate=0.806 tok/s=154.1\n"
    )
    assert [task.task for task in run.tasks] == ["code_python", "summarize"]
    assert codes(run) == [("row-cut", "warning", "pasted.log:2")]


@pytest.mark.parametrize(
    ("totals", "predicted"),
    [
        ("Aggregate: {", None),
        ("Aggregate:", None),
        ('Aggregate: {\n "n_requests": 1,\n "total_predicted": 192,\n "total_dra', 192),
        ('Aggregate: {\n "n_requests": 1,\n "total_predicted": 19', None),
        ('Aggregate: {"n_requests": 1, "total_predicted": 192, oops}', 192),
    ],
)
def test_an_aggregate_that_is_cut_or_broken(totals, predicted):
    run = only(f"{ROW}\n{totals}")
    assert [finding[0] for finding in codes(run)] == ["aggregate-cut"]
    assert codes(run)[0][1] == "warning"
    assert codes(run)[0][2].startswith("pasted.log:2")
    assert len(run.tasks) == 1
    assert (run.aggregate.predicted_tokens if run.aggregate else None) == predicted


def test_an_aggregate_without_rows_beside_a_whole_block():
    runs = parse(f"{ROW}\nAggregate: {TOTALS}\n\nmax 3\nAggregate: {TOTALS}\n")
    assert [len(run.tasks) for run in runs] == [1, 0]
    assert codes(runs[1]) == [("no-rows", "error", "pasted.log:5")]
    assert runs[1].label == "max 3"


@pytest.mark.parametrize("bad", ["-5", "nan", "1e9", "99999999999", "9" * 6000, "12.5"])
@pytest.mark.parametrize("key", ["pred", "draft", "acc"])
def test_a_figure_that_is_no_number_of_tokens(key, bad):
    fields = {"pred": "54", "draft": "36", "acc": "36", key: bad}
    broken = " ".join(f"{name}= {value}" for name, value in fields.items())
    run = only(f"{ROW}\ncode_cpp {broken} rate=1.000 tok/s=170.7\n")
    assert [task.task for task in run.tasks] == ["code_python"]
    assert codes(run) == [("number-unread", "warning", "pasted.log:2")]
    assert len(run.findings[0].message) < 200


@pytest.mark.parametrize("bad", ["nan", "inf", "-1.0", "0.0", "9" * 500])
def test_a_figure_that_is_no_speed(bad):
    run = only(f"{ROW}\ncode_cpp pred= 54 draft= 36 acc= 36 rate=1.000 tok/s={bad}\n")
    assert run.tasks[1].predicted_tokens == 54
    assert run.tasks[1].decode_tps is None
    assert codes(run) == [("number-unread", "warning", "pasted.log:2")]


def test_an_impossible_total_is_left_out_and_said():
    run = only(f'{ROW}\n{{"n_requests": -1, "total_predicted": 192, "wall_s_total": NaN}}')
    assert run.aggregate.n_requests is run.aggregate.wall_s is None
    assert run.aggregate.predicted_tokens == 192
    assert [code for code, _, _ in codes(run)] == ["number-unread"] * 2


@pytest.mark.parametrize(
    "prose",
    [
        "Where pred= is the number of tokens, draft= those drafted and rate= the share.",
        'Mine says "wall_s_total": 100.33 and the other "wall_s_total": 26.82.',
        'print(f"  {name:<18} pred={n:4d} draft={d:4d} acc={a:4d} rate={r} tok/s={t:.1f}")',
        "srv  main ERROR: could not bind\nI then saw an ERROR: nothing works",
        "| code_python | 192 | 135 | 123 | 0.911 | 161.0 |",
        "code_python got an acceptance rate=0.911 at tok/s=161.0",
        '{"n_requests": 13}',
        "Concurrency=4 repeat=3",
    ],
)
def test_look_alikes_are_nothing(prose):
    with pytest.raises(parsers.LogError, match="nothing was recognised"):
        parse(prose)
    assert only(f"{prose}\n\n{ROW}\n\n{prose}\n").tasks[0].task == "code_python"


def test_other_errors_around_a_block_are_no_failed_tasks():
    run = only(f"cmake ERROR: not found\nmore\n{ROW}\n{SECOND}\nsome words\nsrv ERROR: gone\n")
    assert [task.task for task in run.tasks] == ["code_python", "code_cpp"]


def test_a_failed_task_of_somebodys_own_counts_beside_rows():
    run = only(f"{ROW}\n  my-task            ERROR: timed out\n")
    assert [(task.task, task.error) for task in run.tasks][1] == ("my-task", "timed out")
