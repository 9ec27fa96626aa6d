"""Which phrases stand in a text about a campaign, and what may each of them be?

Phrases are the vocabulary's and the campaign's own names; the longest that begins at a word counts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, takewhile
from typing import Any

from analysis.cards.facts import Facts
from analysis.checking.figures import Figure, find_figures, unit_at
from analysis.checking.quantities import MOST
from analysis.checking.tokens import Token
from analysis.checking.vocabulary import LINKS, NUMBERS, pieces, vocabulary
from analysis.names import METHODS, workload_name

__all__ = ["Lexicon"]

ASIDE = ("synonyms", "off", "speculation", "links", "columns", "together", "conditions",
         "not", "rules", "position")  # fmt: skip
NAMES = {"run": "run", "scope": "scope", "position": "position", "further": "position",
         "factors": "figure", "fractions": "figure"}  # fmt: skip
"""What a phrase is, whatever else it may be."""
UNITS = {"factors": "times", "fractions": "percent", "numbers": ""}
_NUMBERED = re.compile(r"(?=[\w.+-]*\d)(?=[\w.+-]*[^\W\d_])[\w.+-]+")


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The vocabulary and a campaign's names."""

    facts: Facts

    def scan(self, text: str) -> list[Token]:
        """The phrases of a text; what may be several things is ``open``: all its kinds."""
        figures = {one.end: one for one in find_figures(text)}
        found: list[Token] = []
        words = pieces(text)
        for at, word in enumerate(words):
            if not found or word.start() >= found[-1].end:
                phrase = self._phrase(words[at:], found)
                found.append(phrase or _number(word, figures.get(word.end()), found))
        return found

    def chosen(self, *, depth: int | None = None, methods: Collection[str] = ()) -> tuple[str, ...]:
        """Runs of a depth or of methods; a simulated one only where no other is."""
        runs = [run for run in self.facts.runs if depth in (None, run.n_max)]
        runs = [run for run in runs if not methods or run.spec_type in methods]
        return tuple(run.id for run in [run for run in runs if not run.synthetic] or runs)

    @cached_property
    def _meanings(self) -> Mapping[str, dict[str, Any]]:
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

    def _phrase(self, words: Sequence[re.Match[str]], found: Sequence[Token]) -> Token | None:
        """The longest phrase of words from the first on, no name that is cut off within a word."""
        text, start = words[0].string, words[0].start()
        glued = re.search(r"\S[_-]$", text[max(0, start - 2) : start])
        phrases = accumulate((word[0].lower() for word in words), "{} {}".format)
        known = takewhile(self._meanings.__contains__, phrases)
        for phrase, word in reversed([*zip(known, words, strict=False)]):
            meaning, stop = self._meanings[phrase], word.end()
            said, behind = text[start:stop], text[stop : stop + 2]
            # "pre-DFlash" is no name, "code_cpp_2" and "code-2" are no tasks, "-six" is no number.
            hidden = {"scope"} if re.match(r"-\d", behind) else set()
            hidden |= (
                {"run", "scope", "numbers"} if glued or re.match(r"_\w|\.\d", behind) else set()
            )
            # A label of one letter is a name only as it is written.
            labels = [self.facts.by_id[run].label for run in meaning.get("run", ())]
            hidden |= {"run"} if len(said) <= 2 and said not in labels else set()
            # "All five" is a position once one was named.
            hidden |= set() if any(one.kind == "position" for one in found) else {"further"}
            kinds = {kind: meaning[kind] for kind in meaning if kind not in hidden}
            number = "numbers" if {*kinds} == {"numbers"} else "open"
            kind = next((kind for kind in NAMES if kind in kinds), number)
            if kind in UNITS:
                unit, end = (UNITS[kind], stop) if UNITS[kind] else unit_at(text, stop)
                loose = kind != "numbers" or unit == "times"
                figure = Figure(said, float(kinds[kind]), 0, unit, start, stop, end, loose=loose)
                return Token("figure", figure.value, said, start, end, figure=figure)
            if kinds:
                value, group = kinds.get(kind, kinds), kind == "run" and len(kinds[kind]) > 1
                return Token(NAMES.get(kind, kind), value, said, start, stop, group=group)
        return None

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
            yield from ((name, "run", self.chosen(methods=(method,))) for name in names)
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


def _beginnings(phrase: str) -> list[str]:
    return [*accumulate((word[0].lower() for word in pieces(phrase)), "{} {}".format)]


def _spoken() -> Iterator[tuple[str, str, Any]]:
    """The vocabulary: phrase, kind, meaning; numbers and positions for each number."""
    for kind, meanings in vocabulary().items():
        for meaning, phrases in meanings.items() if kind not in ASIDE else ():
            yield from ((phrase, kind, meaning) for phrase in phrases)
    nth = {word: int(at) for at, words in vocabulary()["ordinals"].items() for word in words}
    counts = NUMBERS | {str(at): at for at in range(1, MOST + 1)}
    for kind, phrases in vocabulary()["position"].items():
        for phrase in phrases:
            for word, at in (nth if "NTH" in phrase else counts).items():
                if 0 < at <= MOST:
                    yield re.sub("N(TH)?", word, phrase), kind, at


def _number(word: re.Match[str], figure: Figure | None, found: Sequence[Token]) -> Token:
    """The figure that ends with a word, or the word that it is in; else the word."""
    if figure is None:
        return Token("unknown", None, word[0], *word.span())
    begin = word.string.find(figure.token, max(0, figure.end - len(figure.token)))
    # "n_max_3", "depth-3": the word before was understood.
    known = found and found[-1].kind != "unknown" and found[-1].end > begin
    if known or not figure.token:
        return Token("figure", figure.value, figure.text, figure.start, figure.stop, figure=figure)
    stop = max(figure.stop, begin + len(figure.token))
    return Token("unknown", figure.value, figure.token, figure.start, stop, figure=figure)
