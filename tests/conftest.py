"""Factories that the tests share: records, campaigns on disk, and the real command line."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

import hypothesis
import pytest

from analysis.campaigns.campaign import PROJECT_ROOT, Campaign
from analysis.cli import main
from analysis.records import Aggregate, Run, Source, TaskResult
from analysis.reports import batch
from analysis.reports.kernels import Kernels
from tests.real_server import FOREIGN, REMEDY, usable
from tests.runner.small_model import FEW, write_small_model

# jsonschema would compile a grammar of addresses for 1.4 s, which no test here asks for.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

# How long an example takes says something about the machine, not about the code. Every run draws
# others: what fifty of them miss another fifty will find.
hypothesis.settings.register_profile("mtpbench", deadline=None, max_examples=50)
hypothesis.settings.load_profile("mtpbench")

# Of two workers, one would wait for the other at the end if what takes longest came last.
LONGEST = (
    "page/test_browser",
    "notebooks/test_in_lab",
    "reports/test_reports",
    "test_docs_examples",
    "reports/test_kernels",
    "runner/test_live",
    "checking/test_generated",
    "runner/test_session",
    "runner/test_going_on",
    "charts/test_charts",
    "runner/test_demo_drafts_live",
    "reports/test_cluster",
    "cards/test_render",
    "publishing/test_push",
    "runner/test_at_once",
    "depths/test_known_truth",
    "commands/test_nothing_private",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the files that take longest be the first."""
    folder = Path(__file__).parent
    place = {folder / f"{name}.py": number for number, name in enumerate(LONGEST)}
    assert all(path.is_file() for path in place)
    items.sort(key=lambda item: place.get(item.path, len(place)))


Row = tuple[str, int, int, int, float]


def _task(
    name: str = "code_python",
    predicted: int | None = 100,
    drafted: int | None = 0,
    accepted: int | None = 0,
    tps: float | None = 100.0,
    **others: object,
) -> TaskResult:
    made = TaskResult(
        name,
        Source("made.log", 1),
        predicted_tokens=predicted,
        draft_tokens=drafted,
        accepted_tokens=accepted,
        decode_tps=tps,
    )
    return replace(made, **others)


def _run(id: str, *tasks: TaskResult, wall_s: float | None = None, **others: object) -> Run:
    total = None if wall_s is None else Aggregate(Source(f"{id}.log", 9), wall_s=wall_s)
    made = Run(Source(f"{id}.log", 1, 9), "mtp-bench", tasks, aggregate=total, id=id)
    return replace(made, **others)


def _campaign(*runs: Run, baseline: str | None = None, **others: object) -> Campaign:
    made = Campaign("made", Path("made"), "Made", baseline=baseline, runs=runs)
    return replace(made, **others)


@pytest.fixture(scope="session")
def task() -> Callable[..., TaskResult]:
    """``task(name, predicted, drafted, accepted, tps, **fields)``: one request."""
    return _task


@pytest.fixture(scope="session")
def run() -> Callable[..., Run]:
    """``run(id, *tasks, wall_s=None, **fields)``: one configuration."""
    return _run


@pytest.fixture(scope="session")
def campaign() -> Callable[..., Campaign]:
    """``campaign(*runs, baseline=None, **fields)``: a campaign in memory."""
    return _campaign


def _log(rows: Sequence[Row], wall_s: float = 10.0) -> str:
    lines = [
        f"  {name:<18} pred={predicted:4d} draft={drafted:4d} acc={accepted:4d} "
        f"rate={f'{accepted / drafted:.3f}' if drafted else 'n/a'} tok/s={tps:.1f}"
        for name, predicted, drafted, accepted, tps in rows
    ]
    sums = [sum(row[column] for row in rows) for column in (1, 2, 3)]
    rate = f"{sums[2] / sums[1]:.4f}" if sums[1] else "null"
    return "\n".join(lines) + (
        f'\n\nAggregate: {{\n  "n_requests": {len(rows)},\n  "total_predicted": {sums[0]},\n'
        f'  "total_draft": {sums[1]},\n  "total_draft_accepted": {sums[2]},\n'
        f'  "aggregate_accept_rate": {rate},\n  "wall_s_total": {wall_s}\n}}\n'
    )


@pytest.fixture(scope="session")
def log() -> Callable[..., str]:
    """``log([(task, predicted, drafted, accepted, tok/s), …], wall_s)``: mtp-bench's output."""
    return _log


BASELINE_ROWS: list[Row] = [("code_python", 100, 0, 0, 100.0), ("qa_factual", 50, 0, 0, 50.0)]
DRAFTED_ROWS: list[Row] = [("code_python", 100, 78, 60, 200.0), ("qa_factual", 50, 58, 20, 40.0)]

SETTINGS = """\
[campaign]
title = "Made"
baseline = "plain"

[[runs]]
id = "plain"
log = "plain.log"
spec_type = "none"

[[runs]]
id = "fast"
log = "fast.log"
spec_type = "draft-mtp"
n_max = 2
"""


@pytest.fixture(scope="session")
def settings() -> str:
    """A campaign.toml that is as it should be: lines 1-3, 5-8 and 10-14."""
    return SETTINGS


@pytest.fixture(scope="session")
def write_campaign() -> Callable[..., Path]:
    """``write_campaign(folder, settings=…, **logs)``: a two-run campaign on disk.

    The runs are `plain` and `fast`; a log given as ``None`` is not written.
    """

    def write(folder: Path, settings: str | bytes = SETTINGS, **logs: str | bytes | None) -> Path:
        folder.mkdir(parents=True)
        logs = {"plain": _log(BASELINE_ROWS, 2.5), "fast": _log(DRAFTED_ROWS, 2.0), **logs}
        files = {"campaign.toml": settings, **{f"{name}.log": text for name, text in logs.items()}}
        for name, content in files.items():
            if content is not None:
                data = content.encode() if isinstance(content, str) else content
                (folder / name).write_bytes(data)
        return folder

    return write


@pytest.fixture(scope="session", autouse=True)
def _each_summary_once() -> Iterator[None]:
    """What is loaded again and again, from one folder after the other, is summed up once."""
    if "analysis.pipeline" not in sys.modules:  # as in most rooms, which need no such thing
        yield
        return
    from tests import committed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(committed.pipeline, "summarise", committed.summarised)
        patch.setattr(committed.pipeline, "audit", committed.audited)
        yield


Called = subprocess.CompletedProcess[str]


class _LastingKernels(Kernels):
    """What one command forks its kernels from, the next may as well: it takes seconds to start."""

    def stop(self) -> None:
        pass

    def end(self) -> None:
        super().stop()


@pytest.fixture(scope="session")
def mtpbench() -> Iterator[Callable[..., Called]]:
    """``mtpbench(*words, cwd=…, input=…)``: the command line, in this process."""
    kernels = _LastingKernels()

    def call(*words: object, cwd: Path | None = None, input: str = "") -> Called:
        given = list(map(str, words))
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n") for _ in range(2))
        asked = io.TextIOWrapper(io.BufferedReader(io.BytesIO(input.encode())), "utf-8")
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.chdir(cwd or Path.cwd())
            patch.setattr(sys, "stdin", asked)
            patch.setattr(batch, "Kernels", lambda: kernels)
            try:
                code = main(given)
            except SystemExit as ended:
                code = ended.code
        said, complained = (_text(stream) for stream in (out, err))
        return subprocess.CompletedProcess(given, code, said, complained)

    yield call
    kernels.end()


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()


@pytest.fixture(scope="session")
def mtpbench_process() -> Callable[..., Called]:
    """The same in a process of its own, for tests of what only that shows."""

    def call(*words: object, **options: object) -> Called:
        return subprocess.run(
            [sys.executable, "-m", "analysis", *map(str, words)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            **options,
        )

    return call


@pytest.fixture(scope="session")
def pages() -> ModuleType:
    """The script that writes the pages of docs/ which the program writes itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PROJECT_ROOT / ".ci")
        return import_module("pages")


@pytest.fixture(scope="session")
def llama_server() -> Path:
    """A llama-server, for what needs no model; skips where none can be run."""
    found = usable()
    if found is None:
        pytest.skip(f"{FOREIGN}; {REMEDY}")
    return found


@pytest.fixture(scope="session")
def loading_llama_server(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, for what needs a model; skips where each dies while it loads one."""
    small = tmp_path_factory.mktemp("probe") / "small.gguf"
    write_small_model(small, layers=1, vocabulary=FEW)
    found = usable(small)
    if found is None:
        pytest.skip(f"{FOREIGN}; {REMEDY}")
    return found
