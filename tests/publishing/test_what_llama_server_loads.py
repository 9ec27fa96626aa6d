"""What a real llama-server downloads after a push, from the stand-in for the Hub.

It resolves and downloads before it loads, so that the weights need not be real.
"""

from __future__ import annotations

import json
import re
import shlex
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import huggingface_hub.constants
import pytest

from analysis.charts import Chart
from analysis.publishing.push import push, push_preset
from tests.conftest import SETTINGS
from tests.hub_server import NAME, TOKEN, Hub, running
from tests.real_server import said_until

pytestmark = [
    pytest.mark.live,
    # The library's own, on the way that a stand-in can follow.
    pytest.mark.filterwarnings("ignore:Use 'content:DeprecationWarning"),
]

TARGET, PRESET = "org/Target-GGUF", "somebody/Model-preset"
TARGETS = {f"Target-{kind}.gguf": b"GGUF" for kind in ("Q4_K_M", "Q8_0")}
DRAFTS = {f"Draft-DFlash-{kind}.gguf": b"GGUF" for kind in ("Q4_K_M", "Q5_K_M")}
MEASURED = {f"/{TARGET}/Target-Q8_0.gguf", f"/{NAME}/Draft-DFlash-Q5_K_M.gguf"}
CARD = f"""
[card]
target_repo = "{TARGET}:Q8_0"
draft_repo  = "{NAME}"
draft_file  = "Draft-DFlash-Q5_K_M.gguf"
"""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    with running() as hub:
        address = f"{hub.address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", hub.address)
        monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", address)
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        monkeypatch.setattr(Chart, "png", lambda *_: b"png")
        hub.public = True
        hub.files.update(DRAFTS)
        hub.others.update({TARGET: dict(TARGETS), PRESET: {}})
        yield hub


@pytest.fixture
def made(write_campaign: Callable[..., Path], tmp_path: Path) -> Path:
    return write_campaign(tmp_path / "made", settings=SETTINGS + CARD)


@pytest.fixture
def environment(hub: Hub, tmp_path: Path) -> dict[str, str]:
    """Nothing of this machine's: no cache, no configuration."""
    address = f"{hub.address}/"
    places = dict.fromkeys(("HOME", "LLAMA_CACHE", "XDG_CONFIG_HOME"), str(tmp_path / "server"))
    return {"MODEL_ENDPOINT": address, "HF_ENDPOINT": address, **places}


def fetched(hub: Hub) -> set[str]:
    got = (re.fullmatch(r"GET (/.+)/resolve/\w+(/.+\.\w+)", asked) for asked in hub.requests)
    return {found[1] + found[2] for found in got if found}


def served(server: Path, command: list[str], hub: Hub, environment: dict[str, str]) -> set[str]:
    hub.requests.clear()
    words = [str(server), *command[1:], "--port", "0", "--no-webui"]
    with said_until("load_model: loading model", words, **environment):
        return fetched(hub)


def test_the_command_of_the_card_loads_what_was_measured(
    hub: Hub, made: Path, environment: dict[str, str], llama_server: Path
) -> None:
    assert push(made, NAME, dry_run=False).traps == ()
    blocks = re.findall(
        r"^```bash\n(.*?)\n```$", hub.files["README.md"].decode(), re.MULTILINE | re.DOTALL
    )
    command = shlex.split(blocks[0].replace("\\\n", " "))
    assert command[:5] == ["llama-server", "-hf", f"{TARGET}:Q8_0", "-hfd", f"{NAME}:Q5_K_M"]
    assert served(llama_server, command, hub, environment) == MEASURED


def test_a_preset_beside_the_models_keeps_them_from_being_loaded(
    hub: Hub, made: Path, environment: dict[str, str], llama_server: Path
) -> None:
    """The reason for all of this: should it ever be no longer true, the trap can go."""
    hub.files["preset.ini"] = b"[mine]\nmodel = x.gguf\n"
    assert [trap.code for trap in push(made, NAME).traps] == ["preset-beside-models"]
    command = ["llama-server", "-hf", f"{TARGET}:Q8_0", "-hfd", f"{NAME}:Q5_K_M"]
    got = served(llama_server, [*command, "--spec-type", "draft-dflash"], hub, environment)
    assert got == {f"/{TARGET}/Target-Q8_0.gguf"}


def test_a_preset_of_its_own_loads_what_was_measured(
    hub: Hub, made: Path, environment: dict[str, str], llama_server: Path
) -> None:
    push_preset(made, PRESET, dry_run=False)
    (name,) = re.findall(
        r"^\[(?!off)(.+)\]$", hub.others[PRESET]["preset.ini"].decode(), re.MULTILINE
    )
    hub.requests.clear()
    words = [str(llama_server), "-hf", PRESET, "--port", "0", "--no-webui"]
    with said_until("listening on", words, **environment) as (said, process):
        assert fetched(hub) == {f"/{PRESET}/preset.ini"}
        (address,) = re.findall(r"listening on (http://\S+)", said)
        assert process.stdout is not None
        for _ in range(3):
            load(address, name)
            ends = ("load_model: loading model", "exited with status")
            line = next(line for line in process.stdout if any(end in line for end in ends))
            # Its port may have been taken between the choice and the use of it.
            if ends[0] in line:
                break
        assert fetched(hub) >= MEASURED


def load(address: str, name: str) -> None:
    """Ask a server of several models to load one of them."""
    asked = urllib.request.Request(
        f"{address}/models/load",
        json.dumps({"model": name}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(asked, timeout=30) as answer:
        assert json.load(answer) == {"success": True}
