"""Which phrases stand in a text about a campaign, and what may each of them be?

Phrases are the vocabulary's and the campaign's own names; the longest that begins at a word counts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, chain
from typing import Any

from analysis.cards.facts import Facts
from analysis.checking.figures import Figure, find_figures, unit_at
from analysis.checking.tokens import Token
from analysis.checking.vocabulary import NUMBERS, Piece, pieces, vocabulary
from analysis.names import METHODS, workload_name

__all__ = ["Lexicon"]

ASIDE = ("synonyms", "off", "speculation", "numbers", "links", "columns", "together", "conditions",
         "not", "rules", "position")  # fmt: skip
_TENS = "|".join(word for word in NUMBERS if word.endswith("ty"))
_COMPOUND = re.compile(rf"\b({_TENS})-({'|'.join(NUMBERS)})\b", re.IGNORECASE)
_DEPTHS = re.compile(r"\b\d(?:/\d){2,}\b")
_SILENT = set("\"'“”‘*`.!+[]<>…→") | {"->"}


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The vocabulary and a campaign's names."""

    facts: Facts

    def scan(self, text: str) -> list[Token]:
        """The phrases of a text; what may be several things is ``open``: all its kinds."""
        # "depths 2/3/4/5" are no fraction; all keeps its place.
        text = _DEPTHS.sub(lambda found: found[0].replace("/", "&"), text)
        text = _COMPOUND.sub(_in_digits, text)
        figures = {one.end: one for one in find_figures(text)}
        found: list[Token] = []
        words, at = pieces(text), 0
        while at < len(words):
            token = self._phrase(text, words, at) or _number(text, words[at], figures, found)
            found += [token] if token else []
            end, at = token.end if token else 0, at + 1
            while at < len(words) and words[at].start < end:
                at += 1
        return found

    def chosen(self, *, depth: int | None = None, methods: Iterable[str] = ()) -> tuple[str, ...]:
        """Runs of a depth or of methods; a simulated one only where no other is."""
        wanted = set(methods)
        runs = [run for run in self.facts.runs
                if run.n_max == depth or depth is None
                if run.spec_type in wanted or not wanted]  # fmt: skip
        real = [run for run in runs if not run.synthetic]
        return tuple(run.id for run in real or runs)

    @cached_property
    def _meanings(self) -> Mapping[str, dict[str, Any]]:
        """What each phrase may be: kind to meaning; the beginning of one is a key as well."""
        found: dict[str, dict[str, Any]] = {}
        for phrase, kind, meaning in chain(_spoken(), self._names(), self._settings()):
            beginnings = [*accumulate((piece.text for piece in pieces(phrase)), "{} {}".format)]
            for one in beginnings:
                found.setdefault(one, {})
            if beginnings and kind in ("run", "scope"):
                # Two runs by one name: it is either's.
                kinds = found[beginnings[-1]]
                kinds[kind] = tuple(dict.fromkeys((*kinds.get(kind, ()), *meaning)))
            elif beginnings:
                found[beginnings[-1]].setdefault(kind, meaning)
        return found

    def _phrase(self, text: str, words: list[Piece], at: int) -> Token | None:
        """The longest phrase that begins at a word, names none that are cut off within a word."""
        phrases, phrase, start = [], "", words[at].start
        for end in range(at, len(words)):
            phrase = f"{phrase} {words[end].text}" if phrase else words[end].text
            if phrase not in self._meanings:
                break
            phrases.append((words[end].end, end + 1, self._meanings[phrase]))
        glued = re.search(r"\S[_-]$", text[max(0, start - 2) : start])
        for stop, end, meaning in reversed(phrases):
            said, behind = text[start:stop], text[stop : stop + 2]
            # "pre-DFlash" is no name of ours, "code_cpp_2" and "code-2" are no tasks.
            inner = glued or re.match(r"_\w|\.\d", behind)
            hidden = {"run", "scope"} if inner else {"scope"} if re.match(r"-\d", behind) else set()
            after = words[end].text if end < len(words) else ""
            if after[:1].isdigit() or after in NUMBERS:
                # "with n_max 3" is no trend, "drafting 44 tokens" no run.
                hidden |= {"trends"} | ({"run"} if "actions" in meaning else set())
            kinds = {kind: meaning[kind] for kind in meaning if kind not in hidden | {"everyday"}}
            labels = [self.facts.by_id[run].label for run in kinds.get("run", ())]
            # A label of one letter is a name only as it is written.
            name = "run" if len(said) > 2 or said in labels else "scope"
            kind = next((kind for kind in (name, "scope") if kind in kinds), "open")
            kinds.pop("run", None)
            if kind == "run":
                ids = meaning["run"]
                return Token("run", ids, said, start, stop, group=len(ids) > 1)
            if kinds:
                return Token(kind, kinds.get(kind, kinds), said, start, stop)
        return None

    def _names(self) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
        """Names of runs, tasks and classes: phrase, kind, and all that it may mean."""
        facts, words = self.facts, vocabulary()
        drafting = tuple(run.id for run in facts.drafting)
        plain = () if facts.baseline is None else (facts.baseline.id,)
        yield from ((phrase, "run", plain) for phrase in words["off"]["baseline"])
        yield from ((phrase, "run", drafting) for phrase in words["speculation"]["drafting"])
        for method in sorted({run.spec_type for run in facts.runs if run.spec_type} - {"none"}):
            spoken = re.sub(r"^an? ", "", METHODS.get(method, method))
            names = {method, method.removeprefix("draft-"), spoken}
            names |= {"n gram", "ngram"} if "ngram" in method else set()
            yield from ((name, "run", self.chosen(methods=(method,))) for name in names)
        labels = {run.id: re.split(r"[,(]", run.label)[0] for run in facts.runs}
        runs = [(name, run.id) for run in facts.runs for name in (run.label, run.id)]
        yield from ((name, "run", (run,)) for name, run in (*runs, *_parts(labels)))
        tasks, classes = {name: name for name in facts.task_names}, tuple(facts.workloads)
        for part, task in (*tasks.items(), *_parts(tasks)):
            yield part, "scope", () if part in classes and part != task else ((None, task),)
        for name in classes:
            spoken = workload_name(name)
            for phrase in {spoken, name, *spoken.split(" and ")} - {*tasks}:
                yield phrase, "scope", ((name, None),)
        for name, phrases in words["synonyms"].items():
            place = (name, None) if name in classes else (None, name)
            known = name in (*classes, *tasks)
            yield from ((phrase, "scope", (place,)) for phrase in phrases if known)

    def _settings(self) -> Iterator[tuple[str, str, str]]:
        """The campaign's name, and words with letters and figures in its settings: *Q4_K_M*."""
        campaign = self.facts.summary.campaign
        yield campaign.slug, "fillers", "settings"
        said = [campaign.title, campaign.target, campaign.slug, campaign.card, campaign.conditions]
        for word in re.findall(r"[\w.+-]+", str([*said, self.facts.task_names, campaign.runs])):
            if re.search(r"\d", word) and re.search(r"[^\W\d_]", word):
                yield word, "fillers", "settings"


def _spoken() -> Iterator[tuple[str, str, str]]:
    for kind, meanings in vocabulary().items():
        for meaning, phrases in meanings.items() if kind not in ASIDE else ():
            yield from ((phrase, kind, meaning) for phrase in phrases)


@cache
def _taken() -> frozenset[str]:
    """Every phrase of the vocabulary."""
    kinds = vocabulary().values()
    return frozenset(phrase for words in kinds for phrases in words.values() for phrase in phrases)


def _parts(names: Mapping[str, str]) -> list[tuple[str, str]]:
    """What names may be cut to: beginnings and words that only one has, and no common ones."""
    owners: dict[str, set[str]] = defaultdict(set)
    for name, text in names.items():
        words = [piece.text for piece in pieces(text)]
        for part in (*accumulate(words, "{} {}".format), *words):
            owners[part].add(name)
    return [
        (part, min(named)) for part, named in owners.items()
        if len(named) == 1 and len(part) >= 4 and part[0].isalpha() and part not in _taken()
    ]  # fmt: skip


def _in_digits(found: re.Match[str]) -> str:
    """``thirty-six`` as ``36``, as long as it was, so that all else keeps its place."""
    return str(sum(NUMBERS[one.lower()] for one in found.groups())).ljust(len(found[0]))


def _number(
    text: str, word: Piece, figures: Mapping[int, Figure], found: list[Token]
) -> Token | None:
    """The figure that ends with a word, in digits or in letters; else the word, if it is one."""
    figure = figures.get(word.end)
    if figure is None and word.text in NUMBERS:
        unit, stop = unit_at(text, word.end)
        number, loose = float(NUMBERS[word.text]), unit == "times"
        figure = Figure(word.text, number, 0, unit, word.start, word.end, stop, loose=loose)
    if figure is None:
        said = text[word.start : word.end]
        silent = word.text in _SILENT
        return None if silent else Token("unknown", None, said, word.start, word.end)
    start, stop, token = figure.start, figure.stop, figure.token
    begin = text.find(token, max(0, figure.end - len(token)))
    if token and found and found[-1].kind != "unknown" and found[-1].end > begin:
        token = ""  # "n_max_3", "depth-3": the word before was understood
    stop = max(stop, begin + len(token)) if token else stop
    kind = "unknown" if token else "figure"
    return Token(kind, figure.value, token or figure.text, start, stop, figure=figure)
