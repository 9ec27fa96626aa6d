"""CSV of results: columns by name, arms and repeats, and no header at all."""

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document

ROWS = """\
vk-dflash2,1,16.67,161,556
vk-dflash2,2,16.57,161,556
hip-mtp,1,14.59,168,519
hip-mtp,2,14.48,169,513
"""
SHEET = "backend_spec,probe,predicted_tps,accepted,draft_n\n" + ROWS


def runs_in(text, format=None):
    return parsers.parse(Document.of(text, "a.csv"), format)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_are_told_by_name(separator):
    runs = runs_in(SHEET.replace(",", separator))
    assert [(run.format, run.label) for run in runs] == [
        ("results-csv", "vk-dflash2"),
        ("results-csv", "hip-mtp"),
    ]
    tasks = runs[1].tasks
    assert [(t.repeat, t.accepted_tokens, t.draft_tokens) for t in tasks] == [
        (1, 168, 519),
        (2, 169, 513),
    ]
    assert [t.decode_tps for t in tasks] == [14.59, 14.48]
    assert tasks[0].source.first_line == 4
    assert [f.code for run in runs for f in run.findings] == []


def test_a_swapped_header_swaps_the_figures():
    swapped = SHEET.replace("accepted,draft_n", "draft_n,accepted")
    assert runs_in(swapped)[0].tasks[0].draft_tokens == 161


def test_without_a_header_the_columns_are_inferred_and_that_is_said():
    runs = runs_in(ROWS)
    assert (runs[0].tasks[0].accepted_tokens, runs[0].tasks[0].draft_tokens) == (161, 556)
    (finding,) = runs[0].findings
    assert (finding.code, finding.where) == ("columns-inferred", "a.csv:1")
    assert "arm, repeat, tok/s, accepted, draft_n" in finding.message


def test_named_tasks_and_failures():
    text = "task,run,pred,draft,acc,tok/s,error\na,1,10,8,4,20.0,\nb,1,,,,,timed out\n"
    (run,) = runs_in(text)
    assert [(t.task, t.predicted_tokens, t.error) for t in run.tasks] == [
        ("a", 10, None),
        ("b", None, "timed out"),
    ]


def test_a_short_row_is_a_finding():
    runs = runs_in(SHEET + "hip-mtp,3,14")
    assert len(runs[1].tasks) == 2
    assert [(f.code, f.where) for f in runs[0].findings] == [("row-cut", "a.csv:6")]


@pytest.mark.parametrize(
    "text",
    [
        "name,age,city\na,1,b\n",
        "draft,accepted,tok/s\n",
        # Repeats that do not count, tokens that cross, whole speeds, one arm alone.
        ROWS.replace("hip-mtp,2", "hip-mtp,4"),
        ROWS.replace("161,556\nhip", "561,556\nhip"),
        ROWS.replace("16.67", "16"),
        "one, two, three, four, five\nsix, 1, 2.0, 3, 4\n",
    ],
)
def test_other_commas_yield_nothing(text):
    with pytest.raises(LogError):
        runs_in(text)
    with pytest.raises(LogError, match="no row here has a header"):
        runs_in(text, "results-csv")
