"""Reports through papermill, by the real command line: slow, hence few."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import psutil
import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.errors import CampaignError, ReportError, printable
from analysis.files.fingerprint import STAMP, stamp
from analysis.reports import CARD_NOTEBOOK, Rendered, report
from analysis.reports.execution import execute
from tests.reports.conftest import tree, write_notebook

Command = Callable[..., subprocess.CompletedProcess[str]]
Write = Callable[..., Path]

RAW = PROJECT_ROOT / "raw"
WHOLE = {"README.md", "RESULTS.md", "report.html", "results.json", "report.ipynb", "preset.ini"}


# ---- bad input, next to a campaign that is fine

RUN = '[[runs]]\nid = "plain"\nlog = "plain.log"\n'
ROW = "code_python        pred= 192 draft="
BAD: dict[str, tuple[dict[str, object], str]] = {
    "missing-log": ({"plain": None}, "campaign.toml:7: there is no log 'plain.log'; "),
    "empty-log": ({"plain": b""}, "plain.log: the file is empty; "),
    "binary-log": ({"plain": b"GG\n\0"}, "plain.log:2: this is a binary file"),
    "latin-log": ({"plain": b"a\n\xe9"}, "plain.log:2: byte 0xe9 at offset 2 is not UTF-8; "),
    "no-rows": (
        {"plain": b'{"n_requests": 1, "wall_s_total": 1.0}'},
        "plain.log:1: a block with no rows",
    ),
    "cut-row": ({"plain": f"\n{ROW}".encode()}, "plain.log:2: the only row is cut; "),
    "broken-json": (
        {"plain": b'{"results": [\n{"predicted_n": 3 4}]}'},
        "plain.log:2: this is not JSON",
    ),
    "two-baselines": (
        {
            "settings": f'[campaign]\n{RUN}spec_type = "none"\n'
            + RUN.replace('"plain"', '"again"')
            + 'spec_type = "none"\n'
        },
        "campaign.toml:1: there are two baselines (plain, again); ",
    ),
    "unknown-method": (
        {"settings": f'{RUN}spec_type = "magic"\n'},
        "campaign.toml:4: spec_type is 'magic'; use one of: none, ",
    ),
    "unknown-key": ({"settings": f"{RUN}nmax = 2\n"}, "campaign.toml:4: this key is 'nmax'; "),
    "unknown-task": (
        {"settings": f'{RUN}[workloads]\npoems = "creative"\n'},
        "campaign.toml:5: no log has a task 'poems'; ",
    ),
    "leaving": (
        {"settings": RUN.replace("plain.log", "../good/plain.log")},
        "campaign.toml:3: log '../good/plain.log' is outside the campaign folder; ",
    ),
}


def former(folder: Path) -> None:
    """A report that was made from something else."""
    folder.mkdir(parents=True)
    (folder / "report.html").write_text("the former report")
    stamp(folder, "other inputs")


HOSTILE_LABEL = "a|b `c`\n# d <script>alert(1)</script> --- key: [v] <!-- mtpbench:end raw -->"


# A name that is not UTF-8, where the system has such.
HOSTILE = os.fsdecode(b"hostile-\xff") if sys.platform == "linux" else "hostile"


@dataclass(frozen=True)
class Batch:
    folder: Path
    done: subprocess.CompletedProcess[str]


@pytest.fixture(scope="session")
def rendered(
    tmp_path_factory: pytest.TempPathFactory,
    mtpbench_process: Command,
    write_campaign: Write,
    settings: str,
) -> Batch:
    """A campaign of each bad kind, a good one among them, and one that is hostile."""
    folder = tmp_path_factory.mktemp("rendered")
    for name, (files, _) in BAD.items():
        write_campaign(folder / name, **files)
    write_campaign(folder / "good")
    write_campaign(
        folder / HOSTILE,
        settings.replace('"Made"', json.dumps(HOSTILE_LABEL)).replace(
            "n_max = 2", f"n_max = 2\nlabel = {json.dumps(HOSTILE_LABEL)}"
        ),
    )
    former(folder / "out" / "empty-log")
    names = list(BAD)
    names = [*names[:3], "good", *names[3:], "nowhere", HOSTILE]
    done = mtpbench_process("report", *names, "--out", "out", "--jobs", 2, cwd=folder)
    return Batch(folder, done)


def test_every_failing_campaign_is_named_and_the_others_are_finished(rendered: Batch) -> None:
    assert rendered.done.returncode == 1
    shown = printable(HOSTILE)
    assert rendered.done.stdout == f"good: out/good\n{shown}: out/{shown}\n"
    assert "Traceback" not in rendered.done.stderr
    lines = rendered.done.stderr.splitlines()
    assert lines[-1] == f"{len(BAD) + 1} of {len(BAD) + 3} campaigns failed"
    assert len(lines) == len(BAD) + 2
    assert lines[-2].startswith("error: nowhere: there is no such campaign; ")


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_our_error_with_its_place(name: str, rendered: Batch) -> None:
    said = f"error: {name}/{BAD[name][1]}"
    (line,) = [line for line in rendered.done.stderr.splitlines() if line.startswith(said)]
    assert "; " in line


def test_no_half_written_report(rendered: Batch) -> None:
    out = rendered.folder / "out"
    assert sorted(path.name for path in out.iterdir()) == ["empty-log", "good", HOSTILE]
    assert tree(out / "empty-log")["report.html"] == b"the former report"


def test_a_report_is_whole(rendered: Batch) -> None:
    files = tree(rendered.folder / "out" / "good")
    assert files.keys() >= WHOLE
    pictures = {name for name in files if name not in {*WHOLE, STAMP}}
    assert pictures
    assert all(re.fullmatch(r"figures/[\w-]+\.png", name) for name in pictures)
    card = files["README.md"].decode()
    for name in re.findall(r'(?:src="|\]\()(figures/[^")]+)', card):
        assert name in files, name
    data = json.loads(files["results.json"])
    assert [row["effective_tps"] for row in data["runs"]] == [60.0, 75.0]
    assert data["runs"][1]["speedup"] == 1.25
    assert "1.25" in card
    assert b"data:image/png;base64," in files["report.html"]


def test_no_path_of_this_machine_is_published(rendered: Batch) -> None:
    for name, content in tree(rendered.folder / "out" / "good").items():
        for place in (rendered.folder, PROJECT_ROOT, Path.home(), Path(sys.prefix)):
            assert f"{place}/".encode() not in content, (name, place)


def test_the_executed_notebook_is_kept_without_times(rendered: Batch) -> None:
    text = (rendered.folder / "out" / "good" / "report.ipynb").read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    assert "papermill" not in notebook.metadata
    assert "start_time" not in text
    (injected,) = [
        cell for cell in notebook.cells if "injected-parameters" in cell.metadata.get("tags", [])
    ]
    assert injected.source == "campaign = 'good'\nout = '.'"


def test_a_hostile_label_stays_a_label(rendered: Batch) -> None:
    files = tree(rendered.folder / "out" / HOSTILE)
    data = json.loads(files["results.json"])
    assert data["runs"][1]["label"] == data["campaign"]["title"] == HOSTILE_LABEL
    page, card = files["report.html"].decode(), files["README.md"].decode()
    # The page has one of its own, which is its last element.
    before, script = page.lower().split("<script")
    assert "alert(1)" in before
    assert "alert(1)" not in script
    assert "<script" not in card.lower()
    assert card.count("<!-- mtpbench:end raw -->") == 1
    assert "\n# d" not in card


def test_a_second_rendering_is_byte_for_byte_the_same(rendered: Batch, mtpbench: Command) -> None:
    done = mtpbench("report", "good", "--out", "again", cwd=rendered.folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "good: again/good\n", "")
    assert tree(rendered.folder / "again" / "good") == tree(rendered.folder / "out" / "good")


# ---- ended before its time


@dataclass(frozen=True)
class Begun:
    """A report of three campaigns by two processes, of which one has drawn its first figure."""

    process: subprocess.Popen[str]
    out: Path

    def ended(self) -> tuple[int, str]:
        _, said = self.process.communicate(timeout=20)
        return self.process.returncode, said


@pytest.fixture
def begun(tmp_path: Path, write_campaign: Write) -> Iterator[Begun]:
    names = ["good", "better", "best"]
    for name in names:
        write_campaign(tmp_path / name)
    former(tmp_path / "out" / "good")
    process = subprocess.Popen(
        [sys.executable, "-m", "analysis", "report", *names, "--out", "out", "--jobs", "2"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    tick = threading.Event()
    while not list((tmp_path / "out").glob(".*.part/figures/*.png")):
        assert process.poll() is None, process.communicate()
        tick.wait(0.01)
    yield Begun(process, tmp_path / "out")
    process.kill()
    process.communicate()


def _interrupt_all(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGINT)


def _terminate(process: subprocess.Popen[str]) -> None:
    process.terminate()


@pytest.mark.parametrize("end", [_interrupt_all, _terminate])
def test_an_interrupted_batch_leaves_the_old_reports(
    end: Callable[[subprocess.Popen[str]], None], begun: Begun
) -> None:
    family = psutil.Process(begun.process.pid).children(recursive=True)
    end(begun.process)
    code, said = begun.ended()
    assert code == 130
    assert "interrupted: nothing unfinished was kept" in said
    assert "Traceback" not in said
    assert tree(begun.out)["good/report.html"] == b"the former report"
    assert [path.name for path in begun.out.iterdir()] == ["good"]
    assert len(family) >= 3
    _, alive = psutil.wait_procs(family, timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


def test_a_killed_batch_is_completed_by_the_next(begun: Begun, mtpbench: Command) -> None:
    family = psutil.Process(begun.process.pid).children(recursive=True)
    begun.process.kill()
    begun.ended()
    psutil.wait_procs(family, timeout=10)
    assert list(begun.out.glob(".*.part"))
    assert tree(begun.out / "good")["report.html"] == b"the former report"
    names = ["good", "better"]  # the third had not begun
    done = mtpbench("report", *names, "--out", "out", cwd=begun.out.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "".join(f"{name}: out/{name}\n" for name in names)
    assert sorted(path.name for path in begun.out.iterdir()) == sorted(names)
    for name in names:
        there = {path.name for path in (begun.out / name).iterdir()}
        assert there == {*WHOLE, "figures", STAMP}
    again = mtpbench("report", *names, "--out", "out", cwd=begun.out.parent)
    assert again.stdout == "".join(f"{name}: out/{name} (unchanged)\n" for name in names)


# ---- places that can't, or must not, be written


def test_a_place_that_cannot_be_written(tmp_path: Path, write_campaign: Write) -> None:
    folder = write_campaign(tmp_path / "good")
    (tmp_path / "file").write_text("in the way")
    (outcome,) = report([folder], tmp_path / "file")
    assert outcome.folder is None
    assert outcome.error.startswith(f"{tmp_path}/file/good: this can't be written: ")
    assert (tmp_path / "file").read_text() == "in the way"


def test_raw_data_is_never_replaced_by_its_report(tmp_path: Path, write_campaign: Write) -> None:
    before = tree(write_campaign(tmp_path / "raw" / "good"))
    (outcome,) = report([tmp_path / "raw" / "good"], tmp_path / "raw")
    assert outcome.error.startswith(f"{tmp_path}/raw/good: this folder is not empty, and no ")
    assert tree(tmp_path / "raw" / "good") == before
    assert [path.name for path in (tmp_path / "raw").iterdir()] == ["good"]


@pytest.mark.parametrize("link", [False, True])
def test_what_lies_beside_a_page_is_never_deleted(
    link: bool, tmp_path: Path, write_campaign: Write
) -> None:
    theirs = tmp_path / ("elsewhere" if link else "out/good")
    theirs.mkdir(parents=True)
    (theirs / "report.html").write_text("a page")
    (theirs / "thesis.tex").write_text("years of work")
    if link:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "good").symlink_to(theirs)
    before = tree(tmp_path)
    (outcome,) = report([write_campaign(tmp_path / "raw" / "good")], tmp_path / "out", force=True)
    assert outcome.error == (
        f"{theirs}: this folder is not empty, and no earlier report; "
        "move it elsewhere, or choose another --out"
    )
    # So far it was no report at all; now it is one, with something beside it.
    stamp(theirs, "inputs")
    (theirs / "notes.txt").write_text("more work")
    (outcome,) = report([tmp_path / "raw" / "good"], tmp_path / "out", force=True)
    assert "also holds what is not of it: 'notes.txt'; move it elsewhere" in outcome.error
    assert before.items() <= tree(tmp_path).items()


def test_two_campaigns_of_one_name_do_not_overwrite_each_other(
    tmp_path: Path, write_campaign: Write
) -> None:
    # Neither can be loaded, so no process is started for this.
    first = write_campaign(tmp_path / "a" / "same", plain=None)
    second = write_campaign(tmp_path / "b" / "same", plain=None)
    outcomes = list(report([first, second], tmp_path / "out"))
    assert "there is no log 'plain.log'" in outcomes[0].error
    assert outcomes[1] == Rendered(
        str(second),
        error=f"{second}: its report would take the place of the one of {first}; "
        "rename its folder, or name it once",
    )


# ---- papermill


def test_an_unknown_parameter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReportError) as caught:
        execute(CARD_NOTEBOOK, {"campain": "x"}, tmp_path)
    assert caught.value.problem == "there is no parameter 'campain'"
    assert "campaign" in caught.value.remedy


def test_what_a_cell_raises_is_said_once(tmp_path: Path) -> None:
    path = write_notebook(
        tmp_path / "ours.ipynb",
        "from analysis.errors import CampaignError\n"
        "raise CampaignError('it is wrong', 'mend it', file='a.toml', line=3)",
    )
    with pytest.raises(ReportError) as caught:
        execute(path, {"campaign": "x"}, tmp_path)
    assert str(caught.value) == str(CampaignError("it is wrong", "mend it", "a.toml", 3))
    path = write_notebook(tmp_path / "theirs.ipynb", "1 / 0")
    with pytest.raises(ReportError, match=r"theirs\.ipynb: cell \d+ failed: ZeroDivisionError: "):
        execute(path, {"campaign": "x"}, tmp_path)


def test_no_grammar_is_compiled_for_papermill() -> None:
    code = "import sys; import analysis.reports.execution; sys.exit('lark' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
