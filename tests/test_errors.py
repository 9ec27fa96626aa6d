from __future__ import annotations

import pickle

import pytest

from analysis.errors import CampaignError, LogError, MtpbenchError, ReportError, one_of


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ({}, "it is wrong; mend it"),
        ({"file": "a.log"}, "a.log: it is wrong; mend it"),
        ({"file": "a.log", "line": 7}, "a.log:7: it is wrong; mend it"),
    ],
)
def test_an_error_says_where_what_and_what_to_do(place: dict[str, object], said: str) -> None:
    assert str(MtpbenchError("it is wrong", "mend it", **place)) == said


@pytest.mark.parametrize("kind", [CampaignError, LogError, ReportError])
def test_an_error_survives_the_way_back_from_another_process(kind: type[MtpbenchError]) -> None:
    error = pickle.loads(pickle.dumps(kind("it is wrong", "mend it", file="a.log", line=7)))
    assert type(error) is kind
    assert (error.problem, error.remedy, error.file, error.line) == (
        "it is wrong",
        "mend it",
        "a.log",
        7,
    )


def test_one_of_lists_what_is_allowed_in_order() -> None:
    assert one_of("key", "lable", ["label", "id"]) == (
        "key is 'lable'",
        "use one of: label, id; did you mean 'label'?",
    )
