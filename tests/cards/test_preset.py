import configparser
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from analysis.cards.preset import preset
from analysis.summary import Summary, summarise
from tests.conditions.world import Machine, measured
from tests.real_server import said_until


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


@pytest.mark.parametrize(
    ("axes", "parallel", "said"),
    [
        ({"slots": (1, 4)}, "1", "; Measured at one request at once; with others"),
        ({"slots": (2, 4)}, "2", "; Measured at 2 requests at once; with others"),
        ({"contexts": (0, 4096)}, None, "; Measured at 0 tokens of context; with others"),
        ({}, None, None),
    ],
)
def test_advice_that_holds_at_some_requests_at_once_serves_as_many(
    campaign: Callable[..., object], axes: dict, parallel: str | None, said: str | None
) -> None:
    runs = measured(Machine(), np.random.default_rng(2), **axes)
    text = preset(summarise(campaign(*runs, baseline=runs[0].id)))
    off, *others = read(text).sections()
    assert others
    assert "parallel" not in read(text)[off]
    assert {read(text)[name].get("parallel") for name in others} == {parallel}
    assert (said in text) if said else ("Measured at" not in text)


@pytest.mark.live
def test_llama_server_accepts_it(wins: Summary, tmp_path: Path, llama_server: Path) -> None:
    file = tmp_path / "preset.ini"
    file.write_text(preset(wins), encoding="utf-8")
    command = [llama_server, "--models-preset", file, "--port", "0", "--no-webui"]
    with said_until("listening on", command) as (said, _):
        assert "listening on" in said, said
    for name in ("off", "dflash-n7", "dspark-n3"):
        # Builds differ in what stands before a name.
        assert re.search(rf"(?:\*|\[ *preset\]) {re.escape(name)}\b", said), said
