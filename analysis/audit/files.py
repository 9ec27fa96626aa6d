"""Checks of model files: do they say what the campaign says of them?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from analysis.audit.finding import Check, Evidence, Hit
from analysis.records import Run

if TYPE_CHECKING:
    # For annotations only: who reads a log must not wait for what reads models.
    from analysis.campaigns.model_roles import ModelRoles
    from analysis.models.model_files import ModelFile

__all__ = ["CHECKS"]

_METHODS: Mapping[str, tuple[str, ...]] = {
    "dflash": ("draft-dflash", "draft-dspark"),
    "dspark": ("draft-dspark",),
    "eagle3": ("draft-eagle3",),
}


def _contradicted(evidence: Evidence) -> Iterator[Hit]:
    if not evidence.files:
        return
    from analysis.campaigns.model_roles import ROLES, cast, published  # noqa: PLC0415

    roles = cast(evidence.files, evidence.card)
    yield from _names(evidence, roles, ROLES)
    own = published(roles, evidence.runs)
    if own is not None:
        yield from _card(evidence.card, own)
    if roles.draft is not None:
        for run in {run.id: run for run in evidence.runs}.values():
            yield from _run(run, roles.draft)


def _names(evidence: Evidence, roles: ModelRoles, known_roles: Iterable[str]) -> Iterator[Hit]:
    for role in known_roles:
        named = evidence.card.get(f"{role}_file")
        files = [file for file, its in roles.roles if its == role]
        if isinstance(named, str) and files:
            known = [part.name for file in files for part in file.parts]
            if named not in known:
                yield "campaign", f"{role}_file is {named!r}, and the file given is {known[0]}"


def _card(card: Mapping[str, Any], own: ModelFile) -> Iterator[Hit]:
    for key, stated in (
        ("quantization", own.quantization),
        ("license", own.license),
        ("base_model", own.repository),
    ):
        said = card.get(key)
        values = said if isinstance(said, list) else [said]
        written = [str(value) for value in values if value is not None]
        if stated is None or not written or stated.lower() in map(str.lower, written):
            continue
        # A licence without an identifier of the Hub's has its name beside it.
        if key == "license" and "other" in (stated.lower(), written[0].lower()):
            continue
        yield "campaign", f"{key} is {', '.join(written)!r}, and {own.file} says {stated!r}"


def _run(run: Run, draft: ModelFile) -> Iterator[Hit]:
    methods = [word for word in str(run.spec_type).split(",") if word.startswith("draft-")]
    fitting = _METHODS.get(draft.architecture or "")
    own = [word for word in methods if fitting is None or word in fitting]
    if methods and not own and run.draft in (None, draft.file):
        yield (
            run.id,
            f"spec_type is {run.spec_type!r}, and {draft.file} is a {draft.architecture} draft",
        )
    deepest = draft.trained_depth(",".join(own))
    if deepest is not None and run.n_max is not None and run.n_max > deepest:
        yield (
            run.id,
            f"n_max is {run.n_max}, and {draft.file} drafts {deepest} tokens at most: "
            f"the depth in effect was {deepest}",
        )


def _vocabulary(evidence: Evidence) -> Iterator[Hit]:
    if not evidence.files:
        return
    from analysis.campaigns.model_roles import cast  # noqa: PLC0415

    roles = cast(evidence.files, evidence.card)
    targets = [file for file, role in roles.roles if role == "target"]
    drafts = [file for file, role in roles.roles if role == "draft"]
    for draft in [roles.draft] if roles.draft else drafts:
        for target in [roles.target] if roles.target else targets:
            hashes = (target.vocabulary_sha256, draft.vocabulary_sha256)
            if None not in hashes and hashes[0] != hashes[1]:
                yield (
                    "campaign",
                    f"{draft.file} has {_tokens(draft)} and {target.file} {_tokens(target)}, "
                    "and they are not the same",
                )


def _tokens(file: ModelFile) -> str:
    return f"{file.vocabulary_size} tokens ({file.tokenizer or 'tokenizer not stated'})"


CHECKS = (
    Check(
        "file-contradicts",
        "warning",
        "A model file says something else than campaign.toml",
        "The card would tell a reader to use, or to expect, what was not measured.",
        "Correct campaign.toml, or give the files that were used.",
        _contradicted,
    ),
    Check(
        "vocabulary-differs",
        "warning",
        "Draft and target have different vocabularies",
        "llama.cpp rejects the draft, or translates every drafted token, which costs time and "
        "acceptance. A difference in unused tokens at the end alone does no harm.",
        "Give the target that the draft was made for, or convert both with the same tokenizer.",
        _vocabulary,
    ),
)
