"""Context before the task, fields of requests, and servers of single runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from analysis.campaigns.campaign import load
from analysis.errors import CampaignError, LiveError
from analysis.runner.consent import in_need_of_consent
from analysis.runner.estimate import lines
from analysis.runner.filler import sentences
from analysis.runner.session import plan_of
from analysis.runner.settings import read_settings
from analysis.statistics.conditions import unlike
from tests.runner.conftest import LIVE, records, run

Write = Callable[..., Path]
Knobs = Callable[..., None]

PLAIN = LIVE.replace("repeats = 2", "repeats = 1").split('[[runs]]\nid = "drafted"')[0]


def bodies(seen: Path) -> list[dict]:
    return [json.loads(line) for line in seen.read_text().splitlines()]


@pytest.fixture
def seen(tmp_path: Path, knobs: Knobs) -> Path:
    knobs(seen=str(tmp_path / "seen"))
    return tmp_path / "seen"


def test_filler_stands_before_the_task(live_campaign: Write, seen: Path) -> None:
    folder = live_campaign(PLAIN.replace("repeats = 1", "repeats = 1\ncontext = [0, 300]"))
    assert run(folder).measured == 6
    behind = [b for b in bodies(seen) if len(b["messages"][0]["content"].split()) > 300]
    assert len(behind) == 3
    texts = [body["messages"][0]["content"] for body in behind]
    for text in texts:
        filler, _, task = text.partition("\n\n")
        assert len(filler.split()) == 300
        assert task
    assert len({text.partition("\n\n")[0] for text in texts}) == 3
    assert all(body["cache_prompt"] is False for body in bodies(seen))
    assert [one.context_tokens for one in load(folder).runs] == [0, 300]
    head = records(folder, "plain-ctx300")[0]
    assert set(head["filler"]["tokens"].values()) == {300}
    assert records(folder, "plain")[0]["filler"] is None


def test_filler_hardly_says_anything_twice() -> None:
    found = list(islice(sentences(0), 600))
    assert len(set(found)) > 0.85 * len(found)
    assert found == list(islice(sentences(0), 600))
    assert found[0] != next(sentences(1))


def test_a_server_without_room_is_refused_before_it_is_measured(
    live_campaign: Write, seen: Path
) -> None:
    folder = live_campaign(
        PLAIN.replace("repeats = 1", 'repeats = 1\ncontext = 300\nserver_args = ["-c", "350"]')
    )
    (error,) = run(folder).not_started
    assert "each slot has 350 tokens of context, and this run needs about" in error.problem
    assert '"-c", "' in error.remedy
    assert not seen.exists()
    assert not list((folder / "live").glob("*.jsonl"))


REQUEST = """\
[live.request]
top_k = 20
system = "Be brief."
chat_template_kwargs = { enable_thinking = false }
[[runs]]
id = "plain"
[[runs]]
id = "warm"
request = { temperature = 0.7, top_k = 5 }
"""


def test_requests_have_the_fields_of_the_campaign(live_campaign: Write, seen: Path) -> None:
    folder = live_campaign(PLAIN.split("[[runs]]")[0] + REQUEST)
    assert run(folder).complete
    cold, warm = ([b for b in bodies(seen) if b["top_k"] == k] for k in (20, 5))
    assert {b["temperature"] for b in cold} == {0.0}
    assert {b["temperature"] for b in warm} == {0.7}
    for body in (*cold, *warm):
        assert body["messages"][0] == {"role": "system", "content": "Be brief."}
        assert body["chat_template_kwargs"] == {"enable_thinking": False}
        assert "system" not in body
    head = records(folder, "warm")[0]
    assert head["sampler"] == {"temperature": 0.7, "seed": 42, "top_k": 5}
    assert head["request"]["system"] == "Be brief."
    cool, loaded = load(folder).runs
    # What was asked for in another way is not compared.
    assert set(unlike([cool, loaded], "plain")["warm"]) == {"temperature", "request"}
    assert loaded.temperature == 0.7
    assert loaded.conditions["sampler"] == "temperature 0.7, seed 42, top_k 5"
    assert loaded.conditions["request"] == (
        'chat_template_kwargs {"enable_thinking": false}, system "Be brief."'
    )
    settings = folder / "campaign.toml"
    settings.write_text(settings.read_text().replace("top_k = 5", "top_k = 6"))
    with pytest.raises(LiveError, match=r"runs\.warm\.request\.top_k was 5 and is 6"):
        run(folder, resume=True)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("stream = false", "stream can't be set: answers are streamed, to be timed"),
        ("cache_prompt = true", "cache_prompt can't be set: every prompt is processed whole"),
        ("max_tokens = 5", r"max_tokens can't be set: \[live\] has a key for it"),
        ("seed = 1", "seed can't be set"),
        ("n = 2", "n can't be set: one request has one answer"),
        ('"speculative.n_max" = 3', "llama.cpp takes no such field"),
        ("temperature = -1", "temperature is -1; use 0 or more"),
        ("temperature = true", "temperature is True"),
        ("until = 2026-01-01", "until has a value that can't be sent"),
        ("top_p = nan", "top_p has a value that can't be sent"),
        ("system = 3", "system is not a text"),
    ],
)
def test_fields_on_which_a_measurement_rests(
    live_campaign: Write, field: str, message: str
) -> None:
    text = PLAIN.split("[[runs]]")[0] + f'[live.request]\n{field}\n[[runs]]\nid = "plain"\n'
    with pytest.raises(CampaignError, match=message) as caught:
        read_settings(live_campaign(text))
    assert caught.value.line == 2 + text.splitlines().index("[live.request]")


def test_a_conversation_is_sent_as_it_is(live_campaign: Write, seen: Path) -> None:
    text = PLAIN.replace(
        'tasks = ["code_python", "summarize", "qa_factual"]', 'prompts = "p.jsonl"'
    )
    folder = live_campaign(text)
    turns = [
        {"role": "system", "content": "You are a clerk."},
        {"role": "user", "content": "Good day."},
        {"role": "assistant", "content": "Good day to you."},
        {"role": "user", "content": "And now?"},
    ]
    (folder / "p.jsonl").write_text(json.dumps({"name": "talk", "messages": turns}))
    assert run(folder).measured == 1
    assert bodies(seen)[-1]["messages"] == turns


def test_the_plan_says_what_stands_before_and_how_many_at_once(live_campaign: Write) -> None:
    text = PLAIN.replace("repeats = 1", "repeats = 1\nparallel = [1, 4]\ncontext = [0, 2000]")
    said = lines(plan_of(live_campaign(text), reads_only=True))
    (four,) = [line for line in said if "plain-np4 " in line and "requests" in line]
    assert "3 requests, 4 at once, besides those that fill and empty the slots" in four
    (behind,) = [line for line in said if "plain-ctx2000 " in line and "requests" in line]
    assert behind.endswith("3 requests, behind 2000 tokens")
    assert any(line.startswith("tasks: fewer than the 4 requests at once") for line in said)
    # 3 servers at 10 s; 6 + 3 + 6 requests of 8 tokens at 50 tokens/s; 3 of 2000 at 500.
    assert said[-1].startswith("9 requests on 3 servers: about 44 s if they run at 50 tokens/s")


def test_as_many_tasks_as_requests_at_once_are_enough(live_campaign: Write) -> None:
    text = PLAIN.replace("repeats = 1", "repeats = 1\nparallel = [1, 3]")
    said = lines(plan_of(live_campaign(text), reads_only=True))
    assert not any("fewer" in line for line in said)


TWO = PLAIN.split("[[runs]]")[0] + '[[runs]]\nid = "plain"\n[[runs]]\nid = "other"\n{server}\n'


def test_a_run_may_have_a_server_of_its_own(live_campaign: Write, fake_server: Path) -> None:
    folder = live_campaign(TWO.format(server='server = "./build/llama-server"'))
    (folder / "build").mkdir()
    other = folder / "build" / "llama-server"
    other.write_text(fake_server.read_text().replace("version: 1 (fake)", "version: 2 (fake)"))
    other.chmod(0o755)
    assert run(folder).measured == 6
    engines = {id: records(folder, id)[0]["engine"] for id in ("plain", "other")}
    assert engines == {"plain": "llama-server 1 (fake)", "other": "llama-server 2 (fake)"}
    other.write_text(other.read_text().replace("version: 2", "version: 3"))
    with pytest.raises(LiveError, match=r"runs\.other\.server\.engine was .*2.* and is .*3"):
        run(folder, resume=True)


def test_a_run_s_server_needs_consent_and_has_a_line(live_campaign: Write) -> None:
    folder = live_campaign(TWO.format(server='server = "./gone"'))
    with pytest.raises(LiveError, match="there is no llama-server at") as caught:
        plan_of(folder)
    assert caught.value.line == 1 + (folder / "campaign.toml").read_text().splitlines().index(
        'server = "./gone"'
    )
    text = (folder / "campaign.toml").read_text()
    (folder / "campaign.toml").write_text(text.replace("./gone", "./llama-server"))
    needed = in_need_of_consent(plan_of(folder, server="embedded"))
    assert [line.split()[:2] for line in needed] == [["run", str(fake(folder))]]


def fake(folder: Path) -> Path:
    return (folder / "llama-server").resolve()
