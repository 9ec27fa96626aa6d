"""Repositories on the Hub: what is in one, and how does something get there?

The one place that talks to the Hub, through ``huggingface_hub`` and nothing
else. The token comes from that library's own sources; it is never asked for,
kept or said here.
"""

from __future__ import annotations

import hashlib
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from analysis.errors import HubError, printable
from analysis.hub.terms import REPOSITORY

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

__all__ = ["Committed", "Repository", "open_repository"]

README = "README.md"
_LONGEST_ANSWER = 300


@dataclass(frozen=True)
class Committed:
    """A commit on the Hub.

    Attributes
    ----------
    address
        Of the pull request, or of the commit.
    notes
        What the Hub remarked on the card's front matter.
    """

    address: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Repository:
    """A model repository as it is at one commit.

    Attributes
    ----------
    name
        ``OWNER/NAME``.
    commit
        What was looked at; a change on top of it fails when it is no longer the last.
    """

    name: str
    commit: str
    api: HfApi

    def paths(self) -> tuple[str, ...]:
        """All its files."""
        from huggingface_hub.hf_api import RepoFile  # noqa: PLC0415

        with _as_ours(self.name):
            there = self.api.list_repo_tree(self.name, recursive=True, revision=self.commit)
            return tuple(file.path for file in there if isinstance(file, RepoFile))

    def state(self, files: Mapping[str, bytes]) -> dict[str, bool]:
        """Which of some files are there, and whether with the same content."""
        from huggingface_hub.hf_api import RepoFile  # noqa: PLC0415

        with _as_ours(self.name):
            there = self.api.get_paths_info(self.name, sorted(files), revision=self.commit)
            found = {file.path: file for file in there if isinstance(file, RepoFile)}
            return {
                path: _same(file.blob_id, file.lfs.sha256 if file.lfs else None, files[path])
                for path, file in found.items()
                if path in files
            }

    def read(self, path: str) -> bytes:
        """The content of a file that is there."""
        with tempfile.TemporaryDirectory() as folder, _as_ours(self.name):
            found = self.api.hf_hub_download(
                self.name, path, revision=self.commit, cache_dir=folder
            )
            return Path(found).read_bytes()

    def write(
        self, files: Mapping[str, bytes], message: str, *, pr: bool, removed: Sequence[str] = ()
    ) -> Committed:
        """Commit changes on top of the commit that was looked at, all or none."""
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete  # noqa: PLC0415

        operations: list[CommitOperationAdd | CommitOperationDelete] = [
            CommitOperationAdd(path, content) for path, content in files.items()
        ]
        operations += [CommitOperationDelete(path, is_folder=False) for path in removed]
        with _as_ours(self.name), warnings.catch_warnings(record=True) as remarks:
            warnings.simplefilter("always", UserWarning)
            done = self.api.create_commit(
                self.name,
                operations,
                commit_message=message,
                create_pr=pr,
                parent_commit=self.commit,
            )
        notes = tuple(
            printable(" ".join(str(remark.message).split()))[:_LONGEST_ANSWER]
            for remark in remarks
            if "metadata" in str(remark.message)
        )
        return Committed(str(done.pr_url or done.commit_url), notes)


def open_repository(name: str) -> Repository:
    """A model repository on the Hub, as it is now.

    Parameters
    ----------
    name
        ``OWNER/NAME``; the Hub is the one of ``HF_ENDPOINT``.

    Raises
    ------
    HubError
        The name is none, there is no such repository, or the Hub can't be reached.
    """
    if not REPOSITORY.fullmatch(name):
        raise HubError(f"{name!r} is no repository", "write OWNER/NAME, as in its address")
    from huggingface_hub import HfApi  # noqa: PLC0415
    from huggingface_hub.utils.tqdm import disable_progress_bars  # noqa: PLC0415

    disable_progress_bars()
    api = HfApi(library_name="mtpbench")
    with _as_ours(name):
        commit = api.model_info(name).sha
    if commit is None:
        raise HubError(f"the Hub names no commit of {name}", "try again later")
    return Repository(name, commit, api)


def _same(blob: str | None, sha256: str | None, content: bytes) -> bool:
    if sha256:
        return sha256 == hashlib.sha256(content).hexdigest()
    # What git calls a blob: its hash is the Hub's id of a file that is not large.
    framed = b"blob %d\0" % len(content) + content
    return blob == hashlib.sha1(framed, usedforsecurity=False).hexdigest()


@contextmanager
def _as_ours(name: str) -> Iterator[None]:
    """Errors of the Hub and of the way to it as a user's mistake, without a word of the token."""
    from huggingface_hub import errors  # noqa: PLC0415
    from huggingface_hub.errors import (  # noqa: PLC0415
        HfHubHTTPError,
        LocalEntryNotFoundError,
        LocalTokenNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
    )

    # Trusted publishing came with a later version of the library.
    no_token = (LocalTokenNotFoundError, getattr(errors, "OIDCError", LocalTokenNotFoundError))
    # The parents of HfHubHTTPError: OSError, and the error of whichever HTTP library it uses.
    unreachable = cast(
        "tuple[type[Exception], ...]",
        (*HfHubHTTPError.__bases__, OfflineModeIsEnabled, LocalEntryNotFoundError),
    )
    try:
        yield
    except no_token as error:
        raise HubError("there is no token for the Hub", _LOGIN) from error
    except RepositoryNotFoundError as error:
        raise HubError(
            f"the Hub shows no model repository {name}",
            f"create it with `hf repos create {name}`, or log in with `hf auth login`",
        ) from error
    except HfHubHTTPError as error:
        raise _answered(name, error) from error
    except OfflineModeIsEnabled as error:
        raise HubError("the Hub is switched off", "unset HF_HUB_OFFLINE") from error
    except unreachable as error:
        raise HubError(
            "the Hub can't be reached", "check the connection, and HF_ENDPOINT if it is set"
        ) from error
    except RuntimeError as error:
        # huggingface_hub raises this for every failed upload of a large file, whatever the cause.
        raise HubError("the Hub did not take a file of the card", "try again later") from error
    except ValueError as error:
        said = printable(" ".join(str(error).split()))[:_LONGEST_ANSWER]
        if not said.startswith("Invalid metadata"):
            said = "the Hub's answer can't be understood"
            raise HubError(said, "check HF_ENDPOINT if it is set, or try again later") from error
        raise HubError(f"the Hub refuses the card: {said}", "correct its front matter") from error


_LOGIN = "log in with `hf auth login`, or set HF_TOKEN"


def _answered(name: str, error: HfHubHTTPError) -> HubError:
    status = error.response.status_code
    said = printable(" ".join((error.server_message or "").split()))
    token = error.response.request.headers.get("authorization", "").removeprefix("Bearer ")
    if token:
        # A server's answer may repeat the token, and must not be printed with it.
        said = said.replace(token, "…")
    problem = f"the Hub answered {status}" + (f": {said[:_LONGEST_ANSWER]}" if said else "")
    if status == 401:
        return HubError(problem, _LOGIN)
    if status == 403:
        return HubError(problem, f"use a token that may write to {name}, or propose it with --pr")
    if status in (409, 412):
        return HubError(problem, f"{name} changed meanwhile: look at the change again")
    if status == 429:
        return HubError(problem, "wait before you try again")
    return HubError(problem, "try again later" if status >= 500 else "correct what it names")
