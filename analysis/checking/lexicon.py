"""Which words may a text about this campaign use, and what does each mean?

A trie of phrases: the vocabulary's, and the campaign's own names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

from analysis.cards.commands import flags
from analysis.cards.facts import Facts
from analysis.checking.vocabulary import Piece, pieces, vocabulary
from analysis.names import METHODS, workload_name

__all__ = ["Lexicon", "Meaning"]

Meaning = Mapping[str, Any]
"""What a phrase may be: kind of word to its meaning there."""
ASIDE = ("synonyms", "off", "speculation", "numbers", "links", "columns", "together",
         "conditions")  # fmt: skip


@dataclass(eq=False)
class _Node:
    after: dict[str, _Node] = field(default_factory=dict)
    meaning: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The vocabulary and a campaign's names."""

    facts: Facts

    @cached_property
    def _root(self) -> _Node:
        root = _Node()
        for kind, meanings in vocabulary().items():
            if kind not in ASIDE:
                for meaning, phrases in meanings.items():
                    for phrase in phrases:
                        _add(root, phrase, kind, meaning)
        for phrase, ids, group in self._run_names():
            _add(root, phrase, "run", (ids, group))
        for phrase, place in self._place_names():
            _add(root, phrase, "scope", (place,))
        for phrase in self._setting_names():
            _add(root, phrase, "settings", phrase)
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

    def chosen(self, *, depth: int | None = None, methods: Iterable[str] = ()) -> tuple[str, ...]:
        """Runs of a depth or of methods; a simulated one only where no other is."""
        wanted = set(methods)
        runs = [run for run in self.facts.runs
                if run.n_max == depth or depth is None
                if run.spec_type in wanted or not wanted]  # fmt: skip
        real = [run for run in runs if not run.synthetic]
        return tuple(run.id for run in real or runs)

    def _run_names(self) -> Iterator[tuple[str, tuple[str, ...], bool]]:
        """Phrase, runs, and whether it names a method or a kind and no single run."""
        facts, words = self.facts, vocabulary()
        plain = () if facts.baseline is None else (facts.baseline.id,)
        yield from ((phrase, plain, False) for phrase in words["off"]["baseline"])
        drafting = tuple(run.id for run in facts.drafting)
        yield from ((phrase, drafting, True) for phrase in words["speculation"]["drafting"])
        methods = {run.spec_type for run in facts.runs if run.spec_type} - {"none"}
        for method in sorted(methods):
            runs = self.chosen(methods=(method,))
            names = {method, METHODS.get(method, method), method.removeprefix("draft-")}
            names |= {" + ".join(METHODS.get(one, one) for one in method.split(","))}
            for name in names:
                yield re.sub(r"^an? ", "", name), runs, len(runs) > 1
        lookups = self.chosen(methods=[one for one in methods if "ngram" in one] or ("",))
        if lookups:
            yield from ((phrase, lookups, len(lookups) > 1) for phrase in ("n gram", "ngram"))
        labels = {run.id: pieces(re.split(r"[,(]", run.label)[0]) for run in facts.runs}
        heads = _only_heads({run: [one.text for one in words] for run, words in labels.items()})
        for run in facts.runs:
            for name in {run.label, run.id, *heads[run.id]}:
                yield name, (run.id,), False

    def _place_names(self) -> Iterator[tuple[str, tuple[str | None, str | None]]]:
        """Phrase, and the class or task that it may mean: a pair of which one is null."""
        tasks, classes = self.facts.task_names, tuple(self.facts.workloads)
        owners: dict[str, list[str]] = {}
        for task in tasks:
            yield task, (None, task)
            for part in {piece.text for piece in pieces(task)}:
                owners.setdefault(part, []).append(task)
        for part, named in owners.items():
            # A word of one task's name only names it, unless it is a word of every day.
            if len(named) == 1 and len(part) >= 4 and part not in (*_taken(), *classes):
                yield part, (None, named[0])
        for name in classes:
            spoken = workload_name(name)
            for phrase in {spoken, *([name] if len(name) >= 4 else [])}:
                yield phrase, (name, None)
            for part in spoken.split(" and "):
                if part not in tasks:
                    yield part, (name, None)
        for name, phrases in vocabulary()["synonyms"].items():
            for phrase in phrases if name in (*classes, *tasks) else ():
                yield phrase, (name, None) if name in classes else (None, name)

    def _setting_names(self) -> Iterator[str]:
        """Words with a figure, and a word and the number behind it, in the campaign's settings."""
        campaign = self.facts.summary.campaign
        said: list[object] = [campaign.title, campaign.target, campaign.slug, campaign.card]
        said += [campaign.conditions, *self.facts.task_names, *map(flags, self.facts.runs)]
        for run in campaign.runs:
            said += [run.label, run.id, run.draft, run.target, run.build, run.source.file]
            said += [run.spec_type, run.prompt_set]
        words = [word.strip(".:") for word in re.findall(r"[^\s,;()\[\]{}\"'`<>|=#]+", str(said))]
        for before, word in pairwise(words):
            numbered, letters = re.search(r"\d", word), re.compile(r"[^\W\d_]")
            if numbered and letters.search(word):
                yield from {word, *word.split("/")}
            elif numbered and letters.search(before):
                yield f"{before} {word}"


@cache
def _taken() -> frozenset[str]:
    """Every phrase of the vocabulary."""
    kinds = vocabulary().values()
    return frozenset(phrase for words in kinds for phrases in words.values() for phrase in phrases)


def _only_heads(labels: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """What labels may be cut to: words from their beginning that no other one has."""
    found: dict[str, list[str]] = {run: [] for run in labels}
    for run, words in labels.items():
        for size in range(1, len(words) + 1):
            phrase = " ".join(words[:size])
            shared = any(
                other[:size] == words[:size] for key, other in labels.items() if key != run
            )
            if not shared and len(phrase) >= 4 and phrase not in _taken():
                found[run].append(phrase)
        others = {word for key, other in labels.items() if key != run for word in other}
        found[run] += [
            word for word in words if word.isalpha() and len(word) >= 4
            if word not in others and word not in _taken()
        ]  # fmt: skip
    return found


def _add(root: _Node, phrase: str, kind: str, meaning: Any) -> None:
    node = root
    for piece in pieces(phrase):
        node = node.after.setdefault(piece.text, _Node())
    if node is root:
        return
    there = node.meaning.setdefault(kind, meaning)
    if kind == "run" and there[0] and meaning[0] and there != meaning:
        # Two runs by one name: it is either's.
        node.meaning[kind] = (tuple(dict.fromkeys((*there[0], *meaning[0]))), True)
    elif kind == "run" and there != meaning:
        node.meaning[kind] = meaning
    elif kind == "scope":
        node.meaning[kind] = tuple(dict.fromkeys((*there, *meaning)))
