from __future__ import annotations

import json
import sys

import pytest


def ratio(timing, value, target=1.0, **more):
    return timing.Ratio("speed", "one", "other", value, 1.0, target, 3, **more)


@pytest.mark.parametrize(
    ("value", "target", "holds", "met"),
    [(1.0, 1.0, True, True), (1.01, 1.0, True, False), (0.5, 1.0, False, False)],
)
def test_a_ratio_meets_its_target_when_all_that_was_measured_is_as_it_should_be(
    benchmark, value, target, holds, met
):
    assert ratio(benchmark("timing"), value, target, holds=holds).met is met


def test_medians_alternate_after_a_warm_up_of_each_side(benchmark):
    order = []
    times = {"a": iter([9.0, 1.0, 5.0, 2.0]), "b": iter([9.0, 4.0, 3.0, 8.0])}

    def side(name):
        def run():
            order.append(name)
            return next(times[name])

        return run

    assert benchmark("timing").medians(side("a"), side("b"), 3) == (2.0, 4.0)
    assert "".join(order) == "ab" + "ab" + "ba" + "ab"


def test_a_command_that_fails_ends_the_measurement_with_what_it_said(benchmark):
    code = "import sys; sys.exit('broken here')"
    with pytest.raises(SystemExit, match="ended with 1:\nbroken here"):
        benchmark("timing").seconds([sys.executable, "-c", code])


def test_the_table_and_the_json_say_the_same(benchmark, capsys):
    timing = benchmark("timing")
    ratios = [ratio(timing, 0.0039, 0.01, note="worst 0.01"), ratio(timing, 2.5)]
    assert timing.show(ratios, as_json=False, facts={"cpu": "Fast", "load": None}) == 1
    table = capsys.readouterr().out.splitlines()
    assert table[0] == "cpu Fast, load None"
    assert "0.0039 (target 0.01, met)" in table[1]
    assert table[1].endswith("3 runs, worst 0.01")
    assert "2.5 (target 1, MISSED)" in table[2]
    assert timing.show(ratios[:1], as_json=True, facts={"cpu": "Fast"}) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["machine"] == {"cpu": "Fast"}
    assert [(row["value"], row["met"]) for row in found["ratios"]] == [(0.0039, True)]


def test_machine_facts_name_nobody(benchmark):
    facts = benchmark("timing").machine()
    assert set(facts) == {"cpu", "threads", "ram", "os", "load", "architecture", "python"}
    assert facts["threads"] >= 1


def test_quick_is_one_run_of_the_smaller_subject(benchmark, capsys, monkeypatch):
    timing = benchmark("timing")
    asked = []

    def measure(runs, quick):
        asked.append((runs, quick))
        return [ratio(timing, 1.0)]

    for words in (["--runs", "3"], ["--quick", "--runs", "3"]):
        monkeypatch.setattr(sys, "argv", ["timing.py", *words])
        assert timing.main(measure) == 0
    assert asked == [(3, False), (1, True)]
    monkeypatch.setattr(sys, "argv", ["timing.py", "--runs", "0"])
    with pytest.raises(SystemExit):
        timing.main(measure)
    assert "0 is not at least 1" in capsys.readouterr().err
