"""A campaign's card into its repository on the Hub.

Between the markers of a README, its pictures and ``preset.ini``; nothing else
of the repository is touched, and nothing at all unless it is asked for.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from analysis import cards
from analysis.cards import preset
from analysis.cards.insertion import NoMarkersError, inserted
from analysis.charts import DARK, LIGHT
from analysis.errors import CardError
from analysis.hub.repository import README, Repository, open_repository
from analysis.models.model_files import ModelFile
from analysis.pipeline import summary_of
from analysis.publishing import insert as readme
from analysis.summary import Summary

__all__ = ["Change", "Push", "push"]

PRESET = "preset.ini"
MESSAGE = "Update benchmark sections from campaign {slug}"
FIRST = "Add benchmark card of campaign {slug}"

State = Literal["new", "changed", "same", "left alone"]


@dataclass(frozen=True)
class Change:
    """What becomes of one file of the repository."""

    path: str
    state: State
    size: int

    @property
    def written(self) -> bool:
        """Whether a push writes it."""
        return self.state in ("new", "changed")


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
    """

    repository: str
    changes: tuple[Change, ...]
    diff: str
    address: str | None = None
    notes: tuple[str, ...] = ()

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
    before = _readme(repository)
    after, pictures = _card(summary, before, f"{repo}/{README}")
    wanted = {README: after.encode("utf-8"), **pictures}
    wanted[PRESET] = preset.preset(summary).encode("utf-8")
    changes = _changes(repository, wanted)
    shown = readme.Insertion(Path(README), before or "", after, (), (), ())
    planned = Push(repo, changes, shown.diff)
    if dry_run or not planned.changed:
        return planned
    message = (FIRST if before is None else MESSAGE).format(slug=summary.campaign.slug)
    chosen = {change.path: wanted[change.path] for change in changes if change.written}
    done = repository.write(chosen, message, pr=pr)
    return Push(repo, changes, shown.diff, done.address, done.notes)


def _readme(repository: Repository) -> str | None:
    if README not in repository.state({README: b""}):
        return None
    try:
        return repository.read(README).decode("utf-8")
    except UnicodeDecodeError as error:
        # The Hub takes no other, so it could not be given back as it was.
        raise CardError(
            "this README is not UTF-8", "save it as UTF-8", file=f"{repository.name}/{README}"
        ) from error


def _card(summary: Summary, before: str | None, name: str) -> tuple[str, dict[str, bytes]]:
    """The README's new text, and the pictures that it shows, by their paths."""
    made, pictures = readme.sections(summary)
    if before is None:
        text = cards.render(summary, {name: drawn for name, (_, drawn) in pictures.items()})
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
    files: dict[str, bytes] = {}
    for chart, drawn in pictures.values():
        files[str(drawn.light)] = chart.png(LIGHT)
        files[str(drawn.dark)] = chart.png(DARK)
    return text, files


def _changes(repository: Repository, wanted: Mapping[str, bytes]) -> tuple[Change, ...]:
    there = repository.state(wanted)
    changes = []
    for path, content in wanted.items():
        state: State = "new"
        if path in there:
            state = "same" if there[path] else "changed"
        if path == PRESET and state == "changed" and not _is_ours(repository.read(path), content):
            state = "left alone"
        changes.append(Change(path, state, len(content)))
    return tuple(changes)


def _is_ours(there: bytes, ours: bytes) -> bool:
    """Whether a preset begins as those that we write: another is somebody's own."""
    return io.BytesIO(there).readline().strip() == io.BytesIO(ours).readline().strip()
