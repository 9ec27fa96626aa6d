"""Forked kernels: the same as others in all they show, and strangers to each other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from analysis.errors import MtpbenchError
from analysis.reports import nursery
from analysis.reports.kernels import CAN_FORK, Kernels
from analysis.reports.render import render
from tests.reports.conftest import printed, tree, write_notebook

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="kernels are forked on Linux only")

Write = Callable[..., Path]

SHOWN = [
    "print('out'); import sys; print('err', file=sys.stderr); print('out again')",
    "import os; os.write(1, b'to the descriptor\\n'); os.system('echo from a child')",
    "import pandas as pd; pd.DataFrame({f'column {n}': [n, n + .5] for n in range(24)})",
    "import matplotlib.pyplot as plt; plt.plot([1, 2, 3]); plt.title('A'); plt.show()",
    "from IPython.display import HTML, Markdown, display",
    "display(Markdown('*a*')); HTML('<b>b</b>')",
    "import sys; [sys.argv[0].split('/')[-1], sys.path[0], __name__, plt.get_backend()]",
    "pd.Series([1.5, None], name='a'), Ellipsis, lambda: 0 if False else None, In[1], Out",
    "x = !echo captured\nx",
    "import analysis.notebooks as notebooks; notebooks.runs_table.__module__",
]
LEAKY = """
import builtins, decimal, logging, os, sys, threading, warnings
import matplotlib, numpy as np, pandas as pd
import analysis.pipeline
leak = builtins.leak = 1
matplotlib.rcParams['figure.dpi'] = 7
os.environ['LEAK'] = '1'
pd.set_option('display.max_rows', 1)
np.random.seed(1); np.seterr(all='raise')
analysis.pipeline.write = analysis.pipeline.draw = None
sys.modules['leak'] = os; sys.path.insert(0, '/leak'); sys.setrecursionlimit(999)
warnings.simplefilter('error'); logging.disable(50); decimal.getcontext().prec = 3
thread = threading.Thread(target=threading.Event().wait, name='leak')
thread.start()
get_ipython().run_line_magic('precision', '2')
os.umask(0o077); os.chdir('/')
"""
PROBE = """
import builtins, decimal, logging, os, sys, threading, warnings
import matplotlib, numpy as np, pandas as pd
import analysis.pipeline
for thing in (
    'leak' in globals(), hasattr(builtins, 'leak'), matplotlib.rcParams['figure.dpi'],
    os.environ.get('LEAK'), pd.get_option('display.max_rows'), pd.get_option('display.max_columns'),
    np.geterr(), getattr(analysis.pipeline.write, '__name__', None),
    getattr(analysis.pipeline.draw, '__name__', None),
    'leak' in sys.modules, '/leak' in sys.path, sys.getrecursionlimit(),
    warnings.filters[0][0] == 'error',
    logging.root.manager.disable, decimal.getcontext().prec, os.getcwd() == '/', os.umask(0o022),
    sorted(thread.name for thread in threading.enumerate() if 'leak' in thread.name),
    get_ipython().display_formatter.formatters['text/plain'].float_precision,
    os.environ.get('OMP_NUM_THREADS'), os.environ.get('MPLBACKEND'), os.environ.get('PYTHONPATH'),
): print(thing)
"""
OPEN = """
import os
names = [os.path.realpath(f'/proc/self/fd/{fd}') for fd in os.listdir('/proc/self/fd')]
for name in names: # a kernel has its own history, and what was installed is for all
    if os.path.isfile(name) and 'site-packages' in name: print(name)
"""
DRAWN = "import numpy as np, random, uuid; print(np.random.rand(), random.random(), uuid.uuid4())"


IMPORTED = f"""
import sys
print(*(name for name in {nursery.IMPORTED} if name not in sys.modules))
"""

EVIL = {
    "leaky": LEAKY + PROBE,
    "killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "left": "import os; os._exit(0)",
    "looping": "while True: pass",
    "failing": "1 / 0",
}


def done(
    source: Path, notebook: Path, folder: Path, kernels: Kernels, timeout_s: float = 60
) -> str | None:
    """The error of one rendering, in a thread of its own as a batch has them."""
    with ThreadPoolExecutor(1) as thread:
        work = thread.submit(
            render, source, folder, "", timeout_s=timeout_s, kernels=kernels, notebook=notebook
        )
        error = work.exception()
    assert error is None or isinstance(error, MtpbenchError)
    return None if error is None else str(error)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, write_campaign: Write) -> Path:
    return write_campaign(tmp_path_factory.mktemp("kernels") / "made")


@pytest.fixture(scope="module")
def kernels() -> Iterator[Kernels]:
    with Kernels() as kernels:
        yield kernels


@dataclass(frozen=True)
class Made:
    """What one nursery's kernels made: a folder for each name, and the errors."""

    folder: Path
    errors: Mapping[str, str | None]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, source: Path, kernels: Kernels) -> Made:
    """Harmless notebooks, and evil ones with the same probe after each."""
    folder = tmp_path_factory.mktemp("made")
    codes = {"shown": SHOWN, "probe": [PROBE], "one": [DRAWN], "other": [DRAWN], "open": [OPEN]}
    codes["imported"] = [IMPORTED]
    codes |= {name: [code] for name, code in EVIL.items()}
    paths = {name: write_notebook(folder / f"{name}.ipynb", *code) for name, code in codes.items()}
    order = {name: name for name in codes if name not in EVIL}
    for name in EVIL:
        order |= {name: name, f"after-{name}": "probe"}

    def make(name: str) -> str | None:
        timeout_s = 2 if name == "looping" else 60
        return done(source, paths[order[name]], folder / "out" / name, kernels, timeout_s)

    with ThreadPoolExecutor(2) as workers:
        return Made(folder, dict(zip(order, workers.map(make, order), strict=True)))


def test_what_a_notebook_shows_is_what_an_ordinary_kernel_shows(
    made: Made, tmp_path: Path, source: Path
) -> None:
    with Kernels(fork=False) as ordinary:
        for name in ("shown", "probe"):
            error = done(source, made.folder / f"{name}.ipynb", tmp_path / name, ordinary)
            assert error is None
            assert tree(made.folder / "out" / name) == tree(tmp_path / name)
    shown = (tmp_path / "shown" / "report.ipynb").read_text()
    for part in ("to the descriptor", "from a child", "image/png", "column 23"):
        assert part in shown


def test_nothing_that_one_does_reaches_the_next(made: Made) -> None:
    probe = printed(made.folder / "out" / "probe")
    for name in EVIL:
        assert printed(made.folder / "out" / f"after-{name}") == probe, name
    leaky = printed(made.folder / "out" / "leaky")
    different = [a != b for a, b in zip(leaky.split("\n"), probe.split("\n"), strict=True)]
    assert sum(different) >= 15, "the leaks must show where they were made"


def test_random_numbers_are_not_shared(made: Made) -> None:
    one, other = (printed(made.folder / "out" / name).split() for name in ("one", "other"))
    assert len(one) == 3
    assert all(a != b for a, b in zip(one, other, strict=True))


def test_no_open_file_is_shared(made: Made) -> None:
    # Two that read fonts through one descriptor would move each other's place in the file.
    assert printed(made.folder / "out" / "open") == ""


def test_what_takes_long_to_import_is_there_before_a_notebook_begins(made: Made) -> None:
    assert printed(made.folder / "out" / "imported") == "\n"


def test_a_kernel_that_dies_or_never_ends_harms_nobody(made: Made) -> None:
    failed = {name: error for name, error in made.errors.items() if error is not None}
    assert failed.keys() == EVIL.keys() - {"leaky"}
    assert "the kernel died" in failed["killed"]
    assert "the kernel died" in failed["left"]
    assert "a cell did not end within 2 seconds; " in failed["looping"]
    assert "cell 3 failed: ZeroDivisionError: division by zero; " in failed["failing"]
    assert not list((made.folder / "out").glob(".*")), "nothing half-written is left"


def test_a_nursery_that_is_killed_is_replaced(
    tmp_path: Path, source: Path, kernels: Kernels
) -> None:
    code = "import os, signal, time; os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)"
    patricide = write_notebook(tmp_path / "patricide.ipynb", code)
    error = done(source, patricide, tmp_path / "out" / "patricide", kernels)
    assert error is not None
    assert "the kernel died" in error
    harmless = write_notebook(tmp_path / "harmless.ipynb", "print('done')")
    assert done(source, harmless, tmp_path / "out" / "harmless", kernels) is None
    assert printed(tmp_path / "out" / "harmless") == "done\n"


@pytest.mark.parametrize("fork", [True, False])
def test_all_processes_end_when_they_are_stopped(fork: bool, tmp_path: Path, source: Path) -> None:
    begun = tmp_path / "begun"
    code = f"import pathlib, threading; pathlib.Path({str(begun)!r}).touch()"
    loop = write_notebook(tmp_path / "loop.ipynb", f"{code}; threading.Event().wait()")
    before = psutil.Process().children(recursive=True)
    kernels = Kernels(fork=fork)
    with ThreadPoolExecutor(1) as worker:
        waiting = worker.submit(done, source, loop, tmp_path / "out" / "loop", kernels)
        tick = threading.Event()
        while not begun.exists():
            assert not waiting.done(), waiting.result()
            tick.wait(0.02)
        group = [one for one in psutil.Process().children(recursive=True) if one not in before]
        assert len(group) == (2 if fork else 1)
        kernels.stop()
        said = waiting.result(20)
    assert said is not None
    assert "the kernel died" in said
    _, alive = psutil.wait_procs(group, timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
    assert list((tmp_path / "out").iterdir()) == []
    refused = done(source, loop, tmp_path / "out" / "loop", kernels)
    assert not fork or "it was interrupted; " in str(refused)


def test_a_kernel_that_is_not_installed_is_our_error(tmp_path: Path, source: Path) -> None:
    path = write_notebook(tmp_path / "other.ipynb", "print(1)")
    path.write_text(path.read_text().replace('"python3"', '"no-such-kernel"'))
    error = done(source, path, tmp_path / "out", Kernels(fork=False))
    assert error is not None
    assert error.startswith(f"{path}: ")
    assert "no-such-kernel" in error
