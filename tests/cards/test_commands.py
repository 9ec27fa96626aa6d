from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.cards import render_sections
from analysis.cards.commands import files, flags
from analysis.cards.facts import Facts
from analysis.cards.preset import preset
from analysis.records import SPEC_TYPES
from analysis.summary import Summary
from tests.cards.conftest import make_run, plain, uniform
from tests.real_server import model, said_until

NAME = 'my models/it\'s $HOME `x` & "y".gguf'


@pytest.fixture
def named(summary_of: Callable[..., Summary]) -> Callable[[str], Summary]:
    """A campaign whose target has a name, with one n-gram run."""

    def build(target: str) -> Summary:
        run = make_run("ngram-4", uniform(150.0, 195, 120), "ngram-simple", 4, "n-gram, 4")
        return summary_of([run, plain()], baseline="plain", card={"target_file": target})

    return build


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)


def test_what_is_pasted_into_bash_has_the_words_that_were_meant(
    named: Callable[[str], Summary],
) -> None:
    sections = render_sections(named(NAME))
    (first,) = blocks(sections["summary"], "bash")
    chat, alone = blocks(sections["usage"], "bash")
    options = ["-m", NAME, "--spec-type", "ngram-simple", "--spec-ngram-simple-size-m", "4"]
    assert shlex.split(first.replace("\\\n", " ")) == ["llama-server", *options]
    assert shlex.split(chat.replace("\\\n", " ")) == ["llama-cli", *options]
    assert shlex.split(alone.replace("\\\n", " ")) == ["llama-server", "-m", NAME]


def test_powershell_has_the_same_in_its_own_quotes(named: Callable[[str], Summary]) -> None:
    served, chat, alone = blocks(render_sections(named(NAME))["usage"], "powershell")
    assert served == (
        "llama-server `\n  -m 'my models/it''s $HOME `x` & \"y\".gguf' `\n"
        "  --spec-type ngram-simple `\n  --spec-ngram-simple-size-m 4"
    )
    assert chat == served.replace("llama-server", "llama-cli")
    assert alone == "llama-server -m 'my models/it''s $HOME `x` & \"y\".gguf'"


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        ("-c 8192 -ngl 99 -fa on", ["-ngl", "99"]),
        ("--n-gpu-layers all", ["-ngl", "all"]),
        ("-ngl $(reboot)", []),
        ("-ngl", []),
        ("-c 8192", []),
    ],
)
def test_layers_on_the_gpu_are_those_that_were_recorded(
    summary_of: Callable[..., Summary], recorded: str, said: list[str]
) -> None:
    run = make_run("mtp-4", uniform(150.0, 195, 120), "draft-eagle3", 4, "EAGLE-3, 4")
    campaign = summary_of(
        [run, plain()],
        baseline="plain",
        card={"target_file": "t.gguf", "draft_file": "d.gguf", "spec_type": "draft-eagle3"},
        conditions={"flags": recorded},
    )
    sections = render_sections(campaign)
    (first,) = blocks(sections["summary"], "bash")
    words = ["llama-server", "-m", "t.gguf", *said, "-md", "d.gguf", "--spec-type", "draft-eagle3"]
    assert shlex.split(first.replace("\\\n", " ")) == [*words, "--spec-draft-n-max", "4"]
    alone = blocks(sections["usage"], "bash")[-1]
    assert shlex.split(alone) == ["llama-server", "-m", "t.gguf", *said]


def test_layers_of_the_draft_stand_behind_it(summary_of: Callable[..., Summary]) -> None:
    run = make_run("mtp-4", uniform(150.0, 195, 120), "draft-eagle3", 4, "EAGLE-3, 4")
    campaign = summary_of(
        [run, plain()], baseline="plain", conditions={"flags": "-ngld 20 -ngl 30"}
    )
    (first,) = blocks(render_sections(campaign)["summary"], "bash")
    assert "-m TARGET.gguf \\\n  -ngl 30 \\\n  -md DRAFT.gguf \\\n  -ngld 20 \\\n" in first


def test_a_name_that_looks_like_an_option_is_a_file(named: Callable[[str], Summary]) -> None:
    facts = Facts(named("-rf.gguf"))
    assert files(facts, facts.drafting[0]).target == "./-rf.gguf"


def test_a_name_that_no_file_has_is_a_placeholder(named: Callable[[str], Summary]) -> None:
    facts = Facts(named("x" * 10_000))
    assert files(facts, facts.drafting[0]).placeholders == ("TARGET.gguf",)


@pytest.mark.live
def test_the_pasted_line_starts_llama_server(
    named: Callable[[str], Summary], tmp_path: Path, llama_server: Path
) -> None:
    place = tmp_path / NAME
    place.parent.mkdir()
    place.symlink_to(model())
    (line,) = blocks(render_sections(named(NAME))["summary"], "bash")
    path = f"{llama_server.parent}:/usr/bin:/bin"
    command = ["bash", "-c", f"cd {shlex.quote(str(tmp_path))} && {line}"]
    settings = {"PATH": path, "LLAMA_ARG_PORT": "0", "LLAMA_ARG_CTX_SIZE": "512"}
    # The prebuilt server may lack this processor's instructions and die at the weights:
    # by then it has understood every option and opened the file.
    with said_until("loading model", command, **settings) as (said, _):
        assert f"loading model '{NAME}'" in said, said


@pytest.mark.live
def test_a_wrong_option_is_refused_by_llama_server(llama_server: Path) -> None:
    """So that the tests above can fail."""
    with said_until("loading model", [llama_server, "-m", model(), "--spec-typo", "x"]) as (
        said,
        _,
    ):
        assert "invalid argument: --spec-typo" in said


@pytest.mark.live
def test_llama_server_knows_every_flag(
    summary_of: Callable[..., Summary], llama_server: Path
) -> None:
    kinds = [kind for kind in sorted(SPEC_TYPES) if kind != "none"]
    runs = [
        make_run(f"r{index}", uniform(150.0, 195, 120), kind, 4, p_min=0.5)
        for index, kind in enumerate(kinds)
    ]
    facts = Facts(summary_of(runs))
    helped = subprocess.run([llama_server, "--help"], capture_output=True, text=True, check=True)
    known = set(re.findall(r"--[a-z][a-z0-9-]*", helped.stdout + helped.stderr))
    for run in facts.runs:
        assert {f"--{flag}" for flag in flags(run)} <= known
    keys = set(re.findall(r"^([a-z][a-z0-9-]*) = ", preset(facts.summary), re.MULTILINE))
    assert {f"--{key}" for key in keys} <= known


def test_a_run_s_own_ngram_options_are_in_its_command(summary_of: Callable[..., Summary]) -> None:
    asked = (
        "llama-server -m a.gguf --spec-type ngram-mod --spec-ngram-mod-n-max 8 "
        "--spec-ngram-mod-n-min 8 --spec-ngram-mod-n-match 4 --spec-ngram-mod-n-min 1 "
        "--spec-ngram-simple-size-n 3 --spec-ngram-mod-other $(reboot) -c 2048"
    )
    run = make_run("pool", uniform(120.0, 195, 120), "ngram-mod", 8, "Pool", command=asked)
    found = summary_of([run, plain()], baseline="plain")
    (first,) = blocks(render_sections(found)["summary"], "bash")
    words = shlex.split(first.replace("\\\n", " "))
    # The last of each counts; those of another drafter, and what is no number, do not.
    assert words[3:] == [
        "--spec-type", "ngram-mod", "--spec-ngram-mod-n-max", "8", "--spec-ngram-mod-n-min", "1",
        "--spec-ngram-mod-n-match", "4",
    ]  # fmt: skip
    assert "spec-ngram-mod-n-min = 1\nspec-ngram-mod-n-match = 4" in preset(found)


def test_who_asks_for_layers_is_told_how(summary_of: Callable[..., Summary]) -> None:
    said = "`-ngl` and `-ngld` set how many of the target and of the draft"
    run = make_run("a", uniform(120.0, 195, 120))
    assert said in render_sections(summary_of([run, plain()], baseline="plain"))["usage"]
    flags = {"flags": "-ngl 99 -ngld 99"}
    text = render_sections(summary_of([run, plain()], baseline="plain", conditions=flags))["usage"]
    assert "-ngld 99" in text
    assert said not in text
