"""What is each word of a sentence: a run, a task, a quantity, a relation, a figure, or unknown?

A phrase may be of several kinds; its neighbours decide. What the vocabulary
does not have stays unknown, and no claim is read from words that are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analysis.checking.figures import Figure, find_figures, unit_at
from analysis.checking.lexicon import Lexicon, Meaning, pieces

__all__ = ["Reader", "Token"]

_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
_NUMBERS = {word: number for number, word in enumerate(_WORDS.split(" "))}
_LINKS = {",", "and", "or", "/", "to", "&", "versus", "vs", "against", "than", "through"}
_NO_DEPTH = {"of", "percent", "more", "fewer", "out", "accepted", "drafted", "draft"}
_SILENT = set("\"'“”‘*`.!+[]<>…→") | {"->"}
_ARTICLES = ("a", "the", "an", "only", "some", "another", "~", "+", "-", ":")
_BESIDE = {",", "(", "with", "at", "using", "the", "'s", "a", "run", "setting", "draft", "set to",
           "when", "in", "model", "configuration"}  # fmt: skip
_MEASURED = ("run", "ran", "measured", "repeated", "tested")
_WEAK_REFERENCES = {"as", "over", "behind", "above", "below", "under", "beyond", "beside"}
_ORDER = ("bounds", "hedges", "estimates", "whole", "positions", "quantifiers", "negations",
          "superlatives", "comparatives", "equals", "beats", "changes", "factors", "fractions",
          "pays", "quantities", "actions", "references", "degrees", "counted", "conjunctions",
          "states", "pronouns", "prepositions", "fillers")  # fmt: skip
_WEAKER = (("actions", "quantities"), ("changes", "comparatives"), ("beats", "superlatives"),
           ("pays", "references"), ("superlatives", "quantifiers"))  # fmt: skip
"""Of two kinds that a word may be, the first gives way."""


@dataclass(frozen=True)
class Token:
    """A phrase of a sentence.

    Attributes
    ----------
    kind
        One of the vocabulary's, or ``run``, ``scope``, ``figure``, ``unknown``.
    value
        Its meaning there; of a run its ids, of a scope what it may be.
    text, start, end
        The words and where they stand.
    group
        Whether a run's name is that of a method or a kind.
    figure
        Of a figure, or of a word that has one in it.
    bound
        Before a figure: ``about``, ``gt``, …
    depth
        Of a run that only its depth names.
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


class Reader:
    """Reads texts of one campaign; `known` says whether a word with a figure is a name of its."""

    def __init__(self, lexicon: Lexicon, known: Callable[[str, Figure], bool]) -> None:
        self.lexicon, self.known = lexicon, known

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text, in order."""
        found = _Scan(self, text).tokens()
        return _bounded(_decided(_joined(found, self.lexicon)))


class _Scan:
    """Goes over the pieces of one text."""

    def __init__(self, reader: Reader, text: str) -> None:
        self.lexicon, self.known, self.text = reader.lexicon, reader.known, text
        self.runs = self.lexicon.facts.by_id
        self.depths = {run.n_max for run in self.runs.values() if run.n_max is not None}
        self.words = pieces(text)
        self.figures = {one.end: one for one in find_figures(text)}
        self.found: list[Token] = []

    def tokens(self) -> list[Token]:
        at = 0
        while at < len(self.words):
            at = self._step(at)
        return self.found

    def _step(self, at: int) -> int:
        for end, meaning in self._matches(at):
            stop = self._depth_name(at, end, meaning)
            if stop:
                return stop
            kinds = {
                kind: said for kind, said in meaning.items() if self._fits(kind, said, at, end)
            }
            if kinds:
                self._add(at, end, kinds)
                return end
        return self._figure(at)

    def _matches(self, at: int) -> Iterator[tuple[int, Meaning]]:
        """The phrases that begin here, the longest first, none cut off within a word."""
        start = self.words[at].start
        glued = start > 1 and self.text[start - 1] in "_-" and not self.text[start - 2].isspace()
        for end, meaning in self.lexicon.phrases(self.words, at):
            stop = self.words[end - 1].end
            behind = self.text[stop : stop + 2]
            if re.match(r"_\w|\.\d", behind) or (re.match(r"-\d", behind) and "scope" in meaning):
                continue
            # "pre-DFlash" is no name of ours, "code_cpp_2" no task.
            hidden = ("run", "scope") if glued else ()
            yield end, {kind: meaning[kind] for kind in meaning if kind not in hidden}

    def _fits(self, kind: str, said: Any, at: int, end: int) -> bool:
        if kind == "bounds":
            return self._number_follows(end)
        if kind == "references":
            words = {word.text for word in self.words[at:end]}
            return not words <= _WEAK_REFERENCES or self._name_follows(end)
        if kind == "run":
            name = self.text[self.words[at].start : self.words[end - 1].end]
            # A label of one letter is a name only as it is written.
            return len(name) > 2 or any(name == self.runs[run].label for run in said[0])
        return kind not in ("depths", "everyday")

    def _number_follows(self, at: int) -> bool:
        for _ in range(3):
            if at >= len(self.words):
                return False
            word, phrases = self.words[at].text, self.lexicon.phrases(self.words, at)
            if word[0].isdigit() or (word in _NUMBERS and word != "one"):
                return True
            if any("factors" in said or "fractions" in said for _, said in phrases):
                return True
            if word not in _ARTICLES and not (phrases and "bounds" in phrases[0][1]):
                return False
            at = at + 1 if word in _ARTICLES else phrases[0][0]
        return False

    def _name_follows(self, at: int) -> bool:
        free = {"quantities", "quantifiers", "counted", "fillers"}
        for _ in range(5):
            phrases = self.lexicon.phrases(self.words, at)
            said = [meaning for _, meaning in phrases]
            if any({"run", "scope", "pronouns"} & set(one) for one in said) or any(
                "depths" in meaning and self._number(end) for end, meaning in phrases
            ):
                return True
            if any(one.get("quantities") == "break_even" for one in said):
                return True
            end = next((end for end, one in phrases if set(one) & free), None)
            if end is None:
                return False
            at = end
        return False

    # ---- names by depth

    def _number(self, at: int) -> tuple[int, int] | None:
        """A whole number here, behind an equals sign perhaps: where it ends, and its value."""
        while at < len(self.words) and self.words[at].text in ("=", ":", "of"):
            at += 1
        if at >= len(self.words):
            return None
        word = self.words[at]
        figure = self.figures.get(word.end)
        if word.text.isdigit() and not (figure is not None and figure.stop > figure.end):
            return at + 1, int(word.text)
        return (at + 1, _NUMBERS[word.text]) if word.text in _NUMBERS else None

    def _depth_name(self, at: int, end: int, meaning: Meaning) -> int:
        """``max 3``, ``depths 2 and 5``, ``n_max = 4/5``, ``DSpark 3``: where that ends, or 0."""
        number = self._number(end)
        if number is None:
            return 0
        if "run" in meaning:
            return self._method_and_number(at, end, meaning["run"][0], number)
        if "depths" not in meaning:
            return 0
        stop = self._depth(at, *number)
        while stop + 1 < len(self.words) and self.words[stop].text in _LINKS:
            after = stop + 1 + (self.words[stop + 1].text in ("and", "or"))
            more = self._number(after) if after < len(self.words) else None
            if more is None or more[1] not in self.depths or self._counts(more[0]):
                break
            for linked, said in self.lexicon.phrases(self.words, stop)[:1]:
                self._add(stop, linked, said)
            stop = self._depth(after, *more)
        return stop

    def _counts(self, at: int) -> bool:
        """Whether what stands here is counted by the number before it."""
        if at >= len(self.words):
            return False
        said = self.lexicon.phrases(self.words, at)
        return self.words[at].text in _NO_DEPTH or any("counted" in one for _, one in said)

    def _method_and_number(
        self, at: int, end: int, ids: tuple[str, ...], number: tuple[int, int]
    ) -> int:
        own = tuple(run for run in ids if self.runs[run].n_max == number[1])
        methods = {self.runs[run].spec_type for run in ids}
        if not own or len(methods) != 1 or not self.words[end].text.isdigit():
            return 0
        if self._counts(number[0]):
            return 0
        self._add(at, number[0], {"run": (own, False)})
        return number[0]

    def _depth(self, at: int, end: int, depth: int) -> int:
        start, stop = self.words[at].start, self.words[end - 1].end
        ids = self.lexicon.of_depth(depth)
        text = self.text[start:stop]
        self.found.append(Token("run", ids, text, start, stop, len(ids) > 1, depth=depth))
        return end

    # ---- figures and the rest

    def _figure(self, at: int) -> int:
        word = self.words[at]
        figure = self.figures.get(word.end)
        if figure is None and word.text in _NUMBERS:
            unit, stop = unit_at(self.text, word.end)
            value = float(_NUMBERS[word.text])
            loose = unit == "times"
            figure = Figure(word.text, value, 0, unit, word.start, word.end, stop, loose=loose)
        if figure is None:
            if word.text not in _SILENT:
                text = self.text[word.start : word.end]
                self.found.append(Token("unknown", None, text, word.start, word.end))
            return at + 1
        kind, stop = "figure", figure.stop
        if figure.token:
            begin = self.text.find(figure.token, max(0, figure.end - len(figure.token)))
            stop = max(stop, begin + len(figure.token))
        if figure.token or self.known(self.text, figure):
            kind = "fillers" if self.known(self.text, figure) else "unknown"
        text = figure.token or figure.text
        self.found.append(Token(kind, figure.value, text, figure.start, stop, figure=figure))
        at += 1
        while at < len(self.words) and self.words[at].end <= stop:
            at += 1
        return at

    def _add(self, at: int, end: int, kinds: Meaning) -> None:
        start, stop = self.words[at].start, self.words[end - 1].end
        text = self.text[start:stop]
        if "run" in kinds:
            ids, group = kinds["run"]
            self.found.append(Token("run", ids, text, start, stop, group=group))
        elif "scope" in kinds:
            self.found.append(Token("scope", kinds["scope"], text, start, stop))
        else:
            self.found.append(Token("open", kinds, text, start, stop))


def _joined(found: list[Token], lexicon: Lexicon) -> list[Token]:
    """A method and a depth beside it are one name; a depth alone is of the method named last."""
    runs = lexicon.facts.by_id

    def family(ids: Sequence[str]) -> tuple[str, ...]:
        methods = {runs[run].spec_type for run in ids}
        return tuple(run for run, facts in runs.items() if facts.spec_type in methods)

    out: list[Token] = []
    method: tuple[str, ...] = ()
    for token in found:
        one = token
        if one.kind == "run" and one.depth is None:
            drafts = {runs[run].spec_type for run in one.value} - {"none"}
            method = tuple(one.value) if drafts else method
        elif one.kind == "run" and one.depth is not None:
            owner = _owner(out[-4:])
            ids = lexicon.of_depth(one.depth, family(owner.value if owner else method))
            if owner is not None:
                del out[out.index(owner) :]
                one = replace(one, value=ids, start=owner.start, group=len(ids) > 1)
            elif method and ids:
                one = replace(one, value=ids, group=len(ids) > 1)
        out.append(one)
    return out


def _owner(before: list[Token]) -> Token | None:
    """The method right before a depth: ``DSpark, n_max 2``, ``DSpark at depth 3``."""
    for token in reversed(before):
        if token.kind == "run":
            return token if token.depth is None and token.value else None
        if token.text.lower() not in _BESIDE:
            return None
    return None


def _decided(found: list[Token]) -> list[Token]:
    """Give every token that may be several things one kind."""
    return [_one_kind(found, at) if one.kind == "open" else one for at, one in enumerate(found)]


def _one_kind(found: Sequence[Token], at: int) -> Token:
    token, after = found[at], found[at + 1 :]
    kinds: dict[str, Any] = dict(token.value)
    if "quantifiers" in kinds and not _quantifies(after) and kinds.pop("quantifiers") == "none":
        kinds["negations"] = "not"
    if "beats" in kinds and "references" in kinds:
        # "stays below the baseline" is a relation, "5 % below" is none of its own.
        before = [one for one in found[max(0, at - 2) : at] if one.kind == "open"]
        stated = any("states" in one.value for one in before) and not _break_even(after)
        kinds.pop("references" if stated else "beats")
    if "changes" in kinds and "states" in kinds:
        # "costs 4 %" is a change, "costs 24.9 ms" is a state.
        kinds.pop("states" if _by_percent(after) else "changes")
    if "actions" in kinds and "states" in kinds and kinds["actions"] == "time":
        del kinds["states"]
    for kind in ("equals", "beats"):
        if kind in kinds and "fillers" in kinds and not any(one.kind == "run" for one in after[:3]):
            del kinds[kind]
    for weak, strong in _WEAKER:
        if weak in kinds and strong in kinds:
            del kinds[weak]
    kind = next((kind for kind in _ORDER if kind in kinds), "fillers")
    return replace(token, kind=kind, value=kinds.get(kind))


def _quantifies(after: Sequence[Token]) -> bool:
    """Whether runs or tasks follow, so that a quantifier is one."""
    free = {"fillers", "prepositions", "quantifiers", "pronouns"}
    for token in after[:5]:
        if token.kind in ("run", "scope"):
            return True
        if token.kind == "figure":
            continue
        if token.kind != "open":
            return False
        if token.value.get("counted", "tokens") != "tokens":
            return True
        if not set(token.value) & free:
            return False
    return False


def _break_even(after: Sequence[Token]) -> bool:
    said = [one.value for one in after[:3] if one.kind == "open"]
    return any(one.get("quantities") == "break_even" for one in said)


def _by_percent(after: Sequence[Token]) -> bool:
    figure = next((one.figure for one in after[:4] if one.kind == "figure"), None)
    return figure is not None and figure.unit == "percent"


def _bounded(found: list[Token]) -> list[Token]:
    """Give a figure its bound, and words of number their figure."""
    out: list[Token] = []
    bound = ""
    for at, token in enumerate(found):
        if token.kind == "bounds":
            # "a little less than about": the last word before the figure wins, but for "about".
            bound = token.value if bound in ("", "about") or token.value != "about" else bound
            continue
        one = token
        if one.kind in ("factors", "fractions"):
            one = _worded(one, found[at + 1 : at + 4])
        if one.kind == "figure" and one.figure is not None:
            one = replace(one, bound=bound or ("about" if one.figure.about else ""))
            bound = ""
            if (
                one.figure
                and one.figure.loose
                and {o.text.lower() for o in out[-2:]} & set(_MEASURED)
            ):
                # "was run three times"
                out.append(replace(one, figure=replace(one.figure, unit="", loose=False)))
                one = Token("counted", "repeats", "times", one.start, one.end)
        out.append(one)
    return out


def _worded(token: Token, after: Sequence[Token]) -> Token:
    """The figure that a word states: *a third of its drafts*, *a third of the baseline's*."""
    value, unit = float(token.value), "times"
    if token.kind == "fractions":
        of_run = any(one.kind == "run" for one in after)
        value, unit = (value / 100, "times") if of_run else (value, "percent")
    figure = Figure(token.text, value, 0, unit, token.start, token.end, token.end, loose=True)
    return replace(token, kind="figure", value=value, figure=figure)
