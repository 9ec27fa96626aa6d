"""What the live notebook takes, and shows of outputs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from analysis import notebooks
from analysis.errors import LiveError, ReportError
from analysis.pipeline import summary_of
from analysis.runner import session

Make = Callable[..., object]


def test_recorded_runs_are_shown_as_they_are(write_campaign: Callable[..., Path], tmp_path: Path):
    folder = write_campaign(tmp_path / "made")
    assert notebooks.LiveRunSettings(str(folder)).data.run_ids == ("plain", "fast")
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_measuring_works_in_a_copy_and_shows_what_that_gave(
    write_campaign: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = write_campaign(tmp_path / "made")
    asked: list[tuple[object, object]] = []

    def measured(campaign: Path, server: str | None, *, trust: bool) -> session.Outcome:
        asked.append((campaign, server, trust))
        return session.Outcome(campaign / "live", measured=3)

    monkeypatch.setattr(session, "run", measured)
    settings = notebooks.LiveRunSettings(str(folder), live=True, into=str(tmp_path / "into"))
    assert settings.data.folder == tmp_path / "into" / "made"
    assert settings.data.folder != folder
    assert asked == [(tmp_path / "into" / "made", None, False)]
    again = notebooks.LiveRunSettings(str(folder), True, "x", str(tmp_path / "again"), trust=True)
    assert again.data.folder == tmp_path / "again" / "made"
    assert asked[1] == (tmp_path / "again" / "made", "x", True)


def test_what_could_not_be_measured_is_an_error(
    write_campaign: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    outcome = session.Outcome(tmp_path, failed=("fast, repeat 1, code_python: timeout",))
    monkeypatch.setattr(session, "run", lambda *_, **_words: outcome)
    folder = write_campaign(tmp_path / "made")
    with pytest.raises(LiveError, match="fast, repeat 1, code_python: timeout"):
        notebooks.LiveRunSettings(str(folder), live=True, into=str(tmp_path / "into")).data  # noqa: B018


@pytest.mark.parametrize(
    "wrong", [{"campaign": 1}, {"server": None}, {"into": 2}, {"live": "False"}, {"trust": 1}]
)
def test_parameters_of_another_type_are_refused(wrong: dict[str, object]):
    with pytest.raises(ReportError, match=f"{next(iter(wrong))} is"):
        notebooks.LiveRunSettings(**{"campaign": "raw/live-demo", **wrong})


def test_the_lossless_table_has_a_dash_where_nothing_differs(campaign: Make, run: Make, task: Make):
    def made(id: str, tokens: tuple[int, ...]) -> object:
        result = task("a", tokens=tokens, output_hash=str(tokens))
        return run(id, result, temperature=0.0, prompt_set="p")

    whole = campaign(made("plain", (1, 2)), made("x", (1, 2)), made("y", (1, 3)), baseline="plain")
    table = notebooks.lossless_table(whole)
    assert list(table.index) == [("x", "a"), ("y", "a")]
    assert list(table["first_difference"]) == ["–", "2"]
    assert list(table["verdict"]) == ["identical", "no-control"]


def test_replays_as_tables():
    summary = summary_of("raw/truncation-demo")
    table = notebooks.replay_table(summary)
    assert set(table.index) == {"self-n6"}
    (logged,) = table[(table["policy"] == "fixed") & (table["n_max"] == "6")].to_dict("records")
    (run,) = summary.campaign.logged
    # Greedy: at the logged setting the replay is what was logged.
    assert logged["draft_tokens"] == str(sum(task.draft_tokens or 0 for task in run.tasks))
    assert logged["accepted_tokens"] == str(sum(task.accepted_tokens or 0 for task in run.tasks))
    thresholds = table.loc[table["policy"] == "threshold", "p_min"].tolist()
    assert thresholds == [f"{0.05 * step:.2f}" for step in range(20)]
    verdicts = notebooks.confidence_verdicts(summary)
    assert verdicts.loc["self-n6", "verdict"].startswith("A threshold is predicted to bring")
