"""Texts as people paste them, of kinds that no other test has: what a careful reader finds."""

from __future__ import annotations

import textwrap

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document, decode
from analysis.parsers.text.stream import Log
from tests.parsers.server_log import Asked, middle, new, old

ONE, TWO = Asked(), Asked(predicted=99, rounds=((5, 5), (5, 1)), eval_ms=812.34)
FOUND = [(140, 11, 6), (99, 10, 6)]
ROWS = (
    "  code_python        pred= 192 draft= 135 acc= 123 rate=0.911 tok/s=161.0\n"
    "  qa_factual         pred= 120 draft= 100 acc=  60 rate=0.600 tok/s=101.5\n"
)
TOTALS = (
    'Aggregate: {\n  "n_requests": 2,\n  "total_predicted": 312,\n  "total_draft": 235,\n'
    '  "total_draft_accepted": 183,\n  "aggregate_accept_rate": 0.7787,\n  "wall_s_total": 3.5\n}\n'
)


def counts(text):
    return [
        (task.predicted_tokens, task.draft_tokens, task.accepted_tokens)
        for run in parsers.parse(Document.of(text, "a.md"))
        for task in run.tasks
    ]


def wrapped(lines, width):
    """As a terminal of that width is copied: cut wherever its last column is."""
    return "\n".join(part for line in lines for part in textwrap.wrap(
        line, width, drop_whitespace=False, break_on_hyphens=False) if part)  # fmt: skip


def hard(lines, width):
    return "\n".join(line[at : at + width] for line in lines for at in range(0, len(line), width))


SERVER = {
    "today": lambda: [*new(ONE, 0), *new(TWO, 9, at_ms=9000.0)],
    "june": lambda: [*middle(ONE, 0), *middle(TWO, 9)],
    "2025": lambda: [*old(ONE, 0), *old(TWO, 9)],
}


@pytest.mark.parametrize("shape", SERVER)
@pytest.mark.parametrize(
    "paste",
    [
        lambda lines: "\n\n".join(lines),
        lambda lines: "\r\n".join(lines),
        lambda lines: "\n".join(line.ljust(180) for line in lines),
        lambda lines: "\n".join(line.replace(" ", "\u00a0") for line in lines),
        lambda lines: "\n".join(" ".join(line.split()) for line in lines),
        lambda lines: "My log:\n\n```text\n" + "\n".join(lines) + "\n```\nThanks!",
        lambda lines: "<details>\n<summary>log</summary>\n\n" + "\n".join(lines) + "\n</details>",
        lambda lines: "\n".join(f"> > {line}" for line in lines),
        lambda lines: "\n".join(f"{n}. `{line}`" for n, line in enumerate(lines, start=1)),
        lambda lines: "\n".join(f"| {line} |" for line in lines),
        lambda lines: "\n".join(f"[2026-12-01 10:00:{n:02d}] [llama] {line}"
                                for n, line in enumerate(lines)),
        lambda lines: "\n".join(f"node-3 llama[{n}]: {line}" for n, line in enumerate(lines)),
        lambda lines: "PS C:\\models> .\\llama-server -m a.gguf\n" + "\n".join(lines),
        lambda lines: "\ufeff" + "\n".join(lines),
        lambda lines: "\n".join(lines) + "\nn" * 3,
        lambda lines: hard(lines, 110),
    ],
    ids=["blank lines", "windows", "padded", "no-break", "collapsed", "fence", "details",
         "quoted twice", "numbered", "cells", "two brackets", "host and pid", "transcript", "bom",
         "cut end", "wrapped"],
)  # fmt: skip
def test_a_server_s_log(shape, paste):
    assert counts(paste(SERVER[shape]())) == FOUND


@pytest.mark.parametrize(
    "paste",
    [
        lambda text: "\n".join(f"bench-7c9d8-abcde bench {line}" for line in text.split("\n")),
        lambda text: "\n".join(f"2026-12-01T10:00:00Z {line}" for line in text.split("\n")),
        lambda text: "\n".join(f"{n:6}\t{line}" for n, line in enumerate(text.split("\n"), 1)),
        lambda text: "\n".join(f"bench.log:{n}:{line}" for n, line in enumerate(text.split("\n"))),
        lambda text: "\n".join(f"- {line}" for line in text.split("\n")),
        lambda text: text.replace(" ", "\u00a0"),
        lambda text: text.replace(".", ",").replace("wall_s_total\": 3,5", "wall_s_total\": 3.5")
        .replace("0,7787", "0.7787"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: "root@gpu:~# python mtp-bench.py\n" + text + "root@gpu:~# exit\n",
        lambda text: text.replace("\n", "   \n"),
    ],
    ids=["stern", "times", "cat -n", "grep", "bullets", "no-break", "comma", "blank", "shell",
         "tmux"],
)  # fmt: skip
def test_a_bench(paste):
    (run,) = parsers.parse(Document.of(paste(ROWS + "\n" + TOTALS), "a.md"))
    assert [(task.task, task.draft_tokens, task.accepted_tokens) for task in run.tasks] == [
        ("code_python", 135, 123), ("qa_factual", 100, 60),
    ]  # fmt: skip
    assert [task.decode_tps for task in run.tasks] == [161.0, 101.5]
    assert (run.aggregate.predicted_tokens, run.aggregate.wall_s) == (312, 3.5)
    assert run.findings == ()


GRIDS = {
    "ascii": "+-------+-------+--------+\n| n_max | tok/s | accept |\n+=======+=======+========+\n"
    "| 2     | 50.0  | 0.70   |\n+-------+-------+--------+\n| 4     | 45.0  | 0.50   |\n"
    "+-------+-------+--------+\n",
    "org": "| n_max | tok/s | accept |\n|-------+-------+--------|\n| 2 | 50.0 | 0.70 |\n"
    "| 4 | 45.0 | 0.50 |\n",
    "box": "┌───┬───┬───┐\n│ n_max │ tok/s │ accept │\n├───┼───┼───┤\n"
    "│ 2 │ 50.0 │ 0.70 │\n│ 4 │ 45.0 │ 0.50 │\n└───┴───┴───┘\n",
    "psql": " n_max | tok/s | accept \n-------+-------+--------\n"
    " 2 | 50.0 | 0.70 \n 4 | 45.0 | 0.50 \n",
    "markdown": "| n_max | tok/s | accept |\n|:--|--:|--:|\n"
    "| 2 | 50.0 | 0.70 |\n| 4 | 45.0 | 0.50 |\n",
    "quoted": "> | n_max | tok/s | accept |\n> |---|---|---|\n> | 2 | 50.0 | 70 % |\n"
    "> | 4 | 45,0 | 50,0% |\n",
    "tabs": "n_max\ttok/s\taccept\n2\t50.0\t0.70\n4\t45.0\t0.50\n",
    "semicolons": "n_max;tok/s;accept\n2;50.0;0.70\n4;45.0;0.50\n",
}


@pytest.mark.parametrize("grid", GRIDS)
def test_a_table_however_it_is_drawn(grid):
    runs = parsers.parse(Document.of("Results:\n\n" + GRIDS[grid] + "\nDone.\n", "a.md"))
    assert [
        (run.n_max, run.aggregate.quoted_tps, run.aggregate.acceptance_rate) for run in runs
    ] == [(2, 50.0, 0.7), (4, 45.0, 0.5)]


TRANSCRIPT = """\
**********************
PowerShell transcript start
Start time: 20261202101530
Username: BOX\\ada
Machine: BOX (Microsoft Windows NT 10.0.26100.0)
Host Application: C:\\Program Files\\PowerShell\\7\\pwsh.dll
Process ID: 4242
PSVersion: 7.5.0
OS: Microsoft Windows 10.0.26100
**********************
"""
TRANSCRIBED = "PS C:\\Users\\ada\\bench> python mtp-bench.py\n"
ITS_END = "**********************\nPowerShell transcript end\nEnd time: 20261202101630\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("label", ["", "max 2\n"])
def test_the_head_of_a_powershell_transcript_is_no_label(encoding: str, label: str) -> None:
    text = (TRANSCRIPT + label + TRANSCRIBED + ROWS + "\n" + TOTALS + ITS_END).replace("\n", "\r\n")
    (run,) = parsers.read_log(Log.of(decode(text.encode(encoding), "a.log")))
    assert run.label == (label.strip() or None)
    assert [task.draft_tokens for task in run.tasks] == [135, 100]
    assert run.aggregate is not None
    server = TRANSCRIPT + ".\\llama-server.exe -m a.gguf\n" + "\n".join(SERVER["today"]()) + ITS_END
    (run,) = parsers.read_log(
        Log.of(decode(server.replace("\n", "\r\n").encode(encoding), "a.log"))
    )
    assert [task.draft_tokens for task in run.tasks] == [11, 10]


@pytest.mark.parametrize("shape", SERVER)
def test_a_log_whose_newest_line_stands_first_is_refused(shape: str) -> None:
    lines = list(reversed(SERVER[shape]()))
    with pytest.raises(LogError, match="from the newest to the oldest") as caught:
        parsers.parse(Document.of("\n".join(lines), "a.log"))
    assert "total time" in lines[(caught.value.line or 0) - 1]


def test_columns_as_runs_need_no_word_for_their_rows() -> None:
    table = (
        "| | baseline | MTP n=2 | MTP n=3 |\n|---|---|---|---|\n| tok/s | 42.1 | 61.9 | 58.0 |\n"
        "| drafted | - | 372 | 471 |\n| accepted | - | 288 | 301 |\n"
    )
    plain, two, three = parsers.parse(Document.of(table, "a.md"))
    assert (plain.spec_type, plain.label) == ("none", "baseline")
    for run, drafted, accepted, n_max in ((two, 372, 288, 2), (three, 471, 301, 3)):
        assert (run.spec_type, run.n_max) == ("draft-mtp", n_max)
        assert run.aggregate is not None
        assert (run.aggregate.draft_tokens, run.aggregate.accepted_tokens) == (drafted, accepted)
