"""A campaign's card into its repository on the Hub, and its settings into one of their own.

A card is what stands between the markers of a README, and its pictures; nothing
else of the repository is touched, and nothing at all unless it is asked for. Its
``preset.ini`` never goes beside model files, where llama.cpp would download it
and nothing else; one that was put there by us is taken away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from analysis import cards
from analysis.cards import preset
from analysis.cards.insertion import NoMarkersError, inserted
from analysis.cards.markers import find_spans
from analysis.charts import DARK, LIGHT, Chart, DrawnChart
from analysis.errors import CardError, HubError
from analysis.hub.repository import README, Repository, open_repository
from analysis.models.model_files import ModelFile
from analysis.pipeline import summary_of
from analysis.publishing import insert as readme
from analysis.publishing.traps import Trap, traps
from analysis.summary import Summary

__all__ = ["Change", "Push", "push", "push_preset"]

PRESET = "preset.ini"
MESSAGE = "Update benchmark sections from campaign {slug}"
FIRST = "Add benchmark card of campaign {slug}"
PRESET_MESSAGE = "Recommended settings from campaign {slug}"

State = Literal["new", "changed", "same", "removed"]
Shown = dict[str, tuple[Chart, DrawnChart]]


@dataclass(frozen=True)
class Change:
    """What becomes of one file of the repository."""

    path: str
    state: State
    size: int

    @property
    def written(self) -> bool:
        """Whether a push writes or removes it."""
        return self.state != "same"


@dataclass(frozen=True)
class Push:
    """What a push changed, or would change.

    Attributes
    ----------
    repository
        ``OWNER/NAME``.
    changes
        Every file of the card.
    diff
        Of the README; empty when it stays.
    address
        Of the commit or pull request; null when nothing was written.
    notes
        What the Hub remarked.
    traps
        What would keep a reader from using the model as the card says.
    """

    repository: str
    changes: tuple[Change, ...]
    diff: str
    address: str | None = None
    notes: tuple[str, ...] = ()
    traps: tuple[Trap, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything differs."""
        return any(change.written for change in self.changes)


def push(
    campaign: str | Path,
    repo: str,
    *,
    pr: bool = False,
    dry_run: bool = True,
    files: Sequence[ModelFile] = (),
) -> Push:
    """Put a campaign's card into a model repository on the Hub.

    Parameters
    ----------
    campaign
        A campaign folder.
    repo
        ``OWNER/NAME``, which must exist. Without a README it gets the complete
        card; in one that is there only what is between markers changes.
    pr
        Propose the change as a pull request.
    dry_run
        Only say what would change. This is the default.
    files
        What the campaign's model files state, see ``model_roles.read_files``.

    Returns
    -------
    Push
        Nothing is committed where nothing differs.

    Raises
    ------
    CardError
        The README has no markers, or they are not in order.
    HubError
        The Hub refuses, or can't be reached.
    """
    summary = summary_of(campaign, files)
    repository = open_repository(repo)
    before = _text(repository, README)
    after, shown = _card(summary, before, f"{repo}/{README}")
    wanted = {README: after.encode("utf-8")}
    if f"]({cards.RESULTS}" in after:
        behind, more = _behind(summary, _text(repository, cards.RESULTS), f"{repo}/{cards.RESULTS}")
        wanted[cards.RESULTS] = behind.encode("utf-8")
        shown = {**shown, **more}
    wanted |= _pictures(shown)
    there = repository.paths()
    changes = _changes(repository, wanted)
    removed = [Change(PRESET, "removed", 0)] if _is_ours_to_remove(repository, there) else []
    left = [path for path in there if path not in {change.path for change in removed}]
    found = traps(summary, after, [*left, *wanted], repo)
    diff = readme.Insertion(Path(README), before or "", after, (), (), ()).diff
    planned = Push(repo, (*changes, *removed), diff, traps=found)
    if dry_run or not planned.changed:
        return planned
    message = (FIRST if before is None else MESSAGE).format(slug=summary.campaign.slug)
    return _done(repository, planned, wanted, message, pr=pr)


def push_preset(
    campaign: str | Path,
    repo: str,
    *,
    pr: bool = False,
    dry_run: bool = True,
    files: Sequence[ModelFile] = (),
) -> Push:
    """Put a campaign's recommended settings into a repository of their own on the Hub.

    ``llama-server -hf REPO`` then offers each of them by name and downloads the models
    that it needs from their own repositories.

    Parameters
    ----------
    campaign, pr, dry_run, files
        See :func:`push`.
    repo
        ``OWNER/NAME``, which must exist and hold no model files.

    Raises
    ------
    CardError
        Where the target or a draft is on the Hub is not known.
    HubError
        The repository has model files or somebody's own preset; the Hub refuses, or
        can't be reached.
    """
    summary = summary_of(campaign, files)
    wanted = {PRESET: preset.preset(summary, repo).encode("utf-8")}
    repository = open_repository(repo)
    there = repository.paths()
    if any(_is_model(path) for path in there):
        raise HubError(
            f"{repo} holds GGUF files, and beside a preset llama.cpp would not download them",
            "name a repository without any, for the preset alone",
        )
    if PRESET in there and not _is_ours(repository.read(PRESET)):
        raise HubError(
            f"{repo} has a {PRESET} that mtpbench did not write", "name another repository"
        )
    planned = Push(repo, _changes(repository, wanted), "")
    if dry_run or not planned.changed:
        return planned
    message = PRESET_MESSAGE.format(slug=summary.campaign.slug)
    return _done(repository, planned, wanted, message, pr=pr)


def _done(
    repository: Repository, planned: Push, wanted: Mapping[str, bytes], message: str, *, pr: bool
) -> Push:
    written = {
        change.path: wanted[change.path]
        for change in planned.changes
        if change.written and change.state != "removed"
    }
    removed = [change.path for change in planned.changes if change.state == "removed"]
    done = repository.write(written, message, pr=pr, removed=removed)
    return replace(planned, address=done.address, notes=done.notes)


def _text(repository: Repository, path: str) -> str | None:
    if path not in repository.state({path: b""}):
        return None
    try:
        return repository.read(path).decode("utf-8")
    except UnicodeDecodeError as error:
        # The Hub takes no other, so it could not be given back as it was.
        raise CardError(
            f"this {Path(path).stem} is not UTF-8",
            "save it as UTF-8",
            file=f"{repository.name}/{path}",
        ) from error


def _card(summary: Summary, before: str | None, name: str) -> tuple[str, Shown]:
    """The README's new text, and the pictures that it shows."""
    made, pictures = readme.sections(summary)
    if before is None:
        text = cards.render(summary, {name: drawn for name, (_, drawn) in pictures.items()})
        pictures = readme.shown(text, pictures)
    else:
        try:
            text, spans = inserted(before, made, cards.known_names(), file=name)
        except NoMarkersError as error:
            raise CardError(
                "this README has no markers, and is not overwritten",
                "put lines like <!-- mtpbench:begin overall --> and <!-- mtpbench:end overall --> "
                "where the figures are to stand; `mtpbench card` prints a complete card to start "
                "from",
                file=name,
            ) from error
        _, pictures = readme.sections(summary, [span.name for span in spans])
    return text, pictures


def _behind(summary: Summary, before: str | None, name: str) -> tuple[str, Shown]:
    """The second file's text, to which the README links, and the pictures that it shows."""
    _, pictures = readme.sections(summary)
    text = cards.render_results(summary, {name: drawn for name, (_, drawn) in pictures.items()})
    if before is not None and not find_spans(before, cards.known_names(), name):
        raise CardError(
            "it was not written by mtpbench, and is not overwritten",
            "rename it, or remove the link to it from the README",
            file=name,
        )
    return text or "", readme.shown(text or "", pictures)


def _pictures(shown: Shown) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for chart, drawn in shown.values():
        files[str(drawn.light)] = chart.png(LIGHT)
        files[str(drawn.dark)] = chart.png(DARK)
    return files


def _changes(repository: Repository, wanted: Mapping[str, bytes]) -> tuple[Change, ...]:
    there = repository.state(wanted)
    changes = []
    for path, content in wanted.items():
        state: State = "new"
        if path in there:
            state = "same" if there[path] else "changed"
        changes.append(Change(path, state, len(content)))
    return tuple(changes)


def _is_model(path: str) -> bool:
    return path.lower().endswith(".gguf")


def _is_ours_to_remove(repository: Repository, there: Sequence[str]) -> bool:
    beside = PRESET in there and any(_is_model(path) for path in there)
    return beside and _is_ours(repository.read(PRESET))


def _is_ours(there: bytes) -> bool:
    """Whether a preset begins as those that we write: another is somebody's own."""
    return there.splitlines()[:1] == preset.FIRST.encode().splitlines()
