"""What log drivers, terminals and people put before a server's lines."""

from __future__ import annotations

import json
import re

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers import Document
from tests.parsers.server_log import Asked, new, old

FOUR = Asked()

# {n} counts the lines, {s} the seconds; two servers of one pod stand in some of them.
PREFIXES = {
    "journal, short": "Dec 01 10:00:{s} host llama-server[123]: ",
    "journal, precise": "Dec 01 10:00:{s}.123456 host llama-server[123]: ",
    "journal, iso": "2026-12-01T10:00:{s}+0100 host llama-server[123]: ",
    "journal, iso precise": "2026-12-01T10:00:{s}.123456+01:00 host llama-server[123]: ",
    "journal, full": "Tue 2026-12-01 10:00:{s} CET host llama-server[123]: ",
    "journal, monotonic": "[  123.4567{s}] host llama-server[123]: ",
    "journal, delta": "[  123.4567{s} <    0.0000{s} >] host llama-server[123]: ",
    "journal, unix": "17890905{s}.744824 host ollama[2258101]: ",
    "journal, with unit": "Tue 2026-12-01 10:00:{s} CET host llama.service[123]: ",
    "journal, export": "MESSAGE=",
    "syslog": "<30>Jun 18 08:57:{s} host llama-server[1351]: ",
    "syslog, new": "<165>1 2026-12-01T10:00:{s}.003Z host.example.com llama 8710 - - ",
    "kubectl": "[pod/llama-7c9d8-abcde/llama-server] ",
    "kubectl, times": "2026-12-01T10:00:{s}.123456789Z ",
    "stern": "llama-7c9d8-abcde llama-server ",
    "stern, two pods": "llama-7c9d8-abc{s} llama-server ",
    "docker": "2026-05-14T22:40:{s}.316123Z ",
    "compose": "llama-server-1  | ",
    "compose, times": "llama-server-1  | 2026-08-21T10:00:{s}.123456789Z ",
    "podman": "0123456789ab 2026-12-01T10:00:{s}.000000000+01:00 stderr F ",
    "heroku": "2026-12-01T10:00:{s}.000000+00:00 app[web.1]: ",
    "pm2": "0|llama  | ",
    "pm2, times": "0|llama  | 2026-12-01T10:00:{s}: ",
    "supervisor": "llama-server (stderr): ",
    "foreman": "10:00:{s} llama.1    | ",
    "overmind": "llama | ",
    "nomad": "2026/08/21 10:00:{s} ",
    "logging of Python": "2026-12-01 10:00:{s},123 - llama - INFO - ",
    "loguru": "2026-12-01 10:00:{s}.123 | INFO     | llama:run:42 - ",
    "basic config": "INFO:llama:",
    "log4j": "10:00:{s}.123 [main] INFO  com.example.Llama - ",
    "slog": 'time=2026-08-21T10:00:{s}.123+02:00 level=INFO source=server.go:12 msg="',
    "ik_llama.cpp": "INFO [           print_timings] ",
    "ts of moreutils": "Aug 21 10:00:{s} ",
    "date and time": "[2026-08-21 10:00:{s}] ",
    "date, time, level": "[2026-08-21 10:00:{s}][DEBUG] ",
    "rfc 3339": "[2026-08-21T10:00:{s}.123Z] ",
    "time alone": "10:00:{s}: ",
    "label": "[MOE] ",
    "label and model": "[INFO] <qwen> ",
    "grep -n": "{n}:",
    "grep -H": "server.log:",
    "grep -nH": "logs/server.log:{n}:",
    "grep -c context": "server.log-{n}-",
    "cat -n": "    {n}\t",
    "nl": "{n}\t",
    "less -N": "    {n} ",
    "bullet": "- ",
    "star": "* ",
    "numbered": "{n}. ",
    "numbered and quoted": "> {n}) ",
    "quoted twice": "> > ",
    "bar": "│ ",
    "comment": "// ",
    "hash": "# ",
    "cell": "| ",
    "github actions": "2026-08-21T10:00:{s}.1234567Z ",
    "github actions, raw": "build\tRun the server\t2026-08-21T10:00:{s}.1234567Z ",
    "gitlab": "2026-08-21T10:00:{s}.123456Z 01O ",
    "jenkins": "[2026-08-21T10:00:{s}.123Z] [server] ",
    "azure": "2026-08-21T10:00:{s}.1234567Z ##[debug]",
    "powershell": "PS> ",
    "csv": '"2026-08-21T10:00:{s}Z","',
    "loki": '2026-08-21T10:00:{s}Z {{app="llama", pod="llama-7c9"}} ',
    "fluent bit": '[{n}] llama.0: [[17646195{s}.123456789, {{}}], {{"log"=>"',
    "srun": "0: ",
    "google cloud": "resource.type=k8s_container textPayload: ",
    "diff": "+",
    "host in other letters": "2026-12-01T10:00:{s}Z café llama[1]: ",
}
SHAPES = {"with a clock": new, "without": old}


def behind(prefix: str, lines: list[str]) -> str:
    return "\n".join(
        prefix.replace("{n}", str(n)).replace("{s}", f"{10 + n:02d}") + line
        for n, line in enumerate(lines, start=1)
    )


def counts(text: str):
    return [
        (task.predicted_tokens, task.draft_tokens, task.accepted_tokens)
        for run in parsers.parse(Document.of(text, "a.log"))
        for task in run.tasks
    ]


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("shape", SHAPES)
def test_whatever_stands_before_every_line(prefix, shape):
    text = behind(PREFIXES[prefix], [*SHAPES[shape](FOUR, 7), *SHAPES[shape](FOUR, 12)])
    assert counts(text) == [(140, 11, 6)] * 2
    if shape == "with a clock":
        (run,) = parsers.parse(Document.of(text, "a.log"))
        assert [task.rounds.drafted.tolist() for task in run.tasks] == [[4, 4, 3]] * 2
        assert run.tasks[0].rounds.at_s.tolist() == pytest.approx([0.017, 0.034, 0.051])


@pytest.mark.parametrize("shape", SHAPES)
def test_lines_as_the_messages_of_other_json(shape):
    lines = SHAPES[shape](FOUR, 7)
    for write in (
        lambda line: json.dumps({"log": line + "\n", "stream": "stderr", "time": "2026-08-21"}),
        lambda line: json.dumps({"MESSAGE": line, "_HOSTNAME": "host", "PRIORITY": "6"}),
        lambda line: "kube.var.log: " + json.dumps({"log": line, "kubernetes": {"pod": "a"}}),
        lambda line: f'        "MESSAGE" : "{line}",',
    ):
        assert counts("\n".join(map(write, lines))) == [(140, 11, 6)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\x1b[32m", "\x1b[0m"),
        ("[32m", "[0m"),
        ("#033[32m", "#033[0m"),
        ("^[[34m", "^[[0m"),
        ("", "        "),
        ("`", "`"),
        ("- `", "`"),
    ],
)
def test_what_terminals_leave_around_a_line(before, after):
    assert counts("\n".join(before + line + after for line in new(FOUR))) == [(140, 11, 6)]


def test_markdown_that_ate_underscores_and_escaped_bars():
    lines = [line.replace("_", " ").replace("|", "\\|") for line in new(FOUR)]
    assert counts("\n".join(lines)) == [(140, 11, 6)]


def test_all_that_markdown_escapes():
    lines = [re.sub(r"([_|()])", r"\\\1", line) for line in new(FOUR)]
    assert counts("\n".join(lines)) == [(140, 11, 6)]


def test_lines_of_a_page():
    lines = "\n".join(new(FOUR)).replace("|", "&#124;")
    assert counts(f"<html><body><pre>{lines}\n</pre></body></html>") == [(140, 11, 6)]


def test_words_before_one_line_are_no_prefix():
    lines = new(FOUR, 9)
    echo = "slot print_timing: id  0 | task 9 | draft acceptance = 0.9 (9 accepted / 10 generated)"
    for said in ("he wrote me this: ", "see server.log:12: ", '{"content": "', "User: "):
        many = [line for task in range(9) for line in new(FOUR, task)]
        assert counts("\n".join([*many, said + echo, *lines, said + echo])) == [(140, 11, 6)] * 10


@pytest.mark.parametrize(
    "text",
    [
        "llama_perf_context_print:        eval time =    8806.60 ms /   855 tokens (  1.0 ms per",
        "My draft acceptance = 0.9 (9 accepted / 10 generated)",
        "I think that the eval time =   10.00 ms /   5 tokens is too much",
        'request: {"content": "draft acceptance = 0.9 (9 accepted / 10 generated)"}',
    ],
)
def test_the_same_words_twice_are_no_log(text):
    with pytest.raises(LogError):
        counts(f"{text}\n{text}\n")
