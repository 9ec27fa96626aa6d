"""Are the generated parts of a README, word for word, what would be rendered now?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from typing import Any
from urllib.parse import quote

import yaml

from analysis.cards.markers import Span, lines_of
from analysis.checking.verdict import LISTED, Verdict, shown

__all__ = ["front_matter_verdicts", "section_verdicts"]

_FRONT = re.compile(r"(?sm)\ufeff?---[ \t]*\r?\n(.{0,20000}?)^---[ \t]*\r?$")
_LAYOUT = (
    (re.compile(r"(?<!\S)[-:|]+(?!\S)"), lambda rule: re.sub("-+", "-", rule[0])),
    (re.compile(r"^(\s*)[*+](?!\S)"), r"\1-"),
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
        new = ["", *(word for word, _ in _words(fresh.get(span.name, ""), 1, folder))]
        words = [word for word, _ in old]
        if words == new:
            says = f"the section {span.name} is as rendered now ({len(new) - 1:,} words)"
            yield Verdict(span.begin, span.name, "verified", "section", says)
            continue
        says = f"the section {span.name} is not as rendered now"
        places = [("replace", 1, len(old), 1, len(new))]
        if max(len(old), len(new)) <= MOST:
            places = SequenceMatcher(None, words, new).get_opcodes()
        for start, stop, *there in (place[1:] for place in places if place[0] != "equal"):
            before, line = old[start - 1]
            rendered = shown(" ".join(new[slice(*there)]))
            for number, group in groupby(old[start:stop] or [("", line)], itemgetter(1)):
                stated = [word for word, _ in group if word]
                # A word diff: "… is [-slower-]{+faster+}".
                said = f"[-{shown(' '.join(stated))}-]" if stated else ""
                said += f"{{+{rendered}+}}" if rendered else ""
                figures = [word for word in stated if any(sign.isdigit() for sign in word)]
                told = (says, tuple(figures[:LISTED]), rendered)
                yield Verdict(number, f"{before} {said}".strip(), "differs", "section", *told)


def _words(text: str, first: int, folder: str) -> Iterator[tuple[str, int]]:
    """Each word and its line, without what is layout."""
    text = text.replace(f"{quote(folder, safe='/.-_~')}/", "figures/")
    for number, line, _ in lines_of(text):
        said = line
        for layout, same in _LAYOUT:
            said = layout.sub(same, said)
        yield from ((word, first + number - 1) for word in said.split())


def front_matter_verdicts(text: str, card: str) -> Iterator[Verdict]:
    """Keys of ours in the front matter, where half of its lines are what we would write.

    Keys that the author added, and items added to a list, are not ours to judge.
    """
    rendered, stated = _front(card), _front(text)
    head = [line.strip() for _, line, _ in lines_of(text[:20_000])]
    ours = [line.strip() for line in card.partition("\n---\n")[0].splitlines()]
    if sum(line in head for line in ours[1:]) * 2 < len(ours[1:]):
        return
    if not stated:
        says = "the front matter can't be read: it must stand between two lines ---, as YAML"
        yield Verdict(1, head[0], "differs", "front matter", says)
        return
    agrees = True
    for key, value in rendered.items():
        own = stated.get(key)
        lists = isinstance(own, list) and isinstance(value, list)
        if not (all(one in own for one in value) if lists else own == value):
            agrees = False
            line = next((at for at, said in enumerate(head, 1) if said.startswith(f"{key}:")), 1)
            says = f"the front matter's {key} is not what the campaign says"
            said = f"{key}: {own}" if key in stated else key
            yield Verdict(line, said, "differs", "front matter", says, recomputed=str(value))
    if agrees:
        says = f"the front matter has what the campaign says ({len(rendered)} keys)"
        yield Verdict(1, "front matter", "verified", "front matter", says)


def _front(text: str) -> dict[str, Any]:
    """Keys and values; none where there is no front matter that can be read."""
    block = _FRONT.match(text)
    try:
        data = yaml.safe_load(block[1]) if block else None
    except (yaml.YAMLError, ValueError, RecursionError):
        data = None
    return {str(key): value for key, value in data.items()} if isinstance(data, dict) else {}
