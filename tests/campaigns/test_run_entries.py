"""Runs that a campaign measures once more, for their confidences alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.campaigns.campaign_file import SettingsFile
from analysis.campaigns.run_entries import run_entries
from analysis.errors import CampaignError

Write = Callable[..., Path]


LOGGED = """
[live]
model = "a.gguf"
confidence = true
[[runs]]
id = "plain"
[[runs]]
id = "deep"
label = "Deep"
spec_type = "draft-simple"
n_max = 6
draft = "b.gguf"
[[runs]]
id = "shallow"
spec_type = "draft-simple"
n_max = 2
draft = "b.gguf"
[[runs]]
id = "cut"
spec_type = "draft-simple"
n_max = 8
p_min = 0.5
draft = "b.gguf"
[[runs]]
id = "ngram"
spec_type = "ngram-simple"
n_max = 9
"""


def test_the_deepest_run_of_each_draft_is_logged_once_more(tmp_path: Path):
    path = tmp_path / "campaign.toml"
    path.write_text(LOGGED, encoding="utf-8")
    entries = run_entries(SettingsFile.read(path))
    assert [entry.keys["id"] for entry in entries if entry.logged] == ["deep-confidence"]
    path.write_text(LOGGED.replace("confidence = true", "confidence = false"), encoding="utf-8")
    assert not [entry for entry in run_entries(SettingsFile.read(path)) if entry.logged]


def test_an_id_that_the_logged_run_needs_is_refused(tmp_path: Path):
    path = tmp_path / "campaign.toml"
    taken = '[[runs]]\nid = "deep-confidence"\n'
    path.write_text(LOGGED + taken, encoding="utf-8")
    with pytest.raises(CampaignError, match=r"deep-confidence.*which .live. confidence uses"):
        run_entries(SettingsFile.read(path))
