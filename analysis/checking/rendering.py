"""Are the generated parts of a README, word for word, what would be rendered now?"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from urllib.parse import quote

import yaml

from analysis.cards.markers import Span, lines_of
from analysis.checking.verdict import LISTED, Verdict, shown

__all__ = ["front_matter_verdicts", "section_verdicts"]

_EMPHASIS = re.compile(r"^_{1,2}(?=\w)|(?<=\w)_{1,2}(?=[.,:;!?)]*$)")
MOST = 20_000
"""Up to how many words of a section differences in it are told apart."""


def section_verdicts(
    text: str, spans: Sequence[Span], fresh: Mapping[str, str], folder: str
) -> Iterator[Verdict]:
    """One verdict for each generated section, or one for each place in which it differs.

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
        old = _words(text[span.start : span.stop], span.begin + 1, folder)
        new = [word for word, _ in _words(fresh.get(span.name, ""), 1, folder)]
        found = list(_differences(old, new))
        if not found:
            says = f"the section {span.name} is as rendered now ({len(new):,} words)"
            yield Verdict(span.begin, span.name, "verified", "section", says)
        says = f"the section {span.name} is not as rendered now"
        for at, stated, rendered in found:
            line = old[min(at, len(old) - 1)][1] if old else span.begin
            figures = [word for word in stated.split() if any(sign.isdigit() for sign in word)]
            # A word diff: "… is [-slower-]{+faster+}".
            said = f"{old[at - 1][0]} " if at else ""
            said += f"[-{shown(stated)}-]" if stated else ""
            said += f"{{+{shown(rendered)}+}}" if rendered else ""
            told = (says, tuple(figures[:LISTED]), shown(rendered))
            yield Verdict(line, said, "differs", "section", *told)


def _words(text: str, first: int, folder: str) -> list[tuple[str, int]]:
    """Each word and its line, without what is layout."""
    found = []
    text = text.replace(f"{quote(folder, safe='/.-_~')}/", "figures/")
    for number, line, _ in lines_of(text):
        for at, word in enumerate(line.split()):
            if not set(word) - set("|:-"):
                kept = re.sub("-+", "-", word)  # the width of a column
            else:
                kept = "-" if not at and word in ("*", "+") else _EMPHASIS.sub("*", word)
            found.append((kept, first + number - 1))
    return found


def _differences(
    old: Sequence[tuple[str, int]], new: Sequence[str]
) -> Iterator[tuple[int, str, str]]:
    """Where something else stands in a line, what does, and what was rendered."""
    words = [word for word, _ in old]
    long = max(len(old), len(new)) > MOST
    matcher = difflib.SequenceMatcher(None, [] if long else words, [] if long else new)
    whole = [("replace", 0, len(old), 0, len(new))]
    for tag, a, b, c, d in (whole if long else matcher.get_opcodes()) if words != new else ():
        inside = (at for at in range(a + 1, b) if old[at][1] != old[at - 1][1])
        for start, stop in pairwise([a, *inside, b] if tag != "equal" else ()):
            stated, end = words[start:stop], d if stop == b else c + stop - a
            rendered = new[c + start - a : min(end, d)]
            if stated != rendered:
                yield start, " ".join(stated), " ".join(rendered)


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
