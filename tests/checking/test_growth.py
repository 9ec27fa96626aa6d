"""What a README costs grows with its length, and no faster."""

from __future__ import annotations

from time import process_time

import pytest

from analysis.checking import Checker
from tests import committed

FACTOR = 8
SHAPES = {
    "figures of a line": ("1.5 ", 3_000),
    "figures of a word": ("1/", 4_000),
    "links": ("[1.5 x](https://e.org/1) ", 800),
    "open comments": ("<!--", 6_000),
    "names": ("DFlash max 7, ", 1_000),
    "sentences": ("DFlash max 7 is faster than max 2. ", 150),
    "paragraph lines": ("DFlash max 7 is faster than max 2,\n", 150),
    "items": ("- DFlash max 7 is faster than the baseline\n", 150),
    "titles": ("## DFlash max 7\n\nIt is 3 s.\n\n", 100),
    "rows": ("| DFlash max 7 | 133.9 |\n", 300),
    "code": ("```\ncode_cpp pred= 1 draft= 2 acc= 3 rate=0.1 tok/s=4.5\n```\n", 200),
    "quotes": ("> " * 4 + "1\n", 1_000),
    "emphasis": ("*a _b ", 3_000),
    "equals": ("a= ", 5_000),
}


@pytest.fixture(scope="module")
def checker() -> Checker:
    made = Checker(committed.summary())
    made("DFlash max 7 is faster than max 2. | a |")
    return made


def seconds(checker: Checker, text: str) -> float:
    best = 1e9
    for _ in range(2):
        start = process_time()
        checker(text)
        best = min(best, process_time() - start)
    return best


@pytest.mark.parametrize("shape", SHAPES)
def test_time_grows_like_the_text(checker: Checker, shape: str) -> None:
    piece, times = SHAPES[shape]
    head = "| Run | tok/s |\n|-|-|\n" if shape == "rows" else ""
    short = seconds(checker, head + piece * times)
    long = seconds(checker, head + piece * times * FACTOR)
    # Linear is 8, quadratic 64; what is short is mostly fixed cost.
    assert long < max(short, 0.004) * FACTOR * 2.5
