import pytest

from tests.publishing.traps.conftest import Found

CODE = "preset-beside-models"


@pytest.mark.parametrize("model", ["a.gguf", "sub/a.GGUF"])
def test_beside_models_it_is_said(found: Found, model: str) -> None:
    (said,) = found("", "README.md", "preset.ini", model, code=CODE)
    assert said.startswith("preset.ini lies beside GGUF files: -hf and -hfd download it and")


@pytest.mark.parametrize(
    "paths",
    [(), ("preset.ini",), ("a.gguf",), ("sub/preset.ini", "a.gguf"), ("preset.ini", "a")],
)
def test_alone_below_the_root_or_not_there_it_is_not(found: Found, paths: tuple[str, ...]) -> None:
    assert found("", *paths, code=CODE) == []
