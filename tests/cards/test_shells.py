from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.cards.escaping import clean
from analysis.cards.shells import BASH, POWERSHELL, quote_powershell

QUOTES = "'\u2018\u2019\u201a\u201b"
NASTY = st.text(st.sampled_from([*'ab .$"`&|;<>(){}[]@#%!*?~,=-\\/', *QUOTES, "é"]), min_size=1)


def powershell_words(line: str) -> list[str]:
    """The words of a line by PowerShell's rules for verbatim strings and bare words."""
    words, word, at, inside, begun = [], "", 0, False, False
    while at < len(line):
        sign = line[at]
        if inside:
            if sign in QUOTES and line[at + 1 : at + 2] and line[at + 1] in QUOTES:
                word, at = word + sign, at + 1
            elif sign in QUOTES:
                inside = False
            else:
                word += sign
        elif sign in QUOTES:
            inside = begun = True
        elif sign == " ":
            if begun:
                words.append(word)
            word, begun = "", False
        else:
            # Outside of quotes only what PowerShell gives no meaning to.
            assert sign.isalnum() or sign in "_./\\:-", line
            word, begun = word + sign, True
        at += 1
    assert not inside
    return [*words, word] if begun else words


@given(st.lists(NASTY, min_size=1, max_size=4))
def test_powershell_passes_every_word_on(words: list[str]) -> None:
    assert powershell_words(" ".join(map(quote_powershell, words))) == words


@given(st.lists(st.text(min_size=1).map(clean).filter(bool), min_size=1, max_size=4))
def test_both_shells_pass_any_clean_text_on(words: list[str]) -> None:
    assert shlex.split(" ".join(map(BASH.quote, words))) == words
    if all(ord(sign) < 0x2000 for word in words for sign in word):
        quoted = " ".join(POWERSHELL.quote(word) for word in words)
        assert powershell_words(quoted) == words


@pytest.mark.parametrize(
    ("word", "quoted"),
    [
        ("draft.gguf", "draft.gguf"),
        ("--spec-type", "--spec-type"),
        (r"C:\models\a.gguf", r"C:\models\a.gguf"),
        ("my model.gguf", "'my model.gguf'"),
        ("it's $HOME.gguf", "'it''s $HOME.gguf'"),
        ("a\u2019b", "'a\u2019\u2019b'"),
        ("draft-dflash,ngram-mod", "'draft-dflash,ngram-mod'"),
        ("-x.gguf", "'-x.gguf'"),
        ("@args", "'@args'"),
    ],
)
def test_powershell(word: str, quoted: str) -> None:
    assert quote_powershell(word) == quoted


def test_bash_itself_agrees() -> None:
    words = ["a b", "it's", "$HOME", "`x`", "!!", '"', "\\", "*", "~"]
    line = " ".join(map(BASH.quote, words))
    done = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True, text=True
    )
    assert done.stdout.split("\0")[:-1] == words
