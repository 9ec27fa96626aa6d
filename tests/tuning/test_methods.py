"""What can be tried with some files on some server."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.errors import ModelFileError
from analysis.models.model_files import read_model
from analysis.records import SPEC_TYPES
from analysis.tuning.belief import OFF
from analysis.tuning.methods import (
    Method,
    draft_type,
    drafters,
    published_kinds,
    settings_frame,
    settings_of,
    supported,
)
from tests.gguf_files import write_gguf

NGRAM = ["ngram-simple", "ngram-mod"]


def names(methods: list[Method]) -> list[str]:
    return [method.name for method in methods]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "model.gguf")


def test_without_a_draft_there_are_n_gram_drafters(model: Path) -> None:
    found, skipped = drafters(model, {}, SPEC_TYPES)
    assert names(found) == NGRAM
    assert skipped == []


def test_a_model_with_mtp_layers_drafts_for_itself(tmp_path: Path) -> None:
    with_layers = {"nextn_predict_layers": 1}
    model = write_gguf(tmp_path / "mtp.gguf", "qwen35moe", numbers=with_layers)
    found, _ = drafters(model, {}, SPEC_TYPES)
    assert names(found) == ["mtp", *NGRAM]
    assert found[0].spec_type == "draft-mtp"
    assert found[0].draft is None
    none = write_gguf(tmp_path / "none.gguf", "qwen35moe", numbers={"nextn_predict_layers": 0})
    assert names(drafters(none, {}, SPEC_TYPES)[0]) == NGRAM


def test_a_block_drafter_goes_as_deep_as_it_was_trained(tmp_path: Path, model: Path) -> None:
    draft = write_gguf(tmp_path / "draft.gguf", "dflash", numbers={"block_size": 5})
    assert draft_type(read_model(draft)) == "draft-dspark"
    found, _ = drafters(model, {"draft.gguf": draft}, SPEC_TYPES)
    assert names(found) == ["dspark", *NGRAM]
    assert found[0].depths == (1, 2, 3, 4, 5)
    # Its threshold looks at a head that no log prints.
    assert found[0].thresholds == ()


def test_drafts_of_one_kind_have_names_of_their_own(tmp_path: Path, model: Path) -> None:
    paths = {}
    for folder in ("a", "b", "c"):
        (tmp_path / folder).mkdir()
        name = "small.gguf" if folder == "a" else "Tiny Draft (2).gguf"
        paths[f"{folder}/{name}"] = write_gguf(tmp_path / folder / name)
    found, _ = drafters(model, paths, SPEC_TYPES)
    assert names(found) == ["simple", "simple-tiny-draft-2", "simple-tiny-draft-2-2", *NGRAM]
    assert [method.draft for method in found[:3]] == list(paths)


def test_the_model_is_no_draft_for_itself(model: Path) -> None:
    found, skipped = drafters(model, {"model.gguf": model}, SPEC_TYPES)
    assert names(found) == NGRAM
    assert skipped == ["model.gguf: this is the model itself"]


def test_a_server_without_a_method_is_not_asked_for_it(tmp_path: Path, model: Path) -> None:
    draft = write_gguf(tmp_path / "draft.gguf")
    types = supported("--spec-type none,draft-simple,ngram-simple    types of speculation")
    found, skipped = drafters(model, {"draft.gguf": draft}, types)
    assert names(found) == ["simple", "ngram-simple"]
    assert skipped == ["ngram-mod: this server knows no --spec-type ngram-mod"]


def test_a_longer_name_is_not_taken_for_a_shorter_one() -> None:
    assert supported("ngram-map-k4v") == ("ngram-map-k4v",)
    assert supported(None) == SPEC_TYPES
    assert supported("an older build") == ()


def test_a_file_that_is_no_model_is_refused(tmp_path: Path, model: Path) -> None:
    other = tmp_path / "other.gguf"
    other.write_text("nothing")
    with pytest.raises(ModelFileError):
        drafters(model, {"other.gguf": other}, SPEC_TYPES)


def test_settings_are_off_and_every_depth_and_threshold() -> None:
    method = Method("simple", "draft-simple", (1, 2), (0.5,), "d.gguf")
    frame = settings_frame(settings_of([method]))
    assert frame["setting"].tolist() == [
        "off", "simple-n1", "simple-n2", "simple-n1-p0.5", "simple-n2-p0.5",
    ]  # fmt: skip
    assert frame["method"].tolist() == [OFF, *["simple"] * 4]
    assert frame["p_min"].tolist() == [0, 0, 0, 0.5, 0.5]


def test_kinds_that_were_published() -> None:
    assert "EAGLE-3 drafts" in published_kinds("llama")
    assert published_kinds("something-new") == published_kinds(None) == ()
