"""Tuning on a server whose speed is known: what is measured, kept, left out and gone on with."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.answers.recommend import recommend
from analysis.campaigns.campaign import load
from analysis.errors import LiveError, MtpbenchError
from analysis.runner.plan import Step
from analysis.runner.prompts import Prompt
from analysis.runner.session import run
from analysis.tuning import search
from analysis.tuning.chooser import ENOUGH, Chooser
from analysis.tuning.decisions import Decisions
from analysis.tuning.prompts import prompts_for
from analysis.tuning.search import NO_TIME
from analysis.tuning.tune import Tuned, tune
from analysis.tuning.words import said

Server = Callable[..., str]
QUICK = {"max_tokens": 24, "workloads": ["explanation"]}


def tuned(server: str, **words: object) -> Tuned:
    return tune("model.gguf", ["draft.gguf"], server, **{**QUICK, **words})


@pytest.mark.usefixtures("place")
def test_tuning_ends_in_a_campaign_like_any_other(server: Server) -> None:
    done = tuned(server(), explain=True)
    assert done.ended == ENOUGH
    assert done.advised is not None
    assert done.advised.method is not None
    assert done.advised.method.spec_type == "draft-simple"
    row = done.choice.belief.set_index("setting").loc[done.advised.id]
    assert row["speedup"] > 1.5
    loaded = load(done.folder)
    assert loaded.baseline == "off"
    assert set(loaded.run_ids) == set(done.tried)
    assert done.requests == sum(len(run.tasks) for run in (*loaded.runs, *loaded.logged))
    assert len(recommend(done.folder))
    # What `run` would still measure are the repeats that tuning had no use for.
    assert run(done.folder, server=server(), resume=True).complete
    steps, beliefs = Decisions.read(done.folder)
    assert steps["setting"].tolist()[:2] == ["off", "simple-n8"]
    assert steps["setting"].isna().tolist() == [False] * (len(steps) - 1) + [True]
    assert steps["advised"].iloc[-1] == done.advised.id
    assert beliefs["step"].max() == len(steps)


def test_no_folder_of_this_machine_stands_in_the_campaign(place: Path, server: Server) -> None:
    folder = tuned(server(), chooser=Chooser(most=1)).folder
    text = (folder / "campaign.toml").read_text()
    assert str(place) not in text
    assert tomllib.loads(text)["live"]["model"] == "../../model.gguf"


@pytest.mark.usefixtures("place")
def test_a_method_that_does_not_start_is_left_out_and_said(server: Server) -> None:
    path = server()
    program = Path(path)
    refused = 'case "$*" in *ngram-simple*) echo "no such thing: failed" >&2; exit 1 ;; esac\n'
    program.write_text(program.read_text().replace("case", f"[ $# = 1 ] || {refused}case", 1))
    done = tuned(path)
    assert done.ended == ENOUGH
    assert not any(id.startswith("ngram-simple") for id in done.tried)
    assert any(why.startswith("ngram-simple-n16 was not measured") for why in done.skipped)
    assert "not tried: ngram-mod: this server knows no --spec-type ngram-mod" in said(done)
    assert "ngram-simple" not in (done.folder / "campaign.toml").read_text()


@pytest.mark.usefixtures("place")
def test_the_start_of_a_draft_that_is_far_too_slow_is_left_and_can_be_completed(
    server: Server,
) -> None:
    slow = {"none": (0.02, 0.0), "draft-simple": (0.02, 0.08), "ngram-simple": (0.03, 0.02)}
    program = server(round_ms=slow)
    done = tuned(program, workloads=["chat"])
    assert done.advised is not None
    assert done.advised.method is None
    assert "simple" in done.choice.belief.loc[done.choice.belief["dropped"], "method"].tolist()
    runs = {str(run.id): run for run in load(done.folder).runs}
    assert len(runs["off"].tasks) > len(runs["simple-n8"].tasks) == 2
    assert done.requests == sum(len(run.tasks) for run in runs.values())
    # Nothing failed: the rest can be measured like any other that is missing.
    assert not any("simple" in why.split(":")[0].split() for why in done.skipped)
    assert run(done.folder, server=program, resume=True).complete
    later = {str(one.id): one for one in load(done.folder).runs}
    assert {task.task for task in later["simple-n8"].tasks} == set(done.tasks)


@pytest.mark.usefixtures("place")
def test_a_model_that_does_not_load_ends_it(server: Server) -> None:
    with pytest.raises(LiveError, match="off was not measured: the server ended before"):
        tuned(server(die_loading="error: this model is broken"))


@pytest.mark.usefixtures("place")
def test_an_interrupt_keeps_everything_and_resume_goes_on(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = server()
    whole, starts = search.Steps.step, 0

    def interrupted(*words: object) -> None:
        nonlocal starts
        starts += 1
        if starts == 5:
            raise KeyboardInterrupt
        whole(*words)

    monkeypatch.setattr(search.Steps, "step", interrupted)
    first = tuned(path)
    assert first.interrupted
    assert first.starts == 4
    assert first.advised is not None
    assert "Still open, as it was interrupted" in said(first)
    monkeypatch.setattr(search.Steps, "step", whole)
    with pytest.raises(LiveError, match="there is a campaign in this place already"):
        tuned(path)
    second = tuned(path, resume=True)
    assert second.ended == ENOUGH
    runs = load(second.folder).runs
    assert sum(len(run.tasks) for run in runs) >= first.requests
    assert first.tried[0] == second.tried[0] == "off"


@pytest.mark.usefixtures("place")
def test_an_interrupt_in_the_middle_of_a_start_says_what_was_best_before_it(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, starts = search.Steps.step, 0

    def interrupted(work: search.Steps, step: Step, prompts: list[Prompt], enough: object) -> None:
        nonlocal starts
        starts += 1
        whole(work, step, prompts[:1] if starts == 6 else prompts, enough)
        if starts == 6:
            raise KeyboardInterrupt

    monkeypatch.setattr(search.Steps, "step", interrupted)
    done = tuned(server(), chooser=Chooser(risk=0.0, loss=0.0))
    assert done.interrupted
    assert done.advised is not None
    assert "Still open, as it was interrupted" in said(done)


@pytest.mark.usefixtures("place")
def test_an_interrupt_before_anything_is_known_advises_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(search.Steps, "step", interrupted)
    done = tuned(server())
    assert done.interrupted
    assert done.advised is None
    assert said(done).startswith("Too little was measured")


@pytest.mark.usefixtures("place")
def test_another_sweep_is_not_gone_on_with(server: Server) -> None:
    path = server()
    tuned(path, chooser=Chooser(most=1))
    file = Path("raw/tune-model/campaign.toml")
    before = file.read_bytes()
    with pytest.raises(MtpbenchError, match="this is not the sweep that was begun: max_tokens"):
        tuned(path, resume=True, max_tokens=25)
    assert file.read_bytes() == before


@pytest.mark.usefixtures("place")
def test_nothing_is_begun_that_would_end_too_late(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search.Search, "_left_s", lambda _: 1e-3)
    done = tuned(server(), minutes=5)
    assert done.ended == NO_TIME
    # Every method is seen once in any case.
    assert done.starts == 3
    assert "Still open, as the time was up" in said(done)


def test_files_and_words_that_can_not_be_used(place: Path, server: Server) -> None:
    path = server()
    for words, problem in (
        ({"workloads": ["poems"]}, "the kind of text is 'poems'"),
        ({"server_args": ["--port", "1"]}, "--port is set by mtpbench itself"),
        ({"server_args": ["--rpc", "there"]}, "--rpc opens a network"),
        ({"resume": True}, "there is nothing to go on with"),
    ):
        with pytest.raises(LiveError, match=problem):
            tuned(path, **words)
    with pytest.raises(LiveError, match="the embedded server has no --numa"):
        tuned("embedded", server_args=["--numa", "isolate"])
    with pytest.raises(LiveError, match="a server that runs already"):
        tuned("http://localhost:1")
    with pytest.raises(MtpbenchError, match="no such file"):
        tune("nothing.gguf", [], path)
    assert not (place / "raw").exists()


def test_what_kinds_of_text_are_asked_for() -> None:
    chat = prompts_for(["chat"])
    assert [prompt.workload for prompt in chat] == [
        "creative", "creative", "explanation", "explanation", "reasoning", "reasoning",
    ]  # fmt: skip
    code = prompts_for(["code"])
    assert {prompt.workload for prompt in code} == {"code"}
    assert len(code) > 2
    every = prompts_for([])
    assert len(every) == 2 * len({prompt.workload for prompt in every})


@pytest.mark.usefixtures("place")
def test_conditions_are_those_of_every_run(server: Server) -> None:
    done = tuned(server(pace=0.001), parallel=2, chooser=Chooser(most=1))
    loaded = load(done.folder)
    assert loaded.baseline == "off-np2"
    assert loaded.run_ids[0] == "off-np2"
    assert {run.concurrency for run in loaded.runs} == {2}
    assert done.advised is not None
    assert "greedy, 2 requests at once" in said(done)
    with pytest.raises(MtpbenchError, match="parallel has 0"):
        tuned(server(), parallel=0, out="none")
