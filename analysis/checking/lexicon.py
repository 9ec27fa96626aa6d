"""Which phrases stand in a text about a campaign, and what may each of them be?

Phrases are the vocabulary's and the campaign's own names; the longest that begins at a word counts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import Any

from analysis.cards.facts import Facts
from analysis.checking.figures import Figure, find_figures, unit_at
from analysis.checking.quantities import MOST
from analysis.checking.tokens import Token
from analysis.checking.vocabulary import LINKS, NUMBERS, Piece, pieces, vocabulary
from analysis.names import METHODS, workload_name

__all__ = ["Lexicon"]

ASIDE = ("synonyms", "off", "speculation", "numbers", "links", "columns", "together", "conditions",
         "not", "rules", "position")  # fmt: skip
NAMES = ("run", "scope", "position", "further", "factors", "fractions")
"""What a phrase is, whatever else it may be."""
_NUMBERED = re.compile(r"(?=[\w.+-]*\d)(?=[\w.+-]*[^\W\d_])[\w.+-]+")
_DEPTHS = re.compile(r"\b\d(?:/\d){2,}\b")


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The vocabulary and a campaign's names."""

    facts: Facts

    def scan(self, text: str) -> list[Token]:
        """The phrases of a text; what may be several things is ``open``: all its kinds."""
        # "depths 2/3/4/5" are no fraction.
        text = _DEPTHS.sub(lambda found: found[0].replace("/", "&"), text)
        figures = {one.end: one for one in find_figures(text)}
        found: list[Token] = []
        words = pieces(text)
        for at, word in enumerate(words):
            if not found or word.start >= found[-1].end:
                phrase = self._phrase(text, words, at, found)
                found.append(phrase or _number(text, word, figures.get(word.end), found))
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
            beginnings = [*accumulate((piece.text for piece in pieces(phrase)), "{} {}".format)]
            kinds = [found.setdefault(one, {}) for one in beginnings]
            if kinds and kind in ("run", "scope"):
                # Two runs by one name: it is either's.
                kinds[-1][kind] = tuple(dict.fromkeys((*kinds[-1].get(kind, ()), *meaning)))
            elif kinds:
                kinds[-1].setdefault(kind, meaning)
        return found

    def _phrase(
        self, text: str, words: Sequence[Piece], at: int, found: Sequence[Token]
    ) -> Token | None:
        """The longest phrase that begins at a word, names none that are cut off within a word."""
        phrases, phrase, start = [], "", words[at].start
        for end, word in enumerate(words[at:], start=at + 1):
            phrase = f"{phrase} {word.text}".lstrip()
            if phrase not in self._meanings:
                break
            phrases.append((end, word.end, self._meanings[phrase]))
        glued = re.search(r"\S[_-]$", text[max(0, start - 2) : start])
        for end, stop, meaning in reversed(phrases):
            said, behind = text[start:stop], text[stop : stop + 2]
            # "pre-DFlash" is no name of ours, "code_cpp_2" and "code-2" are no tasks.
            inner = glued or re.match(r"_\w|\.\d", behind)
            hidden = {"run", "scope"} if inner else {"scope"} if re.match(r"-\d", behind) else set()
            # A label of one letter is a name only as it is written.
            labels = [self.facts.by_id[run].label for run in meaning.get("run", ())]
            hidden |= {"run"} if len(said) <= 2 and said not in labels else set()
            # "All five" are positions once one was named, but not before "tasks".
            counted = {one.text for one in words[end : end + 1]} & LINKS["no_position"]
            named = any(one.kind == "position" for one in found) and not counted
            hidden |= {"everyday"} if named else {"everyday", "further"}
            kinds = {kind: meaning[kind] for kind in meaning if kind not in hidden}
            unit, after = unit_at(text, stop) if "numbers" in kinds else ("", stop)
            kind = next((kind for kind in NAMES if kind in kinds), "open")
            kind = "numbers" if unit or {*kinds} == {"numbers"} else kind
            if kind in ("numbers", "factors", "fractions"):
                unit = {"factors": "times", "fractions": "percent"}.get(kind, unit)
                loose = kind != "numbers" or unit == "times"
                value = float(kinds[kind])
                figure = Figure(said, value, 0, unit, start, stop, after, loose=loose)
                return Token("figure", value, said, start, after, figure=figure)
            if kinds:
                value = kinds.get(kind, kinds)
                kind = "position" if kind == "further" else kind
                return Token(kind, value, said, start, stop, group=kind == "run" and len(value) > 1)
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
            words = [piece.text for piece in pieces(name)]
            for part in {*accumulate(words, "{} {}".format), *words}:
                owners[part].append((part, kind, (meaning,)))
        for part, owned in owners.items():
            if len(owned) == 1 and len(part) >= 4 and part[0].isalpha() and not taken.get(part):
                yield owned[0]


def _spoken() -> Iterator[tuple[str, str, Any]]:
    """The vocabulary: phrase, kind, meaning; numbers and positions for each number."""
    for kind, meanings in vocabulary().items():
        for meaning, phrases in meanings.items() if kind not in ASIDE else ():
            yield from ((phrase, kind, meaning) for phrase in phrases)
    yield from ((word, "numbers", number) for word, number in NUMBERS.items())
    nth = {word: int(at) for at, words in vocabulary()["ordinals"].items() for word in words}
    counts = NUMBERS | {str(at): at for at in range(1, MOST + 1)}
    for kind, phrases in vocabulary()["position"].items():
        for phrase in phrases:
            for word, at in (nth if "NTH" in phrase else counts).items():
                if 0 < at <= MOST:
                    yield re.sub("N(TH)?", word, phrase), kind, at


def _number(text: str, word: Piece, figure: Figure | None, found: Sequence[Token]) -> Token:
    """The figure that ends with a word, or the word that it is in; else the word."""
    if figure is None:
        return Token("unknown", None, text[word.start : word.end], word.start, word.end)
    begin = text.find(figure.token, max(0, figure.end - len(figure.token)))
    # "n_max_3", "depth-3": the word before was understood.
    known = found and found[-1].kind != "unknown" and found[-1].end > begin
    if known or not figure.token:
        return Token("figure", figure.value, figure.text, figure.start, figure.stop, figure=figure)
    stop = max(figure.stop, begin + len(figure.token))
    return Token("unknown", figure.value, figure.token, figure.start, stop, figure=figure)
