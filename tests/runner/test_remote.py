"""A server that runs already is measured as it is, and what it can't say is null."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from analysis.campaigns.campaign import load
from analysis.errors import LiveError
from analysis.runner.remote import Remote
from analysis.runner.running import Running
from analysis.runner.servers import engine
from analysis.runner.session import plan_of
from tests.runner.conftest import LIVE, records, run

ONE = """\
[campaign]
title = "Made"
[live]
server = "ADDRESS"
max_tokens = 8
repeats = 2
tasks = ["code_python"]
[[runs]]
id = "there"
spec_type = "draft-simple"
n_max = 3
"""


@pytest.fixture
def server(live_campaign: Callable[..., Path], tmp_path: Path) -> Iterator[Running]:
    plan = plan_of(live_campaign(LIVE))
    drafted = next(step.planned for step in plan.steps if step.planned.id == "drafted")
    running = plan.engine.start(plan.arguments(drafted), tmp_path / "log", 20)
    yield running
    running.stop()


def test_a_server_of_somebody_else_s(server: Running, tmp_path: Path) -> None:
    folder = tmp_path / "remote"
    folder.mkdir()
    text = ONE.replace("ADDRESS", server.at.shown).replace(
        "n_max = 3\n", 'n_max = 3\ndraft = "any.gguf"\n'
    )
    (folder / "campaign.toml").write_text(text)
    outcome = run(folder)
    assert outcome.measured == 2
    header, request = records(folder, "there")[:2]
    assert (header["server"], header["build"], header["command"]) == ("remote", "b1-fake", None)
    assert (header["n_max"], header["n_max_requested"], header["p_min"]) == (None, 3, None)
    assert (header["target"], header["draft"]) == (None, None)
    # Its log is somewhere else, its counters are not.
    assert request["rounds"] is None
    assert request["positions"] == {"accepted": [2, 2, 0], "rounds": 3}
    # Nobody knows better than the author.
    (loaded,) = load(folder).runs
    assert loaded.n_max == 3
    assert server.at.shown not in (folder / "live" / "plan.json").read_text()
    # It is not ours to end.
    assert not server.died


def test_a_key_is_sent_and_not_written(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLAMA_API_KEY", "very-secret")
    found = engine(server.at.shown)
    assert isinstance(found, Remote)
    again = found.start([], Path("unused"), 1.0)
    assert again.at.headers == {"Authorization": "Bearer very-secret"}
    assert "very-secret" not in f"{found.identity}{found.name}"


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "http://[::bad", "https://"])
def test_nobody_there(address: str) -> None:
    with pytest.raises(LiveError, match="no server answers at"):
        engine(address).asked()
