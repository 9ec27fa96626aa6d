"""``mtpbench ingest --init``: logs in, a campaign folder out that can be reported at once."""

from __future__ import annotations

import tomllib

import pytest

import analysis
from analysis.campaigns.campaign import load
from analysis.errors import CampaignError, LogError
from analysis.ingesting.start import start

ROW = "  {name:<18} pred= 192 draft={draft:4d} acc={acc:4d} rate={rate} tok/s={tps}\n"
PLAIN = ROW.format(name="code_python", draft=0, acc=0, rate="n/a", tps="20.0")
FAST = ROW.format(name="code_python", draft=160, acc=120, rate="0.750", tps="40.0")
TOTAL = '{\n  "n_requests": 1,\n  "total_predicted": 192\n}\n'
OWN = ROW.format(name='my "task"', draft=160, acc=120, rate="0.750", tps="40.0")


def settings(folder):
    return tomllib.loads((folder / "campaign.toml").read_text(encoding="utf-8"))


@pytest.fixture
def logs(tmp_path):
    both = f"## No MTP\n\n{PLAIN}\n## MTP n_max 3\n\n{FAST}"
    (tmp_path / "both.md").write_text(both)
    (tmp_path / "dflash-n4.log").write_bytes(b"\xef\xbb\xbf" + FAST.replace("\n", "\r\n").encode())
    return tmp_path


def test_a_folder_that_can_be_reported(logs, tmp_path):
    made = start([logs / "both.md", logs / "dflash-n4.log"], tmp_path / "new")
    campaign = load(made)
    assert [(run.id, run.spec_type, run.n_max, run.label) for run in campaign.runs] == [
        ("baseline", "none", None, "No MTP"),
        ("mtp-n3", "draft-mtp", 3, "MTP n_max 3"),
        ("dflash-n4", "draft-dflash", 4, "DFlash, n_max 4"),
    ]
    assert (campaign.baseline, campaign.title) == ("baseline", "new")
    assert [run.get("block") for run in settings(made)["runs"]] == [1, 2, None]
    assert "dflash-n4" in analysis.card(made)


def test_logs_are_copied_byte_for_byte(logs, tmp_path):
    made = start([logs / "dflash-n4.log"], tmp_path / "new")
    assert (made / "dflash-n4.log").read_bytes() == (logs / "dflash-n4.log").read_bytes()


def test_what_is_not_known_is_a_comment(tmp_path):
    (tmp_path / "a.log").write_text(FAST)
    made = start([tmp_path / "a.log"], tmp_path / "new")
    text = (made / "campaign.toml").read_text()
    (run,) = settings(made)["runs"]
    assert run == {"id": "a", "log": "a.log"}
    assert '# spec_type = "draft-…"' in text
    assert "# baseline = " in text
    assert settings(made)["conditions"] == {}


def test_words_do_not_outweigh_counts(tmp_path):
    (tmp_path / "baseline.log").write_text(FAST)
    (tmp_path / "mtp-n2.log").write_text(PLAIN)
    made = start([tmp_path / "baseline.log", tmp_path / "mtp-n2.log"], tmp_path / "new")
    assert all("spec_type" not in run for run in settings(made)["runs"])


def test_what_a_command_says(tmp_path):
    command = (
        "llama-server -m /home/me/a.gguf -md /home/me/b.gguf --spec-type draft-dspark "
        "--spec-draft-n-max 2 --spec-draft-p-min 0.5 --temp 0.7 --api-key sk-123\n"
    )
    (tmp_path / "a.log").write_text(command + FAST)
    made = start([tmp_path / "a.log"], tmp_path / "new")
    text = (made / "campaign.toml").read_text()
    (run,) = settings(made)["runs"]
    assert (run["id"], run["spec_type"], run["n_max"]) == ("dspark-n2", "draft-dspark", 2)
    assert (run["p_min"], run["temperature"], run["draft"]) == (0.5, 0.7, "b.gguf")
    assert "the logs name a.gguf" in text
    assert "/home/me" not in text
    assert "sk-123" not in text
    assert "Line 1 of this log looks like a credential" in text


def test_two_baselines_name_the_first(tmp_path):
    (tmp_path / "a.md").write_text(f"## No MTP, CPU\n\n{PLAIN}\n## Baseline, GPU\n\n{PLAIN}")
    made = start([tmp_path / "a.md"], tmp_path / "new")
    assert load(made).baseline == "baseline"
    assert "also without speculation: baseline-2" in (made / "campaign.toml").read_text()


SLOW = ROW.format(name="code_python", draft=100, acc=20, rate="0.200", tps="19.0")
OTHER = ROW.format(name="qa_factual", draft=0, acc=0, rate="n/a", tps="20.0")


def test_a_block_that_drafted_nothing_beside_one_that_did_is_guessed_to_be_the_baseline(tmp_path):
    (tmp_path / "two.log").write_text(PLAIN + TOTAL + FAST + TOTAL)
    made = start([tmp_path / "two.log"], tmp_path / "new")
    text = (made / "campaign.toml").read_text()
    campaign = load(made)
    assert [(run.id, run.spec_type) for run in campaign.runs] == [
        ("baseline", "none"),
        ("two", None),
    ]
    assert campaign.baseline == "baseline"
    assert 'baseline = "baseline"   # a guess' in text
    assert 'spec_type = "none"   # a guess: it drafted nothing' in text
    assert "2.00×" in analysis.card(made)


@pytest.mark.parametrize(
    "blocks",
    [
        [PLAIN, FAST, PLAIN, SLOW],  # which of the two?
        [PLAIN, PLAIN],  # nobody drafted: the log may be silent
        [OTHER, FAST],  # other tasks
    ],
)
def test_what_counts_do_not_show_is_not_guessed(tmp_path, blocks):
    (tmp_path / "a.log").write_text("".join(block + TOTAL for block in blocks))
    made = start([tmp_path / "a.log"], tmp_path / "new")
    assert all("spec_type" not in run for run in settings(made)["runs"])
    assert "a guess" not in (made / "campaign.toml").read_text()


@pytest.mark.parametrize(
    ("off", "on"),
    [("- none", "- mtp"), ("Non-MTP", "MTP"), ("Non\u2011MTP", "MTP"), ("w/o MTP", "MTP")],
)
def test_headings_that_name_a_method(tmp_path, off, on):
    (tmp_path / "a.md").write_text(f"{off}\n\n{PLAIN}\n{on}\n\n{FAST}", encoding="utf-8")
    made = start([tmp_path / "a.md"], tmp_path / "new")
    assert [run["spec_type"] for run in settings(made)["runs"]] == ["none", "draft-mtp"]
    assert "a guess" not in (made / "campaign.toml").read_text(encoding="utf-8")


def test_totals_are_left_as_comments(tmp_path):
    table = "| Mode | Wall (s) | Accept% |\n|---|---|---|\n| MTP n=3 | 29.7 | 71.6 |\n"
    (tmp_path / "a.md").write_text(f"{table}\n{FAST}")
    made = start([tmp_path / "a.md"], tmp_path / "new")
    assert len(settings(made)["runs"]) == 1
    assert "# Only totals" in (made / "campaign.toml").read_text()
    (tmp_path / "b.md").write_text(table)
    with pytest.raises(CampaignError, match="no result of a request nor tokens"):
        start([tmp_path / "b.md"], tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_folder_of_logs_with_names_that_meet(tmp_path):
    for place in ("x", "y"):
        (tmp_path / "in" / place).mkdir(parents=True)
        (tmp_path / "in" / place / "run.log").write_text(FAST)
    (tmp_path / "in" / "notes.txt").write_text("nothing here\n")
    made = start([tmp_path / "in"], tmp_path / "new")
    assert sorted(path.name for path in made.iterdir()) == [
        "campaign.toml",
        "run-2.log",
        "run.log",
    ]
    assert [run["id"] for run in settings(made)["runs"]] == ["run", "run-2"]


@pytest.mark.parametrize(
    "label",
    ['a "b" \\ c', "é ✓ ]]", "x" * 75, "tab\x7f", "[[runs]]", "\u202eabc", "--help"],
)
def test_any_label_makes_valid_toml(tmp_path, label):
    (tmp_path / "a.md").write_text(f"## {label}\n\n{OWN}", encoding="utf-8")
    made = start([tmp_path / "a.md"], tmp_path / "new")
    load(made)
    assert settings(made)["runs"][0]["log"] == "a.md"


def test_strange_file_names(tmp_path):
    names = ["campaign.toml.log", "ü ber.log", "-x.log", "…", "a" * 200 + ".log"]
    for name in names:
        (tmp_path / name).write_text(FAST)
    made = start([tmp_path / name for name in names], tmp_path / "new")
    assert len(load(made).runs) == len(names)


def test_nothing_is_overwritten(logs, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("x")
    for place in (tmp_path / "full", logs / "both.md"):
        with pytest.raises(CampaignError, match="there is something in this place already"):
            start([logs / "both.md"], place)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine"]
    (tmp_path / "empty").mkdir()
    assert load(start([logs / "both.md"], tmp_path / "empty")).slug == "empty"


def test_what_can_not_be_read_leaves_nothing(tmp_path):
    (tmp_path / "a.txt").write_text("words\n")
    (tmp_path / "in").mkdir()
    for paths in ([tmp_path / "a.txt"], [tmp_path / "in"]):
        with pytest.raises(LogError):
            start(paths, tmp_path / "new")
    with pytest.raises(CampaignError, match="save it to a file"):
        start(["-"], tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_the_command(logs, tmp_path, capsys):
    from analysis.cli import main

    words = ["ingest", str(logs / "both.md"), "--init", str(tmp_path / "new")]
    assert main(words) == 0
    shown = capsys.readouterr()
    assert "complete campaign.toml" in shown.err
    assert "mtp" in shown.out.lower()
    assert main(words) == 1
    assert capsys.readouterr().err.endswith("name a folder that does not exist, or empty it\n")


def block(draft, acc, tps=30.0):
    rate = f"{acc / draft:.3f}" if draft else "n/a"
    return "".join(
        ROW.format(
            name=name, draft=draft + add if draft else 0, acc=acc, rate=rate, tps=f"{tps + add:.1f}"
        )
        for add, name in enumerate(("code_python", "qa_factual"))
    )


SWEEP = [("n2", 190, 96), ("n_max 4", 300, 116), ("k = 8", 520, 126), ("depth 16", 900, 131)]


@pytest.mark.parametrize("titled", [True, False])
def test_a_sweep_of_fifteen_blocks_leaves_few_edits(tmp_path, titled):
    parts = ["# DSpark draft for Model\n"]
    for heading, draft, acc in [("No speculation", 0, 0), *SWEEP]:
        for repeat in range(3):
            title = f"\n## {heading}, run {repeat + 1}\n\n" if titled else f"\n## {heading}\n\n"
            parts.append(title if titled or not repeat else "\n")
            parts.append(block(draft, acc, 30.0 + repeat / 10))
            parts.append('Aggregate: {"n_requests": 2, "total_predicted": 384}\n')
    (tmp_path / "sweep.md").write_text("".join(parts))
    made = start([tmp_path / "sweep.md"], tmp_path / "new")
    runs = settings(made)["runs"]
    assert len(runs) == 15
    assert [run["id"] for run in runs[::3]] == [
        "baseline", "dspark-n2", "dspark-n4", "dspark-n8", "dspark-n16",
    ]  # fmt: skip
    assert all(runs[n]["id"] == runs[n - n % 3]["id"] for n in range(15))
    # What is left to fill in: of each run nothing.
    text = (made / "campaign.toml").read_text()
    assert text.partition("[[runs]]")[2].count("\n# ") <= 5 + 10 * (not titled)
    assert text.count("A guess: no heading of its own") == 10 * (not titled)
    campaign = load(made)
    assert {task.repeat for run in campaign.runs for task in run.tasks} == {1, 2, 3}
    assert "1.0" in analysis.card(made)


@pytest.mark.parametrize("word", ["run {}:", "### Run {} of 3", "**repeat #{}**", "pass {}/3"])
def test_blocks_that_say_no_more_than_which_repeat_they_are_need_no_edit(tmp_path, word):
    parts = ["I tried my DSpark draft. Three runs each.\n"]
    for heading, draft, acc in [("No speculation", 0, 0), *SWEEP]:
        parts.append(f"\n## {heading}\n")
        for repeat in range(3):
            # Sampled text: no two runs draft alike.
            drafted = draft + repeat * draft // 40
            parts.append(f"\n{word.format(repeat + 1)}\n```\npython mtp-bench.py\n")
            parts.append(block(drafted, acc, 30.0 + repeat))
            parts.append('Aggregate: {"n_requests": 2, "total_predicted": 384}\n```\n')
    (tmp_path / "post.md").write_text("".join(parts))
    made = start([tmp_path / "post.md"], tmp_path / "new")
    runs = settings(made)["runs"]
    assert [run["id"] for run in runs[::3]] == [
        "baseline", "dspark-n2", "dspark-n4", "dspark-n8", "dspark-n16",
    ]  # fmt: skip
    assert all(runs[n]["id"] == runs[n - n % 3]["id"] for n in range(15))
    assert [run["label"] for run in runs[::3]] == ["No speculation", *(name for name, *_ in SWEEP)]
    # What is left to fill in: of each run nothing.
    text = (made / "campaign.toml").read_text().partition("[[runs]]")[2]
    assert "\n# " not in text


@pytest.mark.parametrize(
    ("prose", "method"),
    [
        ("I compared my DSpark draft with a DFlash one.", None),
        ("With mtp-bench, as always.", None),
        ("Runs of a new draft; EAGLE-3 of course, and no MTP.", "draft-eagle3"),
    ],
)
def test_prose_names_a_method_where_it_names_one_and_no_other(tmp_path, prose, method):
    total = 'Aggregate: {"n_requests": 2, "total_predicted": 384}\n'
    parts = [f"{prose}\n\n## n2\n\n", block(190, 96), total, "\n## n4\n\n", block(300, 116), total]
    (tmp_path / "a.md").write_text("".join(parts))
    runs = settings(start([tmp_path / "a.md"], tmp_path / "new"))["runs"]
    assert [run.get("spec_type") for run in runs] == [method, method]
    assert [run["n_max"] for run in runs] == [2, 4]


def test_a_second_run_that_drafts_otherwise_is_another_configuration(tmp_path):
    total = 'Aggregate: {"n_requests": 2, "total_predicted": 384}\n'
    parts = ["run 1\n\n", block(190, 96), total, "\nrun 2\n\n", block(300, 116), total]
    (tmp_path / "a.md").write_text("".join(parts))
    runs = settings(start([tmp_path / "a.md"], tmp_path / "new"))["runs"]
    assert [run["label"] for run in runs] == ["run 1", "run 2"]
    assert runs[0]["id"] != runs[1]["id"]


def test_a_file_of_one_configuration_is_named_after_it_where_its_blocks_are_numbered(tmp_path):
    again = FAST.replace("40.0", "41.0")
    (tmp_path / "dflash-n4.log").write_text(f"run 1\n\n{FAST}{TOTAL}\nrun 2\n\n{again}{TOTAL}")
    runs = settings(start([tmp_path / "dflash-n4.log"], tmp_path / "new"))["runs"]
    assert [(run["id"], run["n_max"]) for run in runs] == [("dflash-n4", 4), ("dflash-n4", 4)]


def test_a_block_that_drafts_otherwise_is_no_repeat_of_the_one_before(tmp_path):
    total = 'Aggregate: {"n_requests": 2, "total_predicted": 384}\n'
    text = "## DSpark n2\n\n" + total.join([block(190, 96), block(300, 116), ""])
    (tmp_path / "a.md").write_text(text)
    runs = settings(start([tmp_path / "a.md"], tmp_path / "new"))["runs"]
    assert [run["id"] for run in runs] == ["dspark-n2", "a"]
    assert runs[1].get("n_max") is None


def test_totals_per_depth_become_a_campaign(tmp_path):
    (tmp_path / "a.md").write_text(
        "## MTP sweep\n\n| n_max | wall_s | pred | drafted | accepted |\n|---|---|---|---|---|\n"
        "| none | 53.3 | 1920 | 0 | 0 |\n| 1 | 40.2 | 1920 | 1200 | 720 |\n"
        "| 2 | 34.6 | 1920 | 1900 | 980 |\n"
    )
    made = start([tmp_path / "a.md"], tmp_path / "new")
    assert [(run["id"], run.get("n_max")) for run in settings(made)["runs"]] == [
        ("baseline", None), ("mtp-n1", 1), ("mtp-n2", 2),
    ]  # fmt: skip
    # Totals are compared as totals: 53.3 s over 34.6 s. What needs tasks is left out.
    card = analysis.card(made)
    assert "1.54×" in card


def test_a_file_of_repeats_is_named_like_a_file_of_one_run(tmp_path):
    again = FAST.replace("40.0", "41.0")
    (tmp_path / "dflash-n4.log").write_text(f"{FAST}{TOTAL}\n{again}{TOTAL}")
    (tmp_path / "baseline.log").write_text(f"{PLAIN}{TOTAL}\n{PLAIN}{TOTAL}")
    made = start([tmp_path / "dflash-n4.log", tmp_path / "baseline.log"], tmp_path / "new")
    assert load(made).baseline == "baseline"
    assert [run["block"] for run in settings(made)["runs"]] == [1, 2, 1, 2]
    runs = [(run["id"], run["spec_type"], run.get("n_max")) for run in settings(made)["runs"]]
    assert runs == [
        ("dflash-n4", "draft-dflash", 4),
        ("dflash-n4", "draft-dflash", 4),
        ("baseline", "none", None),
        ("baseline", "none", None),
    ]


def test_repeats_of_an_unknown_method_are_repeats_too(tmp_path):
    (tmp_path / "draft-n4.log").write_text(f"{FAST}{TOTAL}\n{FAST}{TOTAL}")
    made = start([tmp_path / "draft-n4.log"], tmp_path / "new")
    runs = settings(made)["runs"]
    assert [(run["id"], run["block"], run["n_max"]) for run in runs] == [
        ("draft-n4", 1, 4),
        ("draft-n4", 2, 4),
    ]


def test_a_file_of_several_configurations_has_no_depth_of_its_own(tmp_path):
    deeper = ROW.format(name="code_python", draft=300, acc=130, rate="0.433", tps="44.0")
    (tmp_path / "dflash-n4.log").write_text(f"{FAST}{TOTAL}\n{deeper}{TOTAL}")
    made = start([tmp_path / "dflash-n4.log"], tmp_path / "new")
    assert all("n_max" not in run for run in settings(made)["runs"])
