import warnings
from pathlib import Path
from typing import Any

import pytest
import yaml

from analysis.campaigns.campaign import Campaign
from analysis.cards.front_matter import front_matter
from analysis.errors import CampaignError

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from huggingface_hub import ModelCard, ModelCardData


def block(methods: list[str] | None = None, **card: Any) -> str:
    campaign = Campaign("made", Path("made"), "Title", card=card)
    return str(front_matter(campaign, methods or ["draft-dspark"]))


def test_keys_have_a_fixed_order() -> None:
    text = block(
        base_model="Org/Draft",
        license_link="https://huggingface.co/Org/Draft",
        license="other",
        license_name="upstream",
    )
    assert text == (
        "---\nlicense: other\nlicense_name: upstream\n"
        "license_link: https://huggingface.co/Org/Draft\nbase_model: Org/Draft\n"
        "base_model_relation: quantized\npipeline_tag: text-generation\n"
        "tags:\n- draft\n- speculative-decoding\n- dspark\n- gguf\n---\n"
    )


@pytest.mark.parametrize(
    "hostile",
    ["a: b", "- x", "---", "x\n---\ny: 1", "#", "{a: 1}", "'\"", "yes", "\u202e\x00z", "é" * 5000],
)
def test_hostile_values_stay_values(hostile: str) -> None:
    text = block(base_model=hostile, license=hostile, license_link=hostile, tags=[hostile])
    card = ModelCard(f"{text}\n# Body\n", ignore_metadata_errors=False)
    data = card.data.to_dict()
    assert set(data) == {
        *("license", "license_name", "license_link", "base_model", "base_model_relation"),
        *("pipeline_tag", "tags"),
    }
    assert all(isinstance(tag, str) for tag in data["tags"])
    assert card.text.strip() == "# Body"
    assert yaml.safe_load(card.data.to_yaml()) == yaml.safe_load(text[4:-4]) == data


def test_licences() -> None:
    assert "license: apache-2.0\n" in block(license="Apache-2.0")
    assert "license: unknown\n" in block(license="other")
    own = block(license="My Terms", license_link="https://e.org/terms")
    assert "license: other\nlicense_name: My Terms\nlicense_link: https://e.org/terms\n" in own
    assert "license" not in block()


def test_an_unknown_relation_is_refused() -> None:
    with pytest.raises(CampaignError, match="adapter, merge, quantized, finetune"):
        block(base_model="a/b", base_model_relation="converted")


def test_tags_follow_the_method() -> None:
    assert "- draft\n" not in block(["ngram-mod"])
    assert "- dflash\n- ngram-mod\n" in block(["draft-dflash,ngram-mod"])


@pytest.mark.parametrize("hostile", ["a: b", "---", "x\n---\ny: 1", "\u202e\x00z"])
def test_keys_that_mean_nothing_here_are_passed_on(hostile: str) -> None:
    given = {"library_name": hostile, "datasets": ["a/b", hostile], "extra": {hostile: 1.5}}
    text = block(license="mit", format="GGUF", quantization="Q8_0", pairs=[], **given)
    data = yaml.safe_load(text[4:-4])
    assert list(data)[-3:] == ["library_name", "datasets", "extra"]
    assert data["datasets"][0] == "a/b"
    assert list(data["extra"].values()) == [1.5]
    assert not {"format", "quantization", "pairs"} & set(data)
    assert "\x00" not in text
    assert text.count("\n---\n") == 1


def test_round_trip_through_the_hubs_own_library() -> None:
    text = block(
        ["draft-dflash"],
        license="other",
        license_name="upstream",
        license_link="https://e.org/terms",
        language=["en", "no"],
        base_model=["Org/A", "Org/B"],
        base_model_relation="finetune",
        tags=["on", "1.0"],
    )
    data = ModelCard(f"{text}# Body\n").data
    assert data.to_dict() == yaml.safe_load(text[4:-4])
    # From data to text and back, and the text that it writes is read as the same.
    again = ModelCardData(**data.to_dict())
    assert again.to_dict() == data.to_dict()
    assert yaml.safe_load(again.to_yaml()) == yaml.safe_load(text[4:-4])
    card = ModelCard.from_template(again, template_str="---\n{{ card_data }}\n---\n\n# Body\n")
    assert card.data.to_dict() == data.to_dict()
