"""Noise: how much do times scatter, and at which level?

Three things move a measured time. What is a request's own; what all requests
of one server start share (clocks, temperature, where memory lies), here called
run noise; and what a whole campaign shares (machine, build, day). Only repeats
with a server start of their own show the second. Its scatter is the machine's
and not the configuration's, so it is pooled over configurations. Where nothing
was repeated, a stated prior stands in and is named as such.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = [
    "NOISE_COLUMNS",
    "Believed",
    "Noise",
    "Scatter",
    "TaskTable",
    "Term",
    "scatter",
    "tables",
]

Floats = npt.NDArray[np.floating[Any]]
Term = tuple[float, float]
"""A variance and the degrees of freedom that it is known with."""

NOISE_COLUMNS = {"level": "object", "sd": "float64", "freedom": "float64", "source": "object"}

_NO_SCATTER = 1e-20
"""Variance up to which repeats differ by the rounding of floats alone: they are copies."""
_FINEST = (0.0005, 0.5)
_POINTS = 40
"""Standard deviations of run noise that are tried beside none, as shares of the time."""
_PARTS = (0.9, 0.7, 0.5, 0.3, 0.1)
"""Parts of what is left open of a request's variance, by their tails."""
_UPPER = 0.95
"""The upper end of a 90 % interval."""
_HALVINGS = 40
_HEAVIEST = 4.0
"""Fewest degrees of freedom of a Student's t that stands for a mixture."""
_FEWEST_TASKS = 3
"""Tasks that two configurations share from which they show how much requests scatter."""
_UNSTEADY = 0.02
"""A configuration that scatters more than the others at this level has its own scatter."""
_SHARED = 0.03
"""What the repeats of all configurations share is taken out when significant at this level."""


@dataclass(frozen=True)
class Noise:
    """Relative scatter of times at each level.

    It is estimated from the time of a forward, which hardly depends on the text.

    Parameters
    ----------
    run_prior, run_freedom
        Standard deviation of what a server start shares, as a share of the
        time, where no repeats show it, and how many degrees of freedom this is
        worth. On desktop GPUs 1 to 2 % is common.
    run_absent, run_scale, run_tail
        Repeats are read with a wider prior: the chance that there is no run noise
        at all, and else the scale and the degrees of freedom of half of a Student's t.
    enough
        Degrees of freedom from which repeats are said to show a level by themselves.
    request_prior, request_freedom
        The same of one request, where neither repeats nor other configurations show it.
    campaign_least
        Least standard deviation of what a campaign shares. Two campaigns differ
        by at least as much as two runs of one, so run noise is taken where it is more.
    """

    run_prior: float = 0.02
    run_freedom: float = 10.0
    run_absent: float = 0.3
    run_scale: float = 0.03
    run_tail: float = 4.0
    enough: float = 2.0
    request_prior: float = 0.02
    request_freedom: float = 10.0
    campaign_least: float = 0.01

    def __call__(self, tasks: pd.DataFrame) -> pd.DataFrame:
        """Estimate the noise of a campaign.

        Parameters
        ----------
        tasks
            A task frame; synthetic runs count, their time is real.

        Returns
        -------
        pandas.DataFrame
            Columns `NOISE_COLUMNS`, rows ``request``, ``run`` and ``campaign``
            in that order. `sd` is a standard deviation of the logarithm of
            times. `freedom` is what it is known with: for Student's quantile, or
            for draws ``sd * sqrt(freedom / chi2(freedom))``. `source` is ``repeats``,
            ``configurations`` (a request's scatter about what its task and its
            configuration take), ``prior``, or ``repeats and prior``. The mean of
            m server starts has the run noise ``sd / sqrt(m)``.
        """
        return self.levels(tables(_steps(tasks)))

    def levels(self, made: Mapping[str, TaskTable]) -> pd.DataFrame:
        """The same from the tables of the time of each forward, by run."""
        found = scatter(made)
        request = self._request(found, made)
        run = self.run(found, (request[0] ** 2, request[1]))
        campaign = (max(self.campaign_least, run[0]), run[1], "prior")
        rows = [("request", *request), ("run", *run), ("campaign", *campaign)]
        return pd.DataFrame(rows, columns=list(NOISE_COLUMNS)).astype(NOISE_COLUMNS)

    def run(self, found: Scatter, request: Term | None = None) -> tuple[float, float, str]:
        """Run noise, its degrees of freedom and where it comes from.

        `request` is the variance of one request; its prior where null.
        """
        each = request or (self.request_prior**2, self.request_freedom)
        believed = self.believed(found, each)
        if believed is None:
            return self.run_prior, self.run_freedom, "prior"
        variance, freedom = believed.term(1.0, 0.0)
        alone = found.freedom >= self.enough
        return variance**0.5, freedom, "repeats" if alone else "repeats and prior"

    def believed(self, found: Scatter, request: Term) -> Believed | None:
        """What repeats and the prior say of both levels; null without repeats.

        Parameters
        ----------
        found
            What starts scatter by.
        request
            Variance of one request.
        """
        if found.freedom == 0 or found.start_variance <= _NO_SCATTER:
            return None
        from scipy.special import chdtri  # noqa: PLC0415 - reading a log must not wait for it

        sd = np.concatenate([[0.0], np.geomspace(*_FINEST, _POINTS)])
        prior = (1 + (sd / self.run_scale) ** 2 / self.run_tail) ** (-(self.run_tail + 1) / 2)
        prior *= (1 - self.run_absent) * np.gradient(sd) / (prior @ np.gradient(sd))
        prior[0] += self.run_absent
        of_request = request[0] * request[1] / chdtri(request[1], np.array(_PARTS))
        run, each = (part.ravel() for part in np.meshgrid(sd**2, of_request))
        start = run + found.share * each
        fits = -0.5 * found.freedom * (np.log(start) + found.start_variance / start)
        weights = np.tile(prior, len(_PARTS)) * np.exp(fits - fits.max())
        return Believed(run, each, weights / weights.sum())

    def _request(self, found: Scatter, made: Mapping[str, TaskTable]) -> tuple[float, float, str]:
        if found.request_freedom >= self.enough and found.request_variance > _NO_SCATTER:
            return found.request_variance**0.5, found.request_freedom, "repeats"
        variance, freedom = _between_configurations(made)
        if freedom >= self.enough:
            return variance**0.5, freedom, "configurations"
        return self.request_prior, self.request_freedom, "prior"


@dataclass(frozen=True, eq=False)
class Believed:
    """What is left open of the noise: variances that may be true, and how likely each is.

    Attributes
    ----------
    run, request
        Variances of both levels, shape (n,).
    weights
        Shape (n,), 1 in sum.
    """

    run: Floats
    request: Floats
    weights: Floats

    def term(self, of_run: float, of_request: float) -> Term:
        """A variance in which both have a part, as one with degrees of freedom.

        Student's interval of it is as wide at 90 % as that of the mixture.
        """
        from scipy.special import ndtr, stdtrit  # noqa: PLC0415 - as above

        variances = of_run * self.run + of_request * self.request
        mean = float(self.weights @ variances)
        if mean <= _NO_SCATTER:
            return mean, 1e6
        spread = float(self.weights @ (variances - mean) ** 2)
        sd = np.sqrt(np.maximum(variances, _NO_SCATTER))
        low, high = 0.0, 10 * float(sd.max())
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            inside = float(self.weights @ ndtr(middle / sd))
            low, high = (middle, high) if inside < _UPPER else (low, middle)
        freedom = min(max(2 * mean**2 / spread, _HEAVIEST), 1e6) if spread > 0 else 1e6
        return (low / float(stdtrit(freedom, _UPPER))) ** 2, freedom


def _steps(tasks: pd.DataFrame) -> pd.DataFrame:
    """Rows with the time of their forwards: `units` is what `seconds` were spent on."""
    seconds = tasks["decode_s"].astype("float64")
    units = 1000 * seconds / tasks["ms_per_forward"]
    out = tasks[["run", "repeat", "start", "task"]].assign(units=units, seconds=seconds)
    return out[tasks["error"].isna() & np.isfinite(units) & (units > 0) & (seconds > 0)]


@dataclass(frozen=True, eq=False)
class TaskTable:
    """What one configuration did, by server start and task.

    Attributes
    ----------
    units, seconds
        Shape (n_starts, n_tasks): tokens or forwards and the time they took, the
        mean of the repeats within a start; NaN where there is none.
    starts, tasks
        What the rows and columns are. A row is a repeat where the
        configuration had one server start only, and `one_start` is true then.
    geometric
        Whether its rate is the geometric mean of its tasks' instead of total
        units over total seconds.
    share
        Where a column is a whole pass: the sum of the squared shares of its requests.
    """

    units: Floats
    seconds: Floats
    starts: tuple[object, ...]
    tasks: tuple[str, ...]
    one_start: bool
    geometric: bool = False
    share: float = 1.0

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Where there is a time."""
        return ~np.isnan(self.seconds)

    def means(self) -> tuple[Floats, Floats]:
        """Mean units and seconds of each task over its starts, shape (n_tasks,) each."""
        number = np.maximum(self.present.sum(axis=0), 1)
        return np.nansum(self.units, axis=0) / number, np.nansum(self.seconds, axis=0) / number

    def among(self, tasks: Sequence[str]) -> TaskTable:
        """The same with these tasks alone, in this order, and the starts that have one of them."""
        place = {task: column for column, task in enumerate(self.tasks)}
        columns = np.array([place[task] for task in tasks], dtype=np.intp)
        rows = np.flatnonzero(np.any(self.present[:, columns], axis=1))
        return replace(
            self,
            units=self.units[np.ix_(rows, columns)],
            seconds=self.seconds[np.ix_(rows, columns)],
            starts=tuple(self.starts[row] for row in rows),
            tasks=tuple(tasks),
        )

    def shares(self) -> Floats:
        """What each task counts for in the log of the rate, shape (n_tasks,), 1 in sum."""
        if self.geometric:
            return np.full(len(self.tasks), 1 / len(self.tasks))
        seconds = self.means()[1]
        out: Floats = seconds / seconds.sum()
        return out

    def effects(self) -> Floats:
        """Each request's relative effect on the log of the rate, about its task's mean.

        Shape (n_starts, n_tasks), to first order: the effect of a start is the
        sum over its tasks of these times :meth:`shares`.
        """
        units, seconds = self.means()
        if self.geometric:
            units, seconds = (np.where(total > 0, total, np.nan) for total in (units, seconds))
            return self.units / units - self.seconds / seconds
        longer = (self.seconds - seconds) / seconds.sum()
        out: Floats = ((self.units - units) / units.sum() - longer) / self.shares()
        return out

    def rate(self) -> float:
        """Units per second, each task its mean over repeats."""
        units, seconds = self.means()
        if self.geometric:
            return float(np.exp(np.log(units / seconds).mean()))
        return float(units.sum() / seconds.sum())


def tables(rows: pd.DataFrame, *, geometric: bool = False) -> dict[str, TaskTable]:
    """Rows of `run`, `start`, `repeat`, `task`, `units`, `seconds`, as one table per run.

    A column `share`, if there is one, is that of :class:`TaskTable`.
    """
    values = {name: rows[name].to_numpy("float64") for name in ("units", "seconds")}
    keys = {name: rows[name].to_numpy() for name in ("start", "repeat", "task")}
    of_run, runs = pd.factorize(rows["run"])
    shares = rows["share"].to_numpy("float64") if "share" in rows else np.ones(len(rows))
    out: dict[str, TaskTable] = {}
    for number, run in enumerate(runs):
        own = np.flatnonzero(of_run == number)
        task, tasks = pd.factorize(keys["task"][own])
        start, starts = pd.factorize(keys["start"][own])
        repeat, repeats = pd.factorize(keys["repeat"][own])
        one_start = len(starts) == 1
        # What one repeat did of a task in several requests is one sum.
        shape = (len(starts), len(repeats), len(tasks))
        cells = {name: np.zeros(shape) for name in values}
        done = np.zeros(shape, dtype=bool)
        done[start, repeat, task] = True
        for name, cell in cells.items():
            np.add.at(cell, (start, repeat, task), values[name][own])
            cell[~done] = np.nan
        if one_start:
            means = {name: cell[0] for name, cell in cells.items()}
        else:
            there = done.sum(axis=1)
            means = {
                name: np.where(there > 0, np.nansum(cell, axis=1) / np.maximum(there, 1), np.nan)
                for name, cell in cells.items()
            }
        out[str(run)] = TaskTable(
            means["units"],
            means["seconds"],
            tuple(repeats if one_start else starts),
            tuple(map(str, tasks)),
            one_start,
            geometric,
            float(shares[own].mean()),
        )
    return out


@dataclass(frozen=True, eq=False)
class _Block:
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
        What the repeats of all configurations share was significant and is left out.
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


def _block(table: TaskTable) -> _Block | None:
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
    # Of what is left of a request without its start's mean; 1 - 1/n for n equal tasks.
    left = 1 - 2 * float((weights**3).sum()) / squared + squared
    request, freedom = 0.0, 0.0
    if len(weights) > 1 and left > _NO_SCATTER:
        rest = ((cells - wholes[:, None]) ** 2).sum(axis=0) / (len(rows) - 1)
        request = float((weights**2 * rest).sum()) / squared / left
        freedom = (len(rows) - 1) * (1 / squared - 1)
    starts = tuple(table.starts[row] for row in rows)
    return _Block(starts, wholes, squared, request, freedom)


def _unshared(blocks: Mapping[str, _Block]) -> tuple[dict[str, Floats], bool]:
    """Effects of starts, without what all configurations' same repeats share if that is much."""
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


def _between_configurations(found: Mapping[str, TaskTable]) -> tuple[float, float]:
    """Variance of one request about what its task and its configuration take, and its freedom.

    The median over pairs of configurations: a method whose forwards cost more
    on one text than on another does not pass for noise of the others.
    """
    logs = {run: np.log(np.divide(*table.means()[::-1])) for run, table in found.items()}
    variances: list[float] = []
    most = 0
    for number, (one, table) in enumerate(found.items()):
        rest = list(found)[number + 1 :]
        # Those with the same tasks at once: of a thousand there are half a million pairs.
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
