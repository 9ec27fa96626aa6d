from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.files.leftovers import OLD, PART, _host, claim, is_dead, name_of, remove_leftovers

DEAD = f"{_host()}+1+1."
ABROAD = "elsewhere+1+1."


@given(st.text(st.characters(exclude_characters="/\0"), min_size=1))
def test_a_claimed_name_says_what_it_stands_for(name: str) -> None:
    for suffix in (PART, OLD):
        assert name_of(f"{claim(name)}ab_1{suffix}") == name


@pytest.mark.parametrize(
    "name", [".bashrc", "report", ".report.old", ".a.host+1.x.part", ".a.h+1+2.x.partial", ""]
)
def test_other_names_are_nobody_s(name: str) -> None:
    assert name_of(name) is None
    assert not is_dead(name, changed_s=0.0)


def test_only_what_the_dead_left_is_swept(tmp_path: Path) -> None:
    code = "from analysis.files.leftovers import claim; print(claim('a'))"
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
    kept = [f"{claim('a')}x.part", f".a.{ABROAD}x.part", "a.part", ".b.part"]
    for name in [*kept, f"{ended}x.part", f".b.{DEAD}y.part"]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("half")
    (tmp_path / f".c.{DEAD}z.part").write_text("half a file")
    remove_leftovers(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)


def test_what_another_machine_left_is_swept_after_a_day(tmp_path: Path) -> None:
    path = tmp_path / f".a.{ABROAD}x.part"
    path.mkdir()
    os.utime(path, (path.stat().st_mtime - 90_000,) * 2)
    remove_leftovers(tmp_path)
    assert not path.exists()


def test_a_zombie_is_dead(tmp_path: Path) -> None:
    code = "from analysis.files.leftovers import claim; print(claim('a'), flush=True)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    name = f"{process.stdout.read().strip()}x.part"
    # It has ended, for its output has; nobody has waited for it yet.
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert is_dead(name)
    process.communicate()


def test_only_the_named_results_are_looked_after(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f".{name}.{DEAD}x.part").mkdir()
    remove_leftovers(tmp_path, ["b"])
    (left,) = tmp_path.iterdir()
    assert re.match(r"\.a\.", left.name)


def test_a_replacement_that_was_cut_off_is_undone(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f".{name}.{DEAD}x.old").mkdir()
        (tmp_path / f".{name}.{DEAD}x.old" / "card").write_text("old")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "card").write_text("new")
    remove_leftovers(tmp_path)
    texts = {path.name: (path / "card").read_text() for path in tmp_path.iterdir()}
    assert texts == {"a": "old", "b": "new"}


def test_a_place_that_is_not_there_is_no_mistake(tmp_path: Path) -> None:
    remove_leftovers(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []
