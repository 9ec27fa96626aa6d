"""Which prompts do the question files of Spec-Bench, MT-Bench and SPEED-Bench hold?

They have a question a line (or a Parquet row) with its ``turns``. A later turn is
a question about an answer, and answers of a model under test would make prompts
that differ from run to run: so later turns are prompts only where the file has
reference answers to the ones before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["LARGEST_TABLE", "is_question", "prompts_of", "rows_of"]

LARGEST_TABLE = 128 * 2**20
"""Bytes of a Parquet file's columns, unpacked."""

_TURNS = ("turns", "prompt")
_IDS = ("question_id", "prompt_id")
_COLUMNS = (*_IDS, *_TURNS, "category", "reference")
_LONGEST_NAME = 64


def is_question(entry: object) -> bool:
    """Whether an entry of a prompt file is a question of one of these benchmarks."""
    return (
        isinstance(entry, Mapping)
        and any(isinstance(entry.get(name), int | str) for name in _IDS)
        and any(isinstance(entry.get(name), list) for name in _TURNS)
    )


def prompts_of(entry: Mapping[str, Any]) -> tuple[list[dict[str, Any]], int]:
    """The prompts of a question, as a prompt file has them, and how many turns have none.

    Examples
    --------
    >>> prompts_of({"question_id": 81, "category": "writing", "turns": ["Write.", "Rewrite."]})
    ([{'name': 'writing_81', 'prompt': 'Write.', 'workload': 'writing'}], 1)
    """
    turns = next(entry[name] for name in _TURNS if isinstance(entry.get(name), list))
    number = next(entry[name] for name in _IDS if isinstance(entry.get(name), int | str))
    category = entry.get("category")
    category = category if isinstance(category, str) and category.strip() else "other"
    category = _name(category)
    name = _name(f"{category}_{number}")
    answers = entry.get("reference")
    answers = answers if isinstance(answers, Sequence) and not isinstance(answers, str) else ()
    found: list[dict[str, Any]] = [{"name": name, "prompt": turns[0] if turns else None}]
    messages = [{"role": "user", "content": turns[0] if turns else None}]
    for place, turn in enumerate(turns[1:], start=1):
        answer = answers[place - 1] if place <= len(answers) else None
        if not isinstance(answer, str) or not answer.strip():
            break
        messages = [
            *messages,
            {"role": "assistant", "content": answer},
            {"role": "user", "content": turn},
        ]
        found.append({"name": _name(f"{name}_turn{place + 1}"), "messages": messages})
    left_out = max(len(turns) - len(found), 0)
    return [{**one, "workload": category} for one in found], left_out


def _name(text: str) -> str:
    """A name of a task: what is no letter or digit becomes an underscore."""
    return re.sub(r"\W+", "_", text).strip("_")[-_LONGEST_NAME:].strip("_") or "other"


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file with questions, plain.

    Raises
    ------
    ValueError
        It is none, has no questions, or is too large.
    """
    # Few campaigns have such prompts, and it takes a while to import.
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        with pq.ParquetFile(path) as file:
            columns = [name for name in file.schema_arrow.names if name in _COLUMNS]
            groups = (file.metadata.row_group(n) for n in range(file.metadata.num_row_groups))
            if sum(group.total_byte_size for group in groups) > LARGEST_TABLE:
                raise ValueError(f"its columns are larger than {LARGEST_TABLE // 2**20} MiB")
            for batch in file.iter_batches(batch_size=256, columns=columns):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"it is no Parquet file: {error}") from error
