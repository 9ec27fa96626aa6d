"""Links in a folder that somebody else packed: nothing of the reader's is read or overwritten."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from analysis.cards.sections import raw
from analysis.cli import main
from analysis.files.fingerprint import fingerprint
from tests.parsers.samples import SAMPLES

LOG = SAMPLES["llama-server"]


@pytest.fixture
def made(tmp_path: Path, write_campaign: Callable[..., Path], monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_campaign(tmp_path / "made")


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A file of the reader's, which lies elsewhere."""
    file = tmp_path / "home" / ".bashrc"
    file.parent.mkdir()
    file.write_text("export SECRET=zaphod\n")
    return file


def test_a_table_is_not_written_through_a_link_that_waits_beside_it(
    made: Path, theirs: Path
) -> None:
    (made / ".tasks.parquet.part").symlink_to(theirs)
    assert main(["ingest", "made/fast.log", "--out", "made/tasks.parquet"]) == 0
    assert theirs.read_text() == "export SECRET=zaphod\n"
    assert (made / "tasks.parquet").read_bytes()[:4] == b"PAR1"


def test_a_picture_is_not_written_through_a_link_that_waits_beside_it(
    tmp_path: Path, theirs: Path, monkeypatch
) -> None:
    from analysis.charts.files import write

    (tmp_path / f".a.png.{os.getpid()}.part").symlink_to(theirs)
    write(b"png", tmp_path / "a.png")
    assert theirs.read_text() == "export SECRET=zaphod\n"


def test_a_log_that_was_swapped_for_a_link_is_not_printed(
    made: Path, theirs: Path, capsys, monkeypatch
) -> None:
    read = raw.bytes_inside

    def swapped(path: Path, folder: Path) -> bytes | None:
        if path.name == "fast.log" and not path.is_symlink():
            path.unlink()
            path.symlink_to(theirs)
        return read(path, folder)

    monkeypatch.setattr(raw, "bytes_inside", swapped)
    assert main(["card", "made", "--section", "raw"]) == 0
    assert main(["card", "made", "--section", "raw"]) == 1  # it is a link now
    shown = capsys.readouterr()
    assert "zaphod" not in shown.out + shown.err
    assert "`fast.log` can't be read any more." in shown.out
    assert "log 'fast.log' is outside the campaign folder" in shown.err


def test_what_a_link_leads_to_is_no_part_of_a_fingerprint(made: Path, theirs: Path) -> None:
    (made / "more").symlink_to(theirs)
    before = fingerprint(made, None, "made")
    theirs.write_text("a gigabyte")
    assert fingerprint(made, None, "made") == before
    (made / "more").unlink()
    (made / "more").symlink_to(theirs.parent / "other")
    (theirs.parent / "other").write_text("a gigabyte")
    assert fingerprint(made, None, "made") != before


def test_a_folder_s_link_does_not_publish_a_log_of_its_reader(
    tmp_path: Path, capsys, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.log").write_text(LOG)
    packed = tmp_path / "packed"
    packed.mkdir()
    (packed / "a.log").write_text(LOG)
    (packed / "b.log").symlink_to(tmp_path / "mine.log")
    assert main(["ingest", "packed", "--init", "new"]) == 1
    said = "error: packed/b.log: this link leads to a log outside of the folder that was named; "
    assert said in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
    # A link that stays inside, or that is named itself, is what its user means.
    (packed / "b.log").unlink()
    (packed / "b.log").symlink_to("a.log")
    (tmp_path / "own.log").symlink_to("mine.log")
    assert main(["ingest", "packed", "own.log", "--init", "new"]) == 0
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "a.log", "b.log", "campaign.toml", "own.log",
    ]  # fmt: skip


def _links(live: Path, theirs: Path) -> Iterator[tuple[Path, Path]]:
    yield live, theirs.parent
    yield live / "fast.jsonl", theirs
    yield live / "logs" / "fast-1.log", theirs
    yield live / ".lock", theirs


@pytest.mark.parametrize("which", range(4))
def test_nothing_is_recorded_through_a_link(which: int, made: Path, theirs: Path) -> None:
    from analysis.errors import LiveError
    from analysis.runner.journal import locked

    link, target = list(_links(made / "live", theirs))[which]
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target)
    with (
        pytest.raises(LiveError, match="leads out of the campaign's folder"),
        locked(made / "live"),
    ):
        pass
    assert theirs.read_text() == "export SECRET=zaphod\n"
    assert [path.name for path in theirs.parent.iterdir()] == [".bashrc"]
