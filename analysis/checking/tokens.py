"""Which phrases stand in a text: names, words of the vocabulary, figures, and what is unknown?"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.checking.figures import Figure, find_figures, unit_at
from analysis.checking.lexicon import Lexicon, Meaning
from analysis.checking.vocabulary import Piece, pieces, vocabulary

__all__ = ["Token", "ahead", "replaced", "scan"]

_NUMBERS = {words[0]: float(number) for number, words in vocabulary()["numbers"].items()}
_TENS, _ONES = (
    "|".join(word for word, number in _NUMBERS.items() if number in among)
    for among in (range(20, 100, 10), range(1, 10))
)
_COMPOUND = re.compile(rf"\b({_TENS})-({_ONES})\b", re.IGNORECASE)
_AMOUNTS = {*_NUMBERS, *(word for kind in ("factors", "fractions")
                         for words in vocabulary()[kind].values()
                         for phrase in words for word in phrase.split())} - {"a", "of"}  # fmt: skip
_DEPTHS = re.compile(r"\b\d(?:/\d){2,}\b")
_SILENT = set("\"'“”‘*`.!+[]<>…→") | {"->"}


@dataclass(frozen=True)
class Token:
    """A phrase of a sentence.

    `kind` is one of the vocabulary's, or ``run``, ``scope``, ``figure``, ``unknown``; `value` is
    its meaning there: of a run its ids, of a scope what it may be. `group` says that a run's name
    is that of a method or a kind, `depth` that it is a depth alone, `bound` is the word before a
    figure: ``about``, ``gt``, …
    """

    kind: str
    value: Any
    text: str
    start: int
    end: int
    group: bool = False
    figure: Figure | None = None
    bound: str = ""
    depth: int | None = None

    @property
    def word(self) -> str:
        """In lower case."""
        return self.text.lower()

    @property
    def kinds(self) -> Collection[str]:
        """What it may be."""
        return self.value if self.kind == "open" else (self.kind,)

    @property
    def whole(self) -> int | None:
        """The number of a figure without decimals and a unit of its own."""
        figure = self.figure if self.kind == "figure" else None
        if figure is None or figure.stop > figure.end or figure.decimals or figure.signed:
            return None
        return int(figure.value)


def ahead(
    tokens: Sequence[Token], wanted: Collection[str], free: Collection[str], reach: int = 5
) -> Token | None:
    """The first token of a wanted kind, where only free kinds and words stand before it."""
    for token in tokens[:reach]:
        if any(kind in wanted for kind in token.kinds):
            return token
        if token.word not in free and not any(kind in free for kind in token.kinds):
            return None
    return None


def replaced(tokens: Sequence[Token], one: Token) -> list[Token]:
    """Tokens with one in the place of those that it goes over, if it goes over any."""
    inside = [other for other in tokens if one.start <= other.start < one.end]
    at = tokens.index(inside[0]) if inside else 0
    return [*tokens[:at], one, *tokens[at + len(inside) :]] if inside else [*tokens]


def scan(text: str, lexicon: Lexicon) -> list[Token]:
    """The phrases of a text; what may be several things is ``open``, a token of all its kinds."""
    parted = _DEPTHS.sub(lambda found: found[0].replace("/", "&"), text)  # "depths 2/3/4/5"
    return _Scan(_COMPOUND.sub(_in_digits, parted), lexicon).found


def _in_digits(found: re.Match[str]) -> str:
    """``thirty-six`` as ``36``, as long as it was, so that all else keeps its place."""
    return str(sum(int(_NUMBERS[one.lower()]) for one in found.groups())).ljust(len(found[0]))


def _numeric(piece: Piece) -> bool:
    return piece.text[0].isdigit() or piece.text[0] == "." or piece.text in _AMOUNTS


class _Scan:
    """Goes over the pieces of one text and finds the longest phrases."""

    def __init__(self, text: str, lexicon: Lexicon) -> None:
        self.text, self.lexicon = text, lexicon
        self.words = pieces(text)
        self.figures = {one.end: one for one in find_figures(text)}
        self.found: list[Token] = []
        at = 0
        while at < len(self.words):
            at = self._step(at)

    def _step(self, at: int) -> int:
        if self.words[at].text in _NUMBERS and unit_at(self.text, self.words[at].end)[0]:
            return self._figure(at)
        phrases = list(self._phrases(at))
        for end, meaning in phrases:
            kinds = {
                kind: meaning[kind] for kind in meaning if kind not in ("everyday", "settings")
            }
            ahead_ = self.words[end].text if end < len(self.words) else ""
            if {*kinds} == {"bounds"} and not any(map(_numeric, self.words[end : end + 4])):
                continue  # "comfortably above its break-even"
            if ahead_[:1].isdigit() or ahead_ in ("more", "fewer", "less", *_NUMBERS):
                # "with n_max 3" is no trend, "drafting 44 fewer" no run.
                kinds.pop("trends", None)
                kinds = {
                    kind: kinds[kind] for kind in kinds if kind != "run" or "actions" not in kinds
                }
            if "run" in kinds:
                (ids, group), text = kinds["run"], self._text(at, end)
                # A label of one letter is a name only as it is written.
                labels = [self.lexicon.facts.by_id[run].label for run in ids]
                if len(text) > 2 or text in labels:
                    return self._add("run", ids, at, end, group=group)
            elif kinds:
                scope = kinds.get("scope")
                return self._add("scope" if scope else "open", scope or kinds, at, end)
        setting = next((end for end, meaning in phrases if "settings" in meaning), None)
        return self._add("fillers", None, at, setting) if setting else self._figure(at)

    def _text(self, at: int, end: int) -> str:
        return self.text[self.words[at].start : self.words[end - 1].end]

    def _add(self, kind: str, value: Any, at: int, end: int, **more: Any) -> int:
        start, stop = self.words[at].start, self.words[end - 1].end
        self.found.append(Token(kind, value, self._text(at, end), start, stop, **more))
        return end

    def _phrases(self, at: int) -> Iterator[tuple[int, Meaning]]:
        """The phrases that begin here, the longest first, none cut off within a word."""
        start = self.words[at].start
        glued = start > 1 and self.text[start - 1] in "_-" and not self.text[start - 2].isspace()
        for end, meaning in self.lexicon.phrases(self.words, at):
            stop = self.words[end - 1].end
            behind = self.text[stop : stop + 2]
            if re.match(r"_\w|\.\d", behind) and "depths" not in meaning:
                continue
            # "pre-DFlash" is no name of ours, "code_cpp_2" and "code-2" are no tasks.
            hidden = {"run", "scope"} if glued else {"scope"} if re.match(r"-\d", behind) else set()
            yield end, {kind: meaning[kind] for kind in meaning if kind not in hidden}

    def _figure(self, at: int) -> int:
        word = self.words[at]
        figure = self.figures.get(word.end)
        if figure is None and word.text in _NUMBERS:
            unit, stop = unit_at(self.text, word.end)
            value, loose = _NUMBERS[word.text], unit == "times"
            figure = Figure(word.text, value, 0, unit, word.start, word.end, stop, loose=loose)
        if figure is None:
            return at + 1 if word.text in _SILENT else self._add("unknown", None, at, at + 1)
        start, stop, token = figure.start, figure.stop, figure.token
        begin = self.text.find(token, max(0, figure.end - len(token)))
        if token and self.found and self.found[-1].kind != "unknown" and self.found[-1].end > begin:
            token = ""  # "n_max_3", "depth-3": the word before was understood
        stop = max(stop, begin + len(token)) if token else stop
        kind, text = "unknown" if token else "figure", token or figure.text
        self.found.append(Token(kind, figure.value, text, start, stop, figure=figure))
        while at < len(self.words) and self.words[at].end <= max(stop, word.end):
            at += 1
        return at
