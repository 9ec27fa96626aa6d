"""A draft that llama.cpp does not find where the card says that it is.

In a repository it knows a draft by a lower-case word in its name; any other file
is taken for a model of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from analysis.cards.facts import Facts
from analysis.parsers.text.command import CommandSettings
from analysis.publishing.traps.trap import Publication, Rule

__all__ = ["RULE"]

_WORDS: Mapping[str, str] = {
    "draft-mtp": "mtp-",
    "draft-eagle3": "eagle3-",
    "draft-dflash": "dflash-",
    "draft-dspark": "dspark-",
}
_NO_MODEL = ("mmproj", "imatrix", *_WORDS.values())
_PREFERRED = ("Q4_K_M", "Q8_0")


def _look(publication: Publication) -> Iterator[str]:
    facts = Facts(publication.summary)
    yield from _beside_a_target(publication, facts.method)
    for command in publication.commands:
        yield from _named_by(publication, command)


def _beside_a_target(publication: Publication, method: str | None) -> Iterator[str]:
    """A draft in its target's repository, where it has to be found by its name."""
    word, own = _WORDS.get(method or ""), publication.draft_file
    paths = [path for path in publication.models if PurePosixPath(path).name == own]
    others = [path for path in publication.models if path not in paths and _is_model(path)]
    if word is None or own is None or word in own or not paths:
        return
    for target in _targets(publication, others):
        yield (
            f"{own} lies beside {target} and has no {word} in its name: -hf with --spec-type "
            f"{method} does not find it, and may load it as the target"
        )
        return


def _targets(publication: Publication, others: Sequence[str]) -> Iterator[str]:
    """Those of the other files that are no further quantizations of the draft."""
    named = publication.summary.campaign.card.get("target_file")
    draft = _stem(publication.draft_file or "")
    for path in others:
        name = PurePosixPath(path).name
        if name == named or _stem(name) != draft:
            yield name


def _stem(name: str) -> str:
    """A file's name without its quantization."""
    return re.sub(r"[-.][A-Z0-9_]+\.gguf$", "", name, flags=re.IGNORECASE)


def _named_by(publication: Publication, command: CommandSettings) -> Iterator[str]:
    """A draft that a command takes from this repository."""
    repository, _, tag = (command.draft or "").partition(":")
    if publication.repository is None or repository != publication.repository:
        return
    found = _found(publication.models, tag, command.spec_type)
    own = publication.draft_file
    if found is None:
        yield f"-hfd {command.draft} finds no GGUF file in this repository"
    elif own is not None and found != own:
        yield f"-hfd {command.draft} loads {found}, and {own} was measured"


def _found(models: Sequence[str], tag: str, spec_type: str | None) -> str | None:
    """The file that ``-hfd`` takes, as ``common_download_get_hf_plan`` does."""
    words = [_WORDS[word] for word in (spec_type or "").split(",") if word in _WORDS]
    for word in words:
        drafts = [path for path in models if word in path and "/" not in path]
        exact = [path for path in drafts if f"-{tag}.".upper() in path.upper()] if tag else []
        if drafts:
            return (exact or drafts)[0]
    for kind in [tag] if tag else _PREFERRED:
        for path in models:
            if _is_model(path) and re.search(re.escape(kind) + "[.-]", path, re.IGNORECASE):
                return PurePosixPath(path).name
    whole = [PurePosixPath(path).name for path in models if _is_model(path)]
    return whole[0] if whole and not tag else None


def _is_model(path: str) -> bool:
    name = PurePosixPath(path).name
    return not any(word in name for word in _NO_MODEL)


RULE = Rule(
    "draft-not-found",
    "rename the file so that llama.cpp finds it, or name it with its quantization in draft_repo",
    _look,
)
