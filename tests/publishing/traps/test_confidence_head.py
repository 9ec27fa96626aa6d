import pytest

from tests.publishing.traps.conftest import Found, draft

CODE = "no-confidence-head"
COMMAND = "`llama-server -m t.gguf -md d.gguf --spec-type {} --spec-draft-p-min {}`"


@pytest.mark.parametrize("head", [False, None])
def test_a_threshold_without_the_head_is_said(found: Found, head: bool | None) -> None:
    files = (draft(block_size=8, confidence_head=head),)
    (said,) = found(COMMAND.format("draft-dspark", 0.1), code=CODE, files=files)
    assert said.endswith("has no confidence head: llama-server refuses to start")


@pytest.mark.parametrize(
    ("method", "threshold", "head"),
    [("draft-dspark", 0, False), ("draft-dspark", 0.1, True), ("draft-dflash", 0.1, False)],
)
def test_what_starts_is_no_trap(found: Found, method: str, threshold: float, head: bool) -> None:
    files = (draft(block_size=8, confidence_head=head),)
    assert found(COMMAND.format(method, threshold), code=CODE, files=files) == []


def test_of_a_file_that_was_not_given_nothing_is_known(found: Found) -> None:
    assert found(COMMAND.format("draft-dspark", 0.1), code=CODE) == []
