"""The load test, with as many campaigns as a test run can wait for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT

CAMPAIGNS = os.environ.get("MTPBENCH_LOAD", "8")
"""``MTPBENCH_LOAD=1000 pytest tests/benchmarks --timeout 0`` is the whole of it."""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_many_campaigns_of_which_some_are_broken() -> None:
    every = str(max(1, min(100, int(CAMPAIGNS) // 2)))
    script = PROJECT_ROOT / "benchmarks" / "load.py"
    done = subprocess.run(
        [sys.executable, str(script), "--campaigns", CAMPAIGNS, "--broken-every", every],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    broken = int(CAMPAIGNS) // int(every)
    assert done.stdout.startswith(f"{int(CAMPAIGNS) - broken} reports, {broken} failures in ")
