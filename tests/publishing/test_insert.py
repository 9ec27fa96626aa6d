from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.cards.markers import pair
from analysis.errors import CardError
from analysis.publishing.insert import insert

THEIRS = b"---\r\nlicense: mit\r\ntags: [mine]\r\n---\r\n# Mine\xff\r\n"
SECTION = pair("summary").replace("\n", "\r\n").encode()


@pytest.fixture
def made(write_campaign: Callable[..., Path], tmp_path: Path) -> Path:
    return write_campaign(tmp_path / "made")


def test_bytes_outside_stay_and_pictures_lie_beside(made: Path, tmp_path: Path) -> None:
    file = tmp_path / "repo" / "README.md"
    file.parent.mkdir()
    file.write_bytes(THEIRS + SECTION + b" \r\nno final newline")
    file.chmod(0o600)
    done = insert(made, file)
    data = file.read_bytes()
    assert data.startswith(THEIRS)
    assert data.endswith(b"<!-- mtpbench:end summary --> \r\nno final newline")
    assert data.count(b"\n") == data.count(b"\r\n") > SECTION.count(b"\n")
    assert file.stat().st_mode & 0o777 == 0o600
    assert done.pictures == (
        "mtpbench-figures/made/throughput.png",
        "mtpbench-figures/made/throughput-dark.png",
    )
    for name in done.pictures:
        assert f'src="{name}"'.encode() in data
        assert (file.parent / name).read_bytes().startswith(b"\x89PNG")
    # Nothing but what the section shows was drawn.
    assert len(list((file.parent / "mtpbench-figures" / "made").iterdir())) == 2
    again = insert(made, file)
    assert not again.changed
    assert file.read_bytes() == data


def test_a_dry_run_writes_nothing_and_shows_a_diff(made: Path, tmp_path: Path) -> None:
    file = tmp_path / "README.md"
    file.write_text("# Mine\n" + pair("raw"), encoding="utf-8")
    done = insert(made, file, dry_run=True)
    assert file.read_text(encoding="utf-8") == done.before
    assert [*tmp_path.glob("mtpbench*")] == []
    lines = done.diff.splitlines()
    assert lines[:2] == ["--- a/README.md", "+++ b/README.md"]
    assert "+<summary>Raw results</summary>" in lines
    assert lines[-1] == "\\ No newline at end of file"
    (tmp_path / "change.patch").write_text(done.diff, encoding="utf-8")
    subprocess.run(["git", "apply", "change.patch"], cwd=tmp_path, check=True)
    assert file.read_text(encoding="utf-8") == done.after


def test_a_link_stays_a_link(made: Path, tmp_path: Path) -> None:
    real = tmp_path / "real" / "README.md"
    real.parent.mkdir()
    real.write_text(pair("summary"), encoding="utf-8")
    link = tmp_path / "README.md"
    link.symlink_to(real)
    insert(made, link)
    assert link.is_symlink()
    assert "**Needs:**" in real.read_text(encoding="utf-8")
    assert (real.parent / "mtpbench-figures" / "made" / "throughput.png").is_file()


@pytest.mark.parametrize("name", ["absent.md", "."])
def test_a_readme_that_cannot_be_read(name: str, made: Path, tmp_path: Path) -> None:
    with pytest.raises(CardError, match="can't be read"):
        insert(made, tmp_path / name)


def test_an_unknown_section_is_refused(made: Path, tmp_path: Path) -> None:
    file = tmp_path / "README.md"
    file.write_text(pair("overall"), encoding="utf-8")
    with pytest.raises(CardError, match="use one of: summary"):
        insert(made, file, ["nonsense"])
