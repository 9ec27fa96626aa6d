"""Prompts: our own thirteen, and those that users bring."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.records import BUILT_IN_WORKLOADS
from analysis.runner import our_prompts, prompt_files, prompts
from analysis.runner.prompts import PromptError


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refused(path: Path) -> PromptError:
    with pytest.raises(PromptError) as caught:
        prompt_files.read(path)
    assert caught.value.file == str(path)
    return caught.value


def test_ours_are_mtp_benchs_thirteen_tasks_in_their_classes():
    ours = prompts.ours()
    assert {prompt.task: prompt.workload for prompt in ours.prompts} == dict(BUILT_IN_WORKLOADS)
    assert len({prompt.text for prompt in ours.prompts}) == 13
    assert ours.name == "mtpbench"


def test_our_file_is_read_like_a_users():
    assert prompt_files.read(Path(our_prompts.__file__)).digest == prompts.ours().digest


def test_the_digest_is_that_of_the_sorted_names_and_texts(tmp_path: Path):
    path = write(
        tmp_path,
        "p.jsonl",
        '{"name": "b", "prompt": "zwei ü"}\n\n{"name": "a", "prompt": "one", "workload": "code"}\n',
    )
    canonical = b'[["a","one"],["b","zwei \\u00fc"]]'
    assert prompt_files.read(path).digest == f"sha256:{hashlib.sha256(canonical).hexdigest()}"


def test_choosing_tasks_keeps_order_and_digest():
    ours = prompts.ours()
    some = ours.only(["translation", "code_python"])
    assert [prompt.task for prompt in some.prompts] == ["code_python", "translation"]
    assert some.digest == ours.digest


def test_a_task_that_is_not_there_names_those_that_are():
    with pytest.raises(PromptError, match=r"a task is 'sql'; use one of: code_python, .*review"):
        prompts.ours().only(["sql"])


def test_workloads_come_from_the_file_then_the_table_then_other(tmp_path: Path):
    lines = [
        {"name": "code_python", "prompt": "x"},
        {"name": "code_cpp", "prompt": "y", "workload": "systems"},
        {"name": "sql", "prompt": "z"},
    ]
    path = write(tmp_path, "p.jsonl", "\n".join(map(json.dumps, lines)))
    read = prompt_files.read(path)
    assert [prompt.workload for prompt in read.prompts] == ["code", "systems", "other"]
    assert read.name == "p.jsonl"


@pytest.mark.parametrize(
    "text",
    [
        'P = [{"name": "a", "prompt": "x" "y"}, {"name": "b", "prompt": "z"}]',
        'P: list[dict] = [{"name": "a", "prompt": "x" + "y"}, {"name": "b", "prompt": "z"}]',
        'P = [("a", "xy"), ("b", "z")]',
        'import os\nDEPTHS = [2, 3]\nP = (("a", "xy"), ("b", """z"""))\ndef main(): ...\n',
    ],
)
def test_a_python_lists_literals_are_read(tmp_path: Path, text: str):
    read = prompt_files.read(write(tmp_path, "bench.py", text))
    assert [(prompt.task, prompt.text) for prompt in read.prompts] == [("a", "xy"), ("b", "z")]


def test_python_is_never_run(tmp_path: Path):
    trace = tmp_path / "ran"
    text = f'open({str(trace)!r}, "w")\nP = [("a", "x")]\nP.append(("b", open({str(trace)!r})))\n'
    read = prompt_files.read(write(tmp_path, "bench.py", text))
    assert [prompt.task for prompt in read.prompts] == ["a"]
    assert not trace.exists()


@pytest.mark.parametrize(
    ("name", "text", "line", "problem"),
    [
        ("p.jsonl", '{"name": "a", "prompt": "x"}\nnot json\n', 2, "not JSON"),
        ("p.jsonl", '\n{"name": "a"}\n', 2, "prompt is not a text"),
        ("p.jsonl", '{"name": "a", "prompt": "  "}', 1, "prompt is not a text"),
        ("p.jsonl", '{"name": "a", "prompt": 7}', 1, "prompt is not a text"),
        ("p.jsonl", '{"name": "a\\n", "prompt": "x"}', 1, "name is not a name"),
        ("p.jsonl", '{"name": "%s", "prompt": "x"}' % ("a" * 65), 1, "name is not a name"),
        ("p.jsonl", '{"name": "a", "prompt": "\\ud800"}', 1, "half of a character"),
        ("p.jsonl", '{"name": "a", "prompt": "x", "turns": 1}', 1, "this key is 'turns'"),
        ("p.jsonl", '"text"', 1, "not a prompt"),
        ("p.jsonl", "[" * 100_000, 1, "not JSON"),
        (
            "p.jsonl",
            '{"name": "a", "prompt": "x"}\n{"name": "a", "prompt": "y"}',
            2,
            "two prompts with the name 'a'",
        ),
        ("p.jsonl", "\n\n", None, "no prompt in this file"),
        ("p.jsonl", b'{"name": "a", "prompt": "x"}\n\xff', 2, "not UTF-8"),
        ("p.py", "P = [\n", 1, "not Python"),
        ("p.py", "P = [1, 2]\n", None, "no list of prompts"),
        ("p.py", 'P = [("a", "x")]\n\nQ = [("b", "y")]\n', 3, "2 lists of prompts"),
        ("p.py", 'P = [\n("a", "x"),\n("b", f"{1}"),\n]', 3, "computed"),
        ("p.py", 'P = [\n{"name": "a", "prompt": open("x").read()}]', 2, "computed"),
        ("p.py", 'P = [("a", "x"),\n3]', 2, "not a prompt"),
        ("p.txt", "a", None, "the ending is '.txt'"),
    ],
)
def test_what_is_no_prompt_list_is_refused_with_its_line(
    tmp_path: Path, name: str, text: str | bytes, line: int | None, problem: str
):
    error = refused(write(tmp_path, name, text))
    assert problem in error.problem
    assert error.line == line
    assert error.remedy


def test_a_file_that_is_not_there_is_refused(tmp_path: Path):
    assert "can't be read" in refused(tmp_path / "none.jsonl").problem


def test_a_file_of_another_size_class_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(prompt_files, "LARGEST_FILE", 2**20)
    path = write(tmp_path, "p.jsonl", b" " * (2**20 + 1))
    assert "larger than 1 MiB" in refused(path).problem


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


@given(st.lists(texts, min_size=1, max_size=5, unique=True))
def test_any_texts_survive_both_formats(tmp_path_factory: pytest.TempPathFactory, given: list[str]):
    folder = tmp_path_factory.mktemp("prompts")
    pairs: Sequence[tuple[str, str]] = [(f"task_{n}", text) for n, text in enumerate(given)]
    lines = "\n".join(json.dumps({"name": name, "prompt": text}) for name, text in pairs)
    as_lines = prompt_files.read(write(folder, "p.jsonl", lines))
    as_python = prompt_files.read(write(folder, "p.py", f"PROMPTS = {list(pairs)!a}"))
    assert as_lines.prompts == as_python.prompts
    assert as_lines.digest == as_python.digest
    assert [prompt.text for prompt in as_lines.prompts] == given
