"""What machine is this, how busy is it, and how much energy do its GPUs use?

Facts that could tell who runs it (host and user names, serial numbers) are
never asked for. What a machine does not tell is null.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import psutil

__all__ = ["EnergyMeter", "energy_meter", "load", "machine_facts"]


def machine_facts() -> dict[str, Any]:
    """What a record says of the machine.

    Returns
    -------
    dict
        As a card says them: ``cpu``, ``ram``, ``os``, ``gpu`` and ``driver``,
        texts. As numbers: ``threads`` (logical processors), ``load`` (mean
        number of running processes over the last minute, null on Windows) and
        ``gpus``: ``name``, ``memory_bytes`` and ``power_limit_w`` of each,
        empty without NVML.
    """
    driver, gpus = _gpus()
    names = [gpu["name"] for gpu in gpus if gpu["name"]]
    return {
        "cpu": _cpu_name(),
        "ram": f"{psutil.virtual_memory().total / 2**30:.1f} GiB",
        "os": f"{platform.system()} {platform.release()}".strip() or None,
        "gpu": ", ".join(names) or None,
        "driver": driver,
        "threads": psutil.cpu_count(),
        "load": load(),
        "gpus": gpus,
    }


class EnergyMeter:
    """Reads the energy counters of all GPUs.

    NVML counts millijoules from the driver's start (Volta and later), so two
    readings need no sampling in between. A GPU that does not count makes the
    whole reading null: a sum without it would be a different quantity.
    """

    def __init__(self, nvml: ModuleType | None) -> None:
        self.nvml = nvml

    def joules(self) -> float | None:
        """Energy used by all GPUs since the driver started, in J; null where not counted."""
        nvml = self.nvml
        if nvml is None:
            return None
        try:
            counted = [
                nvml.nvmlDeviceGetTotalEnergyConsumption(nvml.nvmlDeviceGetHandleByIndex(index))
                for index in range(nvml.nvmlDeviceGetCount())
            ]
        except nvml.NVMLError:
            return None
        return sum(counted) / 1000 if counted else None


@contextmanager
def energy_meter() -> Iterator[EnergyMeter]:
    """A meter for as long as the block lasts; one that only reads null without NVML."""
    with _nvml() as nvml:
        yield EnergyMeter(nvml)


@contextmanager
def _nvml() -> Iterator[ModuleType | None]:
    """NVML's module, initialised, or null: no driver and no package are no mistakes."""
    try:
        import pynvml  # noqa: PLC0415 - only machines with an NVIDIA GPU need it
    except ImportError:
        yield None
        return
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        yield None
        return
    try:
        yield pynvml
    finally:
        with suppress(pynvml.NVMLError):
            pynvml.nvmlShutdown()


def _gpus() -> tuple[str | None, list[dict[str, Any]]]:
    """The driver's version and what each GPU says of itself."""
    with _nvml() as nvml:
        if nvml is None:
            return None, []

        def asked(question: str, *of: object) -> Any:
            """NVML's answer, or null where this GPU has none."""
            try:
                return getattr(nvml, question)(*of)
            except nvml.NVMLError:
                return None

        found = []
        for index in range(asked("nvmlDeviceGetCount") or 0):
            handle = asked("nvmlDeviceGetHandleByIndex", index)
            if handle is None:
                continue
            memory = asked("nvmlDeviceGetMemoryInfo", handle)
            limit = asked("nvmlDeviceGetPowerManagementLimit", handle)
            found.append(
                {
                    "name": _text(asked("nvmlDeviceGetName", handle)),
                    "memory_bytes": None if memory is None else int(memory.total),
                    "power_limit_w": None if limit is None else limit / 1000,
                }
            )
        return _text(asked("nvmlSystemGetDriverVersion")), found


def _text(value: str | bytes | None) -> str | None:
    """Older NVML bindings give bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def load() -> float | None:
    """Mean number of running processes over the last minute; null on Windows."""
    try:
        return os.getloadavg()[0]
    except (OSError, AttributeError):
        return None


def _cpu_name() -> str | None:
    """The processor's marketing name, which Python itself does not know on Linux."""
    with suppress(OSError):
        listed = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        if named := re.search(r"^(?:model name|Hardware)\s*:\s*(.+)$", listed, re.MULTILINE):
            return named[1].strip()
    if platform.system() == "Darwin":
        with suppress(OSError, subprocess.SubprocessError):
            said = subprocess.run(
                ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"],
                capture_output=True,
                text=True,
                timeout=10,
                check=True,
            )
            return said.stdout.strip() or None
    return platform.processor() or platform.machine() or None
