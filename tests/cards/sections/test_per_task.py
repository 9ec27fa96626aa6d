"""Every configuration on every prompt."""

from __future__ import annotations

from analysis.cards import render_sections
from analysis.cards.facts import Facts
from analysis.summary import Summary
from tests import committed


def test_a_speedup_that_noise_alone_can_do_has_its_mark_and_the_mark_its_words() -> None:
    summary = committed.summary("qwen3.6-35b-a3b-dspark")
    text = render_sections(summary)["per-task"]
    table = text.partition("Decode speedup per task")[2].partition("</details>")[0]
    marked = {
        (line.split("|")[1].strip(" `"), place)
        for line in table.splitlines()
        if line.startswith("| `")
        for place, cell in enumerate(line.split("|")[2:-1])
        if "~" in cell
    }
    drafting = [run.id for run in Facts(summary).drafting]
    expected = {
        (row.task, drafting.index(row.run))
        for row in Facts(summary).tasks
        if row.run in drafting and row.speedup_low <= 1 <= row.speedup_high
    }
    assert marked == expected
    assert marked
    assert "A ~ marks what can't be told from no speculation." in table


def test_without_a_mark_there_is_no_word_on_it(loses: Summary) -> None:
    text = render_sections(loses)["per-task"]
    assert "Decode speedup per task" in text
    assert ("A ~ marks" in text) is ("~" in text)


def test_without_a_baseline_there_is_no_speedup(unpaired: Summary) -> None:
    assert "Decode speedup per task" not in render_sections(unpaired)["per-task"]
