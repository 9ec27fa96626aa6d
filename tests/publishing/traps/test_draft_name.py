import pytest

from tests.publishing.traps.conftest import Found

CODE = "draft-not-found"
HFD = "`llama-server -hf org/T -hfd me/D{} --spec-type draft-dspark`"


def test_a_draft_beside_its_target_needs_the_word_in_lower_case(found: Found) -> None:
    card = {"draft_file": "Model-DSPARK-Q4_K_M.gguf", "target_file": "Model-Q4_K_M.gguf"}
    (said,) = found("", *card.values(), code=CODE, card=card)
    assert said == (
        "Model-DSPARK-Q4_K_M.gguf lies beside Model-Q4_K_M.gguf and has no dspark- in its name: "
        "-hf with --spec-type draft-dspark does not find it, and may load it as the target"
    )
    card["draft_file"] = "dspark-Model-Q4_K_M.gguf"
    assert found("", *card.values(), code=CODE, card=card) == []


def test_further_quantizations_of_a_draft_are_no_targets(found: Found) -> None:
    card = {"draft_file": "Model-DSPARK-Q4_K_M.gguf"}
    paths = ("Model-DSPARK-Q4_K_M.gguf", "Model-DSPARK-Q8_0.gguf", "Model-DSPARK.BF16.gguf")
    assert found("", *paths, code=CODE, card=card) == []


@pytest.mark.parametrize(
    ("tag", "paths", "said"),
    [
        (":Q8_0", ("D-Q4_K_M.gguf", "D-Q8_0.gguf"), []),
        ("", ("D-Q8_0.gguf", "D-Q4_K_M.gguf"), ["-hfd me/D loads D-Q4_K_M.gguf, and D-Q8_0.gguf"]),
        (":Q6_K", ("D-Q8_0.gguf",), ["-hfd me/D:Q6_K finds no GGUF file in this repository"]),
        (":Q8_0", ("dspark-D.gguf", "D-Q8_0.gguf"), ["-hfd me/D:Q8_0 loads dspark-D.gguf, and"]),
        ("", ("README.md",), ["-hfd me/D finds no GGUF file in this repository"]),
    ],
)
def test_what_a_command_loads_is_what_was_measured(
    found: Found, tag: str, paths: tuple[str, ...], said: list[str]
) -> None:
    card = {"draft_file": "D-Q8_0.gguf"}
    told = found(HFD.format(tag), *paths, code=CODE, card=card, repository="me/D")
    assert len(told) == len(said)
    assert all(have.startswith(want) for have, want in zip(told, said, strict=True))
