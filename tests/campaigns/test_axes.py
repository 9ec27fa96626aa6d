"""Lists in campaign.toml: which runs do they stand for?"""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.campaigns.axes import Point, points
from analysis.campaigns.campaign_file import SettingsFile
from analysis.campaigns.run_entries import run_entries
from analysis.errors import CampaignError

LIVE = '[campaign]\ntitle = "Made"\n[live]\nmodel = "m.gguf"\n'
PLAIN = '[[runs]]\nid = "plain"\n'
DRAFTED = """\
[[runs]]
id = "mtp"
label = "MTP"
spec_type = "draft-mtp"
"""


def refuse(problem: str, remedy: str, place: tuple[str, ...]) -> CampaignError:
    return CampaignError(problem, f"{remedy} {place}")


def ids(tmp_path: Path, text: str) -> list[str]:
    return [entry.keys["id"] for entry in run_entries(read(tmp_path, text))]


def read(tmp_path: Path, text: str) -> SettingsFile:
    path = tmp_path / "campaign.toml"
    path.write_text(text)
    return SettingsFile.read(path)


def test_one_axis_at_a_time_or_a_grid(tmp_path: Path) -> None:
    axes = "parallel = [1, 4]\ncontext = [0, 2048]\n"
    assert ids(tmp_path, LIVE + axes + PLAIN) == ["plain", "plain-np4", "plain-ctx2048"]
    assert ids(tmp_path, LIVE + axes + "grid = true\n" + PLAIN) == [
        "plain",
        "plain-ctx2048",
        "plain-np4",
        "plain-np4-ctx2048",
    ]
    assert ids(tmp_path, LIVE + PLAIN) == ["plain"]
    assert ids(tmp_path, LIVE + "parallel = 2\n" + PLAIN) == ["plain-np2"]


def test_the_points_of_axes() -> None:
    live = {"parallel": [2, 8], "context": [512, 0]}
    assert points(live, refuse) == [Point(2, 512), Point(8, 512), Point(2, 0)]
    assert points({}, refuse) == [Point(None, None)]


def test_depths_and_thresholds_are_runs_of_their_own(tmp_path: Path) -> None:
    text = LIVE + DRAFTED + "n_max = [2, 5]\np_min = [0, 0.5]\n"
    entries = run_entries(read(tmp_path, text))
    assert [entry.keys["id"] for entry in entries] == [
        "mtp-n2-p0",
        "mtp-n2-p0.5",
        "mtp-n5-p0",
        "mtp-n5-p0.5",
    ]
    last = entries[-1]
    assert (last.keys["n_max"], last.keys["p_min"]) == (5, 0.5)
    assert (last.keys["label"], last.table) == ("MTP, n_max 5, p_min 0.5", "mtp")


def test_runs_with_logs_have_no_axes(tmp_path: Path) -> None:
    text = LIVE + 'parallel = [1, 2]\n[[runs]]\nid = "old"\nlog = "old.log"\n' + PLAIN
    assert ids(tmp_path, text) == ["old", "plain", "plain-np2"]


def test_confidences_are_logged_at_one_request_at_once(tmp_path: Path) -> None:
    text = LIVE + "parallel = [1, 4]\nconfidence = true\n" + DRAFTED + "n_max = [2, 5]\n"
    *others, logged = run_entries(read(tmp_path, text))
    assert (logged.keys["id"], logged.logged, logged.point) == ("mtp-n5-confidence", True, Point())
    assert len(others) == 4


@pytest.mark.parametrize(
    ("live", "runs", "message", "line"),
    [
        ("parallel = []", PLAIN, "parallel is empty", 5),
        ("parallel = [0]", PLAIN, "parallel has 0; use whole numbers from 1 to 256", 5),
        ("parallel = [257]", PLAIN, "parallel has 257", 5),
        ("parallel = [1.5]", PLAIN, "parallel has 1.5", 5),
        ("parallel = [true]", PLAIN, "parallel has True", 5),
        ("parallel = [2, 2]", PLAIN, "parallel has 2 twice", 5),
        ('context = ["x"]', PLAIN, "context has 'x'", 5),
        ("context = [-1]", PLAIN, "context has -1; use whole numbers from 0", 5),
        ("", DRAFTED + "n_max = []", "n_max is empty", 9),
        ("", DRAFTED + 'n_max = ["2"]', "n_max is '2'; write a whole number", 9),
        ("", DRAFTED + "n_max = [2, 2]", "n_max has 2 twice", 9),
        ("", DRAFTED + "p_min = [0.5, 2]", "p_min is 2", 9),
        (
            "",
            DRAFTED + 'log = "a.log"\nn_max = [2, 3]',
            "n_max is a list, but this run has a log",
            10,
        ),
        (
            "parallel = [1, 2]",
            PLAIN + '[[runs]]\nid = "plain-np2"',
            "there are two runs with the id 'plain-np2'",
            9,
        ),
    ],
)
def test_what_is_no_axis(tmp_path: Path, live: str, runs: str, message: str, line: int) -> None:
    with pytest.raises(CampaignError) as caught:
        run_entries(read(tmp_path, f"{LIVE}{live}\n{runs}\n" if live else f"{LIVE}{runs}\n"))
    assert message in str(caught.value)
    assert caught.value.line == line
