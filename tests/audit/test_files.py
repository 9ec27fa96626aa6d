import pytest

from analysis.audit import audit
from analysis.campaigns.model_roles import with_files
from analysis.models.model_files import ModelFile, Part

CODES = ("file-contradicts", "vocabulary-differs")


def _file(name: str, architecture: str = "llama", **facts: object) -> ModelFile:
    return ModelFile((Part(name, 100),), architecture=architecture, **facts)


@pytest.fixture
def found(run, task, campaign):
    """Messages about files for a DFlash campaign with this card, these files and this run."""

    def find(*files: ModelFile, spec_type: str = "draft-dflash", n_max: int = 7, **card: object):
        made = campaign(run("d", task(), spec_type=spec_type, n_max=n_max), card=card)
        findings = audit(with_files(made, files))
        return [(item.code, item.message) for item in findings if item.code in CODES]

    return find


DRAFT = _file("d.gguf", "dflash", quantization="Q4_K_M", block_size=8, license="mit")


def test_campaign_without_files_has_no_findings_about_them(found):
    assert found(quantization="BF16", draft_file="x.gguf") == []


def test_agreeing_campaign_has_none(found):
    assert found(DRAFT, quantization="q4_k_m", draft_file="d.gguf", license="MIT") == []
    assert found(DRAFT, _file("t.gguf", quantization="Q8_0")) == []


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ({"quantization": "Q8_0"}, "quantization is 'Q8_0', and d.gguf says 'Q4_K_M'"),
        ({"draft_file": "e.gguf"}, "draft_file is 'e.gguf', and the file given is d.gguf"),
        ({"license": "gemma"}, "license is 'gemma', and d.gguf says 'mit'"),
    ],
)
def test_hand_written_value_that_contradicts_is_found(found, card, message):
    assert found(DRAFT, **card) == [("file-contradicts", message)]


def test_base_model_is_compared_with_the_converted_repository(found):
    file = _file("d.gguf", "dflash", repository="z-lab/D")
    assert found(file, base_model=["a/b", "Z-lab/d"]) == []
    assert found(file, base_model="a/b") == [
        ("file-contradicts", "base_model is 'a/b', and d.gguf says 'z-lab/D'")
    ]


def test_targets_facts_are_not_the_drafts(found):
    assert found(_file("t.gguf", quantization="Q8_0"), quantization="Q4_K_M") == []


def test_method_must_be_the_drafts(found):
    eagle = _file("e.gguf", "eagle3")
    assert found(eagle, spec_type="draft-eagle3") == []
    assert found(eagle, spec_type="draft-dflash") == [
        ("file-contradicts", "spec_type is 'draft-dflash', and e.gguf is a eagle3 draft")
    ]


@pytest.mark.parametrize(
    ("spec_type", "n_max", "deepest"),
    [
        ("draft-dflash", 7, None),
        ("draft-dflash", 8, 7),
        ("draft-dspark", 8, None),
        ("draft-dspark", 9, 8),
    ],
)
def test_depth_beyond_the_block_is_found(found, spec_type, n_max, deepest):
    messages = [message for _, message in found(DRAFT, spec_type=spec_type, n_max=n_max)]
    expected = (
        f"n_max is {n_max}, and d.gguf drafts {deepest} tokens at most: "
        f"the depth in effect was {deepest}"
    )
    assert messages == ([] if deepest is None else [expected])


def test_different_vocabularies_are_found(found):
    one = {"vocabulary_size": 5, "vocabulary_sha256": "a" * 64, "tokenizer": "gpt2"}
    other = {"vocabulary_size": 6, "vocabulary_sha256": "b" * 64}
    draft = _file("d.gguf", "dflash", **one)
    assert found(draft, _file("t.gguf", **one)) == []
    assert found(draft, _file("t.gguf")) == []
    assert found(draft, _file("t.gguf", **other)) == [
        (
            "vocabulary-differs",
            "d.gguf has 5 tokens (gpt2) and t.gguf 6 tokens (tokenizer not stated), "
            "and they are not the same",
        )
    ]
