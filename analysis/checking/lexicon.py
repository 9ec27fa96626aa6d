"""Which words may a text about this campaign use, and what does each mean?

A trie of phrases: the vocabulary's, and the campaign's own names.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from analysis.cards.facts import Facts, RunFacts
from analysis.cards.wording import METHODS, workload_name

__all__ = ["Lexicon", "Meaning", "Piece", "forms", "pieces", "vocabulary"]

_PIECE = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*|[^\s\w]|_")
_DASHES = "-‐‑"
VERBS = ("beats", "changes", "pays", "actions", "states")
Meaning = Mapping[str, Any]
"""What a phrase may be: kind of word to its meaning there."""


@dataclass(frozen=True)
class Piece:
    """A word, a number or a sign; hyphens and underscores only part words."""

    text: str
    start: int
    end: int


@dataclass(eq=False)
class _Node:
    after: dict[str, _Node] = field(default_factory=dict)
    meaning: dict[str, Any] = field(default_factory=dict)


def pieces(text: str) -> list[Piece]:
    """A text's words, in lower case, its numbers and its signs.

    Examples
    --------
    >>> [piece.text for piece in pieces("No-speculation, n_max=2: 1.5x")]
    ['no', 'speculation', ',', 'n', 'max', '=', '2', ':', '1.5', 'x']
    """
    return [
        Piece(found[0].lower().replace("’", "'"), *found.span())
        for found in _PIECE.finditer(text)
        if found[0] not in _DASHES and found[0] != "_"
    ]


def forms(word: str) -> tuple[str, ...]:
    """A verb's forms by rule, of a phrase its first word's; those that nobody uses do no harm.

    Examples
    --------
    >>> forms("drop to")[:3]
    ('drop to', 'drops to', 'droped to')
    """
    first, space, rest = word.partition(" ")
    if not first.isalpha():
        return (word,)
    stem = first.removesuffix("e")
    plural = "es" if first.endswith(("s", "sh", "ch", "x", "o")) else "s"
    made = [first, first + plural, stem + "ed", stem + "ing"]
    made += [first + first[-1] + "ed", first + first[-1] + "ing"]
    if first.endswith("y"):
        made += [first[:-1] + "ies", first[:-1] + "ied"]
    return tuple(f"{one}{space}{rest}" for one in made)


@cache
def vocabulary() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The words of ``vocabulary.toml``: kind, meaning, phrases in all their forms."""
    data = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))
    return {
        kind: {
            meaning: tuple(
                form
                for phrase in " ".join(words.split()).split(" | ")
                for form in (forms(phrase) if kind in VERBS else (phrase,))
            )
            for meaning, words in meanings.items()
        }
        for kind, meanings in data.items()
    }


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The vocabulary and a campaign's names."""

    facts: Facts

    @cached_property
    def _root(self) -> _Node:
        root = _Node()
        for kind, meanings in vocabulary().items():
            if kind not in ("synonyms", "off", "speculation"):
                for meaning, phrases in meanings.items():
                    for phrase in phrases:
                        _add(root, phrase, kind, meaning)
        for phrase, ids, group in self._run_names():
            _add(root, phrase, "run", (ids, group))
        for phrase, scopes in self._scope_names().items():
            _add(root, phrase, "scope", tuple(scopes))
        return root

    def phrases(self, words: list[Piece], at: int) -> list[tuple[int, Meaning]]:
        """Phrases that begin at a word, the longest first: where each ends, and what it may be."""
        node = self._root
        found: list[tuple[int, Meaning]] = []
        while at < len(words) and (step := node.after.get(words[at].text)) is not None:
            node, at = step, at + 1
            if node.meaning:
                found.append((at, node.meaning))
        return found[::-1]

    @cached_property
    def methods(self) -> dict[str, tuple[str, ...]]:
        """Runs of each method that can be compared; simulated ones only where it has no other."""
        found: dict[str, list[RunFacts]] = {}
        for run in self.facts.runs:
            if run.spec_type and run.spec_type != "none":
                found.setdefault(run.spec_type, []).append(run)
        kept: dict[str, tuple[str, ...]] = {}
        for method, runs in found.items():
            real = [run for run in runs if not run.synthetic]
            kept[method] = tuple(run.id for run in real or runs)
        return kept

    def of_depth(self, depth: int, among: Iterable[str] = ()) -> tuple[str, ...]:
        """Runs with a depth, of some runs or of all; a simulated one only where no other has it."""
        kept = set(among)
        runs = [
            run for run in self.facts.runs if run.n_max == depth and (not kept or run.id in kept)
        ]
        real = [run for run in runs if not run.synthetic]
        return tuple(run.id for run in real or runs)

    def _run_names(self) -> Iterator[tuple[str, tuple[str, ...], bool]]:
        """Phrase, runs, and whether it names a method or a kind and no single run."""
        baseline = self.facts.baseline
        words = vocabulary()
        for phrase in words["off"]["baseline"]:
            yield phrase, () if baseline is None else (baseline.id,), False
        drafting = tuple(run.id for run in self.facts.drafting)
        for phrase in words["speculation"]["drafting"]:
            yield phrase, drafting, True
        for method, runs in self.methods.items():
            names = {method, METHODS.get(method, method), method.removeprefix("draft-")}
            names |= {" + ".join(METHODS.get(one, one) for one in method.split(","))}
            for name in names:
                yield re.sub(r"^an? ", "", name), runs, len(runs) > 1
        lookups = [
            run for method in self.methods if "ngram" in method for run in self.methods[method]
        ]
        for phrase in ("n gram", "ngram") if lookups else ():
            yield phrase, tuple(lookups), len(lookups) > 1
        spoken = _prefixes(self.facts)
        for run in self.facts.runs:
            for name in {run.label, run.id, *spoken.get(run.id, ())}:
                yield name, (run.id,), False

    def _scope_names(self) -> dict[str, dict[tuple[str | None, str | None], None]]:
        """Phrase to the classes and tasks that it may mean, as pairs of which one is null."""
        found: dict[str, dict[tuple[str | None, str | None], None]] = {}
        tasks, classes = self.facts.task_names, tuple(self.facts.workloads)
        taken = {
            word for kinds in vocabulary().values() for words in kinds.values() for word in words
        }
        parts: dict[str, list[str]] = {}
        for task in tasks:
            found.setdefault(" ".join(re.split(r"[_\-\s]+", task)), {})[None, task] = None
            for part in set(re.split(r"[_\-\s]+", task.lower())):
                parts.setdefault(part, []).append(task)
        for part, owners in parts.items():
            # A word of one task's name only names it, unless it is a word of every day.
            if len(owners) == 1 and len(part) >= 4 and part not in taken and part not in classes:
                found.setdefault(part, {})[None, owners[0]] = None
        for name in classes:
            for phrase in {name, workload_name(name)} if len(name) >= 4 else {workload_name(name)}:
                found.setdefault(phrase, {})[name, None] = None
            for part in workload_name(name).split(" and "):
                if part not in tasks:
                    found.setdefault(part, {})[name, None] = None
        for name, phrases in vocabulary()["synonyms"].items():
            for phrase in phrases:
                if name in classes:
                    found.setdefault(phrase, {})[name, None] = None
                elif name in tasks:
                    found.setdefault(phrase, {})[None, name] = None
        return found


def _prefixes(facts: Facts) -> dict[str, set[str]]:
    """What a label may be cut to: words from its beginning that no other run's has."""
    labels = {run.id: [piece.text for piece in pieces(re.split(r"[,(]", run.label)[0])]
              for run in facts.runs}  # fmt: skip
    taken = {word for kinds in vocabulary().values() for words in kinds.values() for word in words}
    found: dict[str, set[str]] = {}
    for run, words in labels.items():
        for size in range(1, len(words) + 1):
            head = words[:size]
            phrase = " ".join(head)
            others = [other for other in labels if other != run and labels[other][:size] == head]
            if not others and len(phrase) >= 4 and phrase not in taken:
                found.setdefault(run, set()).add(phrase)
    return found


def _add(root: _Node, phrase: str, kind: str, meaning: Any) -> None:
    words = pieces(phrase)
    if not words:
        return
    node = root
    for piece in words:
        node = node.after.setdefault(piece.text, _Node())
    if kind == "run" and kind in node.meaning and node.meaning[kind] != meaning:
        # Two runs by one name: it is either's.
        ids = tuple(dict.fromkeys((*node.meaning[kind][0], *meaning[0])))
        meaning = (ids, True) if node.meaning[kind][0] and meaning[0] else meaning
    if kind == "scope" and kind in node.meaning:
        meaning = tuple(dict.fromkeys((*node.meaning[kind], *meaning)))
    node.meaning.setdefault(kind, meaning) if kind not in ("run", "scope") else node.meaning.update(
        {kind: meaning}
    )
