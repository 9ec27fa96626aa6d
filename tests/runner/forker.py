"""Runs ``mtpbench`` again and again in forks of one process that has everything imported.

A line on standard input holds a JSON list: a file for what the command says, and
its words. The fork's process id is printed at once, its exit code when it ends.
"""

from __future__ import annotations

import json
import os
import sys

import analysis.runner.session
from analysis.cli import main
from analysis.parsers import live_jsonl

assert analysis.runner.session
assert live_jsonl


def fork(file: str, words: list[str]) -> int:
    child = os.fork()
    if child:
        return child
    said = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(said, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    code = 70
    try:
        code = main(words)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return 0


def tell(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


for line in sys.stdin:
    file, *words = json.loads(line)
    child = fork(file, words)
    tell(child)
    _, status = os.waitpid(child, 0)
    tell(os.waitstatus_to_exitcode(status))
