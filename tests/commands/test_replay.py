"""The replay of a log, through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analysis import replay
from analysis.cli import main
from analysis.replaying.table import REPLAY_COLUMNS
from tests.parsers.llama_server.test_candidates import request


@pytest.fixture
def log(tmp_path: Path) -> Path:
    drafts = [([0.9, 0.8, 0.3], 3, 2), ([0.4, 0.2, 0.6], 3, 0), ([0.95, 0.7, 0.9], 3, 3)] * 4
    path = tmp_path / "server.log"
    path.write_text("\n".join(request(drafts)) + "\n", encoding="utf-8")
    return path


def test_it_prints_a_table_and_writes_charts(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(log), "--chart", str(tmp_path / "out.png")]) == 0
    said = capsys.readouterr().out
    assert "1 request, 28 drafted tokens at risk" in said
    assert "no throughput: too few rounds of the log are shorter than its deepest" in said
    (line,) = [line for line in said.splitlines() if line.startswith("fixed") and " 3 " in line]
    # 12 rounds, 36 drafted, 20 accepted: as logged.
    assert line.split()[:6] == ["fixed", "3", "0.00", "36", "20", "12"]
    assert (tmp_path / "out.png").read_bytes()[:4] == b"\x89PNG"
    assert (tmp_path / "out-reliability.png").is_file()


def test_json_has_every_row_and_writes_nothing(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert main(["replay", str(log), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert sorted(tmp_path.iterdir()) == before
    assert set(rows[0]) == {"run", *REPLAY_COLUMNS}
    assert {row["policy"] for row in rows} == {
        "fixed", "threshold", "product", "additive", "pausing"
    }  # fmt: skip
    assert len(rows) == len(replay(log))
    (plain,) = [row for row in rows if row["policy"] == "fixed" and row["n_max"] == 3]
    assert (plain["forwards"], plain["accepted_tokens"]) == (12, 20)
    assert plain["decode_tps"] is None


@pytest.mark.parametrize(
    ("drafts", "why"),
    [
        ([([], 3, 2)], "no drafted token has a confidence here"),
        ([], "no drafted token has a confidence here"),
    ],
)
def test_a_log_without_confidences_is_refused_with_the_way_to_make_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], drafts: list, why: str
) -> None:
    path = tmp_path / "server.log"
    path.write_text("\n".join(request(drafts)) + "\n", encoding="utf-8")
    assert main(["replay", str(path)]) == 1
    said = capsys.readouterr().err
    assert why in said
    assert "-lv 5" in said
    assert "Traceback" not in said


def test_a_log_cut_by_a_threshold_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    setup = "0.00.100.000 I spec common_specu: - n_max=3, n_min=0, p_min=0.500000\n"
    path = tmp_path / "server.log"
    path.write_text(setup + "\n".join(request([([0.9, 0.8, 0.6], 3, 2)])) + "\n", encoding="utf-8")
    assert main(["replay", str(path)]) == 1
    assert "were cut by a threshold" in capsys.readouterr().err
