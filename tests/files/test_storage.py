from __future__ import annotations

from pathlib import Path

import pytest

from analysis.errors import ReportError
from analysis.files.leftovers import _host
from analysis.files.storage import replaced_folder, write_text

DEAD = f"{_host()}+1+1.x"
"""Of a process that was number 1 before the one that is."""


def files(folder: Path) -> dict[str, str]:
    """Every file below a folder, hidden ones too, with its text."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# ---- one file


def test_text_is_written_as_it_is(tmp_path: Path) -> None:
    write_text(tmp_path / "a.md", "tok/s × 2\r\nend")
    assert (tmp_path / "a.md").read_bytes() == "tok/s × 2\r\nend".encode()
    assert (tmp_path / "a.md").stat().st_mode & 0o777 == 0o644
    write_text(tmp_path / "a.md", "new")
    assert files(tmp_path) == {"a.md": "new"}


def test_a_text_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    write_text(tmp_path / "a.md", "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "a.md", "half \udcff")
    assert files(tmp_path) == {"a.md": "old"}


def test_an_interrupted_write_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_text(tmp_path / "a.md", "old")

    def interrupt(path: Path, mode: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "chmod", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text(tmp_path / "a.md", "new")
    assert files(tmp_path) == {"a.md": "old"}


@pytest.mark.parametrize("name", ["file/a.md", "nowhere/a.md", "folder", "x" * 300])
def test_a_place_that_cannot_be_written(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ReportError) as caught:
        write_text(tmp_path / name, "text")
    assert caught.value.file == str(tmp_path / name)
    assert caught.value.problem.startswith("this can't be written: ")
    assert "--out" in caught.value.remedy
    assert files(tmp_path) == {"file": "in the way"}


# ---- a folder


def test_a_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    with replaced_folder(tmp_path / "a" / "b") as staging:
        (staging / "card").write_text("new")
        assert not (tmp_path / "a" / "b").exists()
    assert files(tmp_path) == {"a/b/card": "new"}
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o755


def test_a_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    for name in ("first", "second"):
        with replaced_folder(tmp_path / "report") as staging:
            assert staging.parent == tmp_path
            (staging / name).write_text(name)
    assert files(tmp_path) == {"report/second": "second"}


@pytest.mark.parametrize("kind", [KeyboardInterrupt, ReportError("no", "mend"), SystemExit])
def test_what_fails_leaves_the_old_folder_and_nothing_else(kind: object, tmp_path: Path) -> None:
    with replaced_folder(tmp_path / "report") as staging:
        (staging / "card").write_text("old")

    def fail() -> None:
        with replaced_folder(tmp_path / "report") as staging:
            (staging / "card").write_text("half")
            raise kind

    with pytest.raises(kind if isinstance(kind, type) else type(kind)):
        fail()
    assert files(tmp_path) == {"report/card": "old"}
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_what_fails_at_first_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), replaced_folder(tmp_path / "report"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_replacement_cut_off_between_its_renames_is_undone(tmp_path: Path) -> None:
    old = tmp_path / f".report.{DEAD}.old"
    old.mkdir()
    (old / "card").write_text("old")
    with pytest.raises(KeyboardInterrupt), replaced_folder(tmp_path / "report"):
        raise KeyboardInterrupt
    assert files(tmp_path) == {"report/card": "old"}


def test_a_replacement_cut_off_before_its_tidying_is_tidied(tmp_path: Path) -> None:
    for name, text in ((f".report.{DEAD}.old", "old"), ("report", "new")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "card").write_text(text)
    with replaced_folder(tmp_path / "report") as staging:
        (staging / "card").write_text("newest")
    assert files(tmp_path) == {"report/card": "newest"}


def test_the_second_rename_failing_brings_the_old_folder_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with replaced_folder(tmp_path / "report") as staging:
        (staging / "card").write_text("old")
    rename = Path.rename

    def fail_for_staging(path: Path, target: Path) -> Path:
        if path.name.endswith(".part"):
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail_for_staging)
    with pytest.raises(ReportError, match="No space left"), replaced_folder(tmp_path / "report"):
        pass
    assert files(tmp_path) == {"report/card": "old"}


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError(5, "Input/output error")])
def test_stopped_between_the_renames_the_old_folder_comes_back(
    stop: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with replaced_folder(tmp_path / "report") as staging:
        (staging / "card").write_text("old")
    rename = Path.rename

    def stop_after_the_first(path: Path, target: Path) -> Path:
        moved = rename(path, target)
        if target.suffix == ".old":
            raise stop
        return moved

    monkeypatch.setattr(Path, "rename", stop_after_the_first)
    with pytest.raises((KeyboardInterrupt, ReportError)), replaced_folder(tmp_path / "report"):
        pass
    assert files(tmp_path) == {"report/card": "old"}


@pytest.mark.parametrize("name", ["file/report", "x" * 300])
def test_a_folder_that_cannot_be_made(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ReportError) as caught, replaced_folder(tmp_path / name):
        pass
    assert caught.value.file == str(tmp_path / name)
    assert files(tmp_path) == {"file": "in the way"}


def test_a_file_in_the_folder_s_place_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("somebody's")
    with pytest.raises(ReportError) as caught, replaced_folder(tmp_path / "report"):
        pass
    assert caught.value.file == str(tmp_path / "report")
    assert files(tmp_path) == {"report": "somebody's"}


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "report").symlink_to("real")
    with replaced_folder(tmp_path / "report") as staging:
        (staging / "card").write_text("new")
    assert (tmp_path / "report").is_symlink()
    assert files(tmp_path / "real") == {"card": "new"}
