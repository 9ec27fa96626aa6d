"""What a terminal shows of logs: as much as helps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.cli import main
from analysis.ingesting.ingest import ingest
from analysis.ingesting.shown import MOST_ROWS, text
from tests.parsers.llama_server.test_candidates import request
from tests.parsers.server_log import Asked, new

Log = Callable[..., str]


def rows(log: Log, number: int) -> str:
    return log([(f"task_{n}", 100 + n, 40, 20, 100.0) for n in range(number)], 7.5)


@pytest.mark.parametrize("number", [MOST_ROWS, MOST_ROWS + 1])
def test_at_most_forty_rows_unless_all_are_asked_for(
    number: int, tmp_path: Path, log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.log"
    path.write_text(rows(log, number))
    shown = text(ingest([path]))
    assert f"task_{MOST_ROWS - 1} " in shown
    left_out = "… and 1 more results: --all shows them"
    assert (left_out in shown) is (number > MOST_ROWS)
    assert (f"task_{MOST_ROWS} " in shown) is False
    main(["ingest", str(path), "--all"])
    assert (f"task_{number - 1} " in capsys.readouterr().out) is True


def test_findings_are_cut_too(tmp_path: Path, log: Log) -> None:
    path = tmp_path / "a.log"
    path.write_text("\n".join(rows(log, 2).replace("201", "202") for _ in range(MOST_ROWS)))
    found = ingest([path])
    assert len(found.findings) > MOST_ROWS
    shown = text(found)
    assert shown.count("\nerror: ") + shown.count("\nwarning: ") <= MOST_ROWS
    assert f"and {len(found.findings) - MOST_ROWS:,} more findings: --all shows them" in shown


def test_the_last_line_says_what_there_is_and_what_to_do(tmp_path: Path, log: Log) -> None:
    path = tmp_path / "a.log"
    path.write_text(rows(log, 3))
    assert text(ingest([path])).splitlines()[-1] == (
        "1 run, 3 results, 0 errors, 0 warnings, 1 note: `--init DIR` makes a campaign of this; "
        "`mtpbench explain single-run` says what that means"
    )


def test_prompts_positions_and_concurrency_where_a_log_has_them(
    tmp_path: Path, log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    server, bench = tmp_path / "server.log", tmp_path / "bench.log"
    server.write_text("\n".join(new(Asked())) + "\n")
    bench.write_text(rows(log, 2))
    shown = text(ingest([server]))
    for heading in ("concurrency", "prompt_tokens", "by position"):
        assert heading in shown
    assert " 44 " in shown
    assert "0.67 0.67 0.67 0.00" in shown
    for heading in ("prompt_tokens", "by position", "spec_type"):
        assert heading not in text(ingest([bench]))
    main(["ingest", str(server), str(bench), "--json"])
    read = json.loads(capsys.readouterr().out)
    first, other = read["tasks"][0], read["tasks"][1]
    assert (first["prompt_tokens"], other["prompt_tokens"]) == (44, None)
    assert first["positions"] == {
        "rate": [0.667, 0.667, 0.667, 0.0], "accepted": [2, 2, 2, 0], "rounds": 3,
        "definition": "all-rounds",
    }  # fmt: skip
    assert other["positions"] is None
    assert [run["concurrency"] for run in read["runs"]] == [1, None]


def test_positions_of_totals(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(
        "num_drafts: 10\nnum_draft_tokens: 20\nnum_accepted_tokens: 9\n"
        "acceptance at token 0: 0.60\nacceptance at token 1: 0.30\n"
    )
    assert "0.60 0.30" in text(ingest([path]))


def test_confidences_are_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "server.log"
    path.write_text("\n".join(request([([0.9, 0.8, 0.3], 3, 2), ([0.4, 0.2], 2, 0)])) + "\n")
    found = ingest([path])
    said = text(found)
    assert "confidences" in said
    assert "`mtpbench replay LOG` says what other depths and thresholds" in said
    main(["ingest", str(path), "--json"])
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["confidences"] == 5


def test_without_confidences_nothing_is_said_of_them(
    tmp_path: Path, log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.log"
    path.write_text(rows(log, 2))
    assert "confidences" not in text(ingest([path]))
    assert "replay" not in text(ingest([path]))
    main(["ingest", str(path), "--json"])
    assert json.loads(capsys.readouterr().out)["runs"][0]["confidences"] is None
