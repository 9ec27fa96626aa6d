"""docs/api.md is what the docstrings say now."""

import subprocess
import sys

import analysis
from analysis.campaigns.campaign import PROJECT_ROOT

PAGE = (PROJECT_ROOT / "docs" / "api.md").read_text(encoding="utf-8")


def test_the_page_is_current():
    done = subprocess.run(
        [sys.executable, ".ci/api.py"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == PAGE, "renew it: python .ci/api.py > docs/api.md"


def test_every_public_name_has_a_chapter_with_more_than_its_name():
    chapters = PAGE.split("\n## ")[1:]
    assert [chapter.partition("\n")[0] for chapter in chapters] == analysis.__all__
    for chapter in chapters:
        signature, _, text = chapter.partition("```python\n")[2].partition("\n```\n")
        assert signature.startswith(f"{chapter.partition(chr(10))[0]}(")
        assert len(text.strip()) > 30
        assert "``" not in text
        assert "---" not in text
