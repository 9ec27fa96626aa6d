"""What is known of a machine, with NVML and without."""

from __future__ import annotations

import json
import sys
from types import ModuleType, SimpleNamespace

import pytest

from analysis.runner import machine


class FakeError(Exception):
    pass


def fake_nvml(energy_mj: list[int | None], names: list[str | bytes]) -> ModuleType:
    """NVML with one GPU for each name; an energy of None is a GPU that does not count."""
    nvml = ModuleType("pynvml")

    def energy(handle: int) -> int:
        counted = energy_mj[handle]
        if counted is None:
            raise FakeError
        return counted

    def limit(handle: int) -> int:
        if handle:
            raise FakeError
        return 300_500

    nvml.NVMLError = FakeError
    nvml.started = nvml.stopped = 0
    nvml.nvmlInit = lambda: setattr(nvml, "started", nvml.started + 1)
    nvml.nvmlShutdown = lambda: setattr(nvml, "stopped", nvml.stopped + 1)
    nvml.nvmlSystemGetDriverVersion = lambda: b"580.1"
    nvml.nvmlDeviceGetCount = lambda: len(names)
    nvml.nvmlDeviceGetHandleByIndex = lambda index: index
    nvml.nvmlDeviceGetName = lambda handle: names[handle]
    nvml.nvmlDeviceGetMemoryInfo = lambda handle: SimpleNamespace(total=16 * 2**30)
    nvml.nvmlDeviceGetPowerManagementLimit = limit
    nvml.nvmlDeviceGetTotalEnergyConsumption = energy
    return nvml


@pytest.fixture
def without_nvml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)


def test_the_facts_are_texts_and_numbers_that_json_holds(without_nvml: None):
    facts = machine.machine_facts()
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert facts["threads"] >= 1
    assert facts["cpu"]
    assert facts["ram"].endswith(" GiB")
    assert (facts["gpu"], facts["driver"], facts["gpus"]) == (None, None, [])


def test_nobody_is_named(without_nvml: None, monkeypatch: pytest.MonkeyPatch):
    for question in ("node", "uname"):
        monkeypatch.setattr(machine.platform, question, lambda: pytest.fail("a host name"))
    monkeypatch.setattr(machine.platform, "system", lambda: "Linux")
    monkeypatch.setattr(machine.platform, "release", lambda: "6.1")
    assert machine.machine_facts()["os"] == "Linux 6.1"


def test_gpus_are_described_as_far_as_they_say(monkeypatch: pytest.MonkeyPatch):
    nvml = fake_nvml([1, 2], ["RTX 5070 Ti", b"RTX 3060"])
    monkeypatch.setitem(sys.modules, "pynvml", nvml)
    facts = machine.machine_facts()
    assert facts["gpu"] == "RTX 5070 Ti, RTX 3060"
    assert facts["driver"] == "580.1"
    assert facts["gpus"] == [
        {"name": "RTX 5070 Ti", "memory_bytes": 17179869184, "power_limit_w": 300.5},
        {"name": "RTX 3060", "memory_bytes": 17179869184, "power_limit_w": None},
    ]
    assert nvml.started == nvml.stopped == 1


def test_energy_is_the_sum_of_all_gpus_in_joules(monkeypatch: pytest.MonkeyPatch):
    energy = [1500, 2500]
    nvml = fake_nvml(energy, ["a", "b"])
    monkeypatch.setitem(sys.modules, "pynvml", nvml)
    with machine.energy_meter() as meter:
        assert meter.joules() == 4.0
        energy[1] += 250
        assert meter.joules() == 4.25
        assert nvml.stopped == 0
    assert nvml.stopped == 1


def test_a_gpu_that_does_not_count_makes_the_energy_unknown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pynvml", fake_nvml([1500, None], ["a", "b"]))
    with machine.energy_meter() as meter:
        assert meter.joules() is None


def test_without_a_driver_energy_is_unknown(monkeypatch: pytest.MonkeyPatch):
    nvml = fake_nvml([], [])

    def no_driver() -> None:
        raise FakeError

    nvml.nvmlInit = no_driver
    monkeypatch.setitem(sys.modules, "pynvml", nvml)
    with machine.energy_meter() as meter:
        assert meter.joules() is None
    assert machine.machine_facts()["gpus"] == []
    assert nvml.stopped == 0


def test_without_the_package_energy_is_unknown(without_nvml: None):
    with machine.energy_meter() as meter:
        assert meter.joules() is None
