import hashlib
import os
from pathlib import Path

import pytest

from analysis.errors import ModelFileError
from analysis.files import hashes as file_hashes
from analysis.files.hashes import CACHE_VARIABLE, cache_folder, sha256


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"weights")
    return path


def _unread(*arguments: object) -> None:
    message = "the file was read again"
    raise AssertionError(message)


def test_digest_is_that_of_the_bytes(file):
    assert sha256(file) == hashlib.sha256(b"weights").hexdigest()


def test_second_call_does_not_read(file, monkeypatch):
    first = sha256(file)
    monkeypatch.setattr(hashlib, "file_digest", _unread)
    assert sha256(file) == first


@pytest.mark.parametrize("change", ["content", "time", "place"])
def test_changed_file_is_read_again(file, tmp_path, change):
    before = sha256(file)
    status = file.stat()
    if change == "place":
        file = file.rename(tmp_path / "other.gguf")
    if change != "time":
        file.write_bytes(b"WEIGHTS")
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    if change != "place":
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    now = sha256(file)
    assert now == hashlib.sha256(file.read_bytes()).hexdigest()
    assert (now == before) == (change == "time")


def test_damaged_entry_is_not_believed(file, cache):
    right = sha256(file)
    (entry,) = (cache / "sha256").iterdir()
    assert str(file) not in entry.read_text() + entry.name
    for damage in (b"", b"\xff", b"g" * 64):
        entry.write_bytes(damage)
        assert sha256(file) == right
    assert entry.read_text() == right + "\n"


def test_cache_that_is_a_file_costs_nothing_but_time(file, cache):
    cache.write_text("in the way")
    assert sha256(file) == hashlib.sha256(b"weights").hexdigest()


def test_unreadable_file_is_a_users_mistake(tmp_path):
    with pytest.raises(ModelFileError, match="can't be read"):
        sha256(tmp_path / "none.gguf")
    with pytest.raises(ModelFileError, match="can't be read"):
        sha256(tmp_path)


def test_file_that_changes_meanwhile_has_no_digest(file, cache, monkeypatch):
    real = hashlib.file_digest

    def digest(opened, name):
        found = real(opened, name)
        file.write_bytes(b"longer than before")
        return found

    monkeypatch.setattr(file_hashes.hashlib, "file_digest", digest)
    with pytest.raises(ModelFileError, match="changed while"):
        sha256(file)
    assert not (cache / "sha256").exists()


def test_default_place_is_the_platforms(monkeypatch):
    monkeypatch.delenv(CACHE_VARIABLE)
    assert cache_folder().name == "mtpbench"
