"""What do the machine's counters and gauges say at this moment? Null where it tells nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import psutil

__all__ = ["SYS", "Gauges", "Sensors"]

SYS = Path("/sys")
_BUSY = ("user", "nice", "system", "irq", "softirq", "steal")
_CLOCKS = "devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq"
_CPU_SENSORS = ("coretemp", "k10temp", "zenpower", "cpu_thermal")

Gauges = dict[str, float | None]


class Sensors:
    """Reads the machine on which a server of ours runs.

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

    def ours(self) -> list[psutil.Process]:
        """Our own process, and all under which the server runs."""
        ours = [psutil.Process()]
        with suppress(psutil.Error):
            guard = psutil.Process(self._guard)
            ours += [guard, *guard.children(recursive=True)]
        return ours

    def counters(self, ours: Sequence[psutil.Process] | None = None) -> dict[str, float | None]:
        """Seconds and events so far: the clock, busy processors, ours, throttling; and J."""
        times = psutil.cpu_times()
        ours = self.ours() if ours is None else ours
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

    def cpu(self) -> Gauges:
        """Clock in MHz and temperature in °C of the processor."""
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

    def gpus(self) -> list[Gauges]:
        """Clocks in MHz, temperature in °C, power in W of each GPU, and NVML's reasons."""
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
