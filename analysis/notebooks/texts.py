"""Does the generated text stay what it was without speculation?"""

from __future__ import annotations

import pandas as pd

from analysis.campaigns.campaign import Campaign
from analysis.charts.labels import listed
from analysis.notebooks.answer import Answer
from analysis.notebooks.tables import lossless_table
from analysis.statistics.lossless import DIFFERS, IDENTICAL, NO_CONTROL, UNSTABLE

__all__ = ["what_text_stays"]

_WORDS = {
    DIFFERS: "{number} part from it although the baseline repeats itself",
    UNSTABLE: "{number} part from it as the baseline's own repeats part from each other",
    NO_CONTROL: "{number} part from it where the baseline ran once, so nothing can be concluded",
}


def what_text_stays(campaign: Campaign) -> Answer:
    """Are greedy outputs those of the run without speculation, and if not, is that the draft's?"""
    table = lossless_table(campaign)
    if table.empty:
        return Answer(
            ("No run can be compared: outputs, greedy sampling or a baseline are missing.",), table
        )
    verdicts = table["verdict"].value_counts()
    same = int(verdicts.get(IDENTICAL, 0))
    said = [
        f"Of {len(table)} pairs of configuration and task, {same} gave the baseline's text "
        "in every repeat."
    ]
    other = [
        words.format(number=int(verdicts[name]))
        for name, words in _WORDS.items()
        if name in verdicts
    ]
    if other:
        said.append(f"Of the others, {listed(other)}.")
    flat = table.reset_index()
    named = [f"{run}, {task}" for run, task in zip(flat["run"], flat["task"], strict=True)]
    shown = flat.drop(columns=["run", "task"]).set_index(pd.Index(named))
    return Answer(tuple(said), shown)
