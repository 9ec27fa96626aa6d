"""A campaign's card on a stand-in for the Hub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import huggingface_hub.constants
import pytest

from analysis.cards.sections import raw
from analysis.charts import Chart
from analysis.errors import CampaignError, CardError, HubError, MtpbenchError
from analysis.publishing.push import Push, push, push_preset
from tests.hub_server import NAME, TOKEN, Hub, running

# The library's own, on the way that a stand-in can follow.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content:DeprecationWarning")

PRESET = "somebody/Model-preset"
OURS = b"; Settings recommended by the measurements in this card.\n"
REPOSITORIES = 'target_repo = "org/Target-GGUF:Q8_0"\ndraft_repo = "org/Draft-GGUF:Q4_K_M"'
PICTURES = "mtpbench-figures/made"
MARKED = (
    b"---\r\nlicense: mit\r\n---\r\n\r\n# By hand \xc3\xa9\r\n\r\n"
    b"<!-- mtpbench:begin summary -->\r\nold\r\n<!-- mtpbench:end summary -->\r\n\r\nthe end"
)
NO_COMMAND = MARKED.replace(b"summary", b"overall")


@pytest.fixture(scope="module")
def server() -> Iterator[Hub]:
    with running() as hub:
        yield hub


@pytest.fixture
def hub(server: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Hub:
    """An empty repository of somebody who is logged in."""
    fresh = Hub(address=server.address)
    vars(server).update(vars(fresh))
    address = f"{server.address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", server.address)
    monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", address)
    # Uploads go over HTTP then, as far as a stand-in can follow.
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    # Drawing is not what is tested here.
    monkeypatch.setattr(Chart, "png", lambda chart, theme: f"{chart.name} {theme.name}".encode())
    return server


@pytest.fixture
def put(hub: Hub, tmp_path: Path, write_campaign) -> Callable[..., Push]:
    """``put(pr=False, dry_run=False, repo=NAME)``: a push that is meant."""
    folder = write_campaign(tmp_path / "made")

    def call(*, repo: str = NAME, dry_run: bool = False, pr: bool = False) -> Push:
        return push(folder, repo, dry_run=dry_run, pr=pr)

    return call


def states(done: Push) -> dict[str, str]:
    return {change.path: change.state for change in done.changes}


def test_dry_run_is_the_default_and_writes_nothing(hub, put, tmp_path):
    hub.files["README.md"] = MARKED
    done = push(tmp_path / "made", NAME)
    assert done.diff.startswith("--- a/README.md\n+++ b/README.md\n")
    assert "\n-old\r\n" in done.diff
    assert done.address is None
    assert states(done) == {
        "README.md": "changed",
        f"{PICTURES}/throughput.png": "new",
        f"{PICTURES}/throughput-dark.png": "new",
    }
    assert hub.commits == []
    assert not [asked for asked in hub.requests if "commit" in asked or "preupload" in asked]


def test_push_changes_what_is_between_markers_and_nothing_else(hub, put):
    hub.files |= {"README.md": MARKED, "model.gguf": b"weights"}
    done = put()
    assert done.address == f"{hub.address}/{NAME}/commit/{'c' * 40}"
    (commit,) = hub.commits
    assert commit["summary"] == "Update benchmark sections from campaign made"
    assert commit["pr"] is False
    assert set(commit["files"]) == states(done).keys()
    readme = hub.files["README.md"]
    start, stop = b"<!-- mtpbench:begin summary -->\r\n", b"<!-- mtpbench:end summary -->"
    assert readme.partition(start)[0] == MARKED.partition(start)[0]
    assert readme.rpartition(stop)[2] == MARKED.rpartition(stop)[2]
    assert f'src="{PICTURES}/throughput.png"'.encode() in readme
    assert hub.files[f"{PICTURES}/throughput-dark.png"] == b"throughput dark"
    assert hub.files["model.gguf"] == b"weights"


@pytest.mark.parametrize("large", [True, False])
def test_second_push_finds_nothing_to_do(hub, put, large):
    hub.files["README.md"] = MARKED
    put()
    if not large:
        hub.large.clear()
    again = put()
    assert set(states(again).values()) == {"same"}
    assert not again.changed
    assert again.address is None
    assert again.diff == ""
    assert len(hub.commits) == 1


def test_only_what_differs_is_written(hub, put):
    hub.files["README.md"] = MARKED
    put()
    hub.files["README.md"] = MARKED
    put()
    assert list(hub.commits[1]["files"]) == ["README.md"]


def test_repository_without_a_readme_gets_the_complete_card(hub, put):
    put()
    card = hub.files["README.md"].decode()
    assert card.startswith("---\npipeline_tag: text-generation\n")
    assert "<!-- mtpbench:begin summary -->" in card
    results = hub.files["RESULTS.md"].decode()
    assert "](RESULTS.md)" in card
    assert "<!-- mtpbench:begin depth -->" in results
    pictures = [name for name in hub.files if name.endswith(".png")]
    assert pictures
    assert all(name in card + results for name in pictures)
    assert hub.commits[0]["summary"] == "Add benchmark card of campaign made"
    assert not put(dry_run=True).changed


def test_second_file_goes_where_the_readme_links_to_it(hub, put):
    hub.files["README.md"] = NO_COMMAND
    put()
    assert "RESULTS.md" not in hub.files
    hub.files["README.md"] = MARKED.replace(b"summary", b"evidence")
    assert states(put())["RESULTS.md"] == "new"
    assert states(put())["RESULTS.md"] == "same"


def test_somebody_s_own_second_file_is_not_overwritten(hub, put):
    hub.files |= {
        "README.md": MARKED.replace(b"summary", b"evidence"),
        "RESULTS.md": b"# My results\n",
    }
    with pytest.raises(CardError, match="was not written by mtpbench, and is not overwritten"):
        put()
    assert hub.files["RESULTS.md"] == b"# My results\n"
    assert hub.commits == []


def test_no_link_of_a_campaign_is_published(hub, put, tmp_path, monkeypatch):
    private = tmp_path / "private.log"
    private.write_text("zaphod\n" * 20)
    hub.files["README.md"] = MARKED.replace(b"summary", b"raw")
    log = tmp_path / "made" / "fast.log"
    read = raw.bytes_inside

    def swapped(path: Path, folder: Path) -> bytes | None:
        if not log.is_symlink():  # after the campaign was read
            log.unlink()
            log.symlink_to(private)
        return read(path, folder)

    with monkeypatch.context() as patch:
        patch.setattr(raw, "bytes_inside", swapped)
        put()
    assert b"`fast.log` can't be read any more" in hub.files["README.md"]
    assert not [name for name, content in hub.files.items() if b"zaphod" in content]
    commits = len(hub.commits)
    with pytest.raises(CampaignError, match=r"log 'fast\.log' is outside"):
        put()
    assert len(hub.commits) == commits


def test_readme_without_markers_is_refused(hub, put):
    hub.files["README.md"] = b"# By hand\n"
    with pytest.raises(CardError, match="no markers, and is not overwritten; put lines") as raised:
        put()
    assert raised.value.file == f"{NAME}/README.md"
    assert hub.commits == []


def test_readme_that_is_not_unicode_is_refused(hub, put):
    hub.files["README.md"] = MARKED + b"\xff"
    with pytest.raises(CardError, match="not UTF-8"):
        put()
    assert hub.commits == []


def test_broken_markers_are_refused_with_their_line(hub, put):
    hub.files["README.md"] = b"# x\n<!-- mtpbench:begin overall -->\n"
    with pytest.raises(CardError) as raised:
        put()
    assert raised.value.where == f"{NAME}/README.md:2"
    assert hub.commits == []


def test_pull_request_leaves_the_repository_as_it_is(hub, put):
    hub.files["README.md"] = MARKED
    assert put(pr=True).address == f"{hub.address}/{NAME}/discussions/1"
    assert hub.commits[0]["pr"] is True
    assert hub.files["README.md"] == MARKED


def test_preset_never_goes_beside_model_files(hub, put):
    hub.files |= {"README.md": MARKED, "model.gguf": b"weights"}
    put()
    assert "preset.ini" not in hub.files


def test_preset_of_ours_beside_model_files_is_taken_away(hub, put):
    hub.files |= {"README.md": NO_COMMAND, "model.gguf": b"weights", "preset.ini": OURS}
    shown = put(dry_run=True)
    assert states(shown)["preset.ini"] == "removed"
    assert shown.traps == ()
    assert "preset.ini" in hub.files
    put()
    assert "preset.ini" not in hub.files
    assert hub.commits[0]["removed"] == ["preset.ini"]
    assert not put().changed


def test_somebody_s_own_preset_beside_model_files_is_left_and_said(hub, put):
    hub.files |= {"README.md": NO_COMMAND, "model.gguf": b"weights", "preset.ini": b"[mine]\n"}
    done = put()
    assert "preset.ini" not in states(done)
    assert [trap.code for trap in done.traps] == ["preset-beside-models"]
    assert hub.files["preset.ini"] == b"[mine]\n"


@pytest.fixture
def put_preset(hub: Hub, tmp_path: Path, write_campaign) -> Callable[..., Push]:
    """``put_preset(card="…")``: into the repository `PRESET`, from a campaign with that card."""
    hub.others[PRESET] = {}

    def call(card: str = REPOSITORIES, repo: str = PRESET) -> Push:
        folder = write_campaign(tmp_path / f"shared-{len(list(tmp_path.iterdir()))}")
        with (folder / "campaign.toml").open("a", encoding="utf-8") as file:
            file.write(f"\n[card]\n{card}\n")
        return push_preset(folder, repo, dry_run=False)

    return call


def test_preset_in_a_repository_of_its_own_names_repositories(hub, put_preset):
    done = put_preset()
    assert states(done) == {"preset.ini": "new"}
    text = hub.others[PRESET]["preset.ini"].decode()
    assert text.startswith(f"{OURS.decode()}; Use: llama-server -hf {PRESET}\n")
    assert "model" not in [line.partition(" =")[0] for line in text.splitlines()]
    assert "[off]\n; no speculation" in text
    assert text.count("hf-repo = org/Target-GGUF:Q8_0\n") == text.count("[")
    assert not put_preset().changed


@pytest.mark.parametrize("model", ["model.gguf", "below/Model.GGUF"])
def test_preset_is_refused_where_model_files_are(hub, put_preset, model):
    hub.others[PRESET] = {model: b"weights"}
    with pytest.raises(HubError, match=r"holds GGUF files.*name a repository without any"):
        put_preset()
    assert hub.commits == []


def test_somebody_s_own_preset_is_not_overwritten(hub, put_preset):
    hub.others[PRESET] = {"preset.ini": b"[mine]\n"}
    with pytest.raises(HubError, match="did not write; name another repository"):
        put_preset()
    assert hub.commits == []


def test_preset_without_a_known_repository_is_refused_with_the_key(hub, put_preset):
    with pytest.raises(CardError, match=r'add target_repo = "OWNER/NAME:QUANT" under \[card\]'):
        put_preset("")
    assert hub.requests == []


@pytest.mark.parametrize(
    ("where", "status", "said", "remedy"),
    [
        (f"/api/models/{NAME}", 401, "answered 401", "hf auth login"),
        (f"/api/models/{NAME}", 404, "shows no model repository", f"hf repos create {NAME}"),
        (f"/api/models/{NAME}", 500, "answered 500", "try again later"),
        (f"/api/models/{NAME}", 429, "answered 429", "wait"),
        ("/paths-info/", 502, "answered 502", "try again later"),
        ("/put/", 400, "did not take a file", "try again later"),
        ("/commit/", 403, "answered 403", "propose it with --pr"),
        ("/commit/", 409, "answered 409", "changed meanwhile"),
        ("/commit/", 412, "answered 412", "look at the change again"),
    ],
)
def test_refusals_of_the_hub_are_said(hub, put, where, status, said, remedy):
    hub.files["README.md"] = MARKED
    hub.fails[where] = (status, f"no, {TOKEN} \x1b[31m")
    with pytest.raises(HubError) as raised:
        put()
    assert said in raised.value.problem
    assert remedy in raised.value.remedy
    assert TOKEN not in str(raised.value)
    assert "\x1b" not in str(raised.value)
    assert hub.files["README.md"] == MARKED


def test_commit_in_between_is_not_overwritten(hub, put, monkeypatch):
    hub.files["README.md"] = MARKED
    # Between the look and the push somebody else commits.
    monkeypatch.setattr(Chart, "png", lambda *_: hub.files.update({"x": b"1"}) or b"png")
    with pytest.raises(HubError, match="changed meanwhile"):
        put()
    assert hub.files["README.md"] == MARKED


def test_refused_front_matter_is_said(hub, put):
    hub.refuses = '"license" must be one of the list'
    with pytest.raises(HubError, match=r'refuses the card: Invalid metadata .*"license" must'):
        put()
    assert hub.commits == []


def test_remarks_of_the_hub_are_passed_on(hub, put):
    hub.remark = "empty or missing license"
    (note,) = put().notes
    assert "empty or missing license" in note


def test_hub_out_of_reach_is_said(put, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(HubError, match="can't be reached"):
        put()


def test_somebody_who_is_not_logged_in_is_told_how(hub, put, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(HubError, match="hf auth login"):
        put()
    assert hub.commits == []


def test_failed_trusted_publishing_is_a_missing_token(hub, put, monkeypatch):
    monkeypatch.setenv("HF_OIDC_RESOURCE", f"models/{NAME}")
    with pytest.raises(HubError, match="no token for the Hub; log in"):
        put()


@pytest.mark.parametrize("name", ["model", "https://huggingface.co/a/b", "a/b/c", "../x", ""])
def test_name_that_is_no_repository_is_refused(hub, put, name):
    with pytest.raises(MtpbenchError, match="is no repository; write OWNER/NAME"):
        put(repo=name)
    assert hub.requests == []
