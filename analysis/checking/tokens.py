"""What is each word of a sentence: a run, a task, a quantity, a relation, a figure, or unknown?

A phrase may be of several kinds; its neighbours decide. What the vocabulary
does not have stays unknown, and no claim is read from words that are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analysis.checking.figures import Figure, find_figures, unit_at
from analysis.checking.lexicon import Lexicon, Meaning
from analysis.checking.vocabulary import pieces, vocabulary

__all__ = ["Token", "ahead", "tokens_of"]

_NUMBERS = {words[0]: float(number) for number, words in vocabulary()["numbers"].items()}
_LINKS = {name: {*words} for name, words in vocabulary()["links"].items()}
_NO_DEPTH = {"of", "percent", "more", "fewer", "out", "accepted", "drafted", "draft", "token",
             "tokens"}  # fmt: skip
_SILENT = set("\"'“”‘*`.!+[]<>…→") | {"->"}
_WEAK_REFERENCES = {"as", "over", "behind", "above", "below", "under", "beyond", "beside"}
_BEHIND = {phrase: bound for bound, phrases in vocabulary()["behind"].items() for phrase in phrases}
_COUNTING = {"fillers", "prepositions", "quantifiers", "pronouns", "figure"}
_NUMERIC = {"figure", "factors", "fractions"}


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


def tokens_of(text: str, lexicon: Lexicon) -> list[Token]:
    """The tokens of a text, in order."""
    found = _joined(_named(_Scan(text, lexicon).found, lexicon), lexicon)
    return _bounded([_decided(found, at) for at in range(len(found))])


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
        phrases = list(self._phrases(at))
        for end, meaning in phrases:
            kinds = {
                kind: meaning[kind] for kind in meaning if kind not in ("everyday", "settings")
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


# ---- names by depth


def _named(found: list[Token], lexicon: Lexicon) -> list[Token]:
    """``max 3``, ``depths 2 and 5``, ``n_max = 4/5``, ``DSpark 3`` as names of runs."""
    runs = lexicon.facts.by_id
    out: list[Token] = []
    for at, token in enumerate(found):
        depth, past = token.whole, out[-4:][::-1]
        counted = any(
            one.word in _NO_DEPTH or "counted" in one.kinds for one in found[at + 1 : at + 2]
        )
        word = ahead(past, {"depths"}, {"=", ":", "of"})
        listed = ahead(past, {"run"}, _LINKS["depths"])
        one = token
        if depth is not None and word is not None:
            one = _run(token, lexicon.chosen(depth=depth), word, depth)
            del out[out.index(word) :]
        elif depth is not None and listed is not None and not counted:
            own = tuple(run for run in listed.value if runs[run].n_max == depth)
            if listed is not past[0] and listed.depth is not None and lexicon.chosen(depth=depth):
                one = _run(token, lexicon.chosen(depth=depth), token, depth)
            elif (
                listed is past[0]
                and own
                and len({runs[run].spec_type for run in listed.value}) == 1
            ):
                one = _run(token, own, out.pop(), None)
        out.append(one)
    return out


def _run(token: Token, ids: tuple[str, ...], first: Token, depth: int | None) -> Token:
    return replace(token, kind="run", value=ids, start=first.start, figure=None,
                   group=len(ids) > 1, depth=depth)  # fmt: skip


def _joined(found: list[Token], lexicon: Lexicon) -> list[Token]:
    """A method and a depth beside it are one name; a depth alone is of the method named last."""
    runs = lexicon.facts.by_id
    out: list[Token] = []
    methods: set[str | None] = set()
    for token in found:
        one = token
        if one.kind == "run" and one.depth is None:
            methods = {runs[run].spec_type for run in one.value} - {"none"} or methods
        elif one.kind == "run":
            # "DSpark, n_max 2", "DSpark at depth 3"
            owner = ahead(out[-4:][::-1], {"run"}, _LINKS["method"])
            owner = owner if owner is not None and owner.depth is None and owner.value else None
            family = {runs[run].spec_type for run in owner.value} if owner else methods
            ids = lexicon.chosen(depth=one.depth, methods=[str(name) for name in family])
            if owner is not None:
                del out[out.index(owner) :]
            if owner is not None or ids:
                one = _run(one, ids, owner or one, one.depth)
        out.append(one)
    return out


# ---- one kind for each


def _decided(found: Sequence[Token], at: int) -> Token:
    """Give a token that may be several things one kind."""
    token, after = found[at], found[at + 1 :]
    if token.kind != "open":
        return token
    kinds: dict[str, Any] = {kind: token.value[kind] for kind in token.value if kind != "depths"}
    if not ahead(after, _NUMERIC, {"bounds", *_LINKS["figure"]}, 3):
        kinds.pop("bounds", None)
    if token.word in _WEAK_REFERENCES and not _names(after):
        kinds.pop("references", None)
    counts = ahead(after, {"run", "scope", "counted"}, _COUNTING)
    if "quantifiers" in kinds and not counts and kinds.pop("quantifiers") == "none":
        kinds["negations"] = "not"
    if "beats" in kinds and "references" in kinds:
        # "stays below the baseline" is a relation, "5 % below" is none of its own.
        stated = any("states" in one.kinds for one in found[max(0, at - 2) : at])
        kinds.pop("references" if stated and not _break_even(after) else "beats")
    if "changes" in kinds and "states" in kinds:
        # "costs 4 %" is a change, "costs 24.9 ms" is a state.
        figure = next((one.figure for one in after[:4] if one.figure is not None), None)
        kinds.pop("states" if figure is not None and figure.unit == "percent" else "changes")
    if kinds.get("actions") == "time":
        kinds.pop("states", None)
    if "fillers" in kinds and not any(one.kind == "run" for one in after[:3]):
        kinds = {kind: kinds[kind] for kind in kinds if kind not in ("equals", "beats")}
    bare = "fillers" if "quantifiers" in token.kinds else "unknown"
    kind = next((kind for kind in vocabulary() if kind in kinds), bare)
    return replace(token, kind=kind, value=kinds.get(kind))


def _names(after: Sequence[Token]) -> bool:
    """Whether a name follows, or break-even."""
    free = {"quantities", "quantifiers", "counted", "fillers"}
    return _break_even(after) or ahead(after, {"run", "scope", "pronouns"}, free) is not None


def _break_even(after: Sequence[Token]) -> bool:
    found = ahead(after, {"quantities"}, {"fillers", "pronouns"}, 3)
    return found is not None and found.kind == "open" and found.value["quantities"] == "break_even"


def _bounded(found: list[Token]) -> list[Token]:
    """Give a figure its bound, and words of number their figure."""
    out: list[Token] = []
    bound = ""
    for at, token in enumerate(found):
        one, last = token, out[-1] if out else None
        if one.kind == "bounds":
            # "a little less than about": the last word before the figure wins, but for "about".
            bound = one.value if bound in ("", "about") or one.value != "about" else bound
            continue
        if last is not None and last.kind == "figure" and one.word in _BEHIND:
            out[-1] = replace(last, bound=_BEHIND[one.word])
            continue
        numeric = one.word == "than" and ahead(found[at + 1 :], _NUMERIC, _LINKS["figure"], 3)
        if last is not None and last.kind == "comparatives" and numeric:
            # "more than 90 %"
            bound = "gt" if str(out.pop().value).endswith(("+", "better")) else "lt"
            continue
        if one.kind in ("factors", "fractions"):
            one = _worded(one, found[at + 1 : at + 4])
        if one.kind == "figure" and one.figure is not None:
            one = replace(one, bound=bound or ("about" if one.figure.about else ""))
            bound = ""
            if (
                one.figure is not None
                and one.figure.loose
                and {other.word for other in out[-2:]} & _LINKS["measured"]
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
        of_run = of_run and not (after and after[0].kind in ("comparatives", "changes"))
        value, unit = (value / 100, "times") if of_run else (value, "percent")
    figure = Figure(token.text, value, 0, unit, token.start, token.end, token.end, loose=True)
    return replace(token, kind="figure", value=value, figure=figure)
