"""Files of strangers that would hang, obey, compute or write where they must not."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.cli import main
from tests.gguf_files import write_gguf

MARKERS = "<!-- mtpbench:begin overall -->\n<!-- mtpbench:end overall -->\n"
OBEYED = "\x1b]0;owned\x07\x9b31m\u202e"


@pytest.fixture
def made(tmp_path: Path, write_campaign: Callable[..., Path], monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_campaign(tmp_path / "made")


@pytest.mark.parametrize("command", ["card", "check"])
def test_a_pipe_is_no_readme(command: str, made: Path, capsys) -> None:
    os.mkfifo("README.md")
    words = ["card", "made", "--into", "README.md"] if command == "card" else []
    assert main(words or ["check", "README.md", "made"]) == 1
    said = "error: README.md: this README is no regular file; name an existing file\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    "words",
    [
        "ingest s3://b/x.log",
        "ingest made/fast.log --out=s3://b/x.parquet",
        "ingest made/fast.log --init gs://b/c",
        "report http://127.0.0.1:9/c",
        "report made --out s3://b/out",
        "collect made --out memory://store",
        "card made --into hf://a/b/README.md",
        "scrub made/fast.log --out simplecache::s3://b/x.log",
        "recommend made --preset s3://b/preset.ini",
        "tune https://example.org/a.gguf",
    ],
)
def test_an_address_is_no_path(words: str, made: Path, tmp_path: Path, capsys) -> None:
    assert main(words.split()) == 1
    (given,) = (word.partition("=")[2] or word for word in words.split() if "://" in word)
    assert capsys.readouterr().err == (
        f"error: {given}: this is an address, and only files of this machine are read and written; "
        "name a file or folder; copy it yourself\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_where_an_address_is_meant_it_is_taken(made: Path, capsys) -> None:
    address = "http://127.0.0.1:9"
    for words in (["run", "made", "--server", address], ["run", "made", f"--server={address}"]):
        assert main(words) == 1
        assert "this is an address" not in capsys.readouterr().err


def test_a_pipe_is_no_model_file(made: Path, capsys) -> None:
    os.mkfifo("a.gguf")
    assert main(["card", "made", "--gguf", "a.gguf"]) == 1
    assert capsys.readouterr().err.startswith("error: a.gguf: there is no such file; ")


def test_a_change_that_is_shown_is_not_obeyed(made: Path, capsys) -> None:
    Path("README.md").write_text(f"# mine {OBEYED} x\r\n{MARKERS}{OBEYED}\n", newline="")
    assert main(["card", "made", "--into", "README.md", "--dry-run"]) == 0
    shown = capsys.readouterr()
    assert "# mine \\x1b]0;owned\\x07\\x9b31m\\x202e x\r\n" in shown.out
    assert not set("\x1b\x07\x9b\u202e") & set(shown.out + shown.err)


def test_a_cell_is_shown_and_not_computed(tmp_path: Path) -> None:
    names = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "plain", "a=b"]
    rows = "".join(f'"{name}",100,60,40,50.0\n' for name in names)
    log = tmp_path / "table.csv"
    log.write_text(f"task,predicted_n,draft_n,draft_n_accepted,tok/s\n{rows}")
    assert main(["ingest", str(log), "--out", str(tmp_path / "out.csv")]) == 0
    with (tmp_path / "out.csv").open(newline="") as file:
        found = list(csv.DictReader(file))
    assert [row["task"] for row in found] == [*(f"'{name}" for name in names[:4]), *names[4:]]
    assert {row["predicted_tokens"] for row in found} == {"100"}
    assert not [cell for row in found for cell in row.values() if cell[:1] in "=+@-" and cell]


def test_pictures_stay_beside_their_readme(made: Path, tmp_path: Path, capsys) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    readme = project / "README.md"
    readme.write_text(MARKERS)
    (project / "mtpbench-figures").symlink_to(elsewhere)
    assert main(["card", "made", "--into", str(readme)]) == 1
    assert "leads to a place outside of the README's folder" in capsys.readouterr().err
    assert list(elsewhere.iterdir()) == []
    assert readme.read_text() == MARKERS


@pytest.mark.parametrize("title", ["", " ", "\u200b", "****", "__"])
def test_a_title_or_label_in_which_there_is_nothing_to_read_is_none(
    title: str, made: Path, capsys
) -> None:
    settings = made / "campaign.toml"
    text = settings.read_text().replace('title = "Made"', f'title = "{title}"')
    text = text.replace('log = "fast.log"', f'log = "fast.log"\nlabel = "{title}"')
    settings.write_text(text)
    assert main(["card", "made"]) == 0
    card = capsys.readouterr().out
    assert "\n# made\n" in card
    assert "****" not in card
    assert "`fast`" in card or "| fast" in card


def test_an_unknown_licence_is_none(made: Path, tmp_path: Path, capsys) -> None:
    from gguf import GGUFWriter

    plain = write_gguf(tmp_path / "a.gguf")
    writer = GGUFWriter(tmp_path / "b.gguf", "llama")
    writer.add_license("unknown")
    writer.add_token_list(["a"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    for file in (plain, tmp_path / "b.gguf"):
        assert main(["card", "made", "--gguf", f"target={file}"]) == 0
        assert "license: unknown" not in capsys.readouterr().out


def test_what_looks_like_an_address_is_no_link(made: Path, capsys) -> None:
    settings = made / "campaign.toml"
    notes = "\n".join(f'n{at} = "a{at}@b{at}.gguf"' for at in range(189))
    settings.write_text(f"{settings.read_text()}\n[conditions]\n{notes}\n")
    assert main(["card", "made"]) == 0
    card = capsys.readouterr().out
    assert card.count("<!-- -->@b") >= 189
    assert "7@b7.gguf" not in card
