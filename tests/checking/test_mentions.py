from __future__ import annotations

from collections.abc import Callable

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.cards.facts import Facts
from analysis.checking.mentions import Names
from analysis.pipeline import summary_of


@pytest.fixture(scope="module")
def names() -> Names:
    return Names(Facts(summary_of(PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark")))


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("DSpark, n_max 2", [("dspark-n2",)]),
        ("dflash with n_max = 7", [("dflash-n7",)]),
        ("DSpark max 2 vs max 3", [("dspark-n2",), ("dspark-n3",)]),
        ("max 3 only", [("dspark-n3",)]),
        ("draft-dspark at depth 5.", [("dspark-n5",)]),
        ("--spec-draft-n-max 7", [("dflash-n7",)]),
        ("the no-speculation baseline", [("baseline",)]),
        ("without speculative decoding", [("baseline",)]),
        ("DSpark wins", [("dspark-n2", "dspark-n3", "dspark-n5")]),
        ("DFlash max 9", [()]),
        ("DSpark max 7", [()]),
        ("n_max = 2/3", [("dspark-n2", "dspark-n3")]),
        ("the maximum of max 2.5", []),
        ("dashboard", []),
    ],
)
def test_runs(names: Names, text: str, runs: list[tuple[str, ...]]) -> None:
    assert [one.ids for one in names.find(text) if one.kind == "run"] == runs


def test_tasks_and_classes(names: Names) -> None:
    found = names.find("code_cpp, Code and structured output, code_cpp_2")
    assert [(one.kind, one.ids) for one in found] == [
        ("task", ("code_cpp",)),
        ("workload", ("code",)),
    ]


def test_a_run_in_apposition_is_named_once(names: Names) -> None:
    (one,) = names.find("No speculation (baseline) | 1,890")
    assert one.ids == ("baseline",)
    assert len(names.find("No speculation, the baseline")) == 2


def test_a_short_label_is_no_word_of_every_sentence(
    run: Callable[..., object], task: Callable[..., object], campaign: Callable[..., object]
) -> None:
    from analysis.summary import summarise

    made = campaign(run("a", task(), label="A"), run("b", task(), label="B"))
    found = Names(Facts(summarise(made))).find("A is one thing; B")
    assert [one.ids for one in found] == [("a",), ("b",)]
