from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import fsspec
import pytest
from cheroot.wsgi import Server
from wsgidav.wsgidav_app import WsgiDAVApp

from analysis.errors import CampaignError, LogError, ReportError
from analysis.files.fingerprint import STAMP, stamp
from analysis.files.leftovers import _host
from analysis.reports import Rendered, places, report, work
from analysis.reports.render import render
from tests.reports.conftest import tree

Write = Callable[..., Path]
DEAD = f"{_host()}+1+1.x"
STAMPED = b'{"schema_version": 1, "inputs": "", "outputs": {"report.html": [3, ""]}}'


@pytest.fixture(scope="module")
def webdav(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A real WebDAV server that fsspec is told of; the folder that it serves."""
    root = tmp_path_factory.mktemp("webdav")
    settings = {
        "provider_mapping": {"/": str(root)},
        "simple_dc": {"user_mapping": {"*": True}},
        "logging": {"enable": False},
        "verbose": 0,
    }
    server = Server(("127.0.0.1", 0), WsgiDAVApp(settings))
    server.prepare()
    thread = threading.Thread(target=server.serve)
    thread.start()
    fsspec.config.conf["webdav"] = {"base_url": f"http://127.0.0.1:{server.bind_addr[1]}"}
    yield root
    del fsspec.config.conf["webdav"]
    server.stop()
    thread.join()


@pytest.fixture(params=["memory", "file", "webdav"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty folder."""
    if request.param == "file":
        return (tmp_path / "store").as_uri()
    if request.param == "webdav":
        root: Path = request.getfixturevalue("webdav")
        for left in root.iterdir():
            shutil.rmtree(left)
        return "webdav://store"
    fsspec.filesystem("memory").store.clear()
    return "memory://store"


def files(url: str) -> dict[str, bytes]:
    """Every file below a URL, relative to it."""
    system, path = fsspec.core.url_to_fs(url)
    return {name[len(path) :].lstrip("/"): system.cat_file(name) for name in system.find(path)}


def put(url: str, content: dict[str, bytes]) -> None:
    for name, data in content.items():
        system, path = fsspec.core.url_to_fs(places.join(url, name))
        system.makedirs(path.rpartition("/")[0], exist_ok=True)
        system.pipe_file(path, data)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the sources that are rendered, by something that writes small reports."""
    names: list[str] = []

    def render(source: Path, folder: Path, inputs: str, *_: object, **__: object) -> None:
        names.append(source.name)
        log = (source / "plain.log").read_text()
        if "refuse" in log:
            raise LogError("it is refused", "mend it", source / "plain.log", 1)
        (folder / "figures").mkdir(parents=True)
        (folder / "report.html").write_text(log)
        (folder / "figures" / "a.png").write_bytes(b"png")
        stamp(folder, inputs)

    monkeypatch.setattr(work, "render", render)
    return names


def test_a_campaign_is_fetched_and_its_report_is_put_there(store: str, made: list[str]) -> None:
    put(f"{store}/raw/made", {"campaign.toml": b"[campaign]", "plain.log": b"text", "a/b.log": b""})
    (outcome,) = report([f"{store}/raw/made"], f"{store}/reports")
    assert outcome == Rendered(f"{store}/raw/made", f"{store}/reports/made")
    there = files(f"{store}/reports")
    assert there.keys() == {"made/report.html", "made/figures/a.png", f"made/{STAMP}"}
    assert there["made/report.html"] == b"text"
    # Nothing has changed; then the log has, and a figure is gone.
    (outcome,) = report([f"{store}/raw/made/"], f"{store}/reports/")
    assert outcome.unchanged
    put(f"{store}/raw/made", {"plain.log": b"longer text"})
    (outcome,) = report([f"{store}/raw/made/campaign.toml"], f"{store}/reports")
    assert files(f"{store}/reports")["made/report.html"] == b"longer text"
    system, path = fsspec.core.url_to_fs(f"{store}/reports/made/figures/a.png")
    system.rm(path)
    (outcome,) = report([f"{store}/raw/made"], f"{store}/reports")
    assert files(f"{store}/reports")["made/figures/a.png"] == b"png"
    assert made == ["made"] * 3


def test_either_end_may_be_here(
    store: str, made: list[str], tmp_path: Path, write_campaign: Write
) -> None:
    here = write_campaign(tmp_path / "raw" / "here", plain="from here")
    (outcome,) = report([here], store)
    assert outcome.folder == f"{store}/here"
    assert files(store)["here/report.html"] == b"from here"
    put(f"{store}/there", {"campaign.toml": b"", "plain.log": b"from there"})
    (outcome,) = report([f"{store}/there"], tmp_path / "out")
    assert outcome.folder == tmp_path / "out" / "there"
    assert (tmp_path / "out" / "there" / "report.html").read_text() == "from there"


def test_a_mistake_is_told_with_the_url(store: str, made: list[str]) -> None:
    put(f"{store}/bad", {"campaign.toml": b"", "plain.log": b"refuse"})
    outcomes = list(report([f"{store}/bad", f"{store}/none", f"{store}/.hidden"], f"{store}/out"))
    assert [outcome.error for outcome in outcomes] == [
        f"{store}/bad/plain.log:1: it is refused; mend it",
        f"{store}/none: there is no campaign.toml in this folder; "
        "give the URL of a campaign folder",
        f"{store}/.hidden: this URL does not end in a campaign's name; "
        "end it like …/raw/my-campaign",
    ]
    assert not [name for name in files(store) if name.startswith("out")]


def test_what_is_no_report_is_not_replaced(store: str, made: list[str]) -> None:
    put(f"{store}/made", {"campaign.toml": b"", "plain.log": b"text"})
    (outcome,) = report([f"{store}/made"], store)
    assert outcome.error is not None
    assert outcome.error.startswith(
        f"{store}/made: this folder is not empty, and no earlier report"
    )
    assert files(store) == {"made/campaign.toml": b"", "made/plain.log": b"text"}


def test_a_report_that_cannot_be_put_leaves_the_old_one(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = {"report.html": b"old", STAMP: STAMPED}
    put(f"{store}/made", old)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "report.html").write_text("new")
    system, path = fsspec.core.url_to_fs(f"{store}/made")
    move = type(system).mv

    def fail_for_the_new_one(self: object, source: str, target: str, **options: object) -> None:
        if target == path and source.endswith(".part"):
            raise OSError(28, "No space left on device")
        move(self, source, target, **options)

    monkeypatch.setattr(type(system), "mv", fail_for_the_new_one)
    with pytest.raises(ReportError, match=r"this can't be written: .*No space left"):
        places.publish(tmp_path / "new", f"{store}/made")
    assert files(store) == {f"made/{name}": data for name, data in old.items()}


def test_what_the_dead_left_is_swept(store: str) -> None:
    put(store, {f".a.{DEAD}.part/x": b"half", f".b.{DEAD}.old/x": b"old", ".c.part/x": b"theirs"})
    places.remove_leftovers(store)
    assert files(store) == {"b/x": b"old", ".c.part/x": b"theirs"}


def test_a_key_never_leads_out_of_the_folder(made: list[str]) -> None:
    system = fsspec.filesystem("memory")
    system.store.clear()
    put("memory://raw/made", {"campaign.toml": b"", "plain.log": b"x", ".env": b"theirs"})
    with places.fetched("memory://raw/made") as folder:
        assert tree(folder).keys() == {"campaign.toml", "plain.log"}
        scratch = folder.parent
    assert not scratch.exists()


@pytest.mark.parametrize("url", ["nothing://a/b", "s3:///", "memory://"])
def test_a_url_that_leads_nowhere(url: str) -> None:
    with pytest.raises(CampaignError), places.fetched(url):
        pass
    with pytest.raises(ReportError, match="this can't be written"):
        places.publish(Path(__file__).parent, "nothing://a/b")


@pytest.fixture(scope="module")
def near(tmp_path_factory: pytest.TempPathFactory, write_campaign: Write) -> tuple[Path, Path]:
    """A campaign here, and its report."""
    folder = tmp_path_factory.mktemp("near")
    source = write_campaign(folder / "made")
    render(source, folder / "out", "")
    return source, folder / "out"


@pytest.mark.parametrize("store", ["memory", "webdav"], indirect=True)
def test_a_report_is_the_same_from_far_and_near(store: str, near: tuple[Path, Path]) -> None:
    source, out = near
    put(f"{store}/raw/made", tree(source))
    (outcome,) = report([f"{store}/raw/made"], f"{store}/out")
    assert outcome == Rendered(f"{store}/raw/made", f"{store}/out/made")
    here, there = tree(out), files(f"{store}/out/made")
    here.pop(STAMP), there.pop(STAMP)
    assert here == there


def test_the_command_is_told_of_a_server_by_its_environment(
    webdav: Path, tmp_path: Path, write_campaign: Write
) -> None:
    write_campaign(webdav / "lab" / "raw" / "made")
    server = fsspec.config.conf["webdav"]["base_url"]
    command = [Path(sys.executable).with_name("mtpbench"), "report", "webdav://lab/raw/made"]
    done = subprocess.run(
        [*command, "--out", "webdav://lab/reports"],
        cwd=tmp_path,
        env={**os.environ, "FSSPEC_WEBDAV_BASE_URL": server},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "webdav://lab/raw/made: webdav://lab/reports/made\n"
    there = tree(webdav / "lab" / "reports")
    assert {"made/README.md", "made/report.html", "made/results.json"} <= there.keys()
    assert not [name for name in there if name.startswith(".")]
