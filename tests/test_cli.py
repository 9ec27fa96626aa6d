from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.cli import COMMANDS, main
from analysis.errors import MtpbenchError, said

Command = Callable[..., subprocess.CompletedProcess[str]]
Write = Callable[..., Path]

ERROR = re.compile(r"error: [^:;\n]+:\d+: [^;\n]+; [^\n]+\n")
RAW = PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark"


# ---- words and exit codes


@pytest.mark.parametrize("words", [["--help"], *([name, "--help"] for name in COMMANDS)])
def test_help(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    assert "usage: mtpbench" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"mtpbench {metadata.version('mtpbench')}\n"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["no-such-command"],
        ["ingest"],
        ["report"],
        ["card"],
        ["report", "x", "--jobs", "many"],
        ["card", "x", "--no-such-option"],
        ["--", "report", "x"],
        ["ingest", "x", "--out"],
    ],
)
def test_wrong_usage_is_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: mtpbench")


def test_a_slip_of_a_command_is_told_what_was_meant(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["reprot", "x"])
    assert ended.value.code == 2
    assert "there is no command 'reprot'; did you mean 'report'?" in capsys.readouterr().err


def test_help_does_not_wait_for_what_it_does_not_need() -> None:
    code = (
        "import sys\nfrom analysis.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'pandas', 'numpy', 'matplotlib', 'papermill', 'nbformat'} & sys.modules.keys()\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_error_is_one_line_that_a_terminal_can_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    error = MtpbenchError("it is \x1b[31mwrong\nhere", "mend it", tmp_path / "a.log", 3)
    assert said(error) == "error: a.log:3: it is ?[31mwrong?here; mend it"


def test_paths_are_as_short_as_they_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert said(f"{tmp_path}/there/a.log: x; y") == "error: ~/there/a.log: x; y"
    assert said(f"{tmp_path}/here/a.log: x; y") == "error: a.log: x; y"
    assert said("/elsewhere/a.log: x; y") == "error: /elsewhere/a.log: x; y"
    assert said(f"/mnt{tmp_path}/a.log: x; y") == f"error: /mnt{tmp_path}/a.log: x; y"


# ---- ingest


def test_ingest_prints_what_is_in_a_log(mtpbench: Command) -> None:
    done = mtpbench("ingest", RAW / "dflash-n7.log")
    assert (done.returncode, done.stderr) == (0, "")
    assert "133.878" in done.stdout
    assert "note: all runs: " in done.stdout


def test_ingest_json_prints_the_contract(mtpbench: Command) -> None:
    done = mtpbench("ingest", "--json", RAW)
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout)
    assert data.keys() == {"runs", "tasks", "findings"}
    assert [row["id"] for row in data["runs"]] == [
        "baseline",
        "dflash-n7",
        "dspark-n2",
        "dspark-n3",
        "dspark-n5",
    ]
    assert len(data["tasks"]) == 65
    assert "NaN" not in done.stdout


def test_ingest_writes_a_file(tmp_path: Path, mtpbench: Command) -> None:
    done = mtpbench("ingest", RAW, "--out", "tasks.csv", cwd=tmp_path)
    assert done.returncode == 0
    assert len((tmp_path / "tasks.csv").read_text().splitlines()) == 66


def test_an_error_in_the_data_is_1(tmp_path: Path, mtpbench: Command) -> None:
    text = (RAW / "dflash-n7.log").read_text()
    (tmp_path / "a.log").write_text(text.replace("acc= 156", "acc= 157"))
    done = mtpbench("ingest", "a.log", cwd=tmp_path)
    assert done.returncode == 1
    assert "error: a.log:1: a, code_python: the row says 0.653" in done.stdout
    assert "the rows have 1406 accepted tokens, the aggregate says 1405" in done.stdout


def test_a_name_that_is_not_unicode(tmp_path: Path, mtpbench: Command) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.log"
    Path(os.fsdecode(path)).write_text((RAW / "baseline.log").read_text())
    for words in (["ingest", tmp_path], ["ingest", "--json", tmp_path]):
        done = mtpbench(*words)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_goes_away_is_no_fault() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "analysis", "ingest", "--json", str(RAW)],
            stdout=gone,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")


# ---- bad input

MARK = "code_python        pred= 192 draft="
AGGREGATE = '{"n_requests": 1, "total_predicted": 5, "wall_s_total": 1.0}\n'
BAD_LOGS: dict[str, tuple[bytes, int | None, str]] = {
    "empty.log": (b"", None, "the file is empty"),
    "blank.log": (b" \n\n", None, "the file is empty"),
    "binary.log": (b"GGUF\n\0\1\2", 2, "this is a binary file"),
    "latin.log": (b"words\npred=\xe9", 2, "byte 0xe9 at offset 11 is not UTF-8"),
    "words.log": (b"no benchmark\nhere\n", None, "nothing was recognised"),
    "totals.log": (AGGREGATE.encode(), 1, "a block with no rows"),
    "cut.log": (f"\n\n{MARK}".encode(), 3, "the only row is cut"),
    "cut.json": (b'{"results": [\n{"name": "a", "predicted_n": 3', 2, "stops in the middle"),
    "broken.json": (b'{"results": [\n{"predicted_n": 3 4}]}', 2, "this is not JSON"),
    "none.json": (
        b'{"results": [], "aggregate": {"n_requests": 0, "wall_s_total": 0}}',
        1,
        "a block with no rows",
    ),
}


@pytest.mark.parametrize("name", BAD_LOGS)
def test_a_log_that_cannot_be_used(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    content, line, problem = BAD_LOGS[name]
    (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    assert main(["ingest", name]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    place = name if line is None else f"{name}:{line}"
    assert err.startswith(f"error: {place}: ")
    assert problem in err
    assert "; " in err
    assert err.count("\n") == 1


def test_what_is_no_file_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "dangling.log").symlink_to("nowhere.log")
    (tmp_path / "loop.log").symlink_to("loop.log")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("gone.log", "dangling.log", "loop.log", "folder", "x" * 300):
        assert main(["ingest", name]) == 1
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert err.startswith(f"error: {name}: ")


# ---- card


def test_card_prints_a_card_and_nothing_else(mtpbench: Command) -> None:
    done = mtpbench("card", RAW)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("---\n")
    assert "1.18" in done.stdout
    assert "Qwen3.6-35B-A3B-DSPARK-GGUF" in done.stdout


def test_card_of_what_is_no_campaign(tmp_path: Path, mtpbench: Command) -> None:
    done = mtpbench("card", "nowhere", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: nowhere: there is no such campaign; ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "text", "problem"),
    [
        (8, 'spec_type = "fast"', "spec_type is 'fast'"),
        (3, 'baseline = "fast"', "baseline 'fast' is a run with speculation (draft-mtp)"),
        (7, 'log = "../plain.log"', "log '***' is outside the campaign folder"),
        (14, "nmax = 2", "this key is 'nmax'"),
    ],
)
def test_a_mistake_in_the_settings(
    line: int,
    text: str,
    problem: str,
    tmp_path: Path,
    settings: str,
    write_campaign: Write,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = settings.splitlines()
    lines[line - 1] = text
    write_campaign(tmp_path / "made", "\n".join(lines))
    monkeypatch.chdir(tmp_path)
    assert main(["card", "made"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert ERROR.fullmatch(err)
    assert err.startswith(f"error: made/campaign.toml:{line}: {problem}; ")


@pytest.mark.parametrize(
    "pairs",
    [
        '[["plain", "gone"]]',
        '["plain", "fast"]',
        '[["plain"]]',
        "3",
        "[[1, 2]]",
        '[["fast", "fast"]]',
    ],
)
def test_pairs_that_are_none(
    pairs: str,
    tmp_path: Path,
    settings: str,
    write_campaign: Write,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_campaign(tmp_path / "made", f"{settings}\n[card]\npairs = {pairs}\n")
    monkeypatch.chdir(tmp_path)
    assert main(["card", "made"]) == 1
    assert ERROR.fullmatch(capsys.readouterr().err)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a device that is full")
@pytest.mark.parametrize("command", ["card", "ingest"])
def test_an_output_that_cannot_be_written_is_an_error(command: str) -> None:
    campaign = PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "analysis", command, campaign],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == (
        "error: the output can't be written: No space left on device; free some space\n"
    )
