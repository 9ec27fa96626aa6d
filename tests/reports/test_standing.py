"""In what two reports may differ and say the same, and what may be in a folder that is replaced."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.charts import CHARTS
from analysis.files.fingerprint import STAMP, stamp
from analysis.reports.standing import COMMITTED, differences, keep, problem

COMMITTED_REPORT = PROJECT_ROOT / "reports" / "live-demo"
DATA = {"schema_version": 1, "campaign": {"slug": "a"}, "speed": 1.23456, "n": 7, "of": ["0.5 s"]}
CARD = "133.9 tok/s, 48 % of 7 drafts, 1,234.5 ms at depth 3, 1.10×, 2.0\n"


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Two equal reports."""
    for name in ("standing", "fresh"):
        folder = tmp_path / name
        (folder / "figures").mkdir(parents=True)
        write(folder)
        Image.new("RGB", (100, 100), "white").save(folder / "figures" / "ladder.png")
    return tmp_path / "standing", tmp_path / "fresh"


def write(folder: Path, card: str = CARD, **data: object) -> None:
    (folder / "README.md").write_text(card)
    (folder / "preset.ini").write_text("[*]\n")
    (folder / "results.json").write_text(json.dumps({**DATA, **data}))


# ---- the same, said again


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        ({"speed": 1.23457}, True),  # one unit of the sixth digit
        ({"speed": 1.23458}, False),  # two
        ({"n": 8}, False),
        ({"n": 7.0}, True),
        ({"n": None}, False),
        ({"n": True}, False),
        ({"of": ["0.6 s"]}, True),
        ({"of": ["0.7 s"]}, False),
        ({"of": ["0.5 s", "0.5 s"]}, False),
        ({"more": 1}, False),
        ({"card": CARD.replace("133.9", "134.0")}, True),
        ({"card": CARD.replace("133.9", "134.1")}, False),
        ({"card": CARD.replace("133.9", "133.90")}, False),
        ({"card": CARD.replace("1,234.5", "1,234.4")}, True),
        ({"card": CARD.replace("48 %", "49 %")}, True),
        ({"card": CARD.replace("48 %", "50 %")}, False),
        ({"card": CARD.replace("7 drafts", "8 drafts")}, False),
        ({"card": CARD.replace("depth 3", "depth 2")}, False),
        ({"card": CARD.replace("tok/s", "tokens/s")}, False),
        # Three at an edge of rounding are bad luck, four are another report.
        ({"card": "134.0 tok/s, 49 % of 7 drafts, 1,234.6 ms at depth 3, 1.10×, 2.0\n"}, True),
        ({"card": "134.0 tok/s, 49 % of 7 drafts, 1,234.6 ms at depth 3, 1.11×, 2.0\n"}, False),
    ],
)
def test_only_rounding_is_no_difference(
    changed: dict[str, object], same: bool, two: tuple[Path, Path]
) -> None:
    standing, fresh = two
    write(fresh, **changed)
    before = {path.name: path.read_bytes() for path in standing.iterdir() if path.is_file()}
    after = {path.name: path.read_bytes() for path in fresh.iterdir() if path.is_file()}
    assert before != after
    assert (list(differences(standing, fresh)) == []) is same
    keep(standing, fresh)
    kept = {path.name: path.read_bytes() for path in fresh.iterdir() if path.is_file()}
    # A report is kept as a whole, or not at all.
    assert kept == (before if same else after)


@pytest.mark.parametrize(
    ("pixels", "level", "same"),
    [(10_000, 8, True), (10_000, 9, False), (3, 255, True), (4, 255, False)],
)
def test_a_picture_may_differ_in_what_nobody_sees(
    pixels: int, level: int, same: bool, two: tuple[Path, Path]
) -> None:
    standing, fresh = two
    picture = np.full((100, 100, 3), 255, dtype=np.uint8)
    picture.reshape(-1, 3)[:pixels, 1] -= np.uint8(level)
    Image.fromarray(picture).save(fresh / "figures" / "ladder.png")
    said = list(differences(standing, fresh))
    assert said == ([] if same else ["figures/ladder.png is another picture"])


def test_pictures_of_other_sizes_or_names_are_others(two: tuple[Path, Path]) -> None:
    standing, fresh = two
    Image.new("RGB", (100, 101), "white").save(fresh / "figures" / "ladder.png")
    Image.new("RGB", (100, 100), "white").save(fresh / "figures" / "heatmap.png")
    assert list(differences(standing, fresh)) == [
        f"figures/heatmap.png is only in {fresh}",
        "figures/ladder.png is another picture",
    ]


def test_what_is_only_built_is_not_compared(two: tuple[Path, Path]) -> None:
    standing, fresh = two
    for name in ("report.html", "report.ipynb", STAMP):
        (fresh / name).write_text("anything")
    assert list(differences(standing, fresh)) == []


def test_a_difference_of_words_is_shown(two: tuple[Path, Path]) -> None:
    standing, fresh = two
    write(fresh, CARD.replace("drafts", "tokens"), speed=2.0)
    text, value = differences(standing, fresh)
    assert "\n-133.9 tok/s, 48 % of 7 drafts" in text
    assert value == "results.json.speed: 1.23456 became 2.0"


# ---- what is replaced


@pytest.fixture(params=["stamped", "cloned"])
def ours(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A report as it was written, or as it comes out of a repository."""
    folder = tmp_path / "live-demo"
    shutil.copytree(COMMITTED_REPORT, folder, ignore=shutil.ignore_patterns("report.*", ".*"))
    if request.param == "stamped":
        stamp(folder, "inputs")
    return folder


def test_a_report_of_ours_is_replaced(ours: Path, tmp_path: Path) -> None:
    assert problem(ours) is None
    (tmp_path / "empty" / "figures").mkdir(parents=True)
    assert problem(tmp_path / "empty") is None
    for name in (".DS_Store", "figures/Thumbs.db", ".ipynb_checkpoints/report-checkpoint.ipynb"):
        (ours / name).parent.mkdir(exist_ok=True)
        (ours / name).write_text("litter")
    assert problem(ours) is None


@pytest.mark.parametrize(
    "name", ["thesis.tex", "figures/mine.png", ".git/config", "more/README.md", "report.html/a"]
)
def test_a_foreign_file_stops_it(name: str, ours: Path) -> None:
    (ours / name).parent.mkdir(exist_ok=True, parents=True)
    (ours / name).write_text("of somebody")
    assert problem(ours) == f"this report's folder also holds what is not of it: {name!r}"


def test_a_link_is_foreign(ours: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (ours / "elsewhere").symlink_to(tmp_path / "thesis")
    assert problem(ours) == "this report's folder also holds what is not of it: 'elsewhere'"
    (ours / "elsewhere").unlink()
    # Also where a file of a report would be: its content would be taken over.
    (ours / "README.md").rename(tmp_path / "README.md")
    (ours / "README.md").symlink_to(tmp_path / "README.md")
    assert problem(ours) == "this report's folder also holds what is not of it: 'README.md'"


@pytest.mark.parametrize(
    "files",
    [
        {"report.html": "a page", "thesis.tex": "years"},
        {"report.html": "a page"},
        {"results.json": "{}"},
        {"results.json": "[" * 100_000},
        {STAMP: "{}", "thesis.tex": "years"},
        {STAMP: "not JSON", "README.md": "mine"},
    ],
)
def test_what_looks_like_a_report_is_none(files: dict[str, str], tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert problem(tmp_path) == "this folder is not empty, and no earlier report"


def test_every_committed_file_has_a_known_name() -> None:
    names = {
        path.relative_to(report).as_posix()
        for report in COMMITTED_REPORT.parent.iterdir()
        for path in report.rglob("*.*")
        if path.is_file() and path.name not in {"report.html", "report.ipynb", STAMP}
    }
    charts = {f"figures/{chart.__name__}{theme}.png" for chart in CHARTS for theme in ("", "-dark")}
    assert {*COMMITTED} < names <= {*COMMITTED, *charts}
