"""What only a campaign names is not run, not asked and given no key before its user agrees."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.cli import main
from analysis.errors import LiveError
from analysis.runner import environment, session
from analysis.runner.address import Address, proxy_for
from analysis.runner.servers import engine
from tests.runner.conftest import LIVE
from tests.runner.faulty_server import serving
from tests.runner.test_session import ONE
from tests.runner.tiny import tiny_target

Write = Callable[..., Path]
KEY = "planted-key-0123456789"
ADDRESS = """\
[campaign]
title = "Made"
[live]
server = "{address}"
max_tokens = 8
repeats = 1
tasks = ["code_python"]
[[runs]]
id = "there"
"""
HARMLESS = '["-t", "1", "-c=512", "-ngl", "99"]'
OWN = '["-ngl", "99", "--lora", "a.gguf"]'


def evil(folder: Path) -> Path:
    """A program in the campaign's folder that leaves a trace whenever it is run."""
    trace = folder / "was-run"
    (folder / "evil.sh").write_text(f'#!/bin/sh\necho "$@" >> "{trace}"\necho "version: 1"\n')
    (folder / "evil.sh").chmod(0o755)
    return trace


@pytest.mark.parametrize("words", [["--dry-run"], []])
def test_a_program_that_only_the_campaign_names_is_not_run(
    live_campaign: Write, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    folder = live_campaign(ONE.replace("./llama-server", "./evil.sh"))
    trace = evil(folder)
    code = main(["run", str(folder), *words])
    said = "".join(capsys.readouterr())
    assert "run ./evil.sh -m model.gguf --spec-type none" in said
    assert "--trust" in said
    assert code == (0 if words else 1)
    assert not trace.exists()
    assert not (folder / "live").exists()
    assert main(["run", str(folder), "--trust"]) == 1
    assert trace.exists()


# However TOML lets a server be named, and wherever its line can't be told.
SPELLINGS = [
    'live = {server = "./evil.sh", model = "model.gguf"}\n',
    'live.server = "./evil.sh"\nlive.model = "model.gguf"\n',
    '[live]\n"server" = """./evil.sh"""\nmodel = "model.gguf"\n',
    '[ live ]\nmodel = "model.gguf"\n"\\u0073erver" = \'./evil.sh\'\n',
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_however_the_campaign_names_it(
    live_campaign: Write, capsys: pytest.CaptureFixture[str], spelling: str
) -> None:
    runs = '[[runs]]\nid = "plain"\n[campaign]\ntitle = "Made"\n'
    folder = live_campaign(spelling + runs)
    trace = evil(folder)
    assert main(["run", str(folder)]) == 1
    assert "this campaign would run ./evil.sh" in capsys.readouterr().err
    assert not trace.exists()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1), ("", 1)])
def test_a_terminal_is_asked(
    live_campaign: Write, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    folder = live_campaign(ONE)
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    monkeypatch.setattr("sys.stderr", shown := Terminal())
    assert main(["run", str(folder)]) == code
    assert "llama-server -m model.gguf --spec-type none" in shown.getvalue()
    assert "Do it? [y/N] " in shown.getvalue()
    assert (folder / "live").exists() == (code == 0)


@pytest.mark.parametrize(
    ("flags", "asked"), [(HARMLESS, False), (OWN, True)], ids=["numbers", "a file"]
)
def test_flags_of_a_campaign_on_a_program_of_the_user_s(
    live_campaign: Write, fake_server: Path, flags: str, asked: bool
) -> None:
    folder = live_campaign(ONE.replace("max_tokens", f"server_args = {flags}\nmax_tokens"))
    if asked:
        with pytest.raises(LiveError, match=r"this campaign would run .*--lora a\.gguf"):
            session.run(folder, server=str(fake_server))
    else:
        assert session.run(folder, server=str(fake_server)).complete


def test_the_environment_says_which_llama_server_is_the_user_s(
    live_campaign: Write, fake_server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = live_campaign(ONE.replace("./llama-server", "llama-server"))
    monkeypatch.setenv("PATH", f"{fake_server.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("LLAMA_SERVER", raising=False)
    with pytest.raises(LiveError, match="this campaign would run"):
        session.run(folder)
    monkeypatch.setenv("LLAMA_SERVER", str(fake_server))
    assert session.run(folder).complete


def test_refused_flags_are_refused_with_consent_too(live_campaign: Write) -> None:
    folder = live_campaign(ONE.replace("max_tokens", 'server_args = ["--rpc", "h:1"]\nmax_tokens'))
    with pytest.raises(Exception, match="--rpc opens a network"):
        session.run(folder, trust=True)


def test_modules_that_lie_in_a_campaign_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "was-run"
    (tmp_path / "analysis").mkdir()
    for name in ("analysis/__init__.py", "xllamacpp.py", "threading.py"):
        (tmp_path / name).write_text(f"open({str(trace)!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LiveError, match="the embedded server has no --nothing"):
        engine("embedded").start(["--nothing"], tmp_path / "log", 20)
    assert not trace.exists()


# ---- addresses and keys


def keys_sent(heads: list[bytes]) -> int:
    return sum(KEY.encode() in head for head in heads)


def campaign_for(tmp_path: Path, address: str) -> Path:
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "campaign.toml").write_text(ADDRESS.format(address=address))
    return folder


def test_an_address_of_a_campaign_is_not_asked_and_gets_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LLAMA_API_KEY", KEY)
    monkeypatch.delenv("LLAMA_SERVER", raising=False)
    with serving() as server:
        folder = campaign_for(tmp_path, server.address)
        assert main(["run", str(folder), "--dry-run"]) == 0
        assert main(["run", str(folder)]) == 1
        assert f"send its prompts to {server.address}" in capsys.readouterr().err
        assert server.heads == []
        # Who trusts the campaign still gives it no key.
        assert main(["run", str(folder), "--trust"]) == 0
        assert server.heads
        assert keys_sent(server.heads) == 0


def test_a_key_goes_where_the_user_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLAMA_API_KEY", KEY)
    monkeypatch.delenv("LLAMA_SERVER", raising=False)
    with serving() as server:
        folder = campaign_for(tmp_path, "http://127.0.0.1:9")
        assert session.run(folder, server=server.address).complete
        assert keys_sent(server.heads) == len(server.heads)


@pytest.mark.parametrize("same", [True, False])
def test_a_key_goes_to_the_origin_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, same: bool
) -> None:
    monkeypatch.setenv("LLAMA_API_KEY", KEY)
    with serving() as server:
        other = server.address[:-1] + str((server.port + 1) % 10)
        monkeypatch.setenv("LLAMA_SERVER", f"{server.address if same else other}/any/path")
        folder = campaign_for(tmp_path, server.address)
        assert session.run(folder, trust=True).complete
        assert keys_sent(server.heads) == (len(server.heads) if same else 0)


def test_a_server_that_wants_a_key_is_told_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLAMA_API_KEY", KEY)
    monkeypatch.delenv("LLAMA_SERVER", raising=False)
    with serving(health=lambda talk: talk.json({}, "401 Unauthorized")) as server:
        folder = campaign_for(tmp_path, server.address)
        with pytest.raises(LiveError) as caught:
            session.run(folder, trust=True)
    assert (
        caught.value.remedy == f"to send it your key, name it yourself: --server {server.address}"
    )


def test_a_password_in_an_address_is_sent_and_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving() as server:
        folder = campaign_for(tmp_path, "http://127.0.0.1:9")
        named = server.address.replace("http://", "http://anna:pass%20word@")
        assert main(["run", str(folder), "--server", named]) == 0
    assert all(b"Basic YW5uYTpwYXNzIHdvcmQ=" in head for head in server.heads)
    written = [path.read_text() for path in folder.rglob("*") if path.is_file()]
    for text in (*written, *capsys.readouterr()):
        assert not any(word in text for word in ("anna", "pass%20word", "YW5uYTpwYXNz"))


def test_a_proxy_of_the_environment_is_for_other_machines_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = campaign_for(tmp_path, "http://127.0.0.1:9")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with serving() as server:
        monkeypatch.setenv("http_proxy", server.address)
        server.prefix = "http://there.example:8080"
        assert session.run(folder, server=server.prefix).complete
        assert all(b" http://there.example:8080/" in head for head in server.heads)
        seen = len(server.heads)
        monkeypatch.setenv("no_proxy", "there.example")
        with pytest.raises(LiveError, match="no server answers at"):
            session.run(folder, server=server.prefix, resume=True)
        assert len(server.heads) == seen
    monkeypatch.delenv("no_proxy")
    assert proxy_for(Address.read("http://there.example")) is not None
    assert proxy_for(Address.read("http://there.example", direct=True)) is None


# ---- the environment of a server


def test_a_server_gets_the_variables_on_a_list_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in list(os.environ):
        monkeypatch.delenv(name)
    given = {"PATH": "/bin", "HOME": "/h", "LC_ALL": "C", "CUDA_VISIBLE_DEVICES": "1"}
    others = (
        "LLAMA_ARG_THREADS",
        "LLAMA_API_KEY",
        "HF_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "MY_DATABASE",
        "CUDA_API_KEY",
        "GGML_TOKEN",
        "XDG_CONFIG_HOME",
        "LD_PRELOAD",
        "PYTHONSTARTUP",
    )
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    for name in others:
        monkeypatch.setenv(name, "planted")
    found = environment.server_environment()
    assert found == {**given, "LLAMA_TRACE": "1", "XDG_CONFIG_HOME": os.devnull}
    assert environment.told(found) == {
        "CUDA_VISIBLE_DEVICES": "1",
        "LLAMA_TRACE": "1",
        "XDG_CONFIG_HOME": os.devnull,
    }


# ---- a dry run, and the terminal


def test_a_dry_run_writes_nothing(
    live_campaign: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = live_campaign(LIVE.replace('"draft.gguf"', '"demo:self"'))
    # Not the one in which models that are there already may have left their digests.
    cache = tmp_path / "cache"
    monkeypatch.setenv("MTPBENCH_CACHE", str(cache))
    tiny_target(folder / "model.gguf")
    before = sorted(tmp_path.rglob("*"))
    assert main(["run", str(folder), "--dry-run"]) == 0
    assert sorted(tmp_path.rglob("*")) == before
    assert not cache.exists()
    session.plan_of(folder)
    assert list((cache / "drafts").rglob("demo-self.gguf"))


def test_a_dry_run_sends_nothing_that_a_terminal_obeys(
    live_campaign: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    escape = "\\u001b[31m\\u009b\\u0007"
    settings = LIVE.replace('id = "plain"', f'id = "plain"\nlabel = "{escape}"').replace(
        "max_tokens",
        f'server_args = ["--note", "{escape}", "--chat-template", "{escape}"]\nmax_tokens',
    )
    folder = live_campaign(settings)
    for words in (["--dry-run"], []):
        main(["run", str(folder), *words])
        said = "".join(capsys.readouterr())
        assert "--note" in said
        assert not {"\x1b", "\x9b", "\x07"} & set(said)
    (folder / "campaign.toml").write_text(LIVE.replace('id = "plain"', f'id = "{escape}"'))
    main(["run", str(folder), "--dry-run"])
    assert "\x1b" not in "".join(capsys.readouterr())
