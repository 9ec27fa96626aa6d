# ruff: noqa: W291 - the tool pads its lines
"""The report of ``vllm bench serve``."""

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document

SERVING = """\
============ Serving Benchmark Result ============
Successful requests:                     1536      
Failed requests:                         2         
Maximum request concurrency:             32        
Benchmark duration (s):                  374.83    
Total generated tokens:                  952460    
"""
SECTION = """\
---------------Speculative Decoding---------------
Acceptance rate (%):                     43.71     
Acceptance length:                       4.50      
Drafts:                                  11043     
Draft tokens:                            88344     
Accepted tokens:                         38611     
Per-position acceptance (%):
  Position 0:                            76.17     
  Position 1:                            61.58     
==================================================
"""


def runs_in(text):
    return parsers.parse(Document.of(text, "a.md"))


def test_a_section_alone():
    (run,) = runs_in(f"vs MTP 2:\n\n```\n{SECTION}```\n")
    total = run.aggregate
    assert (total.draft_tokens, total.accepted_tokens, total.predicted_tokens) == (
        88344,
        38611,
        None,
    )
    assert (total.acceptance_rate, total.rate_decimals) == (0.4371, 4)
    assert (total.positions.rate, total.positions.rounds) == ((0.7617, 0.6158), 11043)
    assert total.positions.definition == "all-rounds"
    # 88344 / 11043: the positions were cut off.
    assert (run.tasks, run.n_max, run.spec_type) == ((), 8, "draft-mtp")


def test_the_section_belongs_to_the_report_that_it_stands_in():
    (run,) = runs_in(SERVING + SECTION)
    total = run.aggregate
    assert (total.n_requests, run.concurrency) == (1536, 32)
    assert (total.predicted_tokens, total.elapsed_s, total.wall_s) == (952460, 374.83, None)
    assert total.draft_tokens == 88344


def test_a_report_without_acceptance_beside_one_with_it_is_kept():
    plain, fast = runs_in(SERVING + "=" * 50 + "\n" + SERVING + SECTION)
    assert (plain.aggregate.draft_tokens, fast.aggregate.draft_tokens) == (None, 88344)
    assert plain.spec_type is None


def test_two_arms_stay_two():
    assert len(runs_in(SECTION + "\n" + SECTION)) == 2


def test_positions_with_a_gap_are_not_a_curve():
    (run,) = runs_in(SECTION.replace("Position 1", "Position 2"))
    assert run.aggregate.positions is None


@pytest.mark.parametrize(
    "text",
    [SERVING, "The acceptance rate (%): was high.\n", "Acceptance of terms: 5\nDrafts: 3\n"],
)
def test_other_reports_yield_nothing(text):
    with pytest.raises(LogError):
        parsers.parse(Document.of(text, "a.md"), "vllm-bench")
    with pytest.raises(LogError, match="nothing was recognised"):
        runs_in(text)


OFFLINE = """\
total_num_output_tokens: 21690
num_drafts: 8914
num_draft_tokens: 53484
num_accepted_tokens: 12814
mean acceptance length: 2.44
--------------------------------------------------
acceptance at token 0: 0.58
acceptance at token 1: 0.34
"""


@pytest.mark.parametrize(
    "text",
    [
        OFFLINE,
        "20 samples, single RTX 4090:\nTotal output tokens: 21,690\n"
        "Number of draft proposals: 8,914\nNumber of draft tokens generated: 53,484\n"
        "Number of accepted tokens: 12,814\nMean acceptance length: 2.44\n\n"
        "Acceptance rate at token 0: 0.58\nAcceptance rate at token 1: 0.34\n\n"
        "Baseline (non-speculative): 382.29 s\nSpeedup: 1.71\u00d7\n",
    ],
)
def test_the_script_for_offline_use(text):
    (run,) = parsers.parse(Document.of(text, "a.md"))
    total = run.aggregate
    assert (total.predicted_tokens, total.draft_tokens, total.accepted_tokens) == (
        21690, 53484, 12814,
    )  # fmt: skip
    # Every round drafts as many: 53484 / 8914. The paste has only the first positions.
    assert run.n_max == 6
    assert (total.positions.rate, total.positions.rounds) == ((0.58, 0.34), 8914)


def test_a_depth_that_rounds_do_not_divide_is_not_known():
    (run,) = parsers.parse(
        Document.of(OFFLINE.partition("---")[0].replace("53484", "53000"), "a.md")
    )
    assert run.n_max is None
