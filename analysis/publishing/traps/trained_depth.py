"""A command that asks for more tokens than the draft was trained to write at once."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.publishing.traps.trap import Publication, Rule

__all__ = ["RULE"]


def _look(publication: Publication) -> Iterator[str]:
    draft = publication.roles.draft
    for command in publication.commands:
        deepest = draft.trained_depth(command.spec_type) if draft else None
        if draft and deepest is not None and (command.n_max or 0) > deepest:
            yield (
                f"a command asks for depth {command.n_max}, and {draft.file} drafts {deepest} "
                "tokens at most"
            )


RULE = Rule("beyond-trained-depth", "write a depth that the draft has", _look)
