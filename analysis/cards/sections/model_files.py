"""Model files: what each states of itself, and the hashes to know it by."""

from __future__ import annotations

from analysis.cards.escaping import Markdown, code, escape, say
from analysis.cards.facts import Facts
from analysis.cards.markdown import details, join, paragraphs, table
from analysis.cards.numbers import UNRECORDED, count
from analysis.cards.section import Figures, Section
from analysis.models.model_files import ModelFile

HEADING = "Model files"
READ_FROM = "Read from the headers of the files."
HEADERS = ("File", "Role", "Size in bytes", "Quantization", "Architecture")
FACTS = "What {file} states"
FACT = ("Fact", "Value")
TENSORS = ("Tensors", "Type", "Number", "Weights", "Bytes")
TOKENS = "{size} tokens, {tokenizer}, hash {hash}"
HASHES = ("File", "SHA-256")
NAME, BLOCKS, CONTEXT, VOCABULARY = "Name", "Layers", "Context length", "Vocabulary"
BLOCK_SIZE, LAYERS, HEAD = "Block size", "Target layers it reads", "Confidence head"
YES, NO = "yes", "no"
SHORT = 16
"""Digits of a vocabulary's hash that are shown: it tells vocabularies apart, it proves nothing."""


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """A table of the files and, folded away, the facts of each; null when none were given."""
    files = facts.summary.campaign.files
    if not files:
        return None
    rows = [
        (
            code(file.file)
            if len(file.parts) == 1
            else say("{file} and {rest} more", file=code(file.file), rest=len(file.parts) - 1),
            str(file.role or UNRECORDED),
            count(file.size),
            str(file.quantization or UNRECORDED),
            str(file.architecture or UNRECORDED),
        )
        for file in files
    ]
    shown = table(HEADERS, rows, ("left", "left", "right", "left", "left"))
    return Section(
        HEADING, paragraphs(shown, Markdown(READ_FROM), _hashes(files), *map(_details, files))
    )


def _hashes(files: tuple[ModelFile, ...]) -> Markdown | None:
    rows = [
        (code(part.name), code(part.sha256))
        for file in files
        for part in file.parts
        if part.sha256 is not None
    ]
    return table(HASHES, rows, ("left", "left")) if rows else None


def _details(file: ModelFile) -> Markdown:
    groups = [
        (group.tensors, group.kind, count(group.count), count(group.elements), count(group.n_bytes))
        for group in file.groups
    ]
    return details(
        FACTS.format(file=file.file),
        paragraphs(
            table(FACT, _facts(file), ("left", "left")),
            table(TENSORS, groups, ("left", "left", "right", "right", "right")) if groups else None,
        ),
    )


def _facts(file: ModelFile) -> list[tuple[str, Markdown]]:
    head = file.confidence_head
    layers = None if file.target_layers is None else join([str(n) for n in file.target_layers])
    stated: list[tuple[str, Markdown | None]] = [
        (NAME, escape(file.name) if file.name else None),
        (BLOCKS, _whole(file.block_count)),
        (CONTEXT, _whole(file.context_length)),
        (VOCABULARY, _vocabulary(file)),
        (BLOCK_SIZE, _whole(file.block_size)),
        (LAYERS, layers or None),
        (HEAD, None if head is None else Markdown(YES if head else NO)),
    ]
    return [(name, value) for name, value in stated if value is not None]


def _whole(value: int | None) -> Markdown | None:
    return None if value is None else count(value)


def _vocabulary(file: ModelFile) -> Markdown | None:
    if file.vocabulary_size is None or file.vocabulary_sha256 is None:
        return None
    tokenizer = " ".join(word for word in (file.tokenizer, file.pre_tokenizer) if word)
    return say(
        TOKENS,
        size=count(file.vocabulary_size),
        tokenizer=tokenizer or str(UNRECORDED),
        hash=code(file.vocabulary_sha256[:SHORT]),
    )
