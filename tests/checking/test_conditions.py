"""What was recorded of hardware, build, sampler and repeats, and what nobody recorded."""

from __future__ import annotations

import pytest

from tests.checking.test_sentences import checker

DSPARK, DFLASH, LIVE = "qwen3.6-35b-a3b-dspark", "qwen3.6-35b-a3b-dflash", "live-demo"


def statuses(campaign: str, sentence: str) -> list[str]:
    return [one.status for one in checker(campaign)(sentence).verdicts]


@pytest.mark.parametrize(
    ("campaign", "right", "wrong"),
    [
        (LIVE, "Sampling was at temperature 0.", "Sampling was at temperature 0.1."),
        (LIVE, "The seed was 42.", "The seed was 24."),
        (LIVE, "It ran with one thread.", "It ran with two threads."),
        (LIVE, "The context was 2048 tokens: context of 2048.", "A context of 4096."),
        (LIVE, "Requests were sent one at a time.", "Requests were sent two at a time."),
        (LIVE, "Each configuration was run three times.", "Each configuration was run twice."),
        (LIVE, "There were 12 requests each.", "There were 13 requests each."),
        (LIVE, "It ran on an AMD EPYC.", "It ran on an Intel Xeon."),
        (LIVE, "It had 23.5 GiB of RAM.", "It had 24 GiB of RAM."),
        (LIVE, "It ran without a GPU.", "It ran on an RTX 3090."),
        (LIVE, "Measured on 2026-11-30.", "Measured on 2026-11-29."),
        (LIVE, "Measured on 30 Nov 2026.", "Measured on 29 Nov 2026."),
        (LIVE, "Two of the six runs are synthetic.", "None of the runs is synthetic."),
        (LIVE, "The outputs are identical to the baseline's.",
         "The outputs differ from the baseline's."),
        (DFLASH, "It was tested with llama.cpp b9831.", "It was tested with llama.cpp b9830."),
        (DFLASH, "GPU used: RTX 5070 Ti.", "GPU used: RTX 5070."),
        (DFLASH, "It ran on an RTX5070 Ti.", "It ran on a GTX 5070 Ti."),
        (DSPARK, "There were no repeats.", "There were three repeats."),
        (DFLASH, "The draft is a Q4_K_M GGUF.", "The draft is a Q8_0 GGUF."),
        (DFLASH, "The driver was not recorded.", "The GPU was not recorded."),
        (DSPARK, "Each configuration was run once.", "Each configuration was run three times."),
    ],
)  # fmt: skip
def test_a_condition_is_held_against_the_record(campaign: str, right: str, wrong: str) -> None:
    assert set(statuses(campaign, right)) == {"verified"}
    assert "verified" not in statuses(campaign, wrong)
    assert "differs" in statuses(campaign, wrong)


@pytest.mark.parametrize(
    ("campaign", "sentence"),
    [
        # What is not recorded is not known, and another machine may be another one's.
        (DFLASH, "Sampling was at temperature 0.8."),
        (DSPARK, "The numbers come from an RTX 4090."),
        (DFLASH, "It ran on a consumer GPU."),
        (DFLASH, "On an RTX 4090 DFlash max 5 reaches 300 tok/s."),
        (LIVE, "If the temperature were 0.8, outputs would differ."),
        (LIVE, "The outputs do not differ from the baseline's."),
        (LIVE, "The outputs are not identical to the baseline's."),
    ],
)
def test_what_nobody_recorded_ties_nothing(campaign: str, sentence: str) -> None:
    assert not {"verified", "differs"} & {*statuses(campaign, sentence)}


def test_a_condition_among_strange_words_is_listed() -> None:
    assert statuses(LIVE, "The live demo was sampled at temperature 0 with seed 42.") == ["untied"]


def test_a_record_that_is_not_there_is_not_vouched_for() -> None:
    assert statuses(DSPARK, "Temperature was recorded as 0.") == ["differs"]
    assert statuses(DSPARK, "The temperature was not recorded.") == ["verified"]
