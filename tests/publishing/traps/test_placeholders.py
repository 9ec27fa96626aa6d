import pytest

from tests.publishing.traps.conftest import Found

CODE = "placeholder-left"


@pytest.mark.parametrize(
    "name",
    ["TARGET.gguf", "DRAFT.gguf", "DFLASH-DRAFT.gguf", "<model>", "/path/to/x.gguf", "your-m.gguf"],
)
def test_a_command_with_a_placeholder_is_said(found: Found, name: str) -> None:
    said = [f"a command loads {name}, which is a placeholder"]
    assert found(f"    llama-server -m {name} -ngl 99", code=CODE) == said
    assert found(f"```\nllama-cli -m a.gguf \\\n  -md {name}\n```", code=CODE) == said


@pytest.mark.parametrize("name", ["Qwen3.6-35B-A3B.gguf", "org/Model-GGUF:Q4_K_M", "yours.gguf"])
def test_a_real_name_is_none(found: Found, name: str) -> None:
    assert found(f"llama-server -m {name} and TARGET.gguf in words", code=CODE) == []
