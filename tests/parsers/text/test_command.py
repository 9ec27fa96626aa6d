"""What command lines of llama.cpp say of a run."""

from __future__ import annotations

import pytest

from analysis.audit import audit_runs
from analysis.parsers import Document, parse
from analysis.parsers.text.command import settings, spec_type_name


@pytest.mark.parametrize(
    ("flags", "spec_type", "n_max"),
    [
        ("--spec-type draft-mtp --spec-draft-n-max 3", "draft-mtp", 3),
        ("--spec-type=dflash --draft-max 4", "draft-dflash", 4),
        ("--spec-type ngram-mod,mtp --spec-draft-n-max 3 --spec-ngram-mod-n-max 64",
         "ngram-mod,draft-mtp", 64),
        ("--spec-type ngram-mod --spec-type mtp --spec-draft-n-max 3", "ngram-mod,draft-mtp", None),
        ("--spec-type ngram-simple --spec-ngram-simple-size-m 48", "ngram-simple", 48),
        ("--spec-type ngram-simple --draft-max 16", "ngram-simple", 16),
        ("--spec-default", "ngram-mod", 64),
        ("-md d.gguf --spec-draft-n-max 2", None, 2),
        ("--spec-draft-n-max 2 --spec-draft-n-max 5", None, 5),
        ("--spec-type fast", None, None),
    ],
)  # fmt: skip
def test_method_and_depth(flags, spec_type, n_max):
    found = settings(f"llama-server -m a.gguf {flags}")
    assert (found.spec_type, found.n_max) == (spec_type, n_max)


@pytest.mark.parametrize("flag", ["-md", "-hfd", "--spec-draft-hf", "--spec-draft-model"])
def test_a_draft_by_file_or_repository(flag):
    assert settings(f"llama-server -hf org/a {flag} org/Draft-GGUF").draft == "org/Draft-GGUF"


def test_settings_that_change_acceptance_are_conditions():
    found = settings("--spec-draft-n-min 2 --spec-draft-sampling --spec-draft-p-split 0.1")
    assert dict(found.conditions) == {"n_min": "2", "p_split": "0.1"} | (
        {"draft sampling": ""} if "draft sampling" in found.conditions else {}
    )
    assert dict(settings("--spec-default").conditions) == {"n_min": "48"}
    assert settings("llama-server -m a.gguf").conditions == {}


def test_a_drafter_that_chooses_its_depth():
    assert spec_type_name("draft-mtp-adaptive") == "draft-mtp"
    for flags in ("--spec-type draft-mtp-adaptive", "--spec-type mtp --spec-draft-adaptive"):
        assert dict(settings(flags).conditions) == {"depth": "adaptive"}


ROW = "code_python pred= 192 draft= 135 acc= 123 rate=0.911 tok/s=161.0"


@pytest.mark.parametrize(("flags", "contradicted"), [("", True), ("--spec-draft-adaptive", False)])
def test_an_adaptive_depth_is_not_contradicted_by_what_it_drafts(flags, contradicted):
    text = f"llama-server -m a.gguf --spec-type mtp --spec-draft-n-max 16 {flags}\n\n{ROW}\n"
    found = audit_runs(parse(Document.of(text, "a.log")))
    assert ("depth-contradicted" in {finding.code for finding in found}) is contradicted
