# ruff: noqa: E501
"""Are the generated parts of a README, word for word, what would be rendered now?"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

import yaml

from analysis.cards.markers import Span, lines_of
from analysis.checking.verdict import Verdict

__all__ = ["front_matter_verdicts", "section_verdicts"]

_DELIMITER = re.compile(r"\s*+\|?\s*+:?-++:?\s*+(\|\s*+:?-++:?\s*+)*+\|?\s*+")
_EMPHASIS = re.compile(r"^_{1,2}(?=\w)|(?<=\w)_{1,2}(?=[.,:;!?)]*$)")
CLOSE = 400
"""Words on one side up to which a change is narrowed down to single words."""
SHOWN = 12


@dataclass(frozen=True)
class _Line:
    number: int
    words: tuple[str, ...]


def section_verdicts(
    text: str, spans: Sequence[Span], fresh: Mapping[str, str], folders: Sequence[str] = ()
) -> Iterator[Verdict]:
    """One verdict for each generated section, or one for each place in which it differs.

    Parameters
    ----------
    text, spans
        The README, and its sections in it.
    fresh
        Sections as they are rendered now, by name; one that is not in it has nothing to say.
    folders
        Where the README's pictures may lie, beside the rendering's own ``figures``.
    """
    for span in spans:
        old = _lines(text[span.start : span.stop], span.begin + 1, folders)
        new = _lines(fresh.get(span.name, ""), 1, folders)
        found = list(_differences(old, new, span.begin))
        if not found:
            words = sum(len(line.words) for line in old)
            says = f"the section {span.name} is as rendered now ({words:,} words)"
            yield Verdict(span.begin, span.name, "verified", "section", says)
        for line, stated, rendered, around in found:
            says = f"the section {span.name} is not as rendered now"
            yield Verdict(line, _diff(stated, rendered, around), "differs", "section", says,
                          tuple(word for word in stated if any(sign.isdigit() for sign in word))[:SHOWN],
                          _cut(rendered))  # fmt: skip


def _lines(text: str, first: int, folders: Sequence[str]) -> list[_Line]:
    for folder in folders:
        text = text.replace(f"{quote(folder, safe='/.-_~')}/", "figures/")
    found = []
    for number, line, _ in lines_of(text):
        words = line.split()
        if not words:
            continue
        if _DELIMITER.fullmatch(line):
            # The width of a column is layout.
            words = [re.sub("-+", "-", word) for word in words]
        elif words[0] in ("*", "+"):
            words[0] = "-"
        found.append(_Line(first + number - 1, tuple(_EMPHASIS.sub("*", word) for word in words)))
    return found


def _differences(
    old: Sequence[_Line], new: Sequence[_Line], begin: int
) -> Iterator[tuple[int, list[str], list[str], str]]:
    """Line, words there, words rendered, and the word before."""
    last = begin
    for (a, b), (c, d) in _gaps([line.words for line in old], [line.words for line in new]):
        mine = [(word, line.number) for line in old[a:b] for word in line.words]
        theirs = [word for line in new[c:d] for word in line.words]
        words = [word for word, _ in mine]
        where = mine[0][1] if mine else old[a - 1].number if a else last
        for (i, j), (k, m) in _word_changes(words, theirs):
            at = mine[min(i, len(mine) - 1)][1] if mine else where
            yield at, words[i:j], theirs[k:m], words[i - 1] if i else ""


def _gaps(
    old: Sequence[tuple[str, ...]], new: Sequence[tuple[str, ...]]
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Stretches between lines that both have once and in the same order; n log n."""
    first, second = Counter(old), Counter(new)
    place = {line: at for at, line in enumerate(new) if second[line] == 1 and first[line] == 1}
    pairs = [(at, place[line]) for at, line in enumerate(old) if line in place]
    a = c = 0
    for at, other in [*_rising(pairs), (len(old), len(new))]:
        # Lines that both have several times are equal too where they follow an anchor.
        b, d = at, other
        while a < b and c < d and old[a] == new[c]:
            a, c = a + 1, c + 1
        while a < b and c < d and old[b - 1] == new[d - 1]:
            b, d = b - 1, d - 1
        if a < b or c < d:
            yield (a, b), (c, d)
        a, c = at + 1, other + 1


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs whose second members rise."""
    ends: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for index, (_, value) in enumerate(pairs):
        at = bisect_left(ends, value)
        before.append(tops[at - 1] if at else -1)
        if at == len(ends):
            ends.append(value)
            tops.append(index)
        else:
            ends[at], tops[at] = value, index
    chain, index = [], tops[-1] if tops else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


def _word_changes(
    old: list[str], new: list[str]
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    start, ends = 0, (len(old), len(new))
    while start < min(ends) and old[start] == new[start]:
        start += 1
    back = 0
    while back < min(ends) - start and old[-1 - back] == new[-1 - back]:
        back += 1
    i, j, k, m = start, len(old) - back, start, len(new) - back
    if i == j and k == m:
        return
    if max(j - i, m - k) > CLOSE:
        yield (i, j), (k, m)
        return
    matcher = difflib.SequenceMatcher(None, old[i:j], new[k:m], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield (i + a, i + b), (k + c, k + d)


def _diff(stated: list[str], rendered: list[str], before: str) -> str:
    """A word diff: ``… is [-slower-]{+faster+}``."""
    shown = f"{before} " if before else ""
    if stated:
        shown += f"[-{_cut(stated)}-]"
    if rendered:
        shown += f"{{+{_cut(rendered)}+}}"
    return shown


def _cut(words: Sequence[str]) -> str:
    kept = " ".join(words[:SHOWN])[:200]
    return kept if len(words) <= SHOWN else f"{kept} … ({len(words)} words)"


def front_matter_verdicts(text: str, card: str) -> Iterator[Verdict]:
    """Keys of ours in the front matter, where it is ours: half of its lines are what we would write.

    Keys that the author added, and items added to a list, are not ours to judge.
    """
    rendered = _front(card) or {}
    head = [line.strip() for _, line, _ in lines_of(text[:20_000])]
    ours = [
        line for _, line, _ in lines_of(card.split("\n---\n", maxsplit=1)[0]) if line.strip("- ")
    ]
    if not rendered or sum(line.strip() in head for line in ours) * 2 < len(ours):
        return
    stated = _front(text)
    if stated is None:
        says = "the front matter can't be read: it must stand between two lines ---, as YAML"
        yield Verdict(1, head[0] if head else "", "differs", "front matter", says)
        return
    wrong = False
    for key, value in rendered.items():
        own = stated.get(key)
        if own == value or (
            isinstance(own, list) and isinstance(value, list) and all(item in own for item in value)
        ):
            continue
        wrong = True
        line = next((at for at, said in enumerate(head, start=1) if said.startswith(f"{key}:")), 1)
        says = f"the front matter's {key} is not what the campaign says"
        yield Verdict(line, f"{key}: {own}" if key in stated else key, "differs", "front matter", says,
                      recomputed=str(value))  # fmt: skip
    if not wrong:
        says = f"the front matter has what the campaign says ({len(rendered)} keys)"
        yield Verdict(1, "front matter", "verified", "front matter", says)


def _front(text: str) -> dict[str, object] | None:
    found = re.match(
        r"\ufeff?---[ \t]*\r?\n(.{0,20000}?)^---[ \t]*\r?$", text, re.DOTALL | re.MULTILINE
    )
    if found is None:
        return None
    try:
        data = yaml.safe_load(found[1])
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return {str(key): value for key, value in data.items()} if isinstance(data, dict) else None
