"""Checks for copies: was everything here measured, or is one measurement here twice?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from analysis.audit.finding import Check, Evidence, Hit
from analysis.records import Run, TaskResult

__all__ = ["CHECKS"]

_FEWEST_TASKS = 3
"""Rates are printed with a digit or two: of one or two tasks they may agree by chance."""


@dataclass(frozen=True)
class _Pass:
    """One pass over the tasks: a run, or one repeat of it."""

    run: Run
    repeat: int
    tasks: tuple[TaskResult, ...]

    @property
    def figures(self) -> Hashable:
        """The figures that two measurements never share all of."""
        rows = tuple(
            (
                task.task,
                task.predicted_tokens,
                task.draft_tokens,
                task.accepted_tokens,
                task.decode_tps,
                task.decode_s,
                task.wall_s,
            )
            for task in self.tasks
        )
        total = self.run.aggregate
        return (rows, total.wall_s if total else None)

    @property
    def tells(self) -> bool:
        """Whether it has so many figures that they can't agree with another pass's by chance."""
        timed = [task for task in self.tasks if task.decode_tps or task.decode_s]
        return len(timed) >= _FEWEST_TASKS


def _passes(evidence: Evidence) -> Iterator[_Pass]:
    for run in evidence.runs:
        repeats: dict[int, list[TaskResult]] = {}
        for task in run.tasks:
            repeats.setdefault(task.repeat, []).append(task)
        for repeat, tasks in repeats.items():
            yield _Pass(run, repeat, tuple(tasks))


def _pasted(evidence: Evidence) -> Iterator[Hit]:
    passes_made = list(_passes(evidence))
    if len(passes_made) < 2:
        return
    alike: dict[Hashable, list[_Pass]] = {}
    places = Counter(str(run.source) for run in evidence.runs)
    for one in passes_made:
        # Figures of the same lines are the same measurement, however few they are.
        place = str(one.run.source)
        if places[place] > 1 or one.tells:
            alike.setdefault((None if one.tells else place, one.figures), []).append(one)
    for group in alike.values():
        if len(group) > 1:
            passes = Counter(one.run.id for one in group)
            names = ", ".join(_named(one, passes) for one in group)
            number = len(group[0].tasks)
            tasks = "1 task" if number == 1 else f"all {number} tasks"
            yield (
                str(group[1].tasks[0].source),
                f"{names}: the same counts and the same rates in {tasks}: the same measurement "
                "is here twice",
            )


def _named(one: _Pass, passes: Counter[str]) -> str:
    name = one.run.id or str(one.run.source)
    alone = passes[one.run.id] == 1
    return name if alone else f"{name} (repeat {one.repeat}, {one.tasks[0].source})"


CHECKS = (
    Check(
        "measured-once",
        "warning",
        "One measurement is here more than once",
        "No clock gives the same rates in every task twice, so one log was copied, named twice or "
        "pasted twice. As repeats it makes an interval far too narrow; as two configurations it "
        "says that they are equally fast.",
        "Name each log once, and give the log that was meant.",
        _pasted,
    ),
)
