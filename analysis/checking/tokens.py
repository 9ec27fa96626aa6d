# ruff: noqa: E501
"""What is each word of a sentence: a run, a task, a quantity, a relation, a figure, or unknown?

A phrase may be of several kinds; its neighbours decide. What the vocabulary
does not have stays unknown, and no claim is read from words that are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from analysis.checking.figures import Figure, find_figures
from analysis.checking.lexicon import Lexicon, Meaning, pieces

__all__ = ["Reader", "Token"]

_STRONG = frozenset(
    "than against versus vs vs. instead of|rather than|compared with|compared to|relative to"
    "|in comparison with|in comparison to|when compared to|ahead of|compared against"
    "|measured against|next to|with respect to".replace(" vs", "|vs").replace("than ", "than|")
    .replace("against ", "against|").replace("versus ", "versus|").replace("vs. ", "vs.|").split("|")
)  # fmt: skip
_NUMBERS = {word: number for number, word in enumerate(
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"])}  # fmt: skip
_LINKS = {",", "and", "or", "/", "to", "&", "versus", "vs", "against", "than", "through"}
_NOUNS = {"task", "tasks", "prompt", "prompts", "run", "runs", "depth", "depths", "setting",
          "settings", "configuration", "configurations", "token", "tokens", "of", "percent",
          "draft", "drafted", "accepted", "more", "fewer", "forward", "forwards", "class", "classes",
          "workload", "workloads", "out", "repeat", "repeats", "request", "requests"}  # fmt: skip


@dataclass(frozen=True)
class Token:
    """A phrase of a sentence.

    Attributes
    ----------
    kind
        Of the vocabulary's kinds in the singular of their use here, or ``run``,
        ``scope``, ``figure``, ``unknown``.
    value
        Its meaning there; of a run its ids, of a scope what it may be.
    text, start, end
        The words and where they stand.
    group
        Whether a run's name is that of a method or a kind.
    figure
        Of a figure.
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
    """Reads texts of one campaign."""

    def __init__(self, lexicon: Lexicon, known: Callable[[str, Figure], bool]) -> None:
        self.lexicon = lexicon
        self.known = known

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text, in order."""
        return _resolved(_methods_joined(_Scan(self, text).tokens(), self.lexicon))


class _Scan:
    """Goes over the pieces of one text."""

    def __init__(self, reader: Reader, text: str) -> None:
        self.lexicon, self.known, self.text = reader.lexicon, reader.known, text
        self.words = pieces(text)
        self.figures = {one.end: one for one in find_figures(text)}
        self.numerals = {word.start: index for index, word in enumerate(self.words)}
        self.found: list[Token] = []

    @cached_property
    def _runs(self) -> dict[str, Any]:
        return dict(self.lexicon.facts.by_id)

    def tokens(self) -> list[Token]:
        at = 0
        while at < len(self.words):
            at = self._step(at)
        return self.found

    def _step(self, at: int) -> int:
        for end, meaning in self._matches(at):
            depth = self._depths(at, end, meaning)
            if depth:
                return depth
            kinds = {
                kind: value for kind, value in meaning.items() if self._fits(kind, value, at, end)
            }
            if kinds:
                self._add(at, end, kinds)
                return end
        return self._figure(at)

    def _matches(self, at: int) -> list[tuple[int, Meaning]]:
        """The phrases that begin here, the longest first, none cut off within a word."""
        found = self.lexicon.phrases(self.words, at)
        start = self.words[at].start
        if (
            start
            and self.text[start - 1] in "_-"
            and start > 1
            and not self.text[start - 2].isspace()
        ):
            # "pre-DFlash" is no name of ours, "code_cpp_2" no task.
            found = [(end, {k: v for k, v in meaning.items() if k not in ("run", "scope")})
                     for end, meaning in found]  # fmt: skip
        kept = []
        for end, meaning in found:
            stop = self.words[end - 1].end
            if re.match(r"_\w|\.\d", self.text[stop : stop + 2]):
                continue
            if re.match(r"-\d", self.text[stop : stop + 2]) and "scope" in meaning:
                continue
            kept.append((end, meaning))
        return kept

    def _fits(self, kind: str, value: Any, at: int, end: int) -> bool:
        if kind == "bounds":
            return self._numeric(end)
        if kind == "depths":
            return False
        if kind in ("factors", "fractions"):
            return True
        if kind == "references":
            said = " ".join(word.text for word in self.words[at:end]).replace(" .", ".")
            return said in _STRONG or self._run_follows(end)
        if kind == "run":
            name, own = self.text[self.words[at].start : self.words[end - 1].end], value[0]
            single = len(name) < 4 and own and not name[:1].islower()
            return len(name) >= 3 or bool(single and name in {self._runs[run].label for run in own})
        return kind != "everyday"

    def _numeric(self, at: int) -> bool:
        skipped = 0
        while at < len(self.words) and skipped < 3:
            word = self.words[at]
            if word.text[0].isdigit() or (word.text in _NUMBERS and word.text != "one"):
                return True
            if any(
                "factors" in m or "fractions" in m for _, m in self.lexicon.phrases(self.words, at)
            ):
                return True
            if word.text not in ("a", "the", "an", "only", "some", "another", "~", "+", "-", ":"):
                phrase = next(iter(self.lexicon.phrases(self.words, at)), (0, {}))
                if "bounds" not in phrase[1]:
                    return False
                at = phrase[0] - 1
            at, skipped = at + 1, skipped + 1
        return False

    def _run_follows(self, at: int) -> bool:
        skipped = 0
        while at < len(self.words) and skipped < 5:
            found = self.lexicon.phrases(self.words, at)
            if any("run" in m or "scope" in m for _, m in found) or self._is_depth(at):
                return True
            word = self.words[at].text
            quantity = any("quantities" in m and set(m.values()) & {"break_even"} for _, m in found)
            if quantity:
                return True
            end = next(
                (
                    end
                    for end, m in found
                    if set(m) & {"quantities", "quantifiers", "counted", "pronouns", "fillers"}
                ),
                None,
            )
            if word in (",", ".", ";") or (end is None):
                return False
            if any("pronouns" in m for _, m in found):
                return True
            at, skipped = end, skipped + 1
        return False

    def _is_depth(self, at: int) -> bool:
        return any(
            "depths" in m and self._number(end) is not None
            for end, m in self.lexicon.phrases(self.words, at)
        )

    # ---- depths

    def _number(self, at: int) -> tuple[int, int] | None:
        """A whole number here, behind an equals sign perhaps: where it ends, and its value."""
        while at < len(self.words) and self.words[at].text in ("=", ":", "of"):
            at += 1
        if at >= len(self.words):
            return None
        word = self.words[at]
        figure = self.figures.get(word.end)
        if word.text.isdigit():
            if figure is not None and figure.stop > figure.end:
                return None
            return at + 1, int(word.text)
        return (at + 1, _NUMBERS[word.text]) if word.text in _NUMBERS else None

    def _depths(self, at: int, end: int, meaning: Meaning) -> int:
        """``max 3``, ``depths 2 and 5``, ``n_max = 4/5``, ``DSpark 3``: where that ends, or 0."""
        known = {run.n_max for run in self.lexicon.facts.runs if run.n_max is not None}
        if "run" in meaning and len(meaning["run"][0]) >= 1:
            return self._method_and_number(at, end, meaning, known)
        if "depths" not in meaning:
            return 0
        number = self._number(end)
        if number is None:
            return 0
        self._depth(at, number[0], number[1])
        stop = number[0]
        while stop + 1 < len(self.words) and self.words[stop].text in _LINKS:
            after = stop + 1
            if self.words[after].text in ("and", "or"):
                after += 1
            more = self._number(after) if after < len(self.words) else None
            behind = self.words[more[0]].text if more and more[0] < len(self.words) else ""
            if more is None or more[1] not in known or behind in _NOUNS:
                break
            for end_, m in self.lexicon.phrases(self.words, stop)[:1]:
                kinds = {
                    k: v
                    for k, v in m.items()
                    if k in ("conjunctions", "references", "prepositions")
                }
                self._add(stop, end_, kinds or {"conjunctions": "and"})
            self._depth(after, more[0], more[1])
            stop = more[0]
        return stop

    def _method_and_number(self, at: int, end: int, meaning: Meaning, known: set[int]) -> int:
        ids = meaning["run"][0]
        number = self._number(end)
        spec = {self._runs[run].spec_type for run in ids}
        if number is None or number[1] not in known or len(spec) != 1 or spec == {"none"}:
            return 0
        behind = self.words[number[0]].text if number[0] < len(self.words) else ""
        if behind in _NOUNS or self.words[end].text in ("=", ":", "of"):
            return 0
        own = [run for run in ids if self._runs[run].n_max == number[1]]
        if not own or self.words[end].text in _NUMBERS:
            return 0
        self._add(at, number[0], {"run": (tuple(own), False)})
        return number[0]

    def _depth(self, at: int, end: int, depth: int) -> None:
        start, stop = self.words[at].start, self.words[end - 1].end
        text = self.text[start:stop]
        ids = self.lexicon.of_depth(depth)
        self.found.append(Token("run", ids, text, start, stop, group=len(ids) > 1, depth=depth))

    # ---- figures

    def _figure(self, at: int) -> int:
        word = self.words[at]
        figure = self.figures.get(word.end)
        if figure is not None:
            stop = at + 1
            while stop < len(self.words) and self.words[stop].end <= figure.stop:
                stop += 1
            if figure.token:
                end = figure.start + len(figure.token)
                start = self.text.rfind(figure.token, 0, end + len(figure.token))
                while stop < len(self.words) and self.words[stop].end <= start + len(figure.token):
                    stop += 1
                kind = "fillers" if self.known(self.text, figure) else "unknown"
                self.found.append(
                    Token(kind, None, figure.token, figure.start, figure.stop, figure=figure)
                )
                return stop
            self.found.append(
                Token("figure", figure.value, figure.text, figure.start, figure.stop, figure=figure)
            )
            return stop
        if word.text in _NUMBERS:
            value = float(_NUMBERS[word.text])
            times = at + 1 < len(self.words) and self.words[at + 1].text in ("times", "fold")
            end = self.words[at + times].end
            made = Figure(
                word.text, value, 0, "times" if times else "", word.start, end, end, loose=times
            )
            self.found.append(Token("figure", value, word.text, word.start, end, figure=made))
            return at + 1 + times
        if word.text not in (
            '"',
            "'",
            "“",
            "”",
            "‘",
            "*",
            "`",
            ".",
            "!",
            "+",
            "[",
            "]",
            "<",
            ">",
            "…",
            "->",
            "→",
        ):
            self.found.append(
                Token("unknown", None, self.text[word.start : word.end], word.start, word.end)
            )
        return at + 1

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


def _methods_joined(found: list[Token], lexicon: Lexicon) -> list[Token]:
    """A method and a depth beside it are one name; a depth alone is of the method named last."""
    out: list[Token] = []
    method: tuple[str, ...] = ()
    for token in found:
        if token.kind == "run" and token.depth is None:
            if token.value and {lexicon.facts.by_id[run].spec_type for run in token.value} != {
                "none"
            }:
                method = tuple(token.value)
            out.append(token)
        elif token.kind == "run":
            joined = _owner(out[-4:])
            spec = {lexicon.facts.by_id[run].spec_type for run in method}
            family = tuple(run.id for run in lexicon.facts.runs if run.spec_type in spec)
            own = lexicon.of_depth(token.depth or 0, family) if family else ()
            if joined is not None and joined.value:
                kinds = {lexicon.facts.by_id[run].spec_type for run in joined.value}
                same = tuple(r.id for r in lexicon.facts.runs if r.spec_type in kinds)
                ids = lexicon.of_depth(token.depth or 0, same) if same else ()
                if len(kinds) > 1:
                    ids = lexicon.of_depth(token.depth or 0, joined.value)
                while out[-1] is not joined:
                    out.pop()
                out.pop()
                out.append(replace(token, value=ids, start=joined.start, group=len(ids) > 1))
            else:
                out.append(
                    replace(token, value=own or token.value, group=len(own or token.value) > 1)
                )
        else:
            out.append(token)
    return out


def _owner(before: list[Token]) -> Token | None:
    """The method that stands right before a depth: ``DSpark, n_max 2``, ``DSpark at depth 3``."""
    for place, token in enumerate(reversed(before)):
        if token.kind == "run":
            if token.depth is not None or not token.value:
                return None
            return token if place == 0 or token.group or len(token.value) == 1 else None
        words = token.text.lower()
        if words not in (
            ",",
            "(",
            "with",
            "at",
            "using",
            "the",
            "'s",
            "a",
            "run",
            "setting",
            "draft",
            "set to",
            "when",
            "in",
            "model",
            "configuration",
            "and",
        ) or (words == "and"):
            return None
    return None


_ORDER = ("bounds", "hedges", "whole", "positions", "quantifiers", "negations", "superlatives",
          "comparatives", "equals", "beats", "changes", "factors", "fractions", "pays", "estimates", "quantities",
          "actions", "references", "degrees", "counted", "conjunctions", "states", "pronouns",
          "prepositions", "fillers")  # fmt: skip


def _resolved(found: list[Token]) -> list[Token]:
    """Give every token that may be several things one kind, and a figure its bound."""
    out: list[Token] = []
    bound = ""
    for at, token in enumerate(found):
        one = token
        if one.kind == "open":
            one = _decided(found, at)
        if one.kind == "bounds":
            # "a little less than about": the last word before the figure wins, but for a direction.
            bound = one.value if bound in ("", "about") or one.value != "about" else bound
            continue
        if one.kind in ("factors", "fractions"):
            percent = one.kind == "fractions"
            value = float(one.value)
            unit = "percent" if percent else "times"
            figure = Figure(one.text, value, 0, unit, one.start, one.end, one.end, loose=True)
            one = replace(one, kind="figure", value=value, figure=figure)
        if one.kind == "figure":
            one = replace(one, bound=bound or ("about" if one.figure and one.figure.about else ""))
            bound = ""
        out.append(one)
    return out


def _decided(found: Sequence[Token], at: int) -> Token:
    token = found[at]
    kinds: dict[str, Any] = dict(token.value)
    after = found[at + 1 :]
    if "quantifiers" in kinds and not _quantifies(after):
        del kinds["quantifiers"]
    if "pays" in kinds and len(kinds) > 1 and "references" in kinds:
        del kinds["pays"]
    if "degrees" in kinds and "superlatives" not in kinds and _lead(after, 2, ("figure",)):
        pass
    if "comparatives" in kinds and "changes" in kinds:
        del kinds["changes"]
    if "quantities" in kinds and "actions" in kinds:
        del kinds["actions"]
    if "actions" in kinds and "states" in kinds and kinds["actions"] == "time":
        del kinds["states"]
    if "equals" in kinds and "fillers" in kinds and not _lead(after, 2, ("run",)):
        del kinds["equals"]
    if "beats" in kinds and "superlatives" in kinds:
        del kinds["beats"]
    if "beats" in kinds and "fillers" in kinds and not _lead(after, 3, ("run",)):
        del kinds["beats"]
    if not kinds:
        return replace(token, kind="fillers", value=None)
    kind = next(kind for kind in _ORDER if kind in kinds)
    if kind == "superlatives" and "quantifiers" in kinds:
        kind = "quantifiers"
    return replace(token, kind=kind, value=kinds[kind])


def _quantifies(after: Sequence[Token]) -> bool:
    """Whether runs or tasks follow, so that a quantifier is one."""
    for token in after[:5]:
        if token.kind in ("run", "scope"):
            return True
        if token.kind == "figure":
            continue
        if token.kind != "open":
            return False
        if "counted" in token.value and token.value["counted"] != "tokens":
            return True
        if not set(token.value) & {"fillers", "prepositions", "quantifiers", "pronouns"}:
            return False
    return False


def _lead(after: Sequence[Token], reach: int, kinds: tuple[str, ...]) -> bool:
    return any(token.kind in kinds for token in after[:reach])
