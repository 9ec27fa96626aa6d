"""The decision log: after each step, what was believed and what was asked next."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.errors import LogError
from analysis.files.storage import write_text
from analysis.tuning.choice import BELIEF_COLUMNS, Choice

__all__ = ["DECISIONS_FILE", "Decisions"]

DECISIONS_FILE = "decisions.json"

SCHEMA = 1
_WORTH_A_ROW = 0.001
"""A setting that has not run and is the best with less probability than this has no row."""

_STEP = ("setting", "logged", "why", "advised", "probability", "close", "expected_loss")


class Decisions:
    """Reads and writes ``decisions.json`` of a campaign folder."""

    @staticmethod
    def add(folder: Path, choice: Choice) -> None:
        """Add what was decided just now."""
        steps = Decisions._steps(folder)
        ask = choice.ask
        step: dict[str, Any] = {
            "setting": None if ask is None else ask.setting,
            "logged": ask is not None and ask.logged,
            "why": choice.why,
            "advised": choice.advised,
            "probability": choice.probability,
            "close": choice.close,
            "expected_loss": choice.expected_loss,
            "belief": [],
        }
        if choice.drawn is not None:
            table = choice.belief
            known = (table["starts"] > 0) | (table["probability_best"] > _WORTH_A_ROW)
            step["belief"] = [
                {key: _plain(value) for key, value in row.items()}
                for row in table[known].to_dict("records")
            ]
        text = json.dumps({"schema": SCHEMA, "steps": [*steps, step]}, indent=1, ensure_ascii=False)
        write_text(folder / DECISIONS_FILE, text + "\n")

    @staticmethod
    def read(folder: str | Path) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The steps, and the belief after each.

        Parameters
        ----------
        folder
            A campaign folder that ``mtpbench tune --explain`` wrote.

        Returns
        -------
        tuple of pandas.DataFrame
            One row a step: `step` from 1, `setting` asked next (null at the end),
            `logged`, `why`, `advised`, `probability`, `close`, `expected_loss`. And
            columns ``choice.BELIEF_COLUMNS`` with `step`.

        Raises
        ------
        LogError
            There is no such file, or it is none.
        """
        path = Path(folder) / DECISIONS_FILE
        steps = Decisions._steps(Path(folder))
        if not steps:
            raise LogError(
                "there are no decisions here", "tune with --explain to have them", file=path
            )
        numbered = list(enumerate(steps, start=1))
        rows = [{"step": at, **{key: step.get(key) for key in _STEP}} for at, step in numbered]
        beliefs = [{"step": at, **row} for at, step in numbered for row in step["belief"]]
        return pd.DataFrame(rows), pd.DataFrame(beliefs, columns=["step", *BELIEF_COLUMNS])

    @staticmethod
    def _steps(folder: Path) -> list[dict[str, Any]]:
        path = folder / DECISIONS_FILE
        try:
            steps = json.loads(path.read_text(encoding="utf-8"))["steps"]
            whole = all(isinstance(step["belief"], list) for step in steps)
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise _none(path) from error
        if not whole:
            raise _none(path)
        return list(steps)


def _none(path: Path) -> LogError:
    return LogError("this is no decision log", "remove it, and tune with --explain", file=path)


def _plain(value: Any) -> Any:
    """A frame's value as JSON has it, with 6 significant digits."""
    if isinstance(value, float):
        return None if math.isnan(value) else float(f"{value:.6g}")
    return value.item() if hasattr(value, "item") else value
