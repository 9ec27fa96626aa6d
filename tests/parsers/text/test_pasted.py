"""Output as people paste it: the same figures come out of every shape."""

import json
import re

import pytest

from analysis import parsers
from analysis.parsers import Document

CLEAN = """\
  code_python        pred= 192 draft= 153 acc= 139 rate=0.908 tok/s=21.6
  long_code_review   pred= 192 draft= 179 acc= 131 rate=0.732 tok/s=18.0

Aggregate: {
  "n_requests": 2,
  "total_predicted": 384,
  "total_draft": 332,
  "total_draft_accepted": 270,
  "aggregate_accept_rate": 0.8133,
  "wall_s_total": 83.8
}
"""


def figures(text):
    return [
        ([row(task) for task in run.tasks], run.aggregate and totals(run.aggregate), run.findings)
        for run in parsers.parse(Document.of(text, "pasted.log"))
    ]


def row(task):
    counts = (task.predicted_tokens, task.draft_tokens, task.accepted_tokens)
    return (task.task, *counts, task.reported_rate, task.decode_tps)


def totals(stated):
    counts = (stated.n_requests, stated.predicted_tokens, stated.draft_tokens)
    return (*counts, stated.accepted_tokens, stated.acceptance_rate, stated.wall_s)


EXPECTED = [
    (
        [
            ("code_python", 192, 153, 139, 0.908, 21.6),
            ("long_code_review", 192, 179, 131, 0.732, 18.0),
        ],
        (2, 384, 332, 270, 0.8133, 83.8),
        (),
    )
]

SHAPES = {
    "as printed": CLEAN,
    "windows line ends": CLEAN.replace("\n", "\r\n"),
    "old line ends": CLEAN.replace("\n", "\r"),
    "byte order mark": "\ufeff" + CLEAN,
    "quoted": "".join(f"> {line}\n" for line in CLEAN.split("\n")),
    "quoted twice": "".join(f">> {line}\n" for line in CLEAN.split("\n")),
    "quoted as html": "".join(f"&gt; {line}\n" for line in CLEAN.split("\n")),
    "html breaks": CLEAN.replace("\n", "<br>"),
    "fenced": f"```text\n{CLEAN}```\n",
    "fence glued": f"``` {CLEAN}```",
    "listed": CLEAN.replace("  code", "- code").replace("  long", "* long"),
    "in code marks": CLEAN.replace("code_python", "`code_python`"),
    "padding gone": "\n".join(" ".join(line.split()) for line in CLEAN.split("\n")),
    "padding gone inside": CLEAN.replace("= ", "="),
    "wider padding": CLEAN.replace("code_python  ", "code_python    "),
    "spaces around equals": CLEAN.replace("=", " = "),
    "one line": " ".join(CLEAN.split()),
    "one line in a sentence": "py " + " ".join(CLEAN.split()) + " That was all.",
    "underscores eaten": CLEAN.replace("_", " "),
    "underscores eaten, one line": " ".join(CLEAN.replace("_", " ").split()),
    "underscores escaped": CLEAN.replace("_", "\\_"),
    "blank lines between": CLEAN.replace("\n", "\n\n"),
    "json string": json.dumps({"log": CLEAN}),
    "json string twice": json.dumps(json.dumps({"log": CLEAN})),
    "python list": repr(CLEAN.split("\n")),
    "colours": CLEAN.replace("0.908", "\x1b[32m0.908\x1b[0m").replace("  code", "\x1b[1m  code"),
    "colours in json": json.dumps({"log": CLEAN.replace("0.908", "\x1b[32m0.908\x1b[0m")}),
    "tabs": CLEAN.replace("  ", "\t").replace("= ", "=\t"),
    "no-break spaces": CLEAN.replace(" ", "\u00a0"),
    "zero width": CLEAN.replace("pred", "\u200bpred"),
    "decimal commas": re.sub(r"(?<=\d)\.(?=\d)", ",", CLEAN),
    "json list of lines": json.dumps(CLEAN.split("\n")),
    "json list of lines, indented": json.dumps({"log": CLEAN.split("\n")}, indent=2),
    "typographic quotes": CLEAN.replace('"', "\u201d"),
    "wrapped by a terminal": CLEAN.replace(" acc=", "\nacc="),
    "prompt before": f"\u276f py .\\mtp-bench.py\n{CLEAN}",
    "prompt after": f"{CLEAN}user@host:~$ exit\n",
    "table before": f"| n | tok/s |\n|--|--|\n| 2 | 29.39 |\n\n{CLEAN}",
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_the_figures_of_every_shape(shape):
    assert figures(SHAPES[shape]) == EXPECTED


# A JSON string ends, so its text can't simply be pasted twice.
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "json string twice"])
def test_two_runs_stay_two_in_every_shape(shape):
    text = SHAPES[shape]
    joint = "\r" if shape == "old line ends" else "\n"
    assert figures(text + joint + text) == EXPECTED * 2


def test_thousands_separators():
    text = "code_python pred= 1,419 draft= 1.350 acc= 959 rate=0.710 tok/s=1,080.5\n"
    assert figures(text)[0][0] == [("code_python", 1419, 1350, 959, 0.71, 1080.5)]


def test_lines_are_those_of_the_file():
    runs = parsers.parse(Document.of("\r\n\r\n" + CLEAN.replace("\n", "\r\n"), "a.log"))
    assert str(runs[0].tasks[1].source) == "a.log:4"
    assert str(runs[0].aggregate.source) == "a.log:6-13"
    runs = parsers.parse(Document.of("{\n" + f'"log": {json.dumps(CLEAN)}' + "\n}", "a.json"))
    assert str(runs[0].tasks[1].source) == "a.json:2"


def test_a_progress_bar_that_overwrote_itself_is_one_line():
    runs = parsers.parse(Document.of(f"10%\r20%\r30%\n{CLEAN}", "a.log"))
    assert str(runs[0].tasks[0].source) == "a.log:2"


ROW = "code_python pred= 192 draft= 153 acc= 139 rate=0.908 tok/s=21.6"


@pytest.mark.parametrize(
    ("above", "label"),
    [
        ("max 2\n\npython mtp-bench.py", "max 2"),
        ("DSpark max 2\n", "DSpark max 2"),
        ("## No MTP (Q8)\n\n```", "No MTP (Q8)"),
        ("```\n**MTP**\n```", "MTP"),
        ("- **n = 3**:\n", "n = 3"),
        ("<details>\n<summary>DFlash 7</summary>\n\n```", "DFlash 7"),
        ("## Real\n<details><summary>Details</summary>\n", "Real"),
        ("\u2022 Q4, two cards:\n", "Q4, two cards"),
        ("CPU: llama-server -m a.gguf --seed 42\nI then ran the script. py", "CPU"),
        ("lmstudio/Qwen3.6-27B-Q4_K_M.gguf - none", "Qwen3.6-27B-Q4_K_M.gguf - none"),
        ("max 2\n\nThe weather was fine and the machine idle.\n", None),
        ("This sentence says much more than any heading should ever say about it\n", None),
        ("$ python mtp-bench.py --url http://localhost:8080", None),
        ("python mtp-bench.py", None),
        ("| n | tok/s |\n| 2 | 29.39 |", None),
        ("", None),
    ],
)  # fmt: skip
def test_the_label_above_a_block(above, label):
    (run,) = parsers.parse(Document.of(f"{above}\n{ROW}\n", "a.log"))
    assert run.label == label


def test_a_label_belongs_to_one_block():
    text = f"max 2\n{ROW}\nAggregate: {{}}\n{ROW}\n"
    assert [run.label for run in parsers.parse(Document.of(text, "a.log"))] == ["max 2", None]


def test_the_command_above_a_block_is_read():
    above = (
        "```\nllama-server -m t.gguf -md d.gguf \\\n"
        "  --spec-type draft-dflash --spec-draft-n-max 4 --temp 0\n```"
    )
    (run,) = parsers.parse(Document.of(f"{above}\n{ROW}\n", "a.log"))
    assert (run.spec_type, run.n_max, run.target, run.draft) == (
        "draft-dflash",
        4,
        "t.gguf",
        "d.gguf",
    )
    assert run.temperature == 0.0
    assert run.command == (
        "llama-server -m t.gguf -md d.gguf --spec-type draft-dflash --spec-draft-n-max 4 --temp 0"
    )


def test_the_command_below_the_only_run_is_read():
    below = "llama-server -m t.gguf --spec-type mtp --spec-draft-n-max 3 --spec-draft-p-min 0.75"
    (run,) = parsers.parse(Document.of(f"{ROW}\n\nRun with:\n{below}\n", "a.log"))
    assert (run.spec_type, run.n_max, run.p_min, run.command) == ("draft-mtp", 3, 0.75, below)


def test_a_plain_server_with_nothing_drafted_is_a_baseline():
    row = ROW.replace("153", "0").replace("139", "0").replace("0.908", "n/a")
    (run,) = parsers.parse(Document.of(f"`./llama-server -m t.gguf -np 1`\n{row}\n", "a.log"))
    assert (run.spec_type, run.command) == ("none", "llama-server -m t.gguf -np 1")


def test_commands_of_two_runs_on_one_line():
    text = f"./llama-server -m a.gguf -np 1 {ROW} ./llama-server -m b.gguf --spec-type mtp {ROW}"
    runs = parsers.parse(Document.of(text, "a.log"))
    assert [(run.target, run.spec_type) for run in runs] == [
        ("a.gguf", None),
        ("b.gguf", "draft-mtp"),
    ]
