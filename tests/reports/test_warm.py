"""Forked kernels: the same as others in all they show, and strangers to each other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from analysis.files.leftovers import name_of, sweep
from analysis.reports import pool
from analysis.reports.render import Job
from tests.reports.conftest import printed, tree, write_notebook

pytestmark = [

    pytest.mark.skipif(not pool.CAN_FORK, reason="kernels are forked on Linux only"),
]

Write = Callable[..., Path]

SHOWN = [
    "print('out'); import sys; print('err', file=sys.stderr); print('out again')",
    "import os; os.write(1, b'to the descriptor\\n'); os.system('echo from a child')",
    "import pandas as pd; pd.DataFrame({f'column {n}': [n, n + .5] for n in range(24)})",
    "import matplotlib.pyplot as plt; plt.plot([1, 2, 3]); plt.title('A'); plt.show()",
    "from IPython.display import HTML, Markdown, display; display(Markdown('*a*')); HTML('<b>b</b>')",
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
    np.geterr(), getattr(analysis.pipeline.write, '__name__', None), getattr(analysis.pipeline.draw, '__name__', None),
    'leak' in sys.modules, '/leak' in sys.path, sys.getrecursionlimit(), warnings.filters[0][0] == 'error',
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


EVIL = {
    "leaky": LEAKY + PROBE,
    "killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "left": "import os; os._exit(0)",
    "looping": "while True: pass",
    "patricide": "import os, signal; os.kill(os.getppid(), signal.SIGKILL)",
    "failing": "1 / 0",
}


def job(source: Path, notebook: Path, folder: Path, timeout_s: float | None = 60) -> Job:
    return Job(str(source), str(folder), "", {}, timeout_s, str(notebook))


def done(work: Sequence[Job], workers: int = 1, *, warm: bool = True) -> list[str | None]:
    """The error of each job."""
    errors = dict((pool.warm if warm else pool.cold)(enumerate(work), workers))
    return [errors[number] for number in range(len(work))]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, write_campaign: Write) -> Path:
    return write_campaign(tmp_path_factory.mktemp("warm") / "made")


@dataclass(frozen=True)
class Made:
    """What one nursery made: a folder for each name, and the errors."""

    folder: Path
    errors: Mapping[str, str | None]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, source: Path) -> Made:
    """Harmless notebooks, and evil ones with the same probe after each."""
    folder = tmp_path_factory.mktemp("made")
    codes = {"shown": SHOWN, "probe": [PROBE], "one": [DRAWN], "other": [DRAWN], "open": [OPEN]}
    codes |= {name: [code] for name, code in EVIL.items()}
    paths = {name: write_notebook(folder / f"{name}.ipynb", *code) for name, code in codes.items()}
    order = [(name, name) for name in ("probe", "shown", "one", "other", "open")]
    for name in EVIL:
        order += [(name, name), (f"after-{name}", "probe")]
    work = [
        job(source, paths[notebook], folder / "out" / name, 4 if name == "looping" else 60)
        for name, notebook in order
    ]
    errors = done(work, workers=2)
    names = [name for name, _ in order]
    return Made(folder, dict(zip(names, errors, strict=True)))


def test_what_a_notebook_shows_is_what_an_ordinary_kernel_shows(
    made: Made, tmp_path: Path, source: Path
) -> None:
    names = ["shown", "probe"]
    work = [job(source, made.folder / f"{name}.ipynb", tmp_path / name) for name in names]
    assert done(work, warm=False) == [None, None]
    for name in names:
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


def test_a_report_made_alone_is_the_same(made: Made, tmp_path: Path, source: Path) -> None:
    for name in ("shown", "probe", "open"):
        work = job(source, made.folder / f"{name}.ipynb", tmp_path / name)
        assert done([work]) == [None]
        assert tree(made.folder / "out" / name) == tree(tmp_path / name)


def test_a_kernel_that_dies_or_never_ends_harms_nobody(made: Made, source: Path) -> None:
    failed = {name: error for name, error in made.errors.items() if error is not None}
    assert failed.keys() == EVIL.keys() - {"leaky"}
    assert "the kernel died" in failed["killed"]
    assert "the kernel died" in failed["left"]
    assert "a cell did not end within 4 seconds; " in failed["looping"]
    assert "cell 3 failed: ZeroDivisionError: division by zero; " in failed["failing"]
    assert failed["patricide"].startswith(
        f"{source}: the process that rendered it ended with -9; "
    )
    # That process could not tidy; whoever started the nursery does.
    (left,) = [path for path in (made.folder / "out").iterdir() if path.suffix == ".part"]
    assert name_of(left.name) == "patricide"
    sweep(left.parent)
    assert not left.exists()


def test_a_nursery_that_is_killed_is_replaced(tmp_path: Path, source: Path) -> None:
    code = "import psutil; psutil.Process().parent().parent().kill()"
    murderer = write_notebook(tmp_path / "murderer.ipynb", code)
    harmless = write_notebook(tmp_path / "harmless.ipynb", "print('done')")
    work = [job(source, path, tmp_path / "out" / path.stem) for path in (murderer, harmless)]
    assert done(work) == [
        f"{source}: the process that rendered it was killed; render it again with --jobs 1",
        None,
    ]
    assert printed(tmp_path / "out" / "harmless") == "done\n"


def test_all_processes_end_with_the_nursery(tmp_path: Path, source: Path) -> None:
    loop = write_notebook(tmp_path / "loop.ipynb", "import threading; threading.Event().wait()")
    with pool.Nursery() as nursery:
        nursery.submit(0, job(source, loop, tmp_path / "out" / "loop"))
        group = _family_with_kernel(nursery.process.pid)
    _, alive = psutil.wait_procs(group, timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


def _family_with_kernel(pid: int) -> list[psutil.Process]:
    """The nursery, the process that runs papermill, and its kernel, once there are all."""
    nursery = psutil.Process(pid)
    tick = threading.Event()
    for _ in range(3000):
        below = nursery.children(recursive=True)
        # The waiting kernel has no threads of its own yet.
        if len(below) == 2 and all(process.num_threads() > 2 for process in below):
            return [nursery, *below]
        tick.wait(0.02)
    message = "no kernel was started"
    raise AssertionError(message)


def test_a_kernel_that_is_not_installed_is_our_error(tmp_path: Path, source: Path) -> None:
    path = write_notebook(tmp_path / "other.ipynb", "print(1)")
    path.write_text(path.read_text().replace('"python3"', '"no-such-kernel"'))
    (error,) = done([job(source, path, tmp_path / "out")], warm=False)
    assert error is not None
    assert error.startswith(f"{path}: ")
    assert "no-such-kernel" in error
