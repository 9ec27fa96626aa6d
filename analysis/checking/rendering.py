"""Are the generated parts of a README, word for word, what would be rendered now?"""

from __future__ import annotations

import difflib
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from urllib.parse import quote

import yaml

from analysis.cards.markers import Span, lines_of
from analysis.checking.verdict import Verdict

__all__ = ["front_matter_verdicts", "section_verdicts"]

_DELIMITER = re.compile(r"\s*+\|?\s*+:?-++:?\s*+(\|\s*+:?-++:?\s*+)*+\|?\s*+")
_EMPHASIS = re.compile(r"^_{1,2}(?=\w)|(?<=\w)_{1,2}(?=[.,:;!?)]*$)")
WORDS, LINES = 400, 20_000
"""Up to how many on one side a change is narrowed down to single ones."""
SHOWN = 12


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
            words = sum(len(line) for _, line in old)
            says = f"the section {span.name} is as rendered now ({words:,} words)"
            yield Verdict(span.begin, span.name, "verified", "section", says)
        says = f"the section {span.name} is not as rendered now"
        for line, stated, rendered, around in found:
            figures = [word for word in stated if any(sign.isdigit() for sign in word)]
            yield Verdict(line, _diff(stated, rendered, around), "differs", "section", says,
                          tuple(figures[:SHOWN]), _cut(rendered))  # fmt: skip


def _lines(text: str, first: int, folders: Sequence[str]) -> list[tuple[int, tuple[str, ...]]]:
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
        found.append((first + number - 1, tuple(_EMPHASIS.sub("*", word) for word in words)))
    return found


def _differences(
    old: Sequence[tuple[int, tuple[str, ...]]],
    new: Sequence[tuple[int, tuple[str, ...]]],
    begin: int,
) -> Iterator[tuple[int, list[str], list[str], str]]:
    """Line, words there, words rendered, and the word before."""
    for (a, b), (c, d) in _changes([words for _, words in old], [words for _, words in new], LINES):
        numbers = [number for number, words in old[a:b] for _ in words]
        mine = [word for _, words in old[a:b] for word in words]
        theirs = [word for _, words in new[c:d] for word in words]
        where = numbers[-1:] or [old[a - 1][0] if a else begin]
        for (i, j), (k, m) in _changes(mine, theirs, WORDS):
            yield (numbers[i:] or where)[0], mine[i:j], theirs[k:m], mine[i - 1] if i else ""


def _changes(
    old: Sequence[Hashable], new: Sequence[Hashable], most: int
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Stretches in which two sequences differ; of very long ones all between their equal ends."""
    start, back, least = 0, 0, min(len(old), len(new))
    while start < least and old[start] == new[start]:
        start += 1
    while back < least - start and old[-1 - back] == new[-1 - back]:
        back += 1
    i, j, k, m = start, len(old) - back, start, len(new) - back
    if max(j - i, m - k) > most:
        yield (i, j), (k, m)
    elif i < j or k < m:
        matcher = difflib.SequenceMatcher(None, old[i:j], new[k:m], autojunk=most > WORDS)
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
    """Keys of ours in the front matter, where half of its lines are what we would write.

    Keys that the author added, and items added to a list, are not ours to judge.
    """
    rendered = _front(card) or {}
    head = [line.strip() for _, line, _ in lines_of(text[:20_000])]
    ours = [line.strip() for line in card.split("\n---\n", maxsplit=1)[0].splitlines()]
    ours = [line for line in ours if line.strip("- ")]
    if not rendered or sum(line in head for line in ours) * 2 < len(ours):
        return
    stated = _front(text)
    if stated is None:
        says = "the front matter can't be read: it must stand between two lines ---, as YAML"
        yield Verdict(1, head[0] if head else "", "differs", "front matter", says)
        return
    wrong = [key for key, value in rendered.items() if not _has(stated.get(key), value)]
    for key in wrong:
        line = next((at for at, said in enumerate(head, start=1) if said.startswith(f"{key}:")), 1)
        says = f"the front matter's {key} is not what the campaign says"
        there = f"{key}: {stated[key]}" if key in stated else key
        yield Verdict(line, there, "differs", "front matter", says, recomputed=str(rendered[key]))
    if not wrong:
        says = f"the front matter has what the campaign says ({len(rendered)} keys)"
        yield Verdict(1, "front matter", "verified", "front matter", says)


def _has(own: object, value: object) -> bool:
    lists = isinstance(own, list) and isinstance(value, list)
    return own == value or (lists and all(item in own for item in value))  # type: ignore[attr-defined, operator]


def _front(text: str) -> dict[str, object] | None:
    pattern = r"\ufeff?---[ \t]*\r?\n(.{0,20000}?)^---[ \t]*\r?$"
    found = re.match(pattern, text, re.DOTALL | re.MULTILINE)
    try:
        data = yaml.safe_load(found[1]) if found else None
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return {str(key): value for key, value in data.items()} if isinstance(data, dict) else None
