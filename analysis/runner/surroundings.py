"""What else went on in the machine during a request: load, clocks, heat, throttling, power?

Counters are read before and after, gauges every half second in between. What a
machine does not tell is null.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any

from analysis.runner.machine import load
from analysis.runner.sensors import SYS, Gauges, Sensors

__all__ = ["Sampler", "Watch"]

EVERY_S = 0.5
EVERY_AT_ONCE_S = 1.0
"""Where all requests share the samples."""

SHORTEST_S = 0.2
"""Processor time is counted in hundredths of a second: over less it says little."""

_THROTTLES = {
    0x04: "power limit",
    0x08: "hardware slowdown",
    0x20: "heat (driver)",
    0x40: "heat (hardware)",
    0x80: "power brake",
}
"""NVML's reasons for clocks below what was asked for, without those that idle GPUs have."""


class Watch:
    """Watches the machine while requests run on a server of ours.

    Parameters
    ----------
    guard, nvml, sys
        As of ``sensors.Sensors``.
    """

    def __init__(self, guard: int, nvml: ModuleType | None = None, sys: Path = SYS) -> None:
        self.sensors = Sensors(guard, nvml, sys)

    @contextmanager
    def during(self) -> Iterator[dict[str, Any]]:
        """Watch while the block runs.

        Yields
        ------
        dict
            Filled when the block has ended. ``other_load``: processors that were
            busy with something else than the server and us, on average, those
            that a host took from a virtual machine included; null below 0.2 s.
            ``cpu_mhz``: the fastest processor's clock, mean; ``cpu_c``: the
            hottest sensor's temperature, highest; ``cpu_throttles``: times that
            a processor was slowed down for its heat; ``cpu_w``: mean power of
            the packages. ``gpus``: of each ``mhz``, ``memory_mhz``, ``w`` (means),
            ``c`` (highest) and ``throttled``, the reasons why it was slow.
        """
        found: dict[str, Any] = {}
        samples: list[tuple[Gauges, list[Gauges]]] = []
        over = threading.Event()

        def sample() -> None:
            while True:
                samples.append((self.sensors.cpu(), self.sensors.gpus()))
                if over.wait(EVERY_S):
                    return

        thread = threading.Thread(target=sample, daemon=True)
        before = self.sensors.counters()
        thread.start()
        try:
            yield found
        finally:
            over.set()
            thread.join()
            found |= _told(before, self.sensors.counters(), samples)

    def now(self) -> dict[str, Any]:
        """Load, clocks, heat and power at this moment, keys as in :meth:`during`.

        ``load`` is the mean number of running processes over the last minute.
        """
        gpus = _gpu_summary([self.sensors.gpus()])
        return {"load": load(), **self.sensors.cpu(), "gpus": gpus}


class Sampler:
    """Watches the machine for several requests at once, and tells of each from the same samples.

    Parameters
    ----------
    watch
        What reads the machine.
    """

    def __init__(self, watch: Watch) -> None:
        self._sensors = watch.sensors
        self._samples: list[tuple[Gauges, Gauges, list[Gauges]]] = []
        self._over = threading.Event()

    @contextmanager
    def running(self) -> Iterator[Sampler]:
        """Sample while the block runs."""
        thread = threading.Thread(target=self._sample, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._over.set()
            thread.join()

    def _sample(self) -> None:
        sensors = self._sensors
        # Looked up once: to find a server's children takes a walk through all processes.
        ours = sensors.ours()
        while True:
            self._samples.append((sensors.counters(ours), sensors.cpu(), sensors.gpus()))
            if self._over.wait(EVERY_AT_ONCE_S):
                return

    def between(self, begin: float, end: float) -> dict[str, Any] | None:
        """As ``Watch.during``, from the last sample before a request to the last one in it.

        Parameters
        ----------
        begin, end
            On ``time.perf_counter``.
        """
        samples = list(self._samples)
        times = [counters["at"] or 0.0 for counters, _, _ in samples]
        first = max((number for number, at in enumerate(times) if at <= begin), default=0)
        chosen = [sample for at, sample in zip(times, samples, strict=True) if at <= end][first:]
        if not chosen:
            return None
        return _told(chosen[0][0], chosen[-1][0], [gauges for _, *gauges in chosen])


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(fmean(known), 3) if known else None


def _highest(values: Sequence[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _reasons(values: Sequence[float | None]) -> list[str] | None:
    known = [int(value) for value in values if value is not None]
    if not known:
        return None
    return [name for bit, name in _THROTTLES.items() if any(value & bit for value in known)]


_CPU: dict[str, Callable[[Sequence[float | None]], float | None]] = {
    "cpu_mhz": _mean,
    "cpu_c": _highest,
}
_GPU: dict[str, Callable[[Sequence[float | None]], Any]] = {
    "mhz": _mean,
    "memory_mhz": _mean,
    "c": _highest,
    "w": _mean,
    "throttled": _reasons,
}


def _told(before: Gauges, after: Gauges, samples: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """What counters and samples of the gauges, of the processor and of GPUs, come to."""
    cpus, gpus = [cpu for cpu, _ in samples], [all_of_them for _, all_of_them in samples]
    folded = {key: fold([cpu[key] for cpu in cpus]) for key, fold in _CPU.items()}
    return {**_between(before, after), **folded, "gpus": _gpu_summary(gpus)}


def _gpu_summary(samples: Sequence[Sequence[Gauges]]) -> list[dict[str, Any]]:
    count = min(map(len, samples), default=0)
    return [
        {key: fold([gpus[number][key] for gpus in samples]) for key, fold in _GPU.items()}
        for number in range(count)
    ]


def _between(before: Gauges, after: Gauges) -> dict[str, float | None]:
    passed = {
        key: None if before[key] is None or value is None else value - before[key]  # type: ignore[operator]
        for key, value in after.items()
    }
    spent = passed["at"] or 0.0
    busy, ours, energy = passed["busy"], passed["ours"], passed["energy_j"]
    known = busy is not None and ours is not None and spent >= SHORTEST_S
    return {
        "other_load": round(max(busy - ours, 0.0) / spent, 3) if known else None,  # type: ignore[operator]
        "cpu_throttles": passed["throttles"],
        # The counter begins anew now and then.
        "cpu_w": round(energy / spent, 3) if energy is not None and energy >= 0 < spent else None,
    }
