"""What else went on in the machine during a request: load, clocks, heat, throttling, power?

Counters are read before and after, gauges every half second in between. What a
machine does not tell is null.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any

import psutil

from analysis.runner.machine import load

__all__ = ["Sampler", "Watch"]

EVERY_S = 0.5
EVERY_AT_ONCE_S = 1.0
"""Where all requests share the samples."""

SHORTEST_S = 0.2
"""Processor time is counted in hundredths of a second: over less it says little."""

SYS = Path("/sys")
_BUSY = ("user", "nice", "system", "irq", "softirq", "steal")
_THROTTLES = {
    0x04: "power limit",
    0x08: "hardware slowdown",
    0x20: "heat (driver)",
    0x40: "heat (hardware)",
    0x80: "power brake",
}
"""NVML's reasons for clocks below what was asked for, without those that idle GPUs have."""

Gauges = dict[str, float | None]


class Watch:
    """Watches the machine while requests run on a server of ours.

    Parameters
    ----------
    guard
        Id of the process under which the server runs.
    nvml
        NVML's module, initialised, or null.
    sys
        Where the kernel's files are.
    """

    def __init__(self, guard: int, nvml: ModuleType | None = None, sys: Path = SYS) -> None:
        self._guard = guard
        self._nvml = nvml
        self._sys = sys

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
                samples.append((self._cpu(), self._gpus()))
                if over.wait(EVERY_S):
                    return

        thread = threading.Thread(target=sample, daemon=True)
        before = self._counters()
        thread.start()
        try:
            yield found
        finally:
            over.set()
            thread.join()
            after = self._counters()
            found |= _between(before, after)
            found |= {key: fold([cpu[key] for cpu, _ in samples]) for key, fold in _CPU.items()}
            found["gpus"] = _gpu_summary([gpus for _, gpus in samples])

    def now(self) -> dict[str, Any]:
        """Load, clocks, heat and power at this moment, keys as in :meth:`during`.

        ``load`` is the mean number of running processes over the last minute.
        """
        return {"load": load(), **self._cpu(), "gpus": _gpu_summary([self._gpus()])}

    # ---- what is counted

    def _ours(self) -> list[psutil.Process]:
        ours = [psutil.Process()]
        with suppress(psutil.Error):
            guard = psutil.Process(self._guard)
            ours += [guard, *guard.children(recursive=True)]
        return ours

    def _counters(self, ours: Sequence[psutil.Process] | None = None) -> dict[str, float | None]:
        times = psutil.cpu_times()
        ours = self._ours() if ours is None else ours
        return {
            "at": time.perf_counter(),
            "busy": sum(getattr(times, name, 0.0) for name in _BUSY),
            "ours": sum(map(_processor_seconds, ours)),
            "throttles": _sum_of(
                self._sys.glob("devices/system/cpu/cpu*/thermal_throttle/*_throttle_count")
            ),
            "energy_j": _scaled(
                _sum_of(self._sys.glob("class/powercap/intel-rapl:[0-9]*/energy_uj"), top=True),
                1e-6,
            ),
        }

    # ---- what is sampled

    def _cpu(self) -> Gauges:
        clocks = [_number(path) for path in self._sys.glob(_CLOCKS)]
        known = [clock / 1000 for clock in clocks if clock]
        if not known:
            with suppress(OSError, AttributeError, NotImplementedError, RuntimeError):
                # Null, whatever its annotation says, where nothing is known.
                frequency = psutil.cpu_freq()
                known = [frequency.current] if frequency.current else []
        heat: list[float] = []
        for zone in self._sys.glob("class/hwmon/hwmon*"):
            if _text(zone / "name") in _CPU_SENSORS:
                heat += [
                    value / 1000
                    for path in zone.glob("temp*_input")
                    if (value := _number(path)) is not None
                ]
        return {"cpu_mhz": max(known, default=None), "cpu_c": max(heat, default=None)}

    def _gpus(self) -> list[Gauges]:
        return self._nvidia() if self._nvml is not None else self._others()

    def _nvidia(self) -> list[Gauges]:
        nvml: Any = self._nvml

        def asked(question: str, *of: object) -> Any:
            try:
                return getattr(nvml, question)(*of)
            except (nvml.NVMLError, AttributeError):
                return None

        handles = [
            asked("nvmlDeviceGetHandleByIndex", index)
            for index in range(asked("nvmlDeviceGetCount") or 0)
        ]
        return [
            {
                "mhz": asked("nvmlDeviceGetClockInfo", handle, 1),
                "memory_mhz": asked("nvmlDeviceGetClockInfo", handle, 2),
                "c": asked("nvmlDeviceGetTemperature", handle, 0),
                "w": _scaled(asked("nvmlDeviceGetPowerUsage", handle), 1e-3),
                "throttled": asked("nvmlDeviceGetCurrentClocksEventReasons", handle),
            }
            for handle in handles
            if handle is not None
        ]

    def _others(self) -> list[Gauges]:
        """Graphics cards whose drivers speak through the kernel's files."""
        return [
            {
                "mhz": _scaled(_number(sensor / "freq1_input"), 1e-6),
                "memory_mhz": _scaled(_number(sensor / "freq2_input"), 1e-6),
                "c": _scaled(_number(sensor / "temp1_input"), 1e-3),
                "w": _scaled(_number(sensor / "power1_average"), 1e-6),
                "throttled": None,
            }
            for sensor in sorted(self._sys.glob("class/drm/card[0-9]*/device/hwmon/hwmon*"))
        ]


class Sampler:
    """Watches the machine for several requests at once, and tells of each from the same samples.

    Parameters
    ----------
    watch
        What reads the machine.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
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
        watch = self._watch
        # Looked up once: to find a server's children takes a walk through all processes.
        ours = watch._ours()  # noqa: SLF001 - two halves of one thing
        while True:
            self._samples.append((watch._counters(ours), watch._cpu(), watch._gpus()))  # noqa: SLF001
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
        found: dict[str, Any] = _between(chosen[0][0], chosen[-1][0])
        found |= {key: fold([cpu[key] for _, cpu, _ in chosen]) for key, fold in _CPU.items()}
        return {**found, "gpus": _gpu_summary([gpus for _, _, gpus in chosen])}


_CLOCKS = "devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq"
_CPU_SENSORS = ("coretemp", "k10temp", "zenpower", "cpu_thermal")


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


def _processor_seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


def _sum_of(paths: Iterator[Path], top: bool = False) -> float | None:
    """The sum of numbers in files; `top` leaves out parts of what is counted already."""
    chosen = [path for path in paths if not top or path.parent.name.count(":") == 1]
    found = [_number(path) for path in chosen]
    known = [value for value in found if value is not None]
    return sum(known) if known and len(known) == len(found) else None


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _number(path: Path) -> float | None:
    text = _text(path)
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None
