import pytest

from tests.publishing.traps.conftest import Found, draft

CODE = "beyond-trained-depth"
COMMAND = """```bash
llama-server \\
  -m t.gguf -md d.gguf \\
  --spec-type {method} \\
  --spec-draft-n-max {depth}
```"""


# DFlash's block begins with the token that is there already, DSpark's does not.
@pytest.mark.parametrize(("method", "deepest"), [("draft-dflash", 7), ("draft-dspark", 8)])
def test_a_command_may_ask_for_the_block_and_no_more(
    found: Found, method: str, deepest: int
) -> None:
    files = (draft(block_size=8),)
    for depth, said in ((deepest, 0), (deepest + 1, 1)):
        text = COMMAND.format(method=method, depth=depth)
        assert len(found(text, code=CODE, method=method, files=files)) == said
    assert found(text, code=CODE, method=method, files=files) == [
        f"a command asks for depth {deepest + 1}, and dspark-Q4_K_M.gguf drafts {deepest} tokens "
        "at most"
    ]


def test_without_the_file_or_for_another_method_nothing_is_known(found: Found) -> None:
    text = COMMAND.format(method="draft-dflash", depth=99)
    assert found(text, code=CODE) == []
    ngram = COMMAND.format(method="ngram-mod", depth=99)
    assert found(ngram, code=CODE, files=(draft(block_size=8),)) == []


def test_powershell_and_one_line_are_read_too(found: Found) -> None:
    text = COMMAND.format(method="draft-dspark", depth=9)
    for shown in (text.replace("\\\n", "`\n"), text.replace("\\\n", " ")):
        assert len(found(shown, code=CODE, files=(draft(block_size=8),))) == 1
