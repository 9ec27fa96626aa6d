"""What is each word of a sentence: a run, a task, a quantity, a relation, a figure, or unknown?

A phrase may be of several kinds; its neighbours decide, by the rules of the vocabulary. What it
does not have stays unknown, and no claim is read from words that are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise, takewhile
from typing import Any

from analysis.checking.conditions import stated_conditions
from analysis.checking.figures import Figure, figure_at, unit_at, word_around
from analysis.checking.tokens import Token, stands
from analysis.checking.vocabulary import LINKS, Lexicon, pieces, vocabulary

__all__ = ["tokens_of"]

NAMES = ("run", "scope", "position", "further", "factors", "fractions")
"""What a phrase is, whatever else it may be."""
UNITS = {"factors": "times", "fractions": "percent", "numbers": ""}


def tokens_of(text: str, lexicon: Lexicon) -> list[Token]:
    """The tokens of a text, in order."""
    found = _named(stated_conditions(text, _scanned(text, lexicon), lexicon.facts), lexicon)
    decided = [_decided(found, at) for at in range(len(found))]
    ends = [at for at, one in enumerate(decided) if one.word in LINKS["leading"] - {"and"}]
    parts = pairwise((0, *ends, len(decided)))
    return _bounded([one for start, end in parts for one in _measured(decided[start:end])])


def _scanned(text: str, lexicon: Lexicon) -> list[Token]:
    """The phrases of a text; what may be several things is ``open``: all its kinds."""
    found: list[Token] = []
    words = pieces(text)
    for at, word in enumerate(words):
        if not found or word.start() >= found[-1].end:
            found.append(_phrase(words[at:], found, lexicon) or _number(word, found))
    return found


def _phrase(words: list[re.Match[str]], found: list[Token], lexicon: Lexicon) -> Token | None:
    """The longest phrase of words from the first on, no name that is cut off within a word."""
    text, start = words[0].string, words[0].start()
    glued = re.search(r"\S[_-]$", text[max(0, start - 2) : start])
    phrases = accumulate((word[0].lower() for word in words), "{} {}".format)
    known = takewhile(lexicon.meanings.__contains__, phrases)
    for phrase, word in reversed([*zip(known, words, strict=False)]):
        meaning, stop = lexicon.meanings[phrase], word.end()
        said, behind = text[start:stop], text[stop : stop + 2]
        # "pre-DFlash" is no name, "code_cpp_2" and "code-2" are no tasks, "-six" is no number.
        hidden = {"scope"} if re.match(r"-\d", behind) else set()
        hidden |= {"run", "scope", "numbers"} if glued or re.match(r"_\w|\.\d", behind) else set()
        # A label of one letter is a name only as it is written.
        labels = [lexicon.facts.by_id[run].label for run in meaning.get("run", ())]
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
            kind = "position" if kind == "further" else kind
            return Token(kind, value, said, start, stop, group=group)
    return None


def _number(word: re.Match[str], found: Sequence[Token]) -> Token:
    """The figure that a numeral is, or the word that it is in; else the word."""
    if word["digits"] is None:
        return Token("unknown", None, word[0], *word.span())
    figure = figure_at(word)
    before, behind = word_around(figure, word.string)
    # "n_max_3", "depth-3": the word before was understood.
    known = found and found[-1].kind != "unknown" and found[-1].end > word.start() - len(before)
    if known or not before + behind:
        return Token("figure", figure.value, word[0], word.start(), figure.stop, figure=figure)
    said, stop = before + word[0] + behind, max(figure.stop, word.end() + len(behind))
    return Token("unknown", figure.value, said, word.start(), stop, figure=figure)


def _named(found: Sequence[Token], lexicon: Lexicon) -> list[Token]:
    """``max 3``, ``depths 2 and 5``, ``DSpark at depth 3``, ``with 5 drafted tokens`` as runs."""
    out: list[Token] = []
    methods: set[str] = set()
    for at, token in enumerate(found):
        one, whole = token, token.whole
        known = () if whole is None else lexicon.chosen(depth=whole)
        led = None if whole is None else stands("depth", out, found[at:])
        led = led or (stands("lone_depth", out, found[at:]) if known else None)
        if led is not None:
            taken = len(out) - (led[led.lastindex].count(" ") if led.lastindex else 0)
            first = [*out, token][taken]
            del out[taken:]
            methods = _methods(first, lexicon) if first.kind == "run" else methods
            ids = lexicon.chosen(depth=whole, methods=methods)
            ids = ids if ids or first.kind == "run" else known
            one = replace(token, kind="run", value=ids, start=first.start, figure=None,
                          group=len(ids) > 1, depth=whole)  # fmt: skip
        if one.kind == "run":
            methods = _methods(one, lexicon) - {"none"} or methods
        out.append(one)
    return out


def _methods(run: Token, lexicon: Lexicon) -> set[str]:
    return {str(lexicon.facts.by_id[one].spec_type) for one in run.value}


def _decided(found: Sequence[Token], at: int) -> Token:
    """Give a token that may be several things one kind: the first that no rule takes from it."""
    token = found[at]
    if token.kind != "open":
        return token
    for kind in vocabulary()["not"]:
        if kind in token.kinds and stands(kind, found[:at], [token, *found[at + 1 :]]):
            kinds = {key: meaning for key, meaning in token.value.items() if key != kind}
            token = replace(token, value=kinds)
    idle = {"quantifiers", "depths", "equals"} & {*found[at].kinds}
    bare = "fillers" if idle else "unknown"
    kind = next((kind for kind in token.kinds if kind != "depths"), bare)
    return replace(token, kind=kind, value=token.value.get(kind))


def _bounded(found: Sequence[Token]) -> list[Token]:
    """Give figures the bounds beside them: *more than*, *up to*, *or less*."""
    out: list[Token] = []
    bound = ""
    for at, one in enumerate(found):
        if one.word == "than" and stands("than", out, found[at:]):
            bound = "gt" if str(out.pop().value).endswith(("+", "better")) else "lt"
        elif one.kind == "bounds":
            to = stands("to", out, found[at:])
            out += [replace(one, kind="prepositions", text="to")] if to else []
            # "a little less than about": the last word before the figure wins, but for "about".
            bound = one.value if bound in ("", "about") or one.value != "about" else bound
            bound = "" if to and bound in ("up_to", "down_to") else bound
        elif one.kind == "behind" and out and out[-1].kind == "figure":
            out[-1] = replace(out[-1], bound=one.value)
        elif one.kind == "figure":
            bound = "lt" if bound == "gt" and one.word in LINKS["halving"] else bound
            out.append(replace(one, bound=bound))
            bound = ""
        else:
            out.append(one)
    return out


def _measured(found: Sequence[Token]) -> list[Token]:
    """Give figures what neighbours make of them: a factor, a share of another run's, a unit."""
    figures = [one.figure if one.kind == "figure" else None for one in found]
    alike = {(one.unit, one.decimals) for one in figures if one and one.unit and one.decimals}
    # "max 3 gives 164.3, max 2 155.3 tok/s": the one unit of a sentence is that of all.
    units = {decimals: unit for unit, decimals in alike if len({one for one, _ in alike}) == 1}
    out: list[Token] = []
    for at, (one, figure) in enumerate(zip(found, figures, strict=True)):
        before, rest, made = found[:at], found[at:], dict[str, Any]()
        if figure and stands("factor", before, rest):
            made = {"unit": "times"}
        elif figure and figure.unit == "percent" and stands("of_run", before, rest):
            decimals = 0 if figure.loose else figure.decimals + 2
            made = {"value": figure.value / 100, "decimals": decimals, "unit": "times"}
        elif figure and stands("shared", before, rest):
            made = {"unit": next(one.unit for one in figures[at:] if one and one.unit)}
        elif figure and stands("last", before, rest):
            last = next((one for one in figures[:at][::-1] if one), figure)
            # "56.0 % against 0.433": a share of another form is in no unit of the first.
            made = {"unit": last.unit if figure.decimals in (0, last.decimals) else ""}
        elif figure and stands("bare", before, rest):
            made = {"unit": units.get(figure.decimals, "")}
        out.append(replace(one, figure=replace(figure, **made)) if figure else one)
    return out
