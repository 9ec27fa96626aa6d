"""The demo drafts on real llama.cpp, embedded and as an executable of another build."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.campaigns.campaign import load
from analysis.runner.session import run
from tests.runner.small_model import FEW, write_small_model

pytestmark = pytest.mark.live

SETTINGS = """\
[campaign]
title = "Demo drafts"
[live]
model = "target.gguf"
max_tokens = 24
repeats = 1
tasks = ["code_python"]
server_args = ["-t", "1", "-tb", "1", "-c", "512"]
[[runs]]
id = "plain"
spec_type = "none"
"""
RUN = '[[runs]]\nid = "{0}"\nspec_type = "{1}"\nn_max = 3\ndraft = "demo:{0}"\n'
DRAFTS = {"self": "draft-simple", "dflash": "draft-dflash", "dspark": "draft-dspark"}


@pytest.mark.parametrize("engine", ["embedded", "executable"])
def test_every_demo_draft_is_loaded_drafts_and_leaves_the_text_alone(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    engine: str,
    request: pytest.FixtureRequest,
) -> None:
    server = engine
    if engine == "executable":
        server = str(request.getfixturevalue("loading_llama_server"))
    monkeypatch.setenv("MTPBENCH_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "demo"
    folder.mkdir()
    write_small_model(folder / "target.gguf", layers=4, vocabulary=FEW)
    runs = "".join(RUN.format(name, method) for name, method in DRAFTS.items())
    (folder / "campaign.toml").write_text(SETTINGS + runs, encoding="utf-8")
    assert run(folder, server).complete
    found = {one.id: one for one in load(folder).runs}
    (plain,) = found.pop("plain").tasks
    assert plain.draft_tokens == 0
    for name, one in found.items():
        (task,) = one.tasks
        assert one.draft == f"demo-{name}.gguf"
        assert one.n_max == 3
        assert task.draft_tokens is not None
        assert task.draft_tokens >= 3
        assert task.output_hash == plain.output_hash
