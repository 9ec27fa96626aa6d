"""Which words may a text about a campaign use, and what may each mean? See ``vocabulary.toml``."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, chain, product
from pathlib import Path
from typing import Any

from analysis.cards.facts import Facts
from analysis.names import METHODS, workload_name

__all__ = ["LINKS", "Lexicon", "pieces", "vocabulary"]

_PIECE = re.compile(
    r"[^\W\d_]+|(?P<sign>(?<![^\s(|\[,;:~≈])[+\-−])?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|(?<![\d.])\.\d+)"
    r"|[^\s\w\-‐‑\"'“”’‘*`.!\[\]<>…]|(?<!\S)-(?!\S)"
)
VERBS = ("beats", "changes", "pays", "actions", "states")
PATTERNS = ("conditions", "not", "rules")
ASIDE = (*PATTERNS, "synonyms", "off", "speculation", "links", "columns", "together", "units",
         "condition_words", "position", "further", "cardinals", "column_kinds")  # fmt: skip
_NUMBERED = re.compile(r"(?<![\w.+-])(?=[\w.+-]*\d)(?=[\w.+-]*[^\W\d_])[\w.+-]+")


def pieces(text: str) -> list[re.Match[str]]:
    """A text's words, numbers and signs; hyphens, underscores and quotes only part words.

    Examples
    --------
    >>> [piece[0] for piece in pieces("No-speculation, n_max=2: 1.5x")]
    ['No', 'speculation', ',', 'n', 'max', '=', '2', ':', '1.5', 'x']
    """
    return [*_PIECE.finditer(text)]


@cache
def vocabulary() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The words of ``vocabulary.toml``: kind, meaning, phrases in all their forms."""
    data = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))
    return {
        kind: {meaning: tuple(_phrases(kind, words)) for meaning, words in meanings.items()}
        for kind, meanings in data.items()
    }


def _phrases(kind: str, words: str) -> Iterator[str]:
    for choice in " ".join(words.split()).split(" | "):
        for phrase in (choice,) if kind in PATTERNS else _spelled(choice):
            yield from _forms(phrase) if kind in VERBS else (phrase,)


def _spelled(phrase: str) -> Iterator[str]:
    """``turn {it ,}off`` with each of the words that braces give a choice of."""
    parts = re.split("[{}]", phrase)
    choices = [one.split(",") if at % 2 else [one] for at, one in enumerate(parts)]
    return map("".join, product(*choices))


def _forms(phrase: str) -> list[str]:
    """A verb's forms by rule, of a phrase its first word's; those that nobody uses do no harm."""
    first, space, rest = phrase.partition(" ")
    stem = first.removesuffix("e")
    made = [first, first + ("es" if first.endswith(("s", "sh", "ch", "x", "o")) else "s")]
    made += [one + end for one in (stem, first + first[-1]) for end in ("ed", "ing")]
    made += [first[:-1] + end for end in ("ies", "ied") if first.endswith("y")]
    return [f"{one}{space}{rest}" for one in made] if first.isalpha() else [phrase]


LINKS = {name: frozenset(words) for name, words in vocabulary()["links"].items()}
"""Words that single rules look for, by what they are to them."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The vocabulary and a campaign's names."""

    facts: Facts

    def chosen(self, *, depth: int | None = None, methods: Collection[str] = ()) -> tuple[str, ...]:
        """Runs of a depth or of methods; a simulated one only where no other is."""
        runs = [run for run in self.facts.runs if depth in (None, run.n_max)]
        runs = [run for run in runs if not methods or run.spec_type in methods]
        return tuple(run.id for run in [run for run in runs if not run.synthetic] or runs)

    @cached_property
    def meanings(self) -> Mapping[str, dict[str, Any]]:
        """What each phrase may be: kind to meaning; the beginning of one is a key as well."""
        found: dict[str, dict[str, Any]] = {}
        for phrase, kind, meaning in chain(_spoken(), self._names(), self._parts(found)):
            kinds = [found.setdefault(one, {}) for one in _beginnings(phrase)]
            if kinds and kind in ("run", "scope"):
                # Two runs by one name: it is either's.
                kinds[-1][kind] = tuple(dict.fromkeys((*kinds[-1].get(kind, ()), *meaning)))
            elif kinds:
                kinds[-1].setdefault(kind, meaning)
        return found

    def _names(self) -> Iterator[tuple[str, str, Any]]:
        """Names of runs, tasks and classes, and of settings: phrase, kind, what it may mean."""
        facts, words = self.facts, vocabulary()
        campaign = facts.summary.campaign
        settings = [campaign.title, campaign.target, campaign.card, campaign.conditions]
        known = _NUMBERED.findall(str([*settings, campaign.runs, facts.task_names]))
        yield from ((word, "fillers", "settings") for word in (campaign.slug, *known))
        plain = () if facts.baseline is None else (facts.baseline.id,)
        yield from ((phrase, "run", plain) for phrase in words["off"]["baseline"])
        drafting = tuple(run.id for run in facts.drafting)
        yield from ((phrase, "run", drafting) for phrase in words["speculation"]["drafting"])
        for method in sorted({run.spec_type for run in facts.runs if run.spec_type} - {"none"}):
            spoken = re.sub(r"^an? ", "", METHODS.get(method, method))
            names = {method, method.removeprefix("draft-"), spoken}
            names |= {"n gram", "ngram"} if "ngram" in method else set()
            names -= LINKS["everyday"]  # "draft-simple": nobody calls it "simple" alone
            yield from ((name, "run", self.chosen(methods=(method,))) for name in names)
            about = product(names, LINKS["campaigns"])
            yield from ((f"{name} {thing}", "fillers", "settings") for name, thing in about)
        for run in facts.runs:
            yield from ((name, "run", (run.id,)) for name in (run.label, run.id))
        places = [(name, (name, None), workload_name(name)) for name in facts.workloads]
        for name, place, said in (*places, *((one, (None, one), one) for one in facts.task_names)):
            phrases = {name, said, *words["synonyms"].get(name, ())}
            yield from ((phrase, "scope", (place,)) for phrase in phrases)

    def _parts(self, taken: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
        """What labels and tasks may be cut to: beginnings and words that only one of them has."""
        runs = [(re.split(r"[,(]", run.label)[0], "run", run.id) for run in self.facts.runs]
        tasks = [(task, "scope", (None, task)) for task in self.facts.task_names]
        owners: dict[str, list[tuple[str, str, Any]]] = defaultdict(list)
        for name, kind, meaning in (*runs, *tasks):
            for part in {*_beginnings(name), *(word[0].lower() for word in pieces(name))}:
                owners[part].append((part, kind, (meaning,)))
        for part, owned in owners.items():
            common = taken.get(part) or part in LINKS["everyday"] or not part[0].isalpha()
            if len(owned) == 1 and len(part) >= 4 and not common:
                yield owned[0]


def _spoken() -> Iterator[tuple[str, str, Any]]:
    """The vocabulary: phrase, kind, meaning; positions with each number."""
    for kind, meanings in vocabulary().items():
        for meaning, phrases in meanings.items() if kind not in ASIDE else ():
            yield from ((phrase, kind, meaning) for phrase in phrases)
    for kind in ("position", "further"):
        for counts, phrases in vocabulary()[kind].items():
            numbers = vocabulary()[counts].items()
            told = ((word, int(at)) for at, words in numbers for word in words)
            yield from ((one.replace("N", word), kind, at) for word, at in told for one in phrases)


def _beginnings(phrase: str) -> list[str]:
    return [*accumulate((word[0].lower() for word in pieces(phrase)), "{} {}".format)]
