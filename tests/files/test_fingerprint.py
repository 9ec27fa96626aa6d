from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.errors import CampaignError
from analysis.files import fingerprint as module
from analysis.files.fingerprint import STAMP, fingerprint, is_current, stamp

Write = Callable[..., Path]


@pytest.fixture
def source(tmp_path: Path, write_campaign: Write) -> Path:
    return write_campaign(tmp_path / "made")


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    path = tmp_path / "card.ipynb"
    path.write_text("{}")
    return path


@pytest.fixture(autouse=True)
def _code_is_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_code", module._code.__wrapped__)


def test_the_same_has_the_same(source: Path, notebook: Path) -> None:
    first = fingerprint(source, notebook, "made", {"a": 1, "b": [2]})
    assert first == fingerprint(source, notebook, "made", {"b": [2], "a": 1})
    (source / ".DS_Store").write_text("of no report's concern")
    (source / "fast.log").touch()
    assert first == fingerprint(source, notebook, "made", {"a": 1, "b": [2]})


def test_whatever_counts_changes_it(
    source: Path, notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = [
        fingerprint(source, notebook, "made"),
        fingerprint(source, notebook, "raw/made"),
        fingerprint(source, notebook, "made", {"files": []}),
    ]

    def note() -> None:
        seen.append(fingerprint(source, notebook, "made"))

    log = source / "plain.log"
    log.write_text(log.read_text().replace("100.0", "100.1"))
    note()
    settings = source / "campaign.toml"
    settings.write_text(settings.read_text() + "\n")
    note()
    (source / "server").mkdir()
    (source / "server" / "more.log").write_text("x")
    note()
    (source / "server" / "more.log").rename(source / "server" / "less.log")
    note()
    (source / "server" / "less.log").write_text("")
    note()
    notebook.write_text("{} ")
    note()
    monkeypatch.setattr(module, "_version", lambda library: "0")
    note()
    assert len(set(seen)) == len(seen) == 10


@pytest.mark.parametrize("name", ["policy.py", "page.css"])
def test_the_code_counts(
    name: str, source: Path, notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fingerprint(source, notebook, "made")
    read = Path.read_bytes

    def edited(path: Path) -> bytes:
        return read(path) + b"#" * (path.name == name)

    monkeypatch.setattr(Path, "read_bytes", edited)
    assert fingerprint(source, notebook, "made") != before


def test_a_file_that_cannot_be_read(source: Path, notebook: Path, monkeypatch: object) -> None:
    (source / "gone.log").write_text("x")
    with pytest.MonkeyPatch.context() as patch:

        def refuse(path: Path) -> bytes:
            raise PermissionError(13, "Permission denied", str(path))

        patch.setattr(module, "_digest", refuse)
        with pytest.raises(CampaignError, match="can't be read: Permission denied; make it"):
            fingerprint(source, notebook, "made")


@pytest.fixture
def report(tmp_path: Path) -> Path:
    folder = tmp_path / "report"
    (folder / "figures").mkdir(parents=True)
    for name in ("README.md", "figures/a.png"):
        (folder / name).write_text(name)
    stamp(folder, "inputs")
    return folder


def test_a_report_is_current_while_nothing_changes(report: Path) -> None:
    assert is_current(report, "inputs")
    assert not is_current(report, "others")
    assert not is_current(report / "figures", "inputs")
    assert not is_current(report / "nowhere", "inputs")


@pytest.mark.parametrize("name", ["README.md", "figures/a.png"])
def test_a_report_that_was_touched_is_stale(name: str, report: Path) -> None:
    text = (report / name).read_text()
    (report / name).write_text(text.upper())
    assert not is_current(report, "inputs")
    (report / name).unlink()
    assert not is_current(report, "inputs")
    (report / name).write_text(text)
    assert is_current(report, "inputs")
    (report / "more").write_text("")
    assert not is_current(report, "inputs")


@pytest.mark.parametrize("text", ["", "{", "[]", "1", "{}", '{"schema_version": 1}', "\0"])
def test_a_damaged_stamp_is_none(text: str, report: Path) -> None:
    (report / STAMP).write_text(text)
    assert not is_current(report, "inputs")


def test_a_stamp_of_another_schema_is_none(report: Path) -> None:
    data = json.loads((report / STAMP).read_text())
    (report / STAMP).write_text(json.dumps({**data, "schema_version": 2}))
    assert not is_current(report, "inputs")
