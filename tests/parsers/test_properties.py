"""No text is too strange to refuse, and what is written can be read again."""

import json
from contextlib import suppress
from dataclasses import fields

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers import Document
from analysis.records import BUILT_IN_WORKLOADS

LOG = """\
llama-server -m a.gguf --spec-type mtp --spec-draft-n-max 3
## max 3
  code_python x3     pred= 192 draft= 153 acc= 139 rate=0.908 tok/s=21.6  (1 failed)
  code_cpp           ERROR: timed out
  summarize          pred=  48 draft=   0 acc=   0 rate=n/a tok/s=154.1

Concurrency=4 repeat=3  aggregate=80.1 tok/s  mean per-stream=25.0 tok/s
Aggregate: {
  "n_requests": 2,
  "total_predicted": 240,
  "wall_s_total": 13.75
}
"""
OUT = json.dumps(
    {
        "model": "m",
        "spec_flags": "--spec-type draft-mtp",
        "results": [
            {"name": "a", "wall_s": 1.5, "predicted_n": 192, "predicted_per_second": 12.5,
             "draft_n": 135, "draft_n_accepted": 123, "accept_rate": 0.9111},
            {"name": "b", "error": "timed out"},
        ],
        "aggregate": {"n_requests": 2, "total_predicted": 192, "wall_s_total": 1.5},
    },
    indent=2,
)  # fmt: skip

_STRANGE = st.sampled_from(
    ["nan", "-1", "inf", "9" * 5000, "{", "}", "[", '"', "\\n", "\\", "\r", "\ufeff", "\x1b[", "> ",
     "Aggregate: {", "ERROR:", "pred=", "tok/s=1", "x3", "\u00a0", ",", "<br>", "`", "**", "1e999",
     '"results": [', "\U0001f600", "_", "\u0663", "\u00b2", " x9999 pred= 1"]
)  # fmt: skip


@st.composite
def mutated(draw):
    text = draw(
        st.sampled_from([LOG, OUT, LOG + LOG, json.dumps({"log": LOG}), " ".join(LOG.split())])
    )
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        end = draw(
            st.integers(start, min(len(text), start + draw(st.sampled_from([0, 1, 5, 400]))))
        )
        text = text[:start] + draw(_STRANGE | st.text(max_size=8) | st.just("")) + text[end:]
    return text


def read_or_refuse(text, format=None):
    try:
        return parsers.parse(Document.of(text, "a.log"), format)
    except LogError as error:
        return error


@given(st.text() | mutated(), st.sampled_from([None, *parsers.FORMATS]))
@example("Aggregate{0'pred=0draft=0acc=0rate=0tok/s=0", None)
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_or_refused(text, format):
    last = text.count("\n") + text.count("\r") + 1
    runs = read_or_refuse(text, format)
    if isinstance(runs, LogError):
        assert runs.file == "a.log"
        assert runs.line is None or 1 <= runs.line <= last
        return
    assert all(run.tasks or run.aggregate for run in runs)
    for run in runs:
        for task in run.tasks:
            assert run.source.first_line <= task.source.first_line <= task.source.last_line <= last
            counts = (task.predicted_tokens, task.draft_tokens, task.accepted_tokens)
            assert all(figure is None or 0 <= figure <= 10**9 for figure in counts)
            assert task.decode_tps is None or 0 < task.decode_tps < float("inf")
            assert task.pooled >= 1
        if (total := run.aggregate) is not None:
            assert total.source.first_line <= total.source.last_line <= last
            stated = {one.name: getattr(total, one.name) for one in fields(total)}
            figures = [
                value
                for name, value in stated.items()
                if name not in ("source", "rate_decimals", "positions", "quoted_is_mean")
                and value is not None
            ]
            assert run.tasks or figures, "totals alone that say nothing"
            assert all(0 <= figure < float("inf") for figure in figures)


@given(raw=st.binary() | mutated().map(lambda text: text.encode("utf-16")))
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_read_or_refused(raw, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "any.log"
    path.write_bytes(raw)
    with suppress(LogError):
        assert parsers.read(path)


_TASKS = st.one_of(
    st.sampled_from(sorted(BUILT_IN_WORKLOADS)),
    # In one line a task called x3 can't be told from the mark of three pooled requests.
    st.from_regex(r"[a-wyz][a-z0-9_-]{0,20}", fullmatch=True),
)
_COUNT = st.integers(0, 99_999)
_SPEED = st.integers(1, 99_999).map(lambda tenths: tenths / 10)
_RATE = st.integers(0, 1000).map(lambda n: n / 1000)
_ROWS = st.lists(
    st.tuples(_TASKS, _COUNT, _COUNT, _COUNT, st.none() | _RATE, _SPEED),
    min_size=1, max_size=13, unique_by=lambda row: row[0],
)  # fmt: skip
_RUNS = st.lists(st.tuples(_ROWS, st.booleans()), min_size=1, max_size=4)


def total(rows, column):
    return sum(row[column] for row in rows)


def totals(rows):
    return {
        "n_requests": len(rows),
        "total_predicted": total(rows, 1),
        "total_draft": total(rows, 2),
        "total_draft_accepted": total(rows, 3),
        "aggregate_accept_rate": 0.5,
        "wall_s_total": 12.25,
    }


def printed(rows, word):
    lines = [
        f"  {task:<18} pred={p:4d} draft={d:4d} acc={a:4d} "
        f"rate={'n/a' if rate is None else format(rate, '.3f')} tok/s={speed:.1f}"
        for task, p, d, a, rate, speed in rows
    ]
    return "\n".join(
        [*lines, "", ("Aggregate: " if word else "") + json.dumps(totals(rows), indent=2), ""]
    )


def saved(rows):
    results = [
        {"name": task, "wall_s": 1.5, "predicted_n": p, "predicted_per_second": speed,
         "draft_n": d, "draft_n_accepted": a, "accept_rate": rate}
        for task, p, d, a, rate, speed in rows
    ]  # fmt: skip
    return {"results": results, "aggregate": totals(rows)}


def rows_of(run):
    return [
        (
            t.task,
            t.predicted_tokens,
            t.draft_tokens,
            t.accepted_tokens,
            t.reported_rate,
            t.decode_tps,
        )
        for t in run.tasks
    ]


def check(runs, written):
    assert [rows_of(run) for run in runs] == [rows for rows, _ in written]
    for run, (rows, _) in zip(runs, written, strict=True):
        assert run.findings == ()
        stated = run.aggregate
        assert stated.n_requests == len(rows)
        assert stated.predicted_tokens == total(rows, 1)
        assert stated.draft_tokens == total(rows, 2)
        assert stated.accepted_tokens == total(rows, 3)
        assert (stated.acceptance_rate, stated.wall_s) == (0.5, 12.25)


_LINES = {
    "as printed": lambda text: text,
    "quoted": lambda text: "".join(f"> {line}\n" for line in text.split("\n")),
    "squashed": lambda text: "\n".join(" ".join(line.split()) for line in text.split("\n")),
    "windows": lambda text: text.replace("\n", "\r\n"),
    "one line": lambda text: " ".join(text.split()),
    "json string": lambda text: json.dumps({"log": text}),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
}


@pytest.mark.parametrize("shape", _LINES)
@given(written=_RUNS)
@settings(max_examples=60, deadline=None)
def test_what_is_printed_is_read(shape, written):
    text = "\n".join(f"max {n}\n\n{printed(rows, word)}" for n, (rows, word) in enumerate(written))
    runs = parsers.parse(Document.of(_LINES[shape](text), "a.log"))
    check(runs, written)
    if shape in ("as printed", "quoted", "squashed", "windows"):
        assert [run.label for run in runs] == [f"max {n}" for n in range(len(written))]


@given(written=_RUNS)
@settings(max_examples=60, deadline=None)
def test_what_is_saved_is_read(written):
    text = json.dumps([saved(rows) for rows, _ in written], indent=2)
    check(parsers.parse(Document.of(text, "a.json")), written)
