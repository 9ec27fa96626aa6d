"""What a watch reads of a machine: the kernel's files, NVML, processor time."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from analysis.runner import sensors
from analysis.runner.surroundings import Watch
from tests.runner.test_machine import FakeError

NOTHING = {
    "other_load": None,
    "cpu_mhz": None,
    "cpu_c": None,
    "cpu_throttles": None,
    "cpu_w": None,
    "gpus": [],
}


@pytest.fixture(autouse=True)
def _no_frequency(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sensors.psutil, "cpu_freq", lambda: None)


def write(root: Path, **files: object) -> None:
    for name, value in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{value}\n")


def test_a_machine_that_tells_nothing(tmp_path: Path) -> None:
    with Watch(os.getpid(), sys=tmp_path).during() as found:
        assert found == {}
    assert found == NOTHING


class Clock:
    """Two readings of the counters, ten seconds apart."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, busy: float, ours: float) -> None:
        self.reading = -1
        idle = {"user": 0.0, "nice": 0.0, "system": 0.0, "idle": 5.0, "iowait": 1.0}
        none = {**idle, "irq": 0.0, "softirq": 0.0, "steal": 0.0, "guest": 0.0}
        some = {**none, "user": busy - 1.0, "steal": 1.0, "idle": 99.0}

        def times() -> SimpleNamespace:
            self.reading += 1
            return SimpleNamespace(**(some if self.reading else none))

        monkeypatch.setattr(sensors.psutil, "cpu_times", times)
        monkeypatch.setattr(
            sensors, "_processor_seconds", lambda process: ours / 2 if self.reading else 0.0
        )
        monkeypatch.setattr(
            sensors.psutil.Process, "children", lambda self, recursive: [], raising=True
        )
        monkeypatch.setattr(sensors.time, "perf_counter", lambda: 10.0 * self.reading)


def test_other_load_is_what_neither_the_server_nor_we_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Clock(monkeypatch, busy=25.0, ours=10.0)
    with Watch(os.getpid(), sys=tmp_path).during() as found:
        pass
    # 24 s of programs and 1 s that a host took, less 5 s each of us and of the guard.
    assert found["other_load"] == 1.5


def test_over_a_moment_it_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, busy=25.0, ours=10.0)
    monkeypatch.setattr(sensors.time, "perf_counter", lambda: 0.19 * clock.reading)
    with Watch(os.getpid(), sys=tmp_path).during() as found:
        pass
    assert found["other_load"] is None


def test_the_kernel_s_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch, busy=25.0, ours=10.0)
    cpu = "devices__system__cpu__cpu"
    rapl = "class__powercap__intel-rapl:"
    card = "class__drm__card0__device__hwmon__hwmon3__"
    write(
        tmp_path,
        **{
            f"{cpu}0__cpufreq__scaling_cur_freq": 800_000,
            f"{cpu}1__cpufreq__scaling_cur_freq": 4_200_000,
            f"{cpu}0__thermal_throttle__core_throttle_count": 3,
            f"{rapl}0__energy_uj": 1_000_000,
            f"{rapl}0:0__energy_uj": 900_000,
            "class__hwmon__hwmon0__name": "coretemp",
            "class__hwmon__hwmon0__temp1_input": 61_000,
            "class__hwmon__hwmon0__temp2_input": 70_500,
            "class__hwmon__hwmon1__name": "nvme",
            "class__hwmon__hwmon1__temp1_input": 99_000,
            f"{card}freq1_input": 2_400_000_000,
            f"{card}temp1_input": 55_000,
            f"{card}power1_average": 180_000_000,
        },
    )
    with Watch(os.getpid(), sys=tmp_path).during() as found:
        write(
            tmp_path,
            **{
                f"{cpu}0__thermal_throttle__core_throttle_count": 5,
                f"{rapl}0__energy_uj": 351_000_000,
            },
        )
    assert (found["cpu_mhz"], found["cpu_c"], found["cpu_throttles"]) == (4200.0, 70.5, 2.0)
    assert found["cpu_w"] == 35.0
    assert found["gpus"] == [
        {"mhz": 2400.0, "memory_mhz": None, "c": 55.0, "w": 180.0, "throttled": None}
    ]


def test_an_energy_counter_that_begins_anew_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Clock(monkeypatch, busy=25.0, ours=10.0)
    write(tmp_path, **{"class__powercap__intel-rapl:0__energy_uj": 100})
    with Watch(os.getpid(), sys=tmp_path).during() as found:
        write(tmp_path, **{"class__powercap__intel-rapl:0__energy_uj": 1})
    assert found["cpu_w"] is None


@pytest.fixture
def nvml() -> ModuleType:
    module = ModuleType("pynvml")
    module.NVMLError = FakeError
    module.nvmlDeviceGetCount = lambda: 2
    module.nvmlDeviceGetHandleByIndex = lambda index: index
    module.nvmlDeviceGetClockInfo = lambda handle, kind: {1: 2505, 2: 14001}[kind]
    module.nvmlDeviceGetTemperature = lambda handle, kind: 66

    def power(handle: int) -> int:
        if handle:
            raise FakeError
        return 287_500

    module.nvmlDeviceGetPowerUsage = power
    # Idle, and slowed down for its power limit and by the driver for its heat.
    module.nvmlDeviceGetCurrentClocksEventReasons = lambda handle: 0x1 if handle else 0x25
    return module


def test_gpus_of_nvidia(tmp_path: Path, nvml: ModuleType) -> None:
    with Watch(os.getpid(), nvml, tmp_path).during() as found:
        pass
    clocks = {"mhz": 2505, "memory_mhz": 14001, "c": 66}
    assert found["gpus"] == [
        {**clocks, "w": 287.5, "throttled": ["power limit", "heat (driver)"]},
        {**clocks, "w": None, "throttled": []},
    ]


def test_what_this_machine_says_is_plain() -> None:
    with Watch(os.getpid()).during() as found:
        pass
    assert set(found) == set(NOTHING)
    assert all(value is None or value >= 0 for key, value in found.items() if key != "gpus")
