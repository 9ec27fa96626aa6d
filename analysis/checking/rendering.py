"""Are the generated parts of a README, word for word, what would be rendered now?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from urllib.parse import quote

import yaml

from analysis.cards.markers import Span, lines_of
from analysis.checking.verdict import LISTED, Verdict, shown

__all__ = ["front_matter_verdicts", "section_verdicts"]

_LAYOUT = (
    (re.compile(r"(?<!\S)[-:|]+(?!\S)"), lambda rule: re.sub("-+", "-", rule[0])),
    (re.compile(r"(?m)^([ \t]*)[*+](?!\S)"), r"\1-"),
    (re.compile(r"(?<!\S)_{1,2}(?=\w)|(?<=\w)_{1,2}(?=[.,:;!?)]*(?!\S))"), "*"),
)
"""The width of columns, the signs of items and of emphasis."""
MOST = 20_000
"""Up to how many words of a section differences in it are told apart."""


def section_verdicts(
    text: str, spans: Sequence[Span], fresh: Mapping[str, str], folder: str
) -> Iterator[Verdict]:
    """One verdict for each generated section, or one for each line of a place where it differs.

    Parameters
    ----------
    text, spans
        The README, and its sections in it.
    fresh
        Sections as they are rendered now, by name; one that is not in it has nothing to say.
    folder
        Where its pictures may lie, beside the card's own ``figures``.
    """
    for span in spans:
        old = [("", span.begin), *_words(text[span.start : span.stop], span.begin + 1, folder)]
        new = [("", 0), *_words(fresh.get(span.name, ""), 1, folder)]
        there, rendered = ([word for word, _ in words] for words in (old, new))
        if there == rendered:
            says = f"the section {span.name} is as rendered now ({len(new) - 1:,} words)"
            yield Verdict(span.begin, span.name, "verified", "section", says)
            continue
        says = f"the section {span.name} is not as rendered now"
        known = max(len(old), len(new)) <= MOST
        matcher = SequenceMatcher(None, *((there, rendered) if known else ([], [])))
        places = matcher.get_opcodes() or [("replace", 1, len(old), 1, len(new))]
        for start, stop, *other in (place[1:] for place in places if place[0] != "equal"):
            before, line = old[start - 1]
            instead = shown(" ".join(rendered[slice(*other)]))
            for number, group in groupby(old[start:stop] or [("", line)], itemgetter(1)):
                stated = [word for word, _ in group]
                # A word diff: "… is [-slower-]{+faster+}".
                said = f"[-{shown(' '.join(stated))}-]" if any(stated) else ""
                said += f"{{+{instead}+}}" if instead else ""
                figures = tuple(word for word in stated if re.search(r"\d", word))
                told = (says, figures[:LISTED], instead)
                yield Verdict(number, f"{before} {said}".strip(), "differs", "section", *told)


def _words(text: str, first: int, folder: str) -> list[tuple[str, int]]:
    """Each word and its line, without what is layout."""
    text = text.replace(f"{quote(folder, safe='/.-_~')}/", "figures/")
    for layout, same in _LAYOUT:
        text = layout.sub(same, text)
    lines = ((first - 1 + number, line) for number, line, _ in lines_of(text))
    return [(word, number) for number, line in lines for word in line.split()]


def front_matter_verdicts(text: str, card: str) -> Iterator[Verdict]:
    """Keys of ours in the front matter, where half of its lines are what we would write.

    Keys that the author added, and items added to a list, are not ours to judge.
    """
    rendered, stated = _front(card), _front(text)
    head = [line.strip() for _, line, _ in lines_of(text[:20_000])]
    ours = [line.strip() for line in card.partition("\n---\n")[0].splitlines()]
    ours = [line for line in ours if line.strip("- ")]
    if sum(line in head for line in ours) * 2 < len(ours):
        return
    if not stated:
        says = "the front matter can't be read: it must stand between two lines ---, as YAML"
        yield Verdict(1, head[0], "differs", "front matter", says)
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
    more = isinstance(own, list) and isinstance(value, list) and all(one in own for one in value)
    return more or own == value


def _front(text: str) -> dict[str, object]:
    """Keys and values; none where there is no front matter that can be read."""
    block = re.match(r"(?sm)\ufeff?---[ \t]*\r?\n(.{0,20000}?)^---[ \t]*\r?$", text)
    try:
        data = yaml.safe_load(block[1]) if block else None
    except (yaml.YAMLError, ValueError, RecursionError):
        data = None
    return {str(key): value for key, value in data.items()} if isinstance(data, dict) else {}
