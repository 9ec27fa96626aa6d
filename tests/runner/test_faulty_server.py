"""Whatever a server does, it ends in time, in a record or a clear error, and in little memory."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from analysis.campaigns.campaign import load
from analysis.errors import LiveError
from analysis.runner import identity, measuring, remote
from analysis.runner.session import run
from tests.runner.conftest import records
from tests.runner.faulty_server import HEAD, Answer, Faulty, Talk, serving

TIMEOUT_S = 0.25
CAMPAIGN = """\
[campaign]
title = "Made"
[live]
max_tokens = 8
repeats = 1
timeout_s = {timeout_s}
keep_text = true
tasks = ["code_python"]
[[runs]]
id = "there"
"""
MIB = 2**20


@pytest.fixture
def campaign(tmp_path: Path) -> Callable[..., Path]:
    def write(timeout_s: float = TIMEOUT_S, text: str = CAMPAIGN) -> Path:
        folder = tmp_path / "made"
        folder.mkdir()
        (folder / "campaign.toml").write_text(text.format(timeout_s=timeout_s))
        return folder

    return write


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "ASIDE_S", TIMEOUT_S)
    monkeypatch.setattr(identity, "ASK_S", TIMEOUT_S)
    monkeypatch.setattr(remote, "_HEALTH_S", TIMEOUT_S)


@pytest.fixture
def peak() -> Iterator[Callable[[], int]]:
    """The most memory that was in use at once since the test began, in bytes."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


def the_request(folder: Path) -> dict:
    head, record, end = records(folder, "there")
    assert (head["record"], end["record"]) == ("run", "end")
    assert load(folder).runs
    return record


def events(talk: Talk, end: bytes = b"\n\n", text: str = "one two", **timings: object) -> bytes:
    return b"".join(one + end for one in talk.chunks(text, **timings))


def chunked(data: bytes, trailer: bytes = b"") -> bytes:
    return b"%x\r\n%s\r\n0\r\n%s\r\n" % (len(data), data, trailer)


# ---- unusual, and right


SEPARATORS = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg"
RIGHT: dict[str, tuple[Answer, str]] = {
    "separators of Unicode": (lambda talk: talk.right(SEPARATORS), SEPARATORS),
    "lines end at CR LF": (lambda talk: talk.send(HEAD + events(talk, b"\r\n\r\n")), "one two"),
    "lines end at CR": (lambda talk: talk.send(HEAD + events(talk, b"\r\r")), "one two"),
    "half a character at a time": (
        lambda talk: [talk.send(bytes([one])) for one in HEAD + events(talk, text="é𝄞")],
        "é𝄞",
    ),
    "comments and other fields": (
        lambda talk: talk.send(
            HEAD
            + b"\xef\xbb\xbf: hello\nretry: 10\nid: 1\nevent: message\n\n"
            + events(talk, b"\n: ping\n\n")
        ),
        "one two",
    ),
    "an event on several lines": (
        lambda talk: talk.send(
            HEAD + b'data: {"choices":\ndata: [{"delta": {"content": "x "}}]}\n\n' + events(talk)
        ),
        "x one two",
    ),
    "HTTP/1.0": (
        lambda talk: talk.send(HEAD.replace(b"HTTP/1.1", b"HTTP/1.0") + events(talk)),
        "one two",
    ),
    "chunks and trailers": (
        lambda talk: talk.send(
            HEAD.replace(b"\r\n\r\n", b"\r\nTransfer-Encoding: chunked\r\n\r\n")
            + chunked(events(talk), b"X-Sum: 1\r\n")
        ),
        "one two",
    ),
    "headers twice": (
        lambda talk: talk.send(
            HEAD.replace(b"\r\n\r\n", b"\r\nContent-Type: a/b\r\nX: 1\r\nX: 2\r\n\r\n")
            + events(talk)
        ),
        "one two",
    ),
    "another content type": (
        lambda talk: talk.send(HEAD.replace(b"text/event-stream", b"text/html") + events(talk)),
        "one two",
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_unusual_and_right_is_an_answer(campaign: Callable[..., Path], name: str) -> None:
    answer, text = RIGHT[name]
    folder = campaign(5)
    with serving(chat=answer) as server:
        assert run(folder, server=server.address).complete
    record = the_request(folder)
    assert (record["record"], record["text"]) == ("request", text)
    assert record["predicted_tokens"] == 8


# ---- what takes for ever


SLOW: dict[str, Answer] = {
    "never answers": Talk.hang,
    "drips its status": lambda talk: talk.drip(b"HTTP/1.1 200 OK"),
    "drips headers": lambda talk: talk.drip(b"HTTP/1.1 200 OK\r\nX: yyyy"),
    "drips a line": lambda talk: (talk.send(HEAD), talk.drip(b'data: {"choices": "')),
    "drips comments": lambda talk: (talk.send(HEAD), talk.drip(b":")),
    "stays silent after its head": lambda talk: (talk.send(HEAD), talk.hang()),
    "never says that it is done": lambda talk: (talk.send(HEAD + events(talk)[:-14]), talk.hang()),
    "keeps the connection after its end": lambda talk: (talk.right(), talk.hang()),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_deadline_is_a_deadline(campaign: Callable[..., Path], name: str) -> None:
    folder = campaign()
    with serving(chat=SLOW[name]) as server:
        outcome = run(folder, server=server.address)
    record = the_request(folder)
    assert (record["kind"], record["message"]) == ("timeout", "no answer within 0.25 s")
    assert TIMEOUT_S <= record["wall_s"] < TIMEOUT_S + 1
    assert outcome.failed[0].startswith("there, repeat 1, code_python: timeout: ")


def test_an_error_that_drips_is_said_as_far_as_it_came(campaign: Callable[..., Path]) -> None:
    folder = campaign()
    head = b"HTTP/1.1 500 Oh\r\nContent-Length: 99999\r\n\r\n"
    with serving(chat=lambda talk: (talk.send(head + b"it broke"), talk.drip(b"."))) as server:
        run(folder, server=server.address)
    record = the_request(folder)
    assert record["kind"] == "http"
    assert record["message"].startswith("HTTP 500: it broke.")
    assert record["wall_s"] < TIMEOUT_S + 1


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("question", ["metrics", "tokenize", "props", "slots", "models"])
def test_questions_beside_a_request_have_deadlines_too(
    campaign: Callable[..., Path], question: str
) -> None:
    folder = campaign(5)
    drip = {question: lambda talk: talk.drip(b"HTTP/1.1 200 OK\r\nX: y")}
    with serving(**drip) as server:
        assert run(folder, server=server.address).complete
    assert the_request(folder)["record"] == "request"


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize(
    "answer",
    [
        {"health": lambda talk: talk.drip(b"HTTP/1.1 200 OK\r\nX: y")},
        {"health": lambda talk: (talk.send(HEAD), talk.drip(b"{ "))},
        {"connect": Talk.hang},
    ],
    ids=["drips headers", "drips a body", "reads nothing"],
)
def test_a_server_that_never_says_whether_it_is_ready(
    campaign: Callable[..., Path], answer: dict[str, Answer]
) -> None:
    with (
        serving(**answer) as server,
        pytest.raises(LiveError, match=r"no answer within 0\.25 s"),
    ):
        run(campaign(), server=server.address)


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Talk.hang, "no answer within 0.25 s"),
        # The head of a handshake record of 16 KiB, and its bytes one by one.
        (lambda talk: talk.drip(b"\x16\x03\x03\x40\x00\x02\x00"), "no answer within 0.25 s"),
        (lambda talk: talk.send(b"HTTP/1.1 400 Bad\r\n\r\n"), "SSL"),
    ],
    ids=["silent", "drips", "speaks no TLS"],
)
def test_slow_tls(campaign: Callable[..., Path], answer: Answer, said: str) -> None:
    with serving(connect=answer) as server, pytest.raises(LiveError, match=said):
        run(campaign(), server=server.address.replace("http:", "https:"))


# ---- what is too much


def two_gigabytes(talk: Talk) -> None:
    talk.send(HEAD)
    event = b"data: " + json.dumps({"choices": [{"delta": {}}], "pad": "y" * 30_000}).encode()
    talk.flood(2 * 1024 * MIB, event + b"\n\n")


def gzip_bomb(talk: Talk) -> None:
    talk.send(HEAD.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n") + b"\x1f\x8b\x08")
    talk.flood(1024 * MIB, bytes(MIB))


def words_for_ever(talk: Talk) -> None:
    talk.send(HEAD)
    event = b"data: " + json.dumps({"choices": [{"delta": {"content": "z " * 500}}]}).encode()
    talk.flood(2 * 1024 * MIB, event + b"\n\n")


BIG: dict[str, tuple[Answer, str]] = {
    "a line of 400 MB": (
        lambda talk: (talk.send(HEAD + b"data: "), talk.flood(400 * MIB)),
        "malformed: a line of the answer is longer than 1 MiB",
    ),
    "an event of 400 MB": (
        lambda talk: (talk.send(HEAD), talk.flood(400 * MIB, b"data: " + PIECE_OF_LINE)),
        "malformed: an event of the answer is longer than 1 MiB",
    ),
    "an answer of 2 GB": (two_gigabytes, "malformed: the answer is longer than 4.12 MiB"),
    "words for ever": (
        words_for_ever,
        "implausible: the answer is far longer than 8 tokens can be",
    ),
    "a gzip bomb": (gzip_bomb, "malformed: the answer is compressed (gzip), which nobody asked"),
    "headers for ever": (
        lambda talk: (talk.send(b"HTTP/1.1 200 OK\r\nX: "), talk.flood(400 * MIB)),
        "malformed: what came is no whole HTTP answer",
    ),
    "an error page of 400 MB": (
        lambda talk: (talk.send(b"HTTP/1.1 500 Oh\r\n\r\n"), talk.flood(400 * MIB)),
        "http: HTTP 500: xxxx",
    ),
}
PIECE_OF_LINE = b"w" * 30_000 + b"\n"


@pytest.mark.parametrize("name", BIG)
def test_what_is_too_long_is_not_read(
    campaign: Callable[..., Path], name: str, peak: Callable[[], int]
) -> None:
    answer, said = BIG[name]
    folder = campaign(20)
    with serving(chat=answer) as server:
        run(folder, server=server.address)
        sent = server.sent
    record = the_request(folder)
    assert f"{record['kind']}: {record['message']}".startswith(said)
    # What the sockets' own buffers hold comes to it.
    assert sent < 24 * MIB
    assert peak() < 24 * MIB


def test_counters_and_tokens_that_are_too_long_are_none(
    campaign: Callable[..., Path], peak: Callable[[], int]
) -> None:
    folder = campaign(20)
    flood: Answer = lambda talk: (talk.send(HEAD), talk.flood(400 * MIB))  # noqa: E731
    with serving(metrics=flood, tokenize=flood, props=flood) as server:
        assert run(folder, server=server.address).complete
    record = the_request(folder)
    assert (record["positions"], record["tokens"]) == (None, None)
    assert peak() < 24 * MIB


# ---- what is no answer


def page(talk: Talk) -> None:
    talk.whole(b"<!DOCTYPE html><title>Log in</title><p>First pay", kind="text/html; charset=x")


WRONG: dict[str, tuple[Answer, str]] = {
    "an error page with status 200": (
        page,
        "malformed: the answer is no event stream but of type text/html: Log in First pay",
    ),
    "an error object with status 200": (
        lambda talk: talk.json({"error": {"message": "no such model"}}),
        "malformed: the answer is no event stream but of type application/json: no such model",
    ),
    "nothing with status 200": (
        lambda talk: talk.whole(b""),
        "malformed: the answer is no event stream but of type application/json: empty",
    ),
    "a redirect": (
        lambda talk: talk.send(
            b"HTTP/1.1 307 Go\r\nLocation: https://there.example/v1\r\nContent-Length: 0\r\n\r\n"
        ),
        "http: HTTP 307: the server redirects to https://there.example/v1, which is not followed",
    ),
    "a chunk nested deep": (
        lambda talk: talk.send(HEAD + b"data: " + b"[" * 200_000 + b"\n\n"),
        "malformed: a chunk is not JSON: [[[[",
    ),
    "a chunk that is not UTF-8": (
        lambda talk: talk.send(HEAD + b'data: {"a": "\xff"}\n\n'),
        "malformed: a chunk is not JSON",
    ),
    "a number of 5000 digits": (
        lambda talk: talk.send(HEAD + b"data: " + b"9" * 5000 + b"\n\n"),
        "malformed: a chunk is not JSON: 999",
    ),
    "more behind the end": (
        lambda talk: talk.send(HEAD + events(talk) + events(talk)),
        "malformed: the answer goes on behind its end",
    ),
    "lengths that contradict": (
        lambda talk: talk.send(
            b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"
        ),
        "malformed: what came is no whole HTTP answer",
    ),
    "no HTTP": (lambda talk: talk.send(b"hello\r\n\r\n"), "malformed: what came is no whole HTTP"),
    "a chunk cut off": (
        lambda talk: talk.send(
            HEAD.replace(b"\r\n\r\n", b"\r\nTransfer-Encoding: chunked\r\n\r\n") + b"ff\r\ndata: "
        ),
        "malformed: what came is no whole HTTP answer",
    ),
    "closed at once": (lambda talk: None, "malformed: what came is no whole HTTP answer"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_answer_is_said_as_what_it_is(campaign: Callable[..., Path], name: str) -> None:
    answer, said = WRONG[name]
    folder = campaign(5)
    with serving(chat=answer) as server:
        run(folder, server=server.address)
    record = the_request(folder)
    assert f"{record['kind']}: {record['message']}".startswith(said)


# ---- what can't be true


def with_number(key: str, text: str) -> Answer:
    """An answer in which one of the timings is written as this text."""

    def answer(talk: Talk) -> None:
        data = events(talk, **{key: "PLANTED"})
        talk.send(HEAD + data.replace(b'"PLANTED"', text.encode()))

    return answer


UNTRUE: dict[str, tuple[Answer, str]] = {
    "NaN": (
        with_number("predicted_ms", "NaN"),
        "malformed: the answer's timings have predicted_ms",
    ),
    "Infinity": (with_number("prompt_ms", "Infinity"), "malformed: .* prompt_ms = inf"),
    "1e400": (with_number("predicted_per_second", "1e400"), "malformed: .*_per_second = inf"),
    "400 digits": (with_number("predicted_n", "1" + "0" * 400), "malformed: .* predicted_n = 1000"),
    "a word": (
        with_number("draft_n", '"abc"'),
        "malformed: .* draft_n = 'abc', which is no number",
    ),
    "a list": (with_number("draft_n", "[1]"), r"malformed: .* draft_n = \[1\], which is no number"),
    "negative": (with_number("draft_n", "-4"), "malformed: .* draft_n = -4, which is negative"),
    "no whole number": (
        with_number("predicted_n", "5.7"),
        "malformed: .* predicted_n = 5.7, which is no whole number",
    ),
    "null": (with_number("predicted_ms", "null"), "malformed: .* have no predicted_ms"),
    "more tokens than asked for": (
        lambda talk: talk.right(predicted_n=9, predicted_ms=0.08),
        "implausible: the server generated 9 tokens, 1 to 8 were asked for",
    ),
    "no token": (lambda talk: talk.right(predicted_n=0), "implausible: the server generated 0"),
    "from the cache": (
        lambda talk: talk.right(cache_n=6, prompt_n=1),
        "implausible: 6 tokens of the prompt came from the server's cache, 1 were processed",
    ),
    "more accepted than drafted": (
        lambda talk: talk.right(draft_n=3, draft_n_accepted=4),
        "implausible: the server accepted 4 of 3 drafted tokens",
    ),
    "more accepted than there are": (
        lambda talk: talk.right(draft_n=30, draft_n_accepted=20),
        "implausible: the server accepted 20 drafted tokens in an answer of 8",
    ),
    "a clock that jumped": (
        lambda talk: talk.right(predicted_ms=3_600_000, predicted_per_second=0.002),
        "implausible: the server says that it worked 3.6e.03 s, the answer took",
    ),
    "a rate of its own": (
        lambda talk: talk.right(predicted_per_second=250_000),
        "implausible: the server says 250000 tokens/s, but 8 tokens in 0.07 ms are 114286",
    ),
}


@pytest.mark.parametrize("name", UNTRUE)
def test_timings_are_checked_before_they_are_believed(
    campaign: Callable[..., Path], name: str
) -> None:
    answer, said = UNTRUE[name]
    folder = campaign(5)
    with serving(chat=answer) as server:
        run(folder, server=server.address)
    record = the_request(folder)
    assert re.match(said, f"{record['kind']}: {record['message']}")


def test_an_answer_that_is_another_one_s_is_none(campaign: Callable[..., Path]) -> None:
    tasks = CAMPAIGN.replace('"code_python"', '"code_python", "summarize"')
    folder = campaign(5, tasks)
    with serving(chat=lambda talk: talk.right(prompt_ms=0.5)) as server:
        run(folder, server=server.address)
    first, second = records(folder, "there")[1:3]
    assert (first["record"], second["record"]) == ("request", "error")
    assert second["message"].startswith("the answer has the timings of an earlier one")


# ---- what nobody may read


KEY = "planted-key-0123456789"
HOME = "/home/planted-user"


def echo(talk: Talk) -> str:
    found = re.search(rb"authorization: (.*)", talk.head, re.IGNORECASE)
    return f"{found[1].decode().strip() if found else ''} {HOME}/secret/model.gguf"


def says_all(talk: Talk) -> None:
    told = echo(talk)
    chunk = {"choices": [{"delta": {"content": told}, "finish_reason": told}], told: told}
    timings = {**talk.timings(), told: 1}
    end = {"choices": [], "timings": timings}
    data = [b"data: " + json.dumps(one).encode() + b"\n\n" for one in (chunk, end)]
    talk.send(HEAD + b"".join(data) + b"data: [DONE]\n\n")


LEAKS: dict[str, dict[str, Answer]] = {
    "a refusal": {
        "chat": lambda talk: talk.json({"error": {"message": echo(talk)}}, "401 Unauthorized")
    },
    "a redirect": {
        "chat": lambda talk: talk.send(
            f"HTTP/1.1 302 Go\r\nLocation: http://x/?k={echo(talk)}\r\n\r\n".encode()
        )
    },
    "a page": {"chat": lambda talk: talk.whole(f"<html>{echo(talk)}".encode(), kind=echo(talk))},
    "an error in the stream": {
        "chat": lambda talk: talk.send(
            HEAD + b"data: " + json.dumps({"error": {"message": echo(talk)}}).encode() + b"\n\n"
        )
    },
    "no JSON": {"chat": lambda talk: talk.send(HEAD + f"data: {echo(talk)}\n\n".encode())},
    "everything of an answer": {"chat": says_all},
    "its properties": {
        "props": lambda talk: talk.json(
            {
                "build_info": echo(talk),
                "model_path": f"C:\\Users\\planted-user\\{KEY}",
                "default_generation_settings": {"params": {"samplers": [echo(talk)]}},
            }
        )
    },
    "its health": {"health": lambda talk: talk.whole(b"x", status=f"503 {echo(talk)}")},
}


@pytest.mark.parametrize("name", LEAKS)
def test_keys_and_home_folders_reach_nothing(
    campaign: Callable[..., Path],
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LLAMA_API_KEY", KEY)
    monkeypatch.setenv("HOME", HOME)
    folder = campaign(5)
    said = ""
    with serving(**LEAKS[name]) as server:
        try:
            outcome = run(folder, server=server.address)
            said = f"{outcome.failed} {outcome.not_started}"
        except LiveError as error:
            said = str(error)
    assert any(KEY.encode() in head for head in server.heads)
    written = [path.read_text() for path in folder.rglob("*") if path.is_file()]
    for text in (*written, said, *capsys.readouterr()):
        assert KEY not in text
        assert "planted-user" not in text


# ---- what is another server by now


def test_a_server_that_changes_stops_the_campaign(campaign: Callable[..., Path]) -> None:
    folder = campaign(5, CAMPAIGN.replace("repeats = 1", "repeats = 3"))
    builds = iter(["b7-abcdef0"] * 3 + ["b8-abcdef0"] * 9)

    def props(talk: Talk) -> None:
        talk.json({"build_info": next(builds), "model_path": "/m/there.gguf"})

    with (
        serving(props=props) as server,
        pytest.raises(LiveError, match=r"its build was b7.* and is b8"),
    ):
        run(folder, server=server.address)
    found = records(folder, "there")
    assert found[0]["identity"]["build"].startswith("b7")
    assert found[0]["identity"]["model"] == "there.gguf"
    assert found[-1]["record"] == "end"


def test_a_server_that_changes_between_two_conditions_stops_it_too(
    campaign: Callable[..., Path],
) -> None:
    folder = campaign(5, CAMPAIGN.replace("repeats = 1", "repeats = 1\nparallel = [1, 2]"))
    builds = iter(["b7-abcdef0"] * 3 + ["b8-abcdef0"] * 9)

    def props(talk: Talk) -> None:
        talk.json({"build_info": next(builds), "model_path": "/m/there.gguf", "total_slots": 2})

    with (
        serving(props=props) as server,
        pytest.raises(LiveError, match=r"its build was b7.* and is b8"),
    ):
        run(folder, server=server.address)


def test_a_server_with_fewer_slots_than_clients_is_refused(campaign: Callable[..., Path]) -> None:
    folder = campaign(5, CAMPAIGN.replace("repeats = 1", "repeats = 1\nparallel = 2"))
    with serving() as server:
        outcome = run(folder, server=server.address)
        assert server.chats == 0
    (error,) = outcome.not_started
    assert "the server serves 1 at once, and this run sends 2 requests" in error.problem


@pytest.mark.parametrize(("drafts", "measured"), [(True, 0), (False, 1)])
def test_a_baseline_on_a_server_that_drafts_is_none(
    campaign: Callable[..., Path], drafts: bool, measured: int
) -> None:
    with serving(slots=lambda talk: talk.json([{"id": 0, "speculative": drafts}])) as server:
        outcome = run(campaign(5), server=server.address)
    assert outcome.measured == measured
    if drafts:
        (error,) = outcome.not_started
        assert error.problem.endswith("the server drafts, though this run has no speculation")


def test_what_belongs_to_another_machine_is_null(campaign: Callable[..., Path]) -> None:
    folder = campaign(5)
    with serving() as server:
        run(folder, server=server.address)
    head, record, _ = records(folder, "there")
    assert (head["machine"], head["environment"], record["energy_j"]) == (None, None, None)
    assert head["identity"]["samplers"] == {"temperature": 0.8, "top_k": 40, "top_p": 0.95}
    assert (head["identity"]["context_tokens"], head["identity"]["slots"]) == (4096, 1)
    conditions = load(folder).runs[0].conditions
    assert not {"cpu", "ram", "os", "gpu"} & set(conditions)


def test_the_faulty_server_is_right_when_it_is_not_told_otherwise(
    campaign: Callable[..., Path],
) -> None:
    folder = campaign(5)
    with serving() as server:
        assert isinstance(server, Faulty)
        assert run(folder, server=server.address).complete
    assert the_request(folder)["tokens"] == [1, 2]
