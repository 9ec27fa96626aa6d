from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.cards import DOCUMENTED, section_names
from analysis.cards.markers import pair
from analysis.cli import main

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def made(write_campaign: Callable[..., Path], tmp_path: Path) -> Path:
    return write_campaign(tmp_path / "made")


def test_into_says_what_it_did(made: Path, tmp_path: Path, mtpbench: Command) -> None:
    both = f"{pair('summary')}\n{pair('overall')}\n{pair('limits')}\n"
    (tmp_path / "README.md").write_text(both, encoding="utf-8")
    wanted = ("--section", "summary", "overall")
    done = mtpbench("card", made, "--into", "README.md", *wanted, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "README.md: changed; sections: summary, overall\n2 pictures in mtpbench-figures/made/\n"
    )
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert text.endswith(f"{pair('limits')}\n")
    assert "| fast | 150 |" in text


def test_dry_run_prints_a_patch(made: Path, tmp_path: Path, mtpbench: Command) -> None:
    (tmp_path / "README.md").write_text(f"{pair('limits')}\n", encoding="utf-8")
    done = mtpbench("card", made, "--into", "README.md", "--dry-run", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("--- a/README.md\n+++ b/README.md\n@@ ")
    assert done.stderr == "README.md: would be changed; sections: limits\n"


def test_sections_are_listed_and_picked(made: Path, mtpbench: Command) -> None:
    listed = mtpbench("card", made, "--section")
    names = [line.split()[0] for line in listed.stdout.splitlines()]
    assert set(names) == {*section_names(), *DOCUMENTED}
    assert names[: len(section_names())] == list(section_names())
    assert "overall         Overall comparison\n" in listed.stdout
    assert "limits          Limits\n" in listed.stdout
    picked = mtpbench("card", made, "--section", "limits", "overall")
    assert picked.stdout.startswith("<!-- mtpbench:begin limits -->\n\n## Limits\n")
    assert "<details>\n<summary>Overall comparison</summary>" in picked.stdout
    assert picked.stdout.count("mtpbench:begin") == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--section", "nonsense"], "error: a section is 'nonsense'; use one of: summary, "),
        (["--dry-run"], "error: --dry-run shows a change, and there is none; name a README"),
        (["--into", "absent.md"], "error: absent.md: this README can't be read: No such file"),
        (["--into", "plain.md"], "error: plain.md: it has no markers for the sections summary, "),
        (["--into", "broken.md"], "error: broken.md:2: the section raw has no end; add the line"),
    ],
)
def test_mistakes_are_said(
    words: list[str], message: str, made: Path, tmp_path: Path, mtpbench: Command
) -> None:
    (tmp_path / "plain.md").write_text("# Mine\n", encoding="utf-8")
    broken = f"\n{pair('raw').splitlines()[0]}\n"
    (tmp_path / "broken.md").write_text(broken, encoding="utf-8")
    done = mtpbench("card", made, *words, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1
    assert (tmp_path / "broken.md").read_text(encoding="utf-8") == broken
    if "plain.md" in words:
        assert pair("summary") in done.stdout


def test_what_it_links_to_is_asked_for_where_it_is_not_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = str(PROJECT_ROOT / "raw" / "truncation-demo")
    monkeypatch.chdir(tmp_path)
    Path("README.md").write_text(pair("summary"), encoding="utf-8")
    assert main(["card", campaign, "--into", "README.md"]) == 0
    said = "it links to RESULTS.md, which --results prints: put it there"
    assert said in capsys.readouterr().out
    assert main(["card", campaign, "--results"]) == 0
    results = capsys.readouterr().out
    Path("RESULTS.md").write_text(results, encoding="utf-8")
    assert main(["card", campaign, "--into", "README.md"]) == 0
    assert said not in capsys.readouterr().out
    # Every place in it that is linked to is there.
    for anchor in re.findall(r"\]\(RESULTS.md#([^)]*)\)", Path("README.md").read_text("utf-8")):
        assert any(
            line.lstrip("# ").lower().replace(" ", "-") == anchor
            for line in results.splitlines()
            if line.startswith("#")
        ), anchor
