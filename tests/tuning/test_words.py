"""What is said in the end, of searches made up."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

from analysis.tuning.chooser import ENOUGH, SPENT
from analysis.tuning.methods import Method, settings_of
from analysis.tuning.tune import Tuned
from analysis.tuning.words import command, preset, said
from tests.tuning.test_chooser import PLAIN as FRAME
from tests.tuning.test_chooser import choose, clear, foreseen, start

A = Method("a", "draft-simple", (1, 2, 4), (0.5,), "my draft.gguf")
B = Method("b", "ngram-mod", (1, 2))
SETTINGS = {one.id: one for one in settings_of([A, B])}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tuned(here: Path, *starts: object, **others: object) -> Tuned:
    choice = choose(*starts, settings=FRAME) if starts else choose()
    values: dict = {
        "folder": here / "raw" / "made",
        "choice": choice,
        "ended": ENOUGH,
        "settings": SETTINGS,
        "tried": tuple(SETTINGS),
        "skipped": (),
        "tasks": ("one", "two", "three"),
        "workloads": ("code", "creative"),
        "requests": 18,
        "starts": 6,
        "seconds": 90.0,
        "model": ("models/m.gguf", here / "models" / "m.gguf"),
        "drafts": {"my draft.gguf": here / "my draft.gguf"},
        "draft_is_missing": False,
        "architecture": "qwen3",
        "engine": "llama-server 1",
        "max_tokens": 192,
    }
    return Tuned(**{**values, **others})


def test_the_command_can_be_copied(here: Path) -> None:
    text = command(tuned(here), SETTINGS["a-n4-p0.5"])
    assert shlex.split(text) == [
        "llama-server", "-m", "models/m.gguf", "-md", "my draft.gguf", "--spec-type",
        "draft-simple", "--spec-draft-n-max", "4", "--spec-draft-p-min", "0.5",
    ]  # fmt: skip


def test_the_preset_says_the_same_and_nothing_can_end_a_value(here: Path) -> None:
    done = tuned(here, model=("m;x.gguf", here / "m;x.gguf"))
    assert preset(done, SETTINGS["b-n2"]).splitlines() == [
        "[b-n2]",
        "model = m?x.gguf",
        "spec-type = ngram-mod",
        "spec-ngram-mod-n-max = 2",
        "spec-ngram-mod-n-min = 2",
    ]


def test_a_gain_is_said_with_its_interval_and_for_which_text(here: Path) -> None:
    text = said(tuned(here, *clear()))
    # 2.8 tokens in 14 ms, against one in 10.
    assert re.search(
        r"\n(1\.9|2\.0)\d× as many tokens per second as without speculation, 1\.[89]", text
    )
    assert "3 of mtpbench's own prompts (code and structured output, translation and" in text
    assert "That no setting tried here is faster has a probability of 100%" in text
    assert "a: best Draft model (a), n_max 4, " in text
    assert "dropped: it can hardly hold the fastest" in text
    assert "18 requests on 6 server starts of llama-server 1 in 1 min 30 s; it was enough." in text
    assert "mtpbench report raw/made" in text
    assert "Still open" not in text


def test_where_speculation_loses_it_is_said_first(here: Path) -> None:
    times = {"off": 10.0, "a-n4": 60.0, "b-n2": 50.0, "a-n1": 40.0, "b-n1": 30.0, "a-n2": 50.0}
    text = said(tuned(here, *(start(name, 1, ms) for name, ms in times.items())))
    assert text.startswith("Leave speculation off: nothing that could be tried here is faster.")
    assert "--spec-type none" in text
    assert "The fastest with speculation, a-n4, gives 0.4" in text


def test_off_so_far_and_a_method_without_drafts(here: Path) -> None:
    idle = start("b-n2", 1, 10.0).assign(drafted=0.0, forwards=190.0, seconds=1.9)
    text = said(tuned(here, start("off", 1, 10.0), start("a-n4", 1, 40.0), idle, ended=SPENT))
    assert text.startswith("Leave speculation off, as far as is known")
    assert "b: drafted nothing on these texts, so it is no speculation" in text


def test_what_is_open_is_said_with_its_chance(here: Path) -> None:
    times = {"off": 10.0, "a-n1": 10.0, "a-n2": 11.0, "a-n4": 14.0, "b-n1": 24.0, "b-n2": 25.0}
    done = tuned(here, *(start(name, 1, ms) for name, ms in times.items()), ended=SPENT)
    text = said(done)
    rival = "a-n2" if done.choice.advised == "a-n4" else "a-n4"
    assert f": {rival} may be faster (" in text


def test_what_would_fit_is_said_where_there_is_no_draft(here: Path) -> None:
    text = said(tuned(here, *clear(), draft_is_missing=True, skipped=("x: no such method",)))
    assert "published for qwen3 models: DFlash drafts, EAGLE-3 drafts, smaller models" in text
    assert "not tried: x: no such method" in text
    other = said(tuned(here, *clear(), draft_is_missing=True, architecture="unheard-of"))
    assert "a smaller model with the same vocabulary is one" in other


def test_before_anything_is_known_nothing_is_advised(here: Path) -> None:
    text = said(tuned(here, ended="interrupted"))
    assert text.startswith("Too little was measured to advise anything; --resume goes on.")
    assert "command" not in text


def test_what_did_not_run_is_said_to_be_predicted(here: Path) -> None:
    # The rounds of depth 4 say that depth 1 would give nearly as many tokens, for less.
    told = foreseen(("a-n1", 2.7, 1.0, 0.01), ("a-n2", 2.75, 2.0, 0.01), ("a-n4", 2.8, 4.0, 1e-4))
    starts = [start("off", 1, 10.0), start("b-n2", 1, 25.0), start("a-n4", 1, 40.0)]

    def best_of_a(*more: pd.DataFrame) -> str:
        choice = choose(*starts, *more, settings=FRAME, told=told)
        lines = said(tuned(here, choice=choice)).splitlines()
        return next(line for line in lines if line.startswith("  a: best"))

    assert re.search(r"n_max 1, predicted 0\.[78]\d×", best_of_a())
    # 1.7 tokens in 40 ms; nothing else is better either.
    assert "predicted" not in best_of_a(start("a-n1", 1, 40.0), start("a-n2", 1, 40.0))
