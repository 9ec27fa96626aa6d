"""`mtpbench ingest --follow`: every request of a running server as soon as it has ended."""

import gzip
import json
import os
import signal
import subprocess
import sys

from analysis.cli import main
from tests.parsers.server_log import Asked, new

NOTHING = Asked(predicted=12, rounds=(), eval_ms=550.0)


def started(*words, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "analysis", "ingest", "--follow", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        **options,
    )


def write(path, *lines, mode="a"):
    with path.open(mode, encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in lines))


def test_a_file_is_followed_until_interrupted(tmp_path):
    path = tmp_path / "server.log"
    write(path, *new(Asked(), 3))
    with started(path) as following:
        assert following.stdout.readline() == (
            "server request 1: 140 tokens, 83.4 tok/s, 44 prompt tokens, 6 of 11 drafted accepted "
            "(54.5%), 1.05 tokens per forward, [server.log:5-9]\n"
        )
        first, second = new(NOTHING, 9)[:-1], new(NOTHING, 9)[-1]
        write(path, *first, second[:20])
        with path.open("a") as file:
            file.write(second[20:])  # the line is not whole yet
        write(path, "")
        assert following.stdout.readline() == (
            "server request 2: 12 tokens, 20.0 tok/s, 44 prompt tokens, nothing drafted, "
            "[server.log:12-14]\n"
        )
        following.send_signal(signal.SIGINT)
        assert (following.stdout.read(), following.stderr.read()) == ("", "")
        assert following.wait() == 130


def test_a_replaced_file_is_a_new_log(tmp_path):
    path = tmp_path / "server.log"
    write(path, *new(Asked(), 3))
    with started(path) as following:
        assert "request 1: 140 tokens" in following.stdout.readline()
        write(path.with_suffix(".new"), *new(Asked(predicted=99), 4))
        path.with_suffix(".new").replace(path)
        assert "request 1: 99 tokens" in following.stdout.readline()
        write(path, *new(NOTHING, 1), mode="w")  # what was there is cut, as `> server.log` does
        assert "request 1: 12 tokens" in following.stdout.readline()
        following.send_signal(signal.SIGINT)
        assert following.wait() == 130


def test_standard_input_is_followed_until_it_ends():
    with started("-", "--json", stdin=subprocess.PIPE) as following:
        following.stdin.write("".join(f"{line}\n" for line in new(Asked(), 3)))
        following.stdin.flush()
        row = json.loads(following.stdout.readline())
        assert (row["run"], row["task"]) == ("stdin", "request 1")
        assert (row["predicted_tokens"], row["draft_tokens"], row["accepted_tokens"]) == (
            140,
            11,
            6,
        )
        assert row["speedup"] is None
        # The last request has no line that says that it ended: the end of the log does.
        following.stdin.write("\n".join(new(NOTHING, 4)[:-1]))
        following.stdin.close()
        assert json.loads(following.stdout.readline())["predicted_tokens"] == 12
        assert (following.stdout.read(), following.stderr.read()) == ("", "")
        assert following.wait() == 0


def test_a_second_start_has_another_name():
    start = "0.00.023.041 I srv    load_model: loading model 'a.gguf'"
    lines = [start, *new(Asked(), 3), start, *new(NOTHING, 3)]
    with started("-", stdin=subprocess.PIPE) as following:
        out, _ = following.communicate("".join(f"{line}\n" for line in lines))
    assert [line.split(":")[0] for line in out.splitlines()] == [
        "stdin request 1",
        "stdin#2 request 1",
    ]


def test_a_named_pipe_ends_with_its_writer(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with started(path) as following:
        write(path, *new(Asked(), 3), mode="w")
        assert "request 1: 140 tokens" in following.stdout.readline()
        assert following.wait() == 0


def test_refusals(tmp_path, capsys):
    def refused(*words):
        assert main(["ingest", "--follow", *map(str, words)]) == 1
        printed = capsys.readouterr()
        assert printed.out == ""
        return printed.err

    packed = tmp_path / "a.log.gz"
    packed.write_bytes(gzip.compress(b"words"))
    assert refused(tmp_path / "none.log").endswith(
        "none.log: there is no such file; check the path\n"
    )
    assert refused(packed).endswith(
        "a.log.gz: this log is compressed: it does not grow; leave --follow out\n"
    )
    assert refused(packed, packed) == (
        "error: only one log can be followed, and nothing is written while it grows; "
        "name one log, and leave --out and --init away\n"
    )
    assert refused("-", "--format", "mtp-bench") == (
        "error: stdin: the format of a log to follow is 'mtp-bench'; use one of: llama-server\n"
    )
