"""Every refusal of a campaign: where, what, and what to do."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as with_settings
from hypothesis import strategies as st

from analysis.campaigns.campaign import load
from analysis.errors import CampaignError, LogError, MtpbenchError

Write = Callable[..., Path]


def refusal(folder: Path, kind: type[MtpbenchError] = CampaignError) -> MtpbenchError:
    with pytest.raises(kind) as caught:
        load(folder)
    return caught.value


PLAIN = '[[runs]]\nid = "plain"\nlog = "plain.log"\n'

REFUSALS = {
    "no runs at all": ("", 1, "this campaign has no runs", "add a [[runs]] table for each"),
    "no runs but settings": ('[campaign]\ntitle = "x"\n', 1, "this campaign has no runs", "add a"),
    "runs that are no tables": ("runs = [1]\n", 1, "runs is not a list of tables", "[[runs]]"),
    "a single table of runs": ('[runs]\nid = "a"\n', 1, "runs is not a list of tables", "[[runs]]"),
    "an unknown table": (
        f"{PLAIN}[condition]\n",
        4,
        "this table is 'condition'",
        "use one of: campaign, conditions, card, workloads, live, runs",
    ),
    "a table that is none": ("campaign = 3\n", 1, "campaign is not a table", "write [campaign]"),
    "an unknown key": (
        f'[campaign]\ntitel = "x"\n{PLAIN}',
        2,
        "this key is 'titel'",
        "use one of: title, target, baseline",
    ),
    "an unknown key of a run": (
        f"{PLAIN}nmax = 3\n",
        4,
        "this key is 'nmax'",
        "use one of: id, label, log, block",
    ),
    "an unknown key of the second run": (
        f'{PLAIN}\n# a comment\n[[runs]]\nid = "b"\nlgo = "b.log"\n',
        8,
        "this key is 'lgo'",
        "use one of: id",
    ),
    "a title that is no text": (
        f"[campaign]\ntitle = 3\n{PLAIN}",
        2,
        "title is 3",
        "write a text in quotes",
    ),
    "an n_max that is a text": (f'{PLAIN}n_max = "3"\n', 4, "n_max is '3'", "write a whole number"),
    "an n_max that is true": (f"{PLAIN}n_max = true\n", 4, "n_max is True", "write a whole number"),
    "a depth below 0": (f"{PLAIN}n_max = -1\n", 4, "n_max is -1", "use a depth from 0 to 1024"),
    "a depth beyond all": (f"{PLAIN}n_max = 1025\n", 4, "n_max is 1025", "from 0 to 1024"),
    "a probability above 1": (f"{PLAIN}p_min = 1.5\n", 4, "p_min is 1.5", "from 0 to 1"),
    "no number": (f"{PLAIN}p_min = nan\n", 4, "p_min is nan", "from 0 to 1"),
    "repeat 0": (f"{PLAIN}repeat = 0\n", 4, "repeat is 0", "count from 1"),
    "an unknown spec_type": (
        f'{PLAIN}spec_type = "dspark"\n',
        4,
        "spec_type is 'dspark'",
        "use one of: none, draft-simple, draft-eagle3, draft-mtp, draft-dflash, draft-dspark",
    ),
    "an unknown part of a chain": (
        f'{PLAIN}spec_type = "draft-mtp,ngram"\n',
        4,
        "spec_type is 'ngram'",
        "ngram-simple",
    ),
    "an unknown format": (
        f'{PLAIN}format = "xml"\n',
        None,
        "the format is 'xml'",
        "use one of: ",
    ),
    "no id": ('[[runs]]\nlog = "plain.log"\n', 1, "this run's id is ''", 'add id = "NAME"'),
    "an id that is no name": (
        '[[runs]]\nid = "../up"\nlog = "plain.log"\n',
        2,
        "this run's id is '../up'",
        'add id = "NAME" of letters, digits, dot, dash and underscore',
    ),
    "an id with a line end": (
        '[[runs]]\nid = "a\\n"\nlog = "x"\n',
        2,
        "this run's id is 'a\\n'",
        "",
    ),
    "two runs with one id that are no repeats": (
        f"{PLAIN}n_max = 2\n{PLAIN}n_max = 3\n",
        8,
        "two runs with the id 'plain' differ in n_max (2 and 3)",
        "give each its own id, or the same settings if they are repeats",
    ),
    "two runs with one id of which one says how": (
        f'{PLAIN}{PLAIN}spec_type = "none"\n',
        7,
        "two runs with the id 'plain' differ in spec_type (not stated and none)",
        "give each its own id",
    ),
    "a repeat without a number before a numbered one": (
        f"{PLAIN}{PLAIN}repeat = 2\n",
        5,
        "there are two runs with the id 'plain'",
        "give each its own id, or number all repeats with repeat = 1, 2, …",
    ),
    "two live runs with one id": (
        '[live]\n[[runs]]\nid = "a"\n[[runs]]\nid = "a"\n',
        5,
        "there are two runs with the id 'a'",
        "give each its own id",
    ),
    "one repeat twice": (
        f"{PLAIN}repeat = 1\n{PLAIN}repeat = 1\n",
        6,
        "there are two runs with the id 'plain'",
        "number all repeats",
    ),
    "a numbered repeat before one without": (
        f"{PLAIN}repeat = 1\n{PLAIN}",
        6,
        "there are two runs with the id 'plain'",
        "number all repeats",
    ),
    "no log": ('\n[[runs]]\nid = "a"\n', 2, "this run has no log", 'add log = "FILE"'),
    "a missing log": (
        '[[runs]]\nid = "a"\nlog = "gone.log"\n',
        3,
        "there is no log 'gone.log'",
        "correct the name or add the file",
    ),
    "a path leaving the folder": (
        '[[runs]]\nid = "a"\nlog = "../made/../other.log"\n',
        3,
        "log '../made/../other.log' is outside the campaign folder",
        "copy it into the folder and name it relative to campaign.toml",
    ),
    "an absolute path": (
        '[[runs]]\nid = "a"\nlog = "/etc/hostname"\n',
        3,
        "log '/etc/hostname' is outside the campaign folder",
        "copy it into the folder",
    ),
    "a path with a NUL": (
        '[[runs]]\nid = "a"\nlog = "a\\u0000b"\n',
        3,
        "there is no log",
        "correct",
    ),
    "a path that is too long": (
        f'[[runs]]\nid = "a"\nlog = "{"x" * 5000}"\n',
        3,
        "there is no log",
        "correct",
    ),
    "a block that is not there": (
        f"{PLAIN}block = 2\n",
        4,
        "plain.log has no block 2: it holds 1",
        "use block = 1 … 1",
    ),
    "block 0": (f"{PLAIN}block = 0\n", 4, "plain.log has no block 0: it holds 1", "use block"),
    "a baseline that is no run": (
        f'[campaign]\nbaseline = "none"\n{PLAIN}',
        2,
        "baseline is 'none'",
        "use one of: plain",
    ),
    "a baseline with speculation": (
        f'[campaign]\nbaseline = "plain"\n{PLAIN}spec_type = "draft-mtp"\n',
        2,
        "baseline 'plain' is a run with speculation (draft-mtp)",
        'name a run with spec_type = "none", or leave baseline out',
    ),
    "two baselines": (
        '[campaign]\ntitle = "x"\n'
        + "".join(f'[[runs]]\nid = "{id}"\nlog = "plain.log"\nspec_type = "none"\n' for id in "ab"),
        1,
        "there are two baselines (a, b)",
        'say which one counts with baseline = "ID" under [campaign]',
    ),
    "baseline stated twice": (
        '[campaign]\nbaseline = "a"\nbaseline = "b"\n',
        3,
        "this is not valid TOML",
        "correct it",
    ),
    "an unknown task": (
        f'{PLAIN}[workloads]\ncode_pyhton = "code"\n',
        5,
        "no log has a task 'code_pyhton'",
        "use one of: code_python, qa_factual",
    ),
    "a workload that is no name": (
        f"{PLAIN}[workloads]\ncode_python = 3\n",
        5,
        "the workload of code_python is not a name",
        'write e.g. "code"',
    ),
    "a condition that is a list": (
        f"{PLAIN}[conditions]\ngpu = [1]\n",
        5,
        "condition gpu is not a text or a number",
        "write it as one text",
    ),
    "a slip in a condition": (
        f'{PLAIN}[conditions]\nbiuld = "b1"\n',
        5,
        "condition biuld looks like a slip of build",
        "write build",
    ),
    "a slip in a key of the card": (
        f'{PLAIN}[card]\nlicence = "mit"\n',
        5,
        "licence is no key of a card",
        "write license",
    ),
    "a pair of a run that is not there": (
        f'{PLAIN}[card]\npairs = [["plain", "gone"]]\n',
        5,
        "a run of pairs is 'gone'",
        "use one of: plain",
    ),
    "pairs that are none": (
        f'{PLAIN}[card]\nlicense = "mit"\npairs = ["plain", "plain"]\n',
        6,
        "pairs is not a list of pairs of two runs",
        'write e.g. pairs = [["ID", "ID"]]',
    ),
    "TOML that breaks off": (
        '[campaign]\ntitle = "x\n',
        2,
        "this is not valid TOML",
        "correct it; strings need quotes, tables need [brackets]",
    ),
    "TOML that stops": ("[campaign]\ntitle =", 2, "this is not valid TOML", "correct it"),
    "TOML that nests without end": (
        "a = " + "[" * 9999,
        None,
        "this is not valid TOML",
        "correct it",
    ),
    "a number of thousands of digits": (
        f"{PLAIN}n_max = {'9' * 5000}\n",
        None,
        "this is not valid TOML",
        "correct it",
    ),
    "not UTF-8": (
        b'[campaign]\ntitle = "\xff"\n',
        None,
        "this file is not UTF-8",
        "save it as UTF-8",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_names_the_place_the_mistake_and_the_remedy(
    name: str, tmp_path: Path, write_campaign: Write
) -> None:
    text, line, problem, remedy = REFUSALS[name]
    folder = write_campaign(tmp_path / "made", text)
    error = refusal(folder, MtpbenchError)
    assert problem in error.problem
    assert remedy in error.remedy
    assert Path(error.file).parent == folder.resolve()
    assert error.line == line
    assert "\n" not in str(error)


def test_a_stated_baseline_settles_two(tmp_path: Path, write_campaign: Write) -> None:
    runs = "".join(f'[[runs]]\nid = "{id}"\nlog = "plain.log"\nspec_type = "none"\n' for id in "ab")
    loaded = load(write_campaign(tmp_path / "made", f'[campaign]\nbaseline = "b"\n{runs}'))
    assert loaded.baseline == "b"


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path, write_campaign: Write) -> None:
    folder = write_campaign(tmp_path / "made", plain=None)
    (tmp_path / "elsewhere.log").write_text("secret")
    (folder / "plain.log").symlink_to(tmp_path / "elsewhere.log")
    error = refusal(folder)
    assert error.problem == "log 'plain.log' is outside the campaign folder"
    assert error.line == 7


def test_a_link_that_leads_to_itself_is_refused(tmp_path: Path, write_campaign: Write) -> None:
    folder = write_campaign(tmp_path / "made", plain=None)
    (folder / "plain.log").symlink_to("plain.log")
    assert refusal(folder).line == 7


def test_a_link_within_the_folder_is_fine(tmp_path: Path, write_campaign: Write) -> None:
    folder = write_campaign(tmp_path / "made")
    (folder / "plain.log").rename(folder / "real.log")
    (folder / "plain.log").symlink_to("real.log")
    assert len(load(folder).runs) == 2


def test_a_link_to_the_campaign_is_fine(tmp_path: Path, write_campaign: Write) -> None:
    folder = write_campaign(tmp_path / "made")
    (tmp_path / "link").symlink_to(folder)
    assert load(tmp_path / "link").slug == "made"


def test_several_blocks_need_a_choice(tmp_path: Path, write_campaign: Write, log: Callable) -> None:
    block = log([("code_python", 10, 0, 0, 1.0)])
    error = refusal(write_campaign(tmp_path / "made", plain=f"{block}\n{block}\n{block}"))
    assert (error.problem, error.remedy) == (
        "plain.log holds 3 runs",
        "say which one with block = 1 … 3",
    )
    assert error.line == 7


@pytest.mark.parametrize(
    ("content", "line"),
    [(b"", None), (b"\0\1\2", 1), (b"code_python\npred= 1 \xff", 2), (b"nothing here\n", None)],
)
def test_a_log_that_cannot_be_read_is_named_by_its_own_path(
    content: bytes, line: int | None, tmp_path: Path, write_campaign: Write
) -> None:
    folder = write_campaign(tmp_path / "made", plain=content)
    error = refusal(folder, LogError)
    assert (error.file, error.line) == (str(folder.resolve() / "plain.log"), line)


def test_a_log_that_is_a_folder(tmp_path: Path, write_campaign: Write) -> None:
    folder = write_campaign(tmp_path / "made", plain=None)
    (folder / "plain.log").mkdir()
    assert refusal(folder, LogError).problem == "this is a folder"


def test_settings_that_cannot_be_opened(
    tmp_path: Path, write_campaign: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_campaign(tmp_path / "made")

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    # The bits of a file's mode do not stop root.
    monkeypatch.setattr(Path, "read_bytes", refuse)
    error = refusal(folder)
    assert error.problem == "this file can't be read: Permission denied"
    assert error.file == str(folder.resolve() / "campaign.toml")


def test_a_named_pipe_is_not_waited_for(tmp_path: Path, write_campaign: Write) -> None:
    folder = write_campaign(tmp_path / "made", plain=None)
    os.mkfifo(folder / "plain.log")
    assert refusal(folder, MtpbenchError).file.startswith(str(folder.resolve()))


def test_unusual_line_ends_inside_a_comment_do_not_shift_the_line(
    tmp_path: Path, write_campaign: Write
) -> None:
    text = f"# one\u2028two\u0085three\n{PLAIN}nmax = 3\n"
    assert refusal(write_campaign(tmp_path / "made", text)).line == 5


SCRAPS = st.sampled_from(
    [
        *("[campaign]", "[[runs]]", "[card]", "[workloads]", "[live]", "[conditions]", "baseline"),
        *("id", "log", "n_max", "title", "block", "repeat", "spec_type", "synthetic_rates"),
        *("=", '"plain"', '"plain.log"', '"none"', "1", "true", "nan", "[1]", "{a = 1}", "\n", "'"),
    ]
)


@with_settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(st.text(), st.lists(SCRAPS, max_size=30).map(" ".join)))
def test_no_settings_raise_anything_but_our_error(
    text: str, tmp_path_factory: pytest.TempPathFactory, write_campaign: Write
) -> None:
    content = text.encode("utf-8", "surrogatepass")
    folder = write_campaign(tmp_path_factory.mktemp("any") / "made", content)
    line = None
    try:
        load(folder)
    except MtpbenchError as error:
        line = error.line
    assert line is None or 1 <= line <= content.count(b"\n") + 1


def test_front_matter_that_the_hub_refuses_is_pointed_at(tmp_path, write_campaign, settings):
    wrong = settings + '\n[card]\nlicense = "mit"\nbase_model = "Qwen3.6"\n'
    folder = write_campaign(tmp_path / "made", wrong)
    line = wrong.splitlines().index('base_model = "Qwen3.6"') + 1
    with pytest.raises(CampaignError, match=f'campaign.toml:{line}: base_model .* write "OWNER'):
        load(folder)
