"""Second evidence for generated sections: the same lines of a fresh rendering."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from analysis.checking.figures import Figure, find_figures
from analysis.checking.lines import Line, read_lines

__all__ = ["FRONT", "Fresh", "compared"]

FRONT = "front matter"
_NUMERAL = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Fresh:
    """What a fresh rendering has in a line's place.

    Attributes
    ----------
    figures
        Its figures, one for each of the line; empty where the rendering has no
        line with the same words.
    """

    figures: tuple[Figure, ...] = ()


def compared(lines: Sequence[Line], card: str, pictures: Sequence[str] = ()) -> Mapping[int, Fresh]:
    """The fresh counterpart of every line that is generated.

    Parameters
    ----------
    lines
        Lines of the README.
    card
        The campaign's card, rendered now.
    pictures
        Folders in which the README's pictures may lie, beside the card's own.

    Returns
    -------
    mapping of int to Fresh
        By line number; lines outside of generated sections are not in it, nor
        is front matter that is not the card's own.
    """
    new = read_lines(card)
    found: dict[int, Fresh] = {}
    names = dict.fromkeys(line.section for line in lines if line.section)
    for name in names:
        old_part = [line for line in lines if line.section == name]
        new_part = [line for line in new if line.section == name]
        found |= _aligned(old_part, new_part, pictures)
    front = [line for line in lines if line.kind == "front"]
    own = _aligned(front, [line for line in new if line.kind == "front"], pictures)
    # Someone else's front matter is not ours to judge: only lines that we would write.
    return found | {number: fresh for number, fresh in own.items() if fresh.figures}


def _aligned(old: Sequence[Line], new: Sequence[Line], pictures: Sequence[str]) -> dict[int, Fresh]:
    mine = [_shape(line.text, pictures) for line in old]
    theirs = [_shape(line.text, pictures) for line in new]
    found = {line.number: Fresh() for line in old if find_figures(line.text)}
    matcher = difflib.SequenceMatcher(None, mine, theirs, autojunk=False)
    for block in matcher.get_matching_blocks():
        for step in range(block.size):
            line, fresh = old[block.a + step], new[block.b + step]
            if line.number in found:
                found[line.number] = Fresh(find_figures(_neutral(fresh.text, ())))
    return found


def _neutral(text: str, pictures: Sequence[str]) -> str:
    """A line whose pictures lie where the card's own do."""
    for folder in pictures:
        text = text.replace(f"<{quote(folder, safe='/.-_~')}/", "<figures/")
    return text


def _shape(text: str, pictures: Sequence[str]) -> str:
    return " ".join(_NUMERAL.sub("#", _neutral(text, pictures)).split())
