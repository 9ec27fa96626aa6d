"""What a server prints is read again, whatever it is cut into; and nothing breaks the reader."""

import json
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.llama_server import FORMAT
from analysis.parsers.llama_server.blocks import blocks
from analysis.parsers.llama_server.lines import lines_of
from analysis.parsers.llama_server.marks import Round, mark
from analysis.parsers.llama_server.reader import Reader
from analysis.parsers.text.stream import Log
from tests.parsers.server_log import Asked, as_json, clock, middle, new, old

_ROUNDS = st.lists(
    st.integers(1, 64).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), max_size=8
).map(tuple)
_ASKED = st.builds(
    Asked,
    predicted=st.integers(2, 99_999),
    rounds=_ROUNDS,
    eval_ms=st.integers(1, 10**9).map(lambda hundredths: hundredths / 100),
    prompt=st.integers(1, 200_000),
    prompt_ms=st.integers(1, 10**9).map(lambda hundredths: hundredths / 100),
)
_SHAPES = {
    "new": lambda asked, task: new(asked, task, at_ms=1000.0 * task),
    "json lines": lambda asked, task: as_json(new(asked, task, at_ms=1000.0 * task)),
    "middle": middle,
    "old": old,
    "router": lambda asked, task: [f"[53409] {line}" for line in new(asked, task)],
}
_ENDS = {"new": "\n", "windows": "\r\n"}


def runs_of(pieces):
    return [run.record() for run in Reader("a.log", FORMAT).read(pieces)]


@pytest.mark.parametrize("ends", _ENDS)
@pytest.mark.parametrize("shape", _SHAPES)
@given(asked=st.lists(_ASKED, min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_what_is_printed_is_read(shape, ends, asked):
    lines = [line for task, one in enumerate(asked) for line in _SHAPES[shape](one, task)]
    (run,) = runs_of([_ENDS[ends].join(lines).encode()])
    assert run.findings == ()
    for one, task in zip(asked, run.tasks, strict=True):
        assert task.predicted_tokens == one.predicted
        assert (task.draft_tokens, task.accepted_tokens) == (one.drafted, one.accepted)
        assert (task.prompt_tokens, task.prompt_s) == (one.prompt, one.prompt_ms / 1000)
        assert task.decode_s == one.eval_ms / 1000
        if shape in ("middle", "old"):
            continue
        rounds = [] if task.rounds is None else task.rounds.drafted.tolist()
        assert rounds == [drafted for drafted, _ in one.rounds]
        if one.rounds:
            assert task.rounds.accepted.tolist() == [accepted for _, accepted in one.rounds]
            assert np.diff(task.rounds.at_s) == pytest.approx(0.017)
            assert task.positions.rounds == len(one.rounds)


@given(
    asked=st.lists(_ASKED, min_size=1, max_size=4),
    cuts=st.lists(st.integers(0, 10_000), max_size=9).map(sorted),
    shape=st.sampled_from(sorted(_SHAPES)),
)
@settings(max_examples=80, deadline=None)
def test_pieces_do_not_matter(asked, cuts, shape):
    lines = [line for task, one in enumerate(asked) for line in _SHAPES[shape](one, task)]
    raw = ("\n".join(lines) + "\n").encode()
    edges = [0, *[min(cut, len(raw)) for cut in cuts], len(raw)]
    pieces = [raw[start:end] for start, end in pairwise(edges)]
    assert seen(runs_of(pieces)) == seen(runs_of([raw]))


def seen(runs):
    """All of runs that is not an array, and the arrays as lists."""
    return [
        (run.source, run.rate_convention,
         [(task.source, task.predicted_tokens, task.accepted_tokens, task.positions,
           task.rounds and [column.tolist() for column in
                            (task.rounds.drafted, task.rounds.accepted, task.rounds.at_s)])
          for task in run.tasks])
        for run in runs
    ]  # fmt: skip


_TRACED = st.builds(
    lambda at, slot, task, accepted, drafted, end: (
        f"{clock(at)} I slot {'operator()':>12}: id {slot:2d} | task {task} | "
        f"accepted {accepted:2d}/{drafted:2d} draft tokens{end}"
    ),
    st.integers(0, 10**9).map(lambda micros: micros / 1000),
    st.integers(0, 128), st.integers(0, 10**7), st.integers(0, 999), st.integers(0, 999),
    st.sampled_from(["", " (restore checkpoint)", "\r"]),
)  # fmt: skip
_NEARLY = st.tuples(_TRACED, st.integers(0, 90), st.text(max_size=2)).map(
    lambda given: given[0][: given[1]] + given[2] + given[0][given[1] + 1 :]
)


@given(lines=st.lists(_TRACED | _NEARLY | st.text(), max_size=30))
@settings(max_examples=120, deadline=None)
def test_columns_say_what_single_lines_say(lines):
    raw = "\n".join(["x" * 200, *lines]).encode("utf-8", "replace")
    for block in blocks([raw]):
        for i, index in enumerate(block.rounds.line.tolist()):
            (line,) = lines_of(block.line(index))
            said = mark(line.text.decode())
            assert said == Round(
                int(block.rounds.accepted[i]), int(block.rounds.drafted[i]),
                bool(block.rounds.restored[i]), traced=True,
            )  # fmt: skip
            assert (line.slot, line.task) == (block.rounds.slot[i], block.rounds.task[i])
            assert line.at_s == float(block.rounds.at_s[i])
            assert index not in {at for at, *_ in block.said}


def test_the_usual_line_is_read_in_columns():
    lines = [f"{clock(at)} I slot   operator(): id  0 | task 5 | accepted  3/ 4 draft tokens"
             for at in range(0, 10_000, 17)]  # fmt: skip
    (block,) = blocks([("\n".join(lines) + "\n").encode()])
    assert len(block.rounds) == len(lines) - len(block.said)
    assert [index for index, *_ in block.said] == [0]  # too near to the beginning to look back


_WHOLE = "\n".join(
    [
        "llama-server -m a.gguf --spec-type mtp",
        "0.00.001.000 I srv    load_model: loading model 'a.gguf'",
        "0.00.001.000 I spec common_specu: adding speculative implementation 'draft-mtp'",
        "0.00.001.000 I spec common_specu: - n_max=2, n_min=0, p_min=0.00, block_size=8",
        *new(Asked(), 3), *new(Asked(rounds=()), 9),
        *middle(Asked(), 11), *old(Asked(), 12), *as_json(new(Asked(), 13)),
        *[f"[53409] {line}" for line in new(Asked(), 3)],
        "0.10.207.010 I spec common_specu: statistics draft-mtp: #calls(b,g,a) = 1 2 2, "
        "#gen drafts = 2, #acc drafts = 2, #gen tokens = 4, #acc tokens = 4",
    ]
)  # fmt: skip
_STRANGE = st.sampled_from(
    ["nan", "inf", "-1", "9" * 5000, "{", "}", '"', "\\n", "\r", "\x1b[", "\x00",
     "\ufeff", "\u0663",
     " (restore checkpoint)", "id  0 | task 3 |", "statistics", "#calls", "n_max=", "build: ",
     "loading model '", "0.00.000.001 I ", "2026-13-45 99:99:99 ", "Feb 31 25:61:61 h p[1]: ",
     '{"msg": "', '{"type":"log","time":1e999,"msg":"x"}', "[" * 2000, ", ", ".", "1.5e9"]
)  # fmt: skip


@st.composite
def mutated(draw):
    raw = _WHOLE.encode()
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(raw)))
        end = min(len(raw), start + draw(st.sampled_from([0, 1, 5, 80, 900])))
        put = draw(_STRANGE.map(str.encode) | st.binary(max_size=6) | st.just(raw[:start][-200:]))
        raw = raw[:start] + put + raw[end:]
    return raw


def read_or_refuse(log):
    try:
        return None, parsers.read_log(log, FORMAT)
    except LogError as error:
        return error, ()


@given(raw=st.binary(max_size=400) | mutated(), whole=st.booleans())
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_read_or_refused(raw, whole):
    log = Log("a.log", iter([raw] if whole else [raw[:700], raw[700:]]))
    last = raw.count(b"\n") + raw.count(b"\r") + 1
    refused, runs = read_or_refuse(log)
    assert refused is None or refused.line is None or 1 <= refused.line <= last
    for run in runs:
        assert run.tasks
        for task in run.tasks:
            assert run.source.first_line <= task.source.first_line
            assert task.source.first_line <= task.source.last_line <= run.source.last_line <= last
            counts = (task.predicted_tokens, task.draft_tokens, task.accepted_tokens)
            assert all(figure is None or 0 <= figure <= 10**9 for figure in counts)
            assert task.decode_tps is None or 0 < task.decode_tps < float("inf")
            for time in (task.decode_s, task.prompt_s, task.wall_s, task.draft_s):
                assert time is None or 0 <= time < float("inf")


@given(raw=mutated())
@settings(max_examples=80, deadline=None)
def test_any_bytes_are_recognised_or_not(raw):
    with suppress(LogError):
        parsers.read_log(Log("a.log", iter([raw])))


def test_a_line_without_end_does_not_fill_the_memory():
    def endless():
        yield from (b"x" * (1 << 20) for _ in range(40))
        yield b"\n" + "\n".join(new(Asked())).encode()

    (run,) = runs_of(endless())
    assert run.tasks[0].predicted_tokens == 140
    assert run.tasks[0].source.first_line == 1 + 1 + 4
    sizes = [len(block.raw) for block in blocks(b"x" * (1 << 20) for _ in range(40))]
    assert max(sizes) <= 9 << 20


def test_json_of_another_program_is_no_message():
    raw = json.dumps({"time": 5, "text": "prompt eval time = 1.0 ms / 1 tokens"}).encode()
    assert list(lines_of(raw)) == []


_OF_PROMPT = (
    "new prompt, n_ctx_slot = 8192, n_keep = 0, task.n_tokens = 44",
    "prompt processing, n_tokens = 44, batch.n_tokens = 44, progress = 1.000000",
    "accepted  3/ 4 draft tokens, new n_tokens = 7",
    "prompt eval time = 1.00 ms / 2 tokens",
)


@given(
    asked=st.lists(_ASKED, min_size=1, max_size=4),
    unstated=st.booleans(),
    prompted=st.lists(st.sampled_from(_OF_PROMPT), max_size=3),
)
@settings(max_examples=60, deadline=None)
def test_figures_read_at_one_go_are_those_read_line_by_line(asked, unstated, prompted):
    lines = []
    for task, one in enumerate(asked):
        printed = new(one, task, at_ms=1000.0 * task)
        totals = f"{clock(1000.0 * task + 999)} I spec common_specu: {_TOTALS}"
        said = [f"{clock(1000.0 * task)} I slot update_slots: id  0 | task {task} | {text}"
                for text in prompted]  # fmt: skip
        lines += [printed[0], *said]
        lines += printed[1:] if unstated else [*printed[1:-1], totals, printed[-1]]
    raw = ("\n".join(lines) + "\n").encode()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("analysis.parsers.llama_server.reader.whole", lambda *_, **__: None)
        single = runs_of([raw])
    assert repr(runs_of([raw])) == repr(single)


_TOTALS = (
    "statistics        draft-mtp: #calls(b,g,a) =    1     61     61, #gen drafts =     61, "
    "#acc drafts =    49, #gen tokens =    242, #acc tokens =   130, #mean acc len = 3.13, "
    "#acc rate/pos = (0.803, 0.607, 0.475, 0.246), dur(b,g,a) = 0.003, 474.484, 0.033 ms"
)
