import subprocess
import sys
import warnings

import pytest

from analysis.charts.labels import MISSING, distinct, legible, listed, shorten, width, wrap


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("DSpark, n_max 2", "DSpark, n_max 2"),
        ("two\r\nlines\tand  more", "two lines and more"),
        ("\x1b[31mred\x00\x07", "[31mred"),
        ("\u202eright to left\u2066", "right to left"),
        ("مرحبا", "مرحبا"),
        ("🦙 中", f"{MISSING} {MISSING}"),
        ("a" + "\u0301" * 300, "á"),
        ("\ud800", ""),
        (" \n ", ""),
    ],
)
def test_a_legible_text_is_one_line_that_the_font_has(text, shown):
    assert legible(text) == shown


def test_a_long_text_keeps_its_start_and_its_end():
    short = shorten("a very long name of a draft model " * 9 + "n_max 7", 14)
    assert short.startswith("a very")
    assert "…" in short
    assert short.endswith("n_max 7")
    assert width(short) <= 14


def test_wide_letters_count_by_their_width():
    assert len(shorten("W" * 99, 10)) < len(shorten("i" * 99, 10))


def test_labels_that_shorten_to_the_same_stay_apart():
    long = ["x" * 200, "x" * 201, "other", "\x00"]
    shown = distinct(long, 10, ["a", "b", "c", "d"])
    assert len(set(shown)) == 4
    assert shown[2:] == ("other", "d")


@pytest.mark.parametrize("text", ["No speculation (tok/s)", "DFlash, n_max 7", "one", ""])
def test_wrapping_keeps_every_word(text):
    assert " ".join(wrap(text, 7)) == text


def test_wrapping_leaves_no_orphan():
    assert wrap("DFlash, n_max 7", 7.5) == ["DFlash,", "n_max 7"]


def test_a_list_reads_as_a_sentence_does():
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"


def test_looking_for_a_glyph_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert legible("\U0001f999\U00020000") == MISSING * 2


FORKED = """\
import os
from analysis.charts import labels

labels.width("Aä€")
child = os.fork()
if child == 0:
    names = [os.path.realpath(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")]
    os._exit(any(name.endswith(".ttf") for name in names))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")
def test_forked_process_shares_no_open_font():
    # Two that read one open file move each other's place in it, and get other glyphs or none.
    done = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "0\n", done.stderr
