from pathlib import Path

import pytest

from analysis.campaigns.campaign import Campaign
from analysis.campaigns.model_roles import cast, published, read_files, with_files
from analysis.errors import ModelFileError
from analysis.models.model_files import ModelFile, Part
from tests.gguf_files import write_gguf


def _file(name: str, architecture: str = "llama", **facts: object) -> ModelFile:
    return ModelFile((Part(name, 100),), architecture=architecture, **facts)


@pytest.mark.parametrize("architecture", ["dflash", "eagle3"])
def test_architecture_that_can_only_draft_is_the_draft(architecture):
    roles = cast([_file("a.gguf", architecture), _file("b.gguf")], {})
    assert (roles.draft.file, roles.target.file) == ("a.gguf", "b.gguf")


def test_campaign_names_come_before_the_architecture():
    files = [_file("small.gguf"), _file("large.gguf")]
    roles = cast(files, {"draft_file": "small.gguf"})
    assert (roles.draft.file, roles.target.file) == ("small.gguf", "large.gguf")


def test_giver_comes_before_all():
    roles = cast([_file("a.gguf", role="draft")], {"target_file": "a.gguf"})
    assert roles.target is None
    assert roles.draft.file == "a.gguf"


def test_none_of_several_is_chosen_unless_named():
    files = [_file("Q4.gguf"), _file("Q8.gguf")]
    assert cast(files, {}).target is None
    assert cast(files, {"target_file": "Q8.gguf"}).target.file == "Q8.gguf"
    assert [role for _, role in cast(files, {}).roles] == ["target", "target"]


def test_files_fill_in_what_the_author_left_out():
    files = [
        _file("d.gguf", "dflash", quantization="Q4_K_M", license="mit", repository="z-lab/d"),
        _file("t.gguf", quantization="Q8_0", license="gemma"),
    ]
    campaign = with_files(Campaign("c", Path("c"), "C", card={"license": "apache-2.0"}), files)
    assert campaign.card == {
        "license": "apache-2.0",
        "target_file": "t.gguf",
        "draft_file": "d.gguf",
        "format": "GGUF",
        "quantization": "Q4_K_M",
        "base_model": "z-lab/d",
    }
    assert [file.role for file in campaign.files] == ["draft", "target"]


@pytest.mark.parametrize(
    ("facts", "filled"),
    [
        ({"license": "mit"}, {"license": "mit"}),
        ({"license": "other"}, {}),
        ({"license": "a stranger's\nwords"}, {}),
        ({"license_link": "https://e.org"}, {}),
        (
            {"license": "other", "license_name": "x", "license_link": "https://e.org"},
            {"license": "other", "license_name": "x", "license_link": "https://e.org"},
        ),
    ],
)
def test_licence_of_a_file_is_taken_whole_or_not_at_all(facts, filled):
    card = with_files(Campaign("c", Path("c"), "C"), [_file("t.gguf", **facts)]).card
    assert {key: value for key, value in card.items() if key.startswith("license")} == filled


def test_card_is_about_the_draft_where_one_was_measured(run, task):
    target = cast([_file("t.gguf")], {})
    assert published(target, [run("a", task(), spec_type="none")]).file == "t.gguf"
    assert published(target, [run("a", task(), spec_type="draft-mtp")]).file == "t.gguf"
    assert published(target, [run("a", task(), spec_type="draft-dflash")]) is None


def test_places_are_read_once_with_their_roles(tmp_path):
    write_gguf(tmp_path / "a.gguf")
    write_gguf(tmp_path / "b.gguf")
    files = read_files([f"draft={tmp_path / 'a.gguf'}", tmp_path / "b.gguf", tmp_path / "b.gguf"])
    assert [(file.file, file.role) for file in files] == [("a.gguf", "draft"), ("b.gguf", None)]
    assert [file.file for file in read_files([tmp_path])] == ["a.gguf", "b.gguf"]


def test_two_files_of_one_name_are_refused(tmp_path):
    (tmp_path / "x").mkdir()
    write_gguf(tmp_path / "a.gguf")
    write_gguf(tmp_path / "x" / "a.gguf")
    with pytest.raises(ModelFileError, match=r"two model files are called a\.gguf"):
        read_files([tmp_path, tmp_path / "x"])
