"""A confidence threshold for a draft that has no confidence head."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.publishing.traps.trap import Publication, Rule

__all__ = ["RULE"]


def _look(publication: Publication) -> Iterator[str]:
    draft = publication.roles.draft
    if draft is None or draft.confidence_head or draft.block_size is None:
        return
    for command in publication.commands:
        # The other methods compare a threshold with the token's own probability.
        if "draft-dspark" in (command.spec_type or "").split(",") and command.p_min:
            yield (
                f"a command sets --spec-draft-p-min {command.p_min:g}, and {draft.file} has no "
                "confidence head: llama-server refuses to start"
            )


RULE = Rule(
    "no-confidence-head", "leave the threshold out, or publish the draft with its head", _look
)
