"""docs/api.md has something on every public name and on every column of the frames."""

import pytest

import analysis
from analysis import notebooks
from analysis.campaigns.campaign import PROJECT_ROOT
from tests import committed

PAGE = (PROJECT_ROOT / "docs" / "api.md").read_text(encoding="utf-8")


def test_every_public_name_has_a_chapter_with_more_than_its_name():
    *chapters, frames = PAGE.split("\n## ")[1:]
    assert frames.startswith("The frames\n")
    assert [chapter.partition("\n")[0] for chapter in chapters] == analysis.__all__
    for chapter in chapters:
        signature, _, text = chapter.partition("```python\n")[2].partition("\n```\n")
        assert signature.startswith(f"{chapter.partition(chr(10))[0]}(")
        assert len(text.strip()) > 30
        assert "``" not in text
        assert "---" not in text


@pytest.mark.parametrize("name", ["runs", "tasks", "rounds"])
def test_the_frames_have_the_columns_that_the_page_lists(name):
    section = PAGE.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
    told = [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]
    frame = getattr(notebooks.frames(committed.summary()), name)
    assert told
    assert set(told) <= set(frame.columns)
    if name != "runs":
        assert set(told) == set(frame.columns)
    else:
        more = {"n_tasks", "timed_tokens", "significance"}
        assert {it for it in frame.columns if not it.startswith("stated_")} == {*told, *more}
