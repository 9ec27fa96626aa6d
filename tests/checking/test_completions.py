"""What a claim leaves out may be completed: it is called wrong only if no completion fits."""

from __future__ import annotations

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.checking import Checker
from analysis.pipeline import summary_of

CHECKER = Checker(summary_of(PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark"))


@pytest.mark.parametrize(
    ("fits", "fits_nothing"),
    [
        # The place: 275.9 tok/s is what DFlash reaches on code_completion, 277.9 nothing.
        ("DFlash reaches 275.9 tok/s.", "DFlash reaches 277.9 tok/s."),
        # The quantity: of what a second is, a time or one saved.
        ("DFlash is faster than the baseline, 2.61 s.", "DFlash is slower than the baseline."),
        # What it is held against: DSpark max 5 or the run without speculation.
        (
            "DSpark max 5 is slower than the baseline. DFlash is 30.6 % faster.",
            "DSpark max 5 is slower than the baseline. DFlash is 44.6 % faster.",
        ),
        # Of which run it goes on: the one named last, or the other.
        (
            "DFlash beats DSpark max 5, with 1,209 accepted tokens.",
            "DFlash beats DSpark max 5, with 1,333 accepted tokens.",
        ),
    ],
)
def test_a_claim_is_wrong_only_if_no_completion_fits(fits: str, fits_nothing: str) -> None:
    assert CHECKER(fits).agrees
    assert not CHECKER(fits_nothing).agrees


@pytest.mark.parametrize(
    "sentence",
    [
        "DFlash reaches 275.9 tok/s overall.",
        "DFlash reaches 275.9 tok/s on translation.",
        "DSpark max 5 accepts 1,405 of its drafted tokens.",
        "DFlash has an acceptance rate of 36.8 %.",
        "DFlash is 30.6 % faster than the baseline.",
    ],
)
def test_what_a_claim_says_is_not_completed(sentence: str) -> None:
    """Each figure is that of another task, run, quantity or comparison."""
    assert not CHECKER(sentence).agrees
