"""What is planted in everything that is read, looked for in everything that is written or said."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import huggingface_hub.constants
import pandas as pd
import pytest

from analysis import parsers
from analysis.cli import main
from tests.gguf_files import write_gguf
from tests.hub_server import NAME, TOKEN, Hub, running
from tests.planted import PLANTED, found_in
from tests.tuning.conftest import place, server

__all__ = ["place", "server"]

pytestmark = pytest.mark.filterwarnings("ignore:Use 'content:DeprecationWarning")

LINES = [planted.replace("\\\n", "\\") for planted in PLANTED if "`" not in planted]


def quoted(text: str) -> str:
    return json.dumps(text)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder, where the process works: its own path is as private as any."""
    folder = tmp_path / "zaphod" / "work"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def campaign(home: Path, write_campaign: Callable[..., Path]) -> Path:
    text = f"""\
[campaign]
title    = {quoted("Made of " + LINES[0])}
target   = {quoted(LINES[6])}
baseline = "plain"

[conditions]
{chr(10).join(f"note{number} = {quoted(line)}" for number, line in enumerate(LINES))}

[card]
license      = "other"
license_name = {quoted(LINES[1])}
license_link = "https://zaphod:QsecretQ@example.org/license?token=QsecretQ"
quantization = {quoted(LINES[2])}
target_file  = {quoted(LINES[4])}
draft_file   = {quoted(LINES[6])}
conversion   = {quoted("; ".join(LINES[:20]))}
credits      = [{", ".join(map(quoted, LINES))}]

[[runs]]
id        = "plain"
label     = {quoted("Plain " + LINES[6])}
log       = "plain.log"
spec_type = "none"
build     = {quoted(LINES[7])}

[[runs]]
id         = "fast"
label      = {quoted("Fast " + LINES[32])}
log        = "fast.log"
spec_type  = "draft-mtp"
n_max      = 2
draft      = {quoted(LINES[3])}
prompt_set = {quoted(LINES[10])}

[workloads]
code_python = {quoted(LINES[24])}
"""
    return write_campaign(home / "raw" / "made", settings=text)


@pytest.fixture
def model(home: Path) -> Path:
    place = home / "zaphod models"
    place.mkdir()
    return write_gguf(place / "Target-Q8_0.gguf", name="/home/zaphod/models/Target HF")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with running() as hub:
        address = f"{hub.address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", hub.address)
        monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", address)
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield hub


def nothing_private(name: str, text: str) -> None:
    # As JSON, TOML and HTML write what is in them.
    for shown in (text, text.replace("\\\\", "\\").replace('\\"', '"').replace("&#x27;", "'")):
        assert found_in(shown) == [], name


@pytest.fixture
def does(capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """``does(words, code=0)``: the command; nothing private is said. Null is any code."""

    def call(*words: object, code: int | None = 0) -> str:
        found = main([str(word) for word in words])
        said = capfd.readouterr()
        assert code in (found, None), said.err
        for name, text in (("stdout", said.out), ("stderr", said.err)):
            nothing_private(f"{name} of {words[0]}", text)
        return said.out

    return call


def written(folder: Path) -> None:
    """Nothing private is in any file of a folder, nor in its name."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    for path in files:
        nothing_private("a name", str(path.relative_to(folder)))
        if path.suffix == ".parquet":
            frame = pd.read_parquet(path)
            nothing_private(path.name, frame.to_json(orient="records"))
        elif path.suffix != ".png":
            nothing_private(path.name, path.read_bytes().decode("utf-8", "replace"))


def test_of_a_campaign(campaign: Path, model: Path, home: Path, does: Callable[..., str]) -> None:
    place = "raw/made"
    given = ("--gguf", f"target={model.relative_to(home)}")
    card = does("card", place, *given)
    assert card.startswith("---\n")
    (home / "mine.md").write_text(
        "# x\n<!-- mtpbench:begin usage -->\n<!-- mtpbench:end usage -->\n"
    )
    does("card", place, "--into", "mine.md", *given)
    nothing_private("mine.md", (home / "mine.md").read_text())
    (home / "README.md").write_text(card)
    does("check", "README.md", place, "--all", *given, code=None)
    does("check", "README.md", place, "--json", *given, code=None)
    does("recommend", place, "--json")
    does("recommend", place, "--preset", "preset.ini")
    nothing_private("preset.ini", (home / "preset.ini").read_text())
    shutil.copytree(campaign, campaign.with_name("other"))
    does("compare", place, "raw/other")
    does("collect", place, "--out", "store")
    written(home / "store")


def test_of_a_report(campaign: Path, model: Path, home: Path, does: Callable[..., str]) -> None:
    does("report", "raw/made", "--out", "reports", "--gguf", "zaphod models")
    written(home / "reports")


def test_of_what_is_pushed(campaign: Path, hub: Hub, does: Callable[..., str]) -> None:
    does("push", "raw/made", "--repo", NAME)
    does("push", "raw/made", "--repo", NAME, "--yes")
    for name, content in hub.files.items():
        if not name.endswith(".png"):
            nothing_private(name, content.decode())


def test_of_what_tune_says_and_leaves(
    place: Path,
    server: Callable[..., str],
    does: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_QsecretQabcdefghijklmnopqrstuvwxyz01234")
    monkeypatch.setenv("LLAMA_API_KEY", "QsecretQ")
    program = shutil.copytree(Path(server()).parent, place / "zaphod tools") / "llama-server"
    models = place / "zaphod models"
    models.mkdir()
    for name in ("model", "draft"):
        write_gguf(models / f"{name}.gguf", name=f"{LINES[6]} of {LINES[32]}")
    # The command to copy names models as they were given: here without their folder.
    monkeypatch.chdir(models)
    words = ("--server", program, "--for", "explanation", "--max-tokens", "24", "--explain")
    said = does("tune", "model.gguf", "--draft", "draft.gguf", *words)
    assert said.startswith("The command:\n\n    llama-server -m model.gguf -md draft.gguf ")
    written(models / "raw" / "tune-model")
    does("tune", models / "none.gguf", *words, code=1)
    does("tune", models / "model.gguf", "--server", place / "zaphod tools" / "none", code=1)


def server_log(lines: Sequence[str]) -> str:
    rows = [f"0.00.000.{number:03} I srv  load_model: {line}" for number, line in enumerate(lines)]
    return "\n".join(
        [
            "# Run of " + lines[6],
            "```",
            "/opt/zaphod/llama-server -m /opt/zaphod/a.gguf --api-key QsecretQ --lora /zaphod/b",
            *rows,
            "0.02.974.228 I slot print_timing: id  0 | task 0 | prompt eval time =     276.98 ms /"
            "    44 tokens (    6.30 ms per token,   158.86 tokens per second)",
            "0.02.974.290 I slot print_timing: id  0 | task 0 |        eval time =    1667.16 ms /"
            "   140 tokens (   11.99 ms per token,    83.38 tokens per second)",
            "0.02.974.302 I slot print_timing: id  0 | task 0 |       total time =    1944.14 ms /"
            "   184 tokens",
            "0.02.974.340 I slot print_timing: id  0 | task 0 | draft acceptance = 0.53719 (  130 "
            "accepted /   242 generated), mean len =  3.13",
            "```",
            "",
        ]
    )


def table(lines: Sequence[str]) -> str:
    rows = [
        ",".join(['"' + line.replace('"', '""') + '"', "100", "60", "40", "50.0", '"x"'])
        for line in lines
    ]
    return "\n".join(["task,predicted_n,draft_n,draft_n_accepted,tok/s,model", *rows, ""])


LOGS = {
    "server.log": server_log,
    "table.csv": table,
    "failed.log": lambda lines: f"main: error: failed to open {lines[6]}\n" + server_log(lines),
}


@pytest.mark.parametrize("name", LOGS)
def test_of_a_log(name: str, home: Path, does: Callable[..., str]) -> None:
    (home / name).write_text(LOGS[name](LINES))
    assert does("ingest", home / name)
    does("ingest", home / name, "--json")
    for out in ("a.json", "a.csv", "a.parquet"):
        does("ingest", name, "--out", out)
    for out in ("a.json", "a.csv", "a.parquet"):
        path = home / out
        text = pd.read_parquet(path).to_json() if out == "a.parquet" else path.read_text()
        nothing_private(out, text)
    does("scrub", name, "--out", f"posted-{name}")
    nothing_private("the scrubbed copy", (home / f"posted-{name}").read_text())
    assert json.loads(does("ingest", f"posted-{name}", "--json"))["tasks"]
    does("explain", name)
    does("ingest", name, "--init", "drafted")
    nothing_private("a draft", (home / "drafted" / "campaign.toml").read_text())


def test_of_a_log_that_is_followed_or_replayed(
    home: Path, does: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = server_log(LINES).encode()
    (home / "server.log").write_bytes(raw)
    # Of a file that grows no end is ever read.
    monkeypatch.setattr(parsers, "logs", lambda *_: [iter([raw])])
    assert does("ingest", home / "server.log", "--follow")
    assert does("ingest", "server.log", "--follow", "--json")
    does("replay", home / "server.log", code=1)
    does("explain", "slower at 70 % acceptance with " + LINES[0])


def test_of_a_run_that_is_only_planned(
    home: Path, does: Callable[..., str], write_campaign
) -> None:
    live = f"""\
[campaign]
title = {quoted("Made of " + LINES[0])}

[live]
server = "http://zaphod:QsecretQ@127.0.0.1:1/x?api_key=QsecretQ"

[[runs]]
id        = "plain"
spec_type = "none"
"""
    write_campaign(home / "raw" / "live", settings=live)
    does("run", "raw/live", "--dry-run", code=None)


@pytest.mark.parametrize(
    "line", ["/opt/zaphod/x.txt", "Bearer QsecretQabcdef", "http://zaphodbox:1/"]
)
def test_of_a_mistake(line: str, home: Path, does: Callable[..., str], write_campaign) -> None:
    (home / "none.log").write_text(f"{{ {line}\n")
    does("ingest", "none.log", code=1)
    folder = write_campaign(home / "raw" / "made")
    file = folder / "campaign.toml"
    file.write_text(file.read_text().replace('"plain.log"', quoted(line)))
    does("card", "raw/made", code=1)
