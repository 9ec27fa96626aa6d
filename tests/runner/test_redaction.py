"""Keys, passwords and home folders are taken out of whatever a server says."""

from __future__ import annotations

import doctest
import json
from urllib.parse import quote

import pytest

from analysis.runner import redaction
from analysis.runner.redaction import redacted

SECRET = 'k"ey/with+odd=signs'


def test_examples() -> None:
    assert doctest.testmod(redaction).failed == 0


@pytest.mark.parametrize(
    "form", [SECRET, quote(SECRET), quote(SECRET, safe=""), json.dumps(SECRET)], ids=str
)
def test_a_secret_in_every_form(form: str) -> None:
    found = redacted({f"a {form}": [1, f"b {form} c", {"d": (form,)}]}, [f"Bearer {SECRET}"])
    assert "odd" not in json.dumps(found)


@pytest.mark.parametrize(
    ("said", "hidden"),
    [
        ("/home/anna/m.gguf: no", "m.gguf: no"),
        ("'/Users/Anna/m.gguf'", "'m.gguf'"),
        (r"C:\Users\Anna\m.gguf", "m.gguf"),
        ("file:///home/anna/x", "***"),
        ("/root/m.gguf and /groot/x", "m.gguf and ***"),
        ("/srv/models/m.gguf", "m.gguf"),
        ("http://u:pw@host/", "http://***"),
        ("hf_" + 17 * "aB" + " sk-" + 24 * "aB", "*** ***"),
        ("authorization: bearer abcdefg", "authorization: ***"),
        ("the bearer of news", "the bearer of news"),
    ],
)
def test_what_is_known_by_its_shape(said: str, hidden: str) -> None:
    assert redacted(said) == hidden


def test_secrets_and_the_home_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/data/anna")
    monkeypatch.setenv("MY_SERVICE_TOKEN", "0123456789abcdef")
    monkeypatch.setenv("KEYBOARD", "short")
    said = "0123456789abcdef short /data/anna/x /data/annabel/y /home/b/z"
    assert redacted(said) == "*** short *** *** ***"
    # In a generated text, somebody's home is nobody's.
    assert redacted(said, homes=False) == "*** short ~/x /data/annabel/y /home/b/z"
