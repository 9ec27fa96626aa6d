from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from analysis.audit import audit, audit_runs
from analysis.campaigns.campaign import Campaign
from analysis.records import Run, Source, Surroundings, TaskResult

Make = Callable[..., object]
TASKS = tuple(f"t{number}" for number in range(6))


def run(id: str, slots: int, accepted: float | None = None, **others: object) -> Run:
    """Six requests of 1,000 drafted tokens each; without `accepted`, without speculation."""
    deep = accepted is not None
    rows = tuple(
        TaskResult(
            name,
            Source(f"{id}.log", place),
            predicted_tokens=400,
            draft_tokens=1000 * deep,
            accepted_tokens=round(1000 * accepted) if deep else 0,
            decode_s=4.0,
            decode_tps=399 / 4.0,
            wall_s=4.5,
        )
        for place, name in enumerate(TASKS, start=1)
    )
    kind, depth = ("draft-simple", 3) if deep else ("none", None)
    made = Run(Source(f"{id}.log", 1), "made", rows, id=id, spec_type=kind, n_max=depth)
    return replace(made, concurrency=slots, **others)


def codes(campaign: Make, *runs: Run, baseline: str = "plain") -> list[tuple[str, str]]:
    found = audit(campaign(*runs, baseline=baseline))
    return [(one.code, one.message) for one in found]


def of(code: str, found: list[tuple[str, str]]) -> list[str]:
    return [message for name, message in found if name == code]


@pytest.mark.parametrize(("rate", "told"), [(0.56, True), (0.585, False), (0.6, False)])
def test_acceptance_that_falls_with_slots(campaign: Make, rate: float, told: bool) -> None:
    runs = [run("plain", 1), run("n3", 1, 0.6), run("plain4", 4), run("n3-4", 4, rate)]
    said = of("acceptance-falls-with-slots", codes(campaign, *runs))
    assert bool(said) is told
    if told:
        assert "56.0% of the drafts are accepted with 4 requests at once, 60.0% with 1" in said[0]


@pytest.mark.parametrize(("rate", "told"), [(0.579, True), (0.581, False)])
def test_a_fall_that_nobody_feels_is_none(campaign: Make, rate: float, told: bool) -> None:
    """Of 600,000 drafted tokens chance moves the rate by hardly 0.1 %."""

    def many(one: Run) -> Run:
        rows = [
            replace(task, **{name: 100 * getattr(task, name) for name in counts})
            for task in one.tasks
        ]
        return replace(one, tasks=tuple(rows))

    counts = ("predicted_tokens", "draft_tokens", "accepted_tokens")
    runs = [run("plain", 1), run("n3", 1, 0.6), run("plain4", 4), run("n3-4", 4, rate)]
    found = codes(campaign, *map(many, runs))
    assert bool(of("acceptance-falls-with-slots", found)) is told


def test_a_fall_that_chance_can_make_is_none(campaign: Make) -> None:
    def few(one: Run) -> Run:
        return replace(
            one,
            tasks=tuple(
                replace(task, draft_tokens=50, accepted_tokens=task.accepted_tokens // 20)
                for task in one.tasks
            ),
        )

    runs = [run("plain", 1), few(run("n3", 1, 0.6)), run("plain4", 4), few(run("n3-4", 4, 0.54))]
    assert not of("acceptance-falls-with-slots", codes(campaign, *runs))


def drafting(one: Run, drafts: int, seconds: float) -> Run:
    return replace(one, drafts=drafts, draft_s=seconds)


@pytest.mark.parametrize(("seconds", "told"), [(4.0, True), (3.1, True), (2.9, False)])
def test_drafts_that_are_not_batched(campaign: Make, seconds: float, told: bool) -> None:
    # 2 ms a draft with one request; four batched ones would take a quarter of it each.
    runs = [
        run("plain", 1),
        drafting(run("n3", 1, 0.5), 2000, 4.0),
        run("plain4", 4),
        drafting(run("n3-4", 4, 0.5), 2000, seconds),
    ]
    assert bool(of("drafts-not-batched", codes(campaign, *runs))) is told


@pytest.mark.parametrize(("seconds", "told"), [(0.5, False), (1.19, False), (1.21, True)])
def test_drafting_that_is_not_felt_is_not_told(campaign: Make, seconds: float, told: bool) -> None:
    # Of 24 s of decoding, 5 % are 1.2 s.
    runs = [
        run("plain", 1),
        drafting(run("n3", 1, 0.5), 2000, seconds),
        run("plain4", 4),
        drafting(run("n3-4", 4, 0.5), 2000, seconds),
    ]
    assert bool(of("drafts-not-batched", codes(campaign, *runs))) is told


def slowing(slower: float, clock: float, number: int = 9) -> Run:
    """Requests one a minute; those of the last third as much slower, at another clock."""
    rows = []
    for place in range(number):
        late = place >= number - number // 3
        seconds = 4.0 * (1 + slower * late)
        around = Surroundings(gpu_mhz=2000.0 * (1 - clock * late))
        rows.append(
            TaskResult(
                f"t{place}",
                Source("r.jsonl", place + 1),
                predicted_tokens=401,
                draft_tokens=0,
                accepted_tokens=0,
                decode_s=seconds,
                decode_tps=400 / seconds,
                started_s=1e9 + 60 * place,
                surroundings=around,
            )
        )
    return Run(Source("r.jsonl", 1), "made", tuple(rows), id="r", spec_type="none")


@pytest.mark.parametrize(
    ("slower", "clock", "told"),
    [(0.04, 0.04, True), (0.04, 0.02, False), (0.02, 0.04, False), (0.04, 0.0, False)],
)
def test_forwards_that_slow_down_with_the_clocks(slower: float, clock: float, told: bool) -> None:
    found = [one.code for one in audit_runs([slowing(slower, clock)])]
    assert ("slows-with-clocks" in found) is told


def test_a_few_requests_show_no_trend() -> None:
    assert "slows-with-clocks" not in [one.code for one in audit_runs([slowing(0.2, 0.2, 8)])]


@pytest.mark.parametrize(("cached", "told"), [(25, True), (24, False), (0, False), (None, False)])
def test_a_prompt_that_was_in_the_cache(cached: int | None, told: bool) -> None:
    made = run("plain", 1)
    prompt = 100 - (cached or 0)
    rows = [replace(task, prompt_tokens=prompt, cached_tokens=cached) for task in made.tasks]
    found = audit_runs([replace(made, tasks=tuple(rows))])
    said = [one.message for one in found if one.code == "prompt-cache-on"]
    assert bool(said) is told
    if told:
        assert "6 of 6 requests found part of their prompt in the cache, 25% of it" in said[0]


def test_each_point_is_audited_against_its_own_baseline(campaign: Callable[..., Campaign]) -> None:
    runs = [run("plain", 1), run("n3", 1, 0.6), run("plain4", 4), run("n3-4", 4, 0.6)]
    found = codes(campaign, *runs)
    assert not of("conditions-differ", found)
    # Said of the whole campaign once, not once for each point.
    assert len(of("single-run", found)) == 1
    other = replace(run("n2-4", 4, 0.6), n_max=2, max_tokens=64)
    runs = [replace(one, max_tokens=192) for one in runs]
    (said,) = of("conditions-differ", codes(campaign, *runs, other))
    assert "n2-4 is not compared with plain4: token limit 64 against 192" in said
