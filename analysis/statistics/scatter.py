"""How much do starts of a server and single requests scatter, as their repeats show it?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from analysis.statistics.task_tables import Floats, TaskTable

__all__ = ["NO_SCATTER", "Scatter", "between_configurations", "scatter"]

NO_SCATTER = 1e-20
"""Variance up to which repeats differ by the rounding of floats alone: they are copies."""
_FEWEST_TASKS = 3
"""Tasks that two configurations share from which they show how much requests scatter."""
_UNSTEADY = 0.02
"""A configuration that scatters more than the others at this level has its own scatter."""
_SHARED = 0.03
"""What the repeats of all configurations share is taken out when significant at this level."""


@dataclass(frozen=True, eq=False)
class _SharedStarts:
    """Starts of a configuration that all have the same tasks: their effects as wholes."""

    starts: tuple[object, ...]
    wholes: Floats
    share: float
    """Sum of the tasks' squared shares: the part of a request's variance in that of a start."""
    request: float
    request_freedom: float


@dataclass(frozen=True, eq=False)
class Scatter:
    """Variances of the log of a rate, pooled over configurations.

    Attributes
    ----------
    start_variance, freedom, share
        Of one start as a whole, run noise and requests together: it is run
        variance + `share` × request variance. No degrees of freedom: no
        configuration had two starts.
    request_variance, request_freedom
        Of one request.
    own
        Variance of one start and its degrees of freedom of the configurations
        that scatter more than the others.
    paired
        Whether what the first, second, … starts of all configurations share was significant:
        then it is left out of all figures.
    """

    start_variance: float = 0.0
    freedom: float = 0.0
    share: float = 0.0
    request_variance: float = 0.0
    request_freedom: float = 0.0
    own: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    paired: bool = False


def scatter(found: Mapping[str, TaskTable]) -> Scatter:
    """Scatter of starts and of requests of several configurations.

    Parameters
    ----------
    found
        Run id to its table.

    Returns
    -------
    Scatter
        Starts of a configuration are compared on the tasks that they share.
        Mean squares, so that a balanced design gives exactly the scatter of
        whole runs, with as many degrees of freedom as there are repeats beyond
        the first of each configuration.
    """
    blocks = {run: block for run, table in found.items() if (block := _block(table)) is not None}
    measured = {run: block for run, block in blocks.items() if not found[run].one_start}
    requests = [block for block in blocks.values() if block.request_freedom > 0]
    request_freedom = sum(block.request_freedom for block in requests)
    request = sum(block.request * block.request_freedom for block in requests)
    request = request / request_freedom if request_freedom else 0.0
    if not measured:
        return Scatter(request_variance=request, request_freedom=request_freedom)
    wholes, paired = _unshared(measured)
    squares = {run: float((whole**2).sum()) for run, whole in wholes.items()}
    lost = 1 / len(measured) if paired else 0.0
    freedom = {run: (len(block.starts) - 1) * (1 - lost) for run, block in measured.items()}
    own = _unsteady(squares, freedom)
    steady = [run for run in measured if run not in own]
    total = sum(freedom[run] for run in steady)
    return Scatter(
        sum(squares[run] for run in steady) / total,
        total,
        sum(freedom[run] * measured[run].share for run in steady) / total,
        request,
        request_freedom,
        {run: (squares[run] / freedom[run], freedom[run]) for run in own},
        paired,
    )


def _block(table: TaskTable) -> _SharedStarts | None:
    """The starts and tasks of a configuration that make a full table and show most."""
    present = table.present
    order = np.argsort(-present.sum(axis=1), kind="stable")
    best: tuple[float, npt.NDArray[np.intp], npt.NDArray[np.bool_]] | None = None
    effects, share = table.effects(), table.shares()
    for number in range(2, len(order) + 1):
        rows = np.sort(order[:number])
        columns: npt.NDArray[np.bool_] = np.all(present[rows], axis=0)
        worth = (number - 1) * float(share[columns].sum())
        if columns.any() and (best is None or worth > best[0] + 1e-9):
            best = (worth, rows, columns)
    if best is None:
        return None
    _, rows, columns = best
    weights = share[columns] / share[columns].sum()
    cells = effects[np.ix_(rows, np.flatnonzero(columns))]
    cells = cells - cells.mean(axis=0)
    wholes = cells @ weights
    squared = float((weights**2).sum()) * table.share
    # The share of a request's variance that is left about its start's mean: 1 - 1/n for n equal
    # tasks.
    left = 1 - 2 * float((weights**3).sum()) / squared + squared
    request, freedom = 0.0, 0.0
    if len(weights) > 1 and left > NO_SCATTER:
        rest = ((cells - wholes[:, None]) ** 2).sum(axis=0) / (len(rows) - 1)
        request = float((weights**2 * rest).sum()) / squared / left
        freedom = (len(rows) - 1) * (1 / squared - 1)
    starts = tuple(table.starts[row] for row in rows)
    return _SharedStarts(starts, wholes, squared, request, freedom)


def _unshared(blocks: Mapping[str, _SharedStarts]) -> tuple[dict[str, Floats], bool]:
    """Effects of starts, without what the nth ones of all configurations share if that is much.

    The second value says whether it was.
    """
    from scipy.special import fdtri  # noqa: PLC0415 - reading a log must not wait for it

    wholes = {run: block.wholes for run, block in blocks.items()}
    numbers = {len(block.starts) for block in blocks.values()}
    if len(blocks) < 2 or len(numbers) > 1:
        return wholes, False
    grid = np.stack(list(wholes.values()))
    number, repeats = grid.shape
    rest = grid - grid.mean(axis=0)
    between = number * float((grid.mean(axis=0) ** 2).sum()) / (repeats - 1)
    within = float((rest**2).sum()) / ((number - 1) * (repeats - 1))
    limit = float(fdtri(repeats - 1, (number - 1) * (repeats - 1), 1 - _SHARED))
    if between <= limit * within:
        return wholes, False
    return dict(zip(wholes, rest, strict=True)), True


def _unsteady(squares: Mapping[str, float], freedom: Mapping[str, float]) -> list[str]:
    """Configurations whose starts scatter more than those of all others."""
    from scipy.special import fdtri  # noqa: PLC0415 - reading a log must not wait for it

    steady = list(squares)
    out: list[str] = []
    while len(steady) > 1:
        worst = max(steady, key=lambda run: squares[run] / freedom[run])
        rest = [run for run in steady if run != worst]
        others = sum(freedom[run] for run in rest)
        usual = sum(squares[run] for run in rest) / others
        limit = float(fdtri(freedom[worst], others, 1 - _UNSTEADY / len(steady)))
        if squares[worst] / freedom[worst] <= limit * usual:
            break
        steady, out = rest, [*out, worst]
    return out


def between_configurations(found: Mapping[str, TaskTable]) -> tuple[float, float]:
    """Variance of one request about what its task and its configuration take, and its freedom.

    The median over pairs of configurations: a method whose forwards cost more
    on one text than on another does not pass for noise of the others.
    """
    logs = {run: np.log(np.divide(*table.means()[::-1])) for run, table in found.items()}
    variances: list[float] = []
    most = 0
    for number, (one, table) in enumerate(found.items()):
        rest = list(found)[number + 1 :]
        # Those with the same tasks are compared all at once: a thousand configurations make half
        # a million pairs.
        alike = {other for other in rest if found[other].tasks == table.tasks}
        if alike and len(table.tasks) >= _FEWEST_TASKS:
            apart = np.stack([logs[other] for other in rest if other in alike]) - logs[one]
            variances += (apart.var(axis=1, ddof=1) / 2).tolist()
            most = max(most, len(table.tasks))
        for other in rest:
            if other in alike:
                continue
            place = {task: column for column, task in enumerate(found[other].tasks)}
            common = [(column, place[t]) for column, t in enumerate(table.tasks) if t in place]
            if len(common) >= _FEWEST_TASKS:
                first, second = np.array(common).T
                variances.append(float((logs[one][first] - logs[other][second]).var(ddof=1)) / 2)
                most = max(most, len(common))
    if not variances:
        return 0.0, 0.0
    return float(np.median(variances)), (most - 1) * len(found) / 2
