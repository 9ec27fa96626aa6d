"""Paths whose links lead out of the folder that they are named in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from analysis.files.inside import bytes_inside, leads_out, links_out


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file and links; beside it lies what is somebody's."""
    (tmp_path / "theirs.txt").write_text("private")
    (tmp_path / "away").mkdir()
    inside = tmp_path / "a"
    (inside / "sub").mkdir(parents=True)
    (inside / "plain.txt").write_text("ours")
    (inside / "link.txt").symlink_to("plain.txt")
    (inside / "out.txt").symlink_to(tmp_path / "theirs.txt")
    (inside / "loop").symlink_to("loop")
    (inside / "sub" / "up").symlink_to(tmp_path / "away")
    return inside


def test_what_leads_out(folder: Path) -> None:
    names = ["plain.txt", "link.txt", "out.txt", "loop", "nothing", "sub/up", "sub/../out.txt"]
    out = [name for name in names if leads_out(folder / name, folder)]
    assert out == ["out.txt", "sub/up", "sub/../out.txt"]
    assert leads_out(folder / "../theirs.txt", folder)
    assert not leads_out(folder / "a\0b", folder)


def test_links_that_lead_out_of_where_a_folder_lies(folder: Path) -> None:
    assert links_out(folder / "sub") == [folder / "sub" / "up"]
    assert links_out(folder / "none") == []
    (folder / "live").symlink_to(folder.parent / "away")
    assert links_out(folder / "live") == [folder / "live"]


def test_only_what_is_inside_is_read(folder: Path) -> None:
    assert bytes_inside(folder / "plain.txt", folder) == b"ours"
    assert bytes_inside(folder / "link.txt", folder) == b"ours"
    for name in ("out.txt", "loop", "sub", "nothing", "a\0b", "../theirs.txt"):
        assert bytes_inside(folder / name, folder) is None


def test_a_pipe_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert bytes_inside(folder / "pipe", folder) is None


def test_a_link_swapped_while_it_is_read_gives_nothing(folder: Path, monkeypatch) -> None:
    path, opened = folder / "out.txt", os.open

    def swapped(name: str, flags: int) -> int:
        number = opened(name, flags)
        path.unlink()
        path.symlink_to("plain.txt")  # what a look at the name finds now is inside
        return number

    monkeypatch.setattr("analysis.files.inside.os.open", swapped)
    assert bytes_inside(path, folder) is None
