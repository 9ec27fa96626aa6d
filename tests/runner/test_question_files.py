"""Question files of other benchmarks as prompts."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from analysis.runner import question_files
from analysis.runner.prompt_files import read
from analysis.runner.prompts import PromptError

SPEC_BENCH = {"question_id": 161, "category": "translation", "turns": ["Translate: Guten Tag."]}
MT_BENCH = {
    "question_id": 111,
    "category": "math",
    "turns": ["What is 2 + 2?", "And twice that?"],
    "reference": ["It is 4.", "It is 8."],
}
UNANSWERED = {"question_id": 81, "category": "writing", "turns": ["Write.", "Rewrite."]}
HUB = {"prompt_id": 97, "category": "roleplay", "prompt": ["Be a pirate.", "Say more."]}


def write(path: Path, *entries: object) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def test_questions_are_tasks(tmp_path: Path) -> None:
    found = read(write(tmp_path / "q.jsonl", SPEC_BENCH, MT_BENCH, UNANSWERED, HUB))
    assert [(one.task, one.workload, len(one.turns)) for one in found.prompts] == [
        ("translation_161", "translation", 1),
        ("math_111", "math", 1),
        ("math_111_turn2", "math", 3),
        ("writing_81", "writing", 1),
        ("roleplay_97", "roleplay", 1),
    ]
    assert found.prompts[2].turns == (
        ("user", "What is 2 + 2?"),
        ("assistant", "It is 4."),
        ("user", "And twice that?"),
    )
    assert found.left_out == 2


def test_a_parquet_file_is_the_same_set(tmp_path: Path) -> None:
    rows = [SPEC_BENCH, UNANSWERED]
    pd.DataFrame(rows).assign(difficulty="easy").to_parquet(tmp_path / "q.parquet")
    as_lines = read(write(tmp_path / "q.jsonl", *rows))
    found = read(tmp_path / "q.parquet")
    assert (found.digest, found.left_out) == (as_lines.digest, 1)


def test_names_are_names_whatever_a_file_says(tmp_path: Path) -> None:
    odd = {"question_id": "a|b\n" + "x" * 90, "category": "<b>q & a</b>", "turns": ["Hi."]}
    (prompt,) = read(write(tmp_path / "q.jsonl", odd)).prompts
    assert len(prompt.task) <= 64
    assert prompt.task.replace("_", "").isalnum()
    assert prompt.workload == "b_q_a_b"


@pytest.mark.parametrize("turns", [[], [3], [""], ["\ud800"]])
def test_questions_without_a_text(tmp_path: Path, turns: list[object]) -> None:
    path = write(tmp_path / "q.jsonl", SPEC_BENCH, {**UNANSWERED, "turns": turns})
    with pytest.raises(PromptError) as caught:
        read(path)
    assert caught.value.line == 2


def test_the_same_question_twice(tmp_path: Path) -> None:
    path = write(tmp_path / "q.jsonl", SPEC_BENCH, SPEC_BENCH)
    with pytest.raises(PromptError, match="two prompts with the name 'translation_161'"):
        read(path)


def test_what_is_no_table_of_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "q.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(PromptError, match="it is no Parquet file"):
        read(tmp_path / "q.parquet")
    pd.DataFrame({"x": [1]}).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(PromptError, match=r"this is not a prompt|prompt's name is not a text"):
        read(tmp_path / "x.parquet")
    pd.DataFrame([SPEC_BENCH]).to_parquet(tmp_path / "large.parquet")
    monkeypatch.setattr(question_files, "LARGEST_TABLE", 10)
    with pytest.raises(PromptError, match="larger than"):
        read(tmp_path / "large.parquet")
