import pytest

from tests.publishing.traps.conftest import Found

CODE = "build-too-old"


@pytest.mark.parametrize(
    ("method", "first"), [("draft-mtp", 9180), ("draft-dflash", 9831), ("draft-dspark", 10067)]
)
def test_the_build_before_the_first_is_said(found: Found, method: str, first: int) -> None:
    for build, said in ((f"b{first}", []), (f"b{first} or newer", []), ("my branch", [])):
        assert found(code=CODE, method=method, conditions={"build": build}) == said
    (said,) = found(code=CODE, method=method, conditions={"build": f"b{first - 1} (abc)"})
    assert said == f"the card names build b{first - 1}, and {method} came after b{first - 1}"


def test_a_method_that_always_was_is_none(found: Found) -> None:
    assert found(code=CODE, method="ngram-mod", conditions={"build": "b1000"}) == []
