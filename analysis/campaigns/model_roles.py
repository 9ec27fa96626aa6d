"""Roles of model files: which is the target, which the draft, and what do they tell?

A role is what the giver says (``draft=FILE``), else what campaign.toml names
(`target_file`, `draft_file` under ``[card]``), else what the architecture can
be. Where several files have one role and none is named, none is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from analysis.campaigns.campaign import Campaign
from analysis.errors import ModelFileError
from analysis.hub.terms import problems
from analysis.models.model_files import ModelFile, Role, model_paths, read_model
from analysis.records import Run

__all__ = ["ROLES", "ModelRoles", "cast", "published", "read_files", "with_files"]

ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True)
class ModelRoles:
    """The files of a campaign by role.

    Attributes
    ----------
    target, draft
        The one file of that role; null for none, and for several.
    roles
        Every file's role, in the order given.
    """

    target: ModelFile | None
    draft: ModelFile | None
    roles: tuple[tuple[ModelFile, Role], ...]


def read_files(places: Iterable[str | Path], *, hashed: bool = False) -> tuple[ModelFile, ...]:
    """Read the model files at some places.

    Parameters
    ----------
    places
        Files and folders, each with ``target=`` or ``draft=`` before it or not.
    hashed
        Whether to compute each file's SHA-256.

    Returns
    -------
    tuple of ModelFile
        Each once, in the order given.

    Raises
    ------
    ModelFileError
        A place has no model file, or one that can't be believed.
    """
    found: dict[Path, ModelFile] = {}
    for place in places:
        role, path = _split(str(place))
        for file in model_paths(path):
            model = read_model(file, hashed=hashed)
            found[file.resolve()] = replace(model, role=role or model.role)
    names = [part.name for model in found.values() for part in model.parts]
    for name in names:
        if names.count(name) > 1:
            raise ModelFileError(
                f"two model files are called {name}", "give one of them, or rename one"
            )
    return tuple(found.values())


def _split(place: str) -> tuple[Role | None, str]:
    word, _, rest = place.partition("=")
    for role in ROLES:
        if word == role and rest:
            return role, rest
    return None, place


def cast(files: Sequence[ModelFile], card: Mapping[str, Any]) -> ModelRoles:
    """Give every file its role.

    Parameters
    ----------
    files
        What was read.
    card
        The ``[card]`` table, for the names that it has.
    """
    roles = tuple((file, _role(file, card)) for file in files)
    return ModelRoles(_only("target", roles, card), _only("draft", roles, card), roles)


def _role(file: ModelFile, card: Mapping[str, Any]) -> Role:
    if file.role is not None:
        return file.role
    for role in ROLES:
        if card.get(f"{role}_file") in _names(file):
            return role
    return "draft" if file.drafts_only else "target"


def _only(
    role: Role, roles: Iterable[tuple[ModelFile, Role]], card: Mapping[str, Any]
) -> ModelFile | None:
    files = [file for file, its in roles if its == role]
    named = [file for file in files if card.get(f"{role}_file") in _names(file)]
    chosen = named or files
    return chosen[0] if len(chosen) == 1 else None


def published(roles: ModelRoles, runs: Iterable[Run]) -> ModelFile | None:
    """The file that a card's repository is about: the draft, or a target that drafts for itself.

    Null where a draft was measured and its file is not among those given.
    """
    words = {word for run in runs for word in str(run.spec_type).split(",")}
    has_drafts = any(role == "draft" for _, role in roles.roles)
    # Multi-token prediction is a part of the target's file.
    apart = any(word.startswith("draft-") and word != "draft-mtp" for word in words)
    return roles.draft if has_drafts or apart else roles.target


def _names(file: ModelFile) -> list[str]:
    return [part.name for part in file.parts]


def with_files(campaign: Campaign, files: Sequence[ModelFile]) -> Campaign:
    """A campaign that has model files, and what they state where its author states nothing.

    Parameters
    ----------
    campaign
        As loaded.
    files
        What was read of its model files.

    Returns
    -------
    Campaign
        With `files` by role, and `card` with names, quantisation, licence and base model
        from the file that the card's repository is about.
    """
    roles = cast(files, campaign.card)
    card = dict(campaign.card)
    for key, value in _stated(roles, campaign.runs):
        card.setdefault(key, value)
    placed = tuple(replace(file, role=role) for file, role in roles.roles)
    return replace(campaign, files=placed, card=card)


def _stated(roles: ModelRoles, runs: Iterable[Run]) -> Iterator[tuple[str, Any]]:
    if roles.target is not None:
        yield "target_file", roles.target.file
    if roles.draft is not None:
        yield "draft_file", roles.draft.file
    own = published(roles, runs)
    if own is None:
        return
    yield "format", "GGUF"
    if own.quantization is not None:
        yield "quantization", own.quantization
    if own.repository is not None:
        yield "base_model", own.repository
    keys = ("license", "license_name", "license_link")
    licence = {key: value for key in keys if (value := getattr(own, key)) is not None}
    # A licence that lacks a part, or that the Hub would refuse, is left out.
    if not any(problems(licence)):
        yield from licence.items()
