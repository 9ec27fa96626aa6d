"""Records to text to records: whatever the counts, each shape gives back what was printed."""

from __future__ import annotations

import json
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import parsers
from analysis.parsers.text.document import Document

FEW = settings(max_examples=30, deadline=None)


@dataclass(frozen=True)
class Made:
    """What one request measured."""

    name: str
    predicted: int
    drafted: int
    accepted: int
    rounds: int
    depth: int
    tps: float

    @property
    def counts(self) -> tuple[int, int, int]:
        return self.predicted, self.drafted, self.accepted

    @property
    def percent(self) -> float:
        return 100 * self.accepted / self.drafted


@st.composite
def requests(draw: st.DrawFn) -> Made:
    depth = draw(st.integers(1, 9))
    rounds = draw(st.integers(1, 5000))
    accepted = draw(st.integers(0, rounds * depth))
    return Made(
        draw(st.from_regex(r"[a-z]{2,8}", fullmatch=True)),
        accepted + rounds + 1,
        rounds * depth,
        accepted,
        rounds,
        depth,
        draw(st.integers(1, 99_999)) / 100,
    )


UNIQUE = st.lists(requests(), min_size=1, max_size=5, unique_by=lambda made: made.name)


def runs_in(text: str, format: str) -> tuple[object, ...]:
    runs = parsers.parse(Document.of(text, "a"))
    assert {run.format for run in runs} == {format}
    assert [finding for run in runs for finding in run.findings] == []
    return runs


def counts(tasks: object) -> list[tuple[int, int, int]]:
    return [(t.predicted_tokens, t.draft_tokens, t.accepted_tokens) for t in tasks]


@FEW
@given(UNIQUE)
def test_csv(made: list[Made]) -> None:
    text = "arm,task,acc,draft,pred,tok/s\n" + "".join(
        f"x,{m.name},{m.accepted},{m.drafted},{m.predicted},{m.tps}\n" for m in made
    )
    (run,) = runs_in(text, "results-csv")
    assert counts(run.tasks) == [m.counts for m in made]
    assert [t.task for t in run.tasks] == [m.name for m in made]


@FEW
@given(UNIQUE, st.booleans())
def test_table(made: list[Made], separated: bool) -> None:
    def shown(value: int) -> str:
        return f"{value:,}" if separated else str(value)

    text = "| Arm | TPS | Generated | Drafted / accepted | Acceptance |\n|---|--:|--:|--:|--:|\n"
    text += "".join(
        f"| **{m.name}** | {m.tps} | {shown(m.predicted)} | {shown(m.drafted)} / "
        f"{shown(m.accepted)} | {m.percent:.3f}% |\n"
        for m in made
    )
    runs = runs_in(text, "results-table")
    assert counts(run.aggregate for run in runs) == [m.counts for m in made]
    assert [run.aggregate.quoted_tps for run in runs] == [m.tps for m in made]


@FEW
@given(UNIQUE)
def test_timings(made: list[Made]) -> None:
    lines = [
        json.dumps(
            {
                "name": m.name,
                "timings": {
                    "predicted_n": m.predicted,
                    "predicted_ms": 1000.0 * m.predicted,
                    "draft_n": m.drafted,
                    "draft_n_accepted": m.accepted,
                },
            }
        )
        for m in made
    ]
    (run,) = runs_in("\n".join(lines), "timings-json")
    assert counts(run.tasks) == [m.counts for m in made]
    assert [t.decode_s for t in run.tasks] == [float(m.predicted) for m in made]


@FEW
@given(requests())
def test_llama_speculative(m: Made) -> None:
    text = (
        f"encoded {7:4d} tokens in {0.5:8.3f} seconds, speed: {14.0:8.3f} t/s\n"
        f"decoded {m.predicted:4d} tokens in {2.25:8.3f} seconds, speed: {9.0:8.3f} t/s\n\n"
        f"n_draft   = {m.depth}\nn_predict = {m.predicted}\nn_drafted = {m.drafted}\n"
        f"n_accept  = {m.accepted}\naccept    = {m.percent:.3f}%\n"
    )
    (run,) = runs_in(text, "llama-speculative")
    assert counts(run.tasks) == [m.counts]
    assert (run.n_max, run.tasks[0].decode_s) == (m.depth, 2.25)


@FEW
@given(UNIQUE)
def test_ik_spec_bench(made: list[Made]) -> None:
    head = ["task", "run", "stage", "tokens", "stop", "time(s)", "tok/s", "rounds", "accepted"]
    head += ["rate", "a.len", "pos accept"]
    lines = [head, ["---"] * len(head)]
    for m in made:
        cells = [m.name, "1", "mtp", str(m.predicted), "eog", "11.068", f"{m.tps:.2f}"]
        cells += [str(m.rounds), f"{m.accepted}/{m.drafted}", f"{m.percent:.2f}%"]
        lines.append([*cells, f"{1 + m.accepted / m.rounds:.2f}", " ".join(["50.0%"] * m.depth)])
    text = "".join("| " + " | ".join(cells) + " |\n" for cells in lines)
    (run,) = runs_in(text, "ik-spec-bench")
    assert counts(run.tasks) == [m.counts for m in made]
    assert [len(t.positions.rate) for t in run.tasks] == [m.depth for m in made]


@FEW
@given(UNIQUE)
def test_vllm_log(made: list[Made]) -> None:
    text = "".join(
        "(APIServer pid=1) INFO 05-01 17:41:54 [metrics.py:101] SpecDecoding metrics: "
        f"Mean acceptance length: {1 + m.accepted / m.rounds:.2f}, Accepted throughput: 4.00 "
        f"tokens/s, Drafted throughput: 5.00 tokens/s, Accepted: {m.accepted} tokens, Drafted: "
        f"{m.drafted} tokens, Per-position acceptance rate: {', '.join(['0.500'] * m.depth)}, "
        f"Avg Draft acceptance rate: {m.percent:.1f}%\n"
        for m in made
    )
    (run,) = runs_in(text, "vllm-log")
    assert counts(run.tasks) == [(None, m.drafted, m.accepted) for m in made]


@FEW
@given(UNIQUE)
def test_vllm_bench(made: list[Made]) -> None:
    def line(key: str, value: object) -> str:
        return f"{key + ':':<40} {value!s:<10}\n"

    text = "".join(
        f"{'=' * 12} Serving Benchmark Result {'=' * 12}\n"
        + line("Total generated tokens", m.predicted)
        + "---------------Speculative Decoding---------------\n"
        + line("Acceptance rate (%)", f"{m.percent:.2f}")
        + line("Drafts", m.rounds)
        + line("Draft tokens", m.drafted)
        + line("Accepted tokens", m.accepted)
        + "".join(line(f"  Position {n}", "50.00") for n in range(m.depth))
        for m in made
    )
    runs = runs_in(text, "vllm-bench")
    assert counts(run.aggregate for run in runs) == [m.counts for m in made]
    assert [run.n_max for run in runs] == [m.depth for m in made]


@FEW
@given(st.lists(requests(), min_size=2, max_size=4))
def test_metrics(made: list[Made]) -> None:
    names = ("num_drafts", "num_draft_tokens", "num_accepted_tokens")
    sums = [0, 0, 0]
    text = ""
    for m in made:
        sums = [a + b for a, b in zip(sums, (m.rounds, m.drafted, m.accepted), strict=True)]
        text += "".join(
            f"llamacpp:spec_decode_{name}_total {value}\n"
            for name, value in zip(names, sums, strict=True)
        )
    (run,) = runs_in(text, "metrics")
    assert counts(run.tasks) == [(None, m.drafted, m.accepted) for m in made[1:]]


@FEW
@given(UNIQUE)
def test_speed_bench(made: list[Made]) -> None:
    results = [
        {
            "id": m.name,
            "category": "coding",
            "ok": True,
            "turns": 1,
            "latency_s": 9.5,
            "completion_tokens": m.predicted,
            "draft_n": m.drafted,
            "draft_n_accepted": m.accepted,
            "predicted_per_second": m.tps,
        }
        for m in made
    ]
    text = json.dumps({"completed_samples": len(made), "results": results})
    (run,) = runs_in(text, "speed-bench")
    assert counts(run.tasks) == [m.counts for m in made]
    assert [t.decode_tps for t in run.tasks] == [m.tps for m in made]


@FEW
@given(st.lists(st.tuples(st.integers(1, 4096), st.integers(1, 99_999)), min_size=1, max_size=5))
def test_llama_bench(made: list[tuple[int, int]]) -> None:
    text = "| model | size | backend | test | t/s |\n| --- | ---: | --- | ---: | ---: |\n"
    text += "".join(
        f"| a 27B Q6_K | 23.55 GiB | Vulkan | tg{n} | {speed / 100:.2f} ± 0.01 |\n"
        for n, speed in made
    )
    (run,) = runs_in(text, "llama-bench")
    assert [(t.predicted_tokens, t.decode_tps) for t in run.tasks] == [
        (n, speed / 100) for n, speed in made
    ]
