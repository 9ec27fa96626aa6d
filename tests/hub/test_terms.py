import pytest

from analysis.hub.terms import LICENSES, RELATIONS, problems


@pytest.mark.parametrize(
    "card",
    [
        {},
        {"license": "apache-2.0"},
        {"license": "CC-BY-SA-4.0"},
        {"license": "other", "license_name": "upstream", "license_link": "https://e.org/terms"},
        {"license": "other", "license_name": "upstream", "license_link": "LICENSE"},
        {"license": "my-terms", "license_link": "https://e.org/terms"},
        {"base_model": "Qwen/Qwen3.6-35B-A3B"},
        {"base_model": ["Qwen/Qwen3.6-35B-A3B", "z-lab/x_y.z"]},
        {"base_model_relation": "finetune"},
        {"language": ["en", "zh-Hans", "yue", "multilingual"]},
        {"tags": ["draft", "speculative decoding"]},
        {"pipeline_tag": "image-text-to-text"},
        {"draft_file": "not front matter | at all"},
    ],
)
def test_what_the_hub_takes_is_no_problem(card):
    assert list(problems(card)) == []


@pytest.mark.parametrize(
    ("card", "key", "said"),
    [
        ({"license": "apache 2"}, "license", "lists no license 'apache 2'"),
        ({"license": 2}, "license", "license is 2"),
        ({"license": "other"}, "license", "has no name"),
        ({"license": "other", "license_name": "upstream"}, "license", "has no link"),
        ({"license": "my-terms", "license_name": "Mine"}, "license", "has no link"),
        (
            {"license": "other", "license_name": "x", "license_link": "javascript:alert(1)"},
            "license_link",
            "javascript",
        ),
        ({"license_name": "upstream"}, "license_name", "no license"),
        ({"base_model": "Qwen3.6"}, "base_model", "'Qwen3.6'"),
        ({"base_model": "https://huggingface.co/Qwen/Qwen3.6"}, "base_model", "https"),
        ({"base_model": ["a/b", 7]}, "base_model", "7"),
        ({"base_model_relation": "converted"}, "base_model_relation", "'converted'"),
        ({"language": "English"}, "language", "'English'"),
        ({"tags": ["a\nb"]}, "tags", "a\\nb"),
        ({"tags": ["a, b"]}, "tags", "'a, b'"),
        ({"tags": [""]}, "tags", "''"),
        ({"pipeline_tag": "Text Generation"}, "pipeline_tag", "'Text Generation'"),
        ({"licence": "mit"}, "licence", "no key of a card"),
        ({"quantisation": "Q8_0"}, "quantisation", "no key of a card"),
        ({"library_nam": "x"}, "library_nam", "no key of a card"),
        ({"dataset": "x"}, "dataset", "no key of a card"),
    ],
)
def test_what_the_hub_refuses_is_a_problem_of_its_key(card, key, said):
    ((found, problem, remedy),) = problems(card)
    assert found == key
    assert said in problem
    assert remedy


def test_a_key_of_the_hubs_own_is_no_slip():
    hubs = ("library_name", "datasets", "metrics", "thumbnail", "inference", "new_version")
    assert not list(problems(dict.fromkeys(hubs, "x")))


def test_lists_are_whole():
    # Names that a wrapped line once cut in two.
    assert {"bigscience-bloom-rail-1.0", "cc-by-sa-4.0", "cc-by-nc-nd-4.0"} <= LICENSES
    assert not any(name.endswith("-") for name in LICENSES)
    assert RELATIONS == ("adapter", "merge", "quantized", "finetune")


def test_a_key_that_only_resembles_one_is_the_author_s_own():
    assert not list(problems({"licensing": "x"}))
    assert len(list(problems({"licence": "x"}))) == 1
