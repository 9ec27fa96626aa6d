"""Every regular expression of the package takes time in proportion to its text."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import combinations
from types import ModuleType

import pytest

import analysis

# What makes patterns go back and forth: runs of one kind, and of kinds that follow each other.
FILLINGS = (
    "a", " ", "0", "1,", "0.0 ", "(", "[", '"', "\\", "|", "-", "<", "a b ", "a=", ": ", "\t",
    "1/", "* ", "`", "{", "0:", "_a", "a.", "é", "> ", "%", "[a](", "<a ", "a, ", "--a ", "1 a ",
)  # fmt: skip
TOO_LONG_S = 2.0
SIZE, QUADRATIC_S = 16_000, 0.04
"""For so long a text a linear pattern takes a few milliseconds, a quadratic one 80 or more."""
_LITERAL = re.compile(r"(?:[A-Za-z_ =/:,|#<>\"'`-]|\\[.|()\[\]*+?/-])+")
_ESCAPED = re.compile(r"\\(.)")


Pattern = re.Pattern[str] | re.Pattern[bytes]
_SEARCHING = re.compile(r"\b(\w+)\.(?:search|finditer|sub|subn|split|findall)\(")


def patterns() -> dict[str, tuple[Pattern, bool]]:
    """All patterns of all modules, also inside of tables, records and functions.

    With each, whether it is searched for: those that are only matched need not be linear when
    they are tried at every place of a text.
    """
    found: dict[str, tuple[Pattern, bool]] = {}
    for info in pkgutil.walk_packages(analysis.__path__, "analysis."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        source = inspect.getsource(module)
        searched = set(_SEARCHING.findall(source))
        for name, value in vars(module).items():
            inside = not isinstance(value, re.Pattern)
            for pattern in _inside(value, 0):
                key = f"{info.name}.{name}: {pattern.pattern!r}"
                found.setdefault(key, (pattern, inside or name in searched))
        known = {pattern.pattern for pattern, _ in found.values()}
        for pattern, way in _in_functions(ast.parse(source), module):
            if pattern.pattern in known:
                continue
            found.setdefault(
                f"{info.name}: {pattern.pattern!r}", (pattern, way not in ("match", "fullmatch"))
            )
    return found


_OF_RE = frozenset(("compile", "match", "fullmatch", "search", "sub", "split", "findall"))


def _in_functions(tree: ast.Module, module: ModuleType) -> Iterator[tuple[Pattern, str]]:
    """Patterns given to functions of `re`, but for those that a function makes as it runs."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        of = node.func.value
        if not (isinstance(of, ast.Name) and of.id == "re" and node.func.attr in _OF_RE):
            continue
        code = compile(ast.Expression(node.args[0]), module.__name__, "eval")
        try:
            said = eval(code, dict(vars(module)))  # our own source
        except NameError:
            continue
        if isinstance(said, str | bytes):
            flags = re.IGNORECASE if "IGNORECASE" in ast.unparse(node) else 0
            yield re.compile(said, flags), node.func.attr


def _inside(value: object, depth: int) -> Iterator[Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 4 and isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _inside(one, depth + 1)
    elif depth < 4 and isinstance(value, dict):
        for pair in value.items():
            yield from _inside(pair, depth + 1)
    elif depth < 4 and is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            yield from _inside(getattr(value, one.name, None), depth + 1)


def texts(pattern: Pattern, size: int) -> Iterator[str | bytes]:
    """Lines that are long runs of what the pattern itself looks for, and of common fillings."""
    source = pattern.pattern
    said = source.decode("latin-1") if isinstance(source, bytes) else source
    own = [_ESCAPED.sub(r"\1", literal) for literal in _LITERAL.findall(said)]
    own = [literal for literal in dict.fromkeys(own) if literal.strip()][:12]
    both = ("".join(pair) for pair in combinations(own[:4], 2))
    for filling in (*FILLINGS, *own, *both, *(f"{literal} 1" for literal in own[:4])):
        text = (filling * (size // len(filling) + 1))[:size]
        for start in ("", *own[:1]):
            line = start + text + "\0"
            yield line.encode() if isinstance(source, bytes) else line


def slowest(size: int, part: int = 0, parts: int = 1) -> dict[str, float]:
    """Seconds that each pattern of a part took for the text that it is slowest on."""
    out = {}
    for name, (pattern, searched) in list(patterns().items())[part::parts]:
        ways = [pattern.match, pattern.fullmatch, *([pattern.search] if searched else [])]
        worst = 0.0
        for text in texts(pattern, size):
            for way in ways:
                begun = time.process_time()
                way(text)  # type: ignore[arg-type]
                worst = max(worst, time.process_time() - begun)
            if worst > TOO_LONG_S:
                break
        out[name] = worst
    return out


def test_patterns_are_found():
    names = " ".join(patterns())
    assert len(patterns()) > 150
    for module in ("llama_server.lines", "mtp_bench.marks", "foreign", "text.columns"):
        assert f"analysis.parsers.{module}." in names
    assert r"analysis.parsers.mtp_bench.totals: '[\\s\\\\_]+'" in names  # inside of a function


@pytest.mark.parametrize("bad", [r"a*b", r"<td[^<>]*>(.*?)</td>"])
def test_a_quadratic_pattern_would_be_noticed(monkeypatch, bad):
    monkeypatch.setitem(globals(), "patterns", lambda: {"bad": (re.compile(bad, re.DOTALL), True)})
    assert slowest(SIZE)["bad"] > QUADRATIC_S


def test_no_pattern_is_worse_than_linear():
    assert {name: s for name, s in slowest(SIZE).items() if s > QUADRATIC_S} == {}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(8))
def test_no_pattern_is_slow_on_a_megabyte(part):
    slow = {name: s for name, s in slowest(1_000_000, part, 8).items() if s > TOO_LONG_S}
    assert slow == {}
