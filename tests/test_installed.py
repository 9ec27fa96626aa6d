"""The package where it is installed: a wheel, in an environment of its own, outside the clone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT

pytestmark = [pytest.mark.installed, pytest.mark.timeout(1200)]

Call = Callable[..., subprocess.CompletedProcess[str]]
NAMES = ("qwen3.6-35b-a3b-dspark", "qwen3.6-35b-a3b-dflash")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def _called(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*map(str, words)], cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folder of the environment's programs, and one that holds two campaigns."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    # A name of constraints in pip's environment is relative to the clone.
    done = _called(*pip, "wheel", "--no-deps", "-w", folder, ".", cwd=PROJECT_ROOT)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    done = _called(sys.executable, "-m", "venv", folder / "env", cwd=folder)
    assert done.returncode == 0, done.stderr
    programs = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    done = _called(programs / "python", *pip[1:], "install", wheel, cwd=PROJECT_ROOT)
    assert done.returncode == 0, done.stderr
    work = folder / "work"
    for name in NAMES:
        shutil.copytree(PROJECT_ROOT / "raw" / name, work / name)
    return programs, work


@pytest.fixture(scope="module")
def call(installed: tuple[Path, Path]) -> Call:
    """``call(*words)``: the installed command, in the folder of the campaigns."""
    programs, work = installed

    def call(*words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = _called(programs / "mtpbench", *words, cwd=work)
        assert done.returncode == code, (words, done.stdout, done.stderr)
        return done

    return call


def test_no_project_is_looked_for_around_an_installed_package(
    installed: tuple[Path, Path], call: Call
) -> None:
    programs, work = installed
    code = (
        "from analysis.campaigns import campaign; print(campaign.PROJECT_ROOT, campaign.__file__)"
    )
    root, file = _called(programs / "python", "-c", code, cwd=work).stdout.split()
    assert root == "None"
    assert Path(file).is_relative_to(programs.parent)
    assert "error: raw/none: there is no such campaign; " in call("card", "raw/none", code=1).stderr


def test_the_version_is_the_declared_one(call: Call) -> None:
    text = (PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert call("--version").stdout == f"mtpbench {tomllib.loads(text)['project']['version']}\n"


def test_reports_are_rendered_and_checked(installed: tuple[Path, Path], call: Call) -> None:
    _, work = installed
    done = call("report", *NAMES, "--jobs", 2)
    assert done.stdout.splitlines() == [f"{name}: reports/{name}" for name in NAMES]
    for name in NAMES:
        report = work / "reports" / name
        assert json.loads((report / "results.json").read_text())["campaign"]["slug"] == name
        assert "<html" in (report / "report.html").read_text(encoding="utf-8")
        assert len(list(report.glob("figures/*.png"))) >= 8
        said = call("check", report / "README.md", name).stdout
        assert ", 0 differ, 0 not tied to the data\n" in said
    assert call("report", *NAMES).stdout.count(" (unchanged)\n") == 2


def test_the_other_commands_answer(installed: tuple[Path, Path], call: Call) -> None:
    _, work = installed
    name = NAMES[0]
    assert "\n## " in call("card", name).stdout
    assert "all prompts: " in call("recommend", name).stdout
    assert "effective_tps" in call("compare", *NAMES).stdout
    assert call("collect", *NAMES, "--out", "store").stdout.count(" findings\n") == 2
    assert list(work.glob("store/*/*/rows.parquet"))
    call("ingest", *sorted(work.glob(f"{name}/*.log")), "--init", "new")
    assert "[[runs]]" in (work / "new" / "campaign.toml").read_text(encoding="utf-8")
