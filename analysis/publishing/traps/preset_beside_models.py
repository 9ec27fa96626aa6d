"""A preset.ini in the root of a repository with model files."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.publishing.traps.trap import Publication, Rule

__all__ = ["RULE"]


def _look(publication: Publication) -> Iterator[str]:
    if "preset.ini" in publication.paths and publication.models:
        yield (
            "preset.ini lies beside GGUF files: -hf and -hfd download it and nothing else of the "
            "repository"
        )


RULE = Rule(
    "preset-beside-models",
    "delete it there; `mtpbench push --preset-repo` puts one into a repository of its own",
    _look,
)
