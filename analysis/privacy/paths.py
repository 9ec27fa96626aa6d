"""Folders in a text, of which only the name of a model file is left."""

from __future__ import annotations

import re

from analysis.privacy.hidden import HIDDEN

__all__ = ["BEGIN", "CLOSING", "FILE_URL", "MODEL", "SEPARATOR", "shown_path", "without_folders"]

_MOST_BLANKS = 8
"""Places at which a path may go on behind a blank."""
FILE_URL = re.compile(r"(?<![A-Za-z0-9])file:/{1,3}", re.IGNORECASE)
_HOME = r"~[\w.-]*+|\$\{?(?:env:)?\w++\}?|%\w++%|\.{1,2}|<[A-Za-z][\w-]{0,40}>"
_WINDOWS = (
    r"(?:\\{2,4}[?.]\\{1,2}(?:[A-Za-z]:)?(?=[\\/])|"
    rf"[A-Za-z]:(?=[\\/])|\\{{2,4}}(?=[\w.$?])|(?:{_HOME})(?=\\))"
)
_POSIX = rf"(?:(?:{_HOME})(?=/)|/(?=[\w.~$@+-])|(?<!:)//(?=[\w.-]))"
BEGIN = rf"(?:{_WINDOWS}|{_POSIX})"
_QUOTED = re.compile(rf"([\"'])(?={BEGIN})([^\"'\n]*+)\1", re.ASCII)
_A_COMMAND = re.compile(r"(?:\s|\\n)-")
_PATH = re.compile(
    r"(?:(?<![A-Za-z0-9_.~%$\\/<-])|(?<=[\s\"']-[A-Za-z])|(?<=^-[A-Za-z]))"
    # Behind a slash a backslash is an escape: of a blank, or of the end of a line.
    rf"(?:{_WINDOWS}[^\s\"'<>|*?,;:`]*+|{_POSIX}(?:\\[ ]|[^\s\\\"'<>|*?,;:`])*+)",
    re.ASCII | re.MULTILINE,
)
_GOES_ON_WINDOWS = re.compile(r"(?: (?!-)[^\s\\/:\"'<>|*?]{1,64}){1,4}?\\[^\s\"'<>|*?,;:`]*+")
_GOES_ON = re.compile(r"(?: (?!-)[^\s/:\"'<>|*?]{1,64}){1,4}?/[^\s\"'<>|*?,;:`]*+")
_WORD = re.compile(r"[^\s\"'<>|,;=()`]++")
SEPARATOR = re.compile(r"[\\/]+")
MODEL = re.compile(r".+\.(?:gguf|ggml|safetensors)", re.IGNORECASE | re.DOTALL)
_FILE = re.compile(
    r"[^\s\\/]\.(?:gguf|ggml|safetensors|log|txt|jsonl?|bin|db|sqlite|csv|parquet|pem|key|env)\b",
    re.IGNORECASE,
)
"""What is a model or somebody's data, whose folders say whose."""
_PROGRAM = re.compile(
    r"llama-(?:server|cli|bench|speculative|speculative-simple|batched-bench|lookup)(?:\.exe)?"
    r"|mtp[-_]?bench(?:\.py)?|python[\d.]*(?:\.exe)?|vllm",
    re.IGNORECASE,
)
_ENDPOINT = re.compile(r"/(?:v\d|api)(?:/[a-z_-]+){1,3}/?")
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,11}\Z")
CLOSING = ".,:;)]}>!$"


def _quoted(found: re.Match[str]) -> str:
    return found[0] if _A_COMMAND.search(found[2]) else found[1] + shown_path(found[2]) + found[1]


def _paths(text: str) -> str:
    parts: list[str] = []
    done = 0
    for found in _PATH.finditer(text):
        if found.start() < done:
            continue
        end = _end(text, found)
        parts += [text[done : found.start()], shown_path(text[found.start() : end])]
        done = end
    return "".join([*parts, text[done:]]) if parts else text


def _end(text: str, found: re.Match[str]) -> int:
    """Where a path ends that may have spaces in it."""
    end = at = found.end()
    windows = "\\" in found[0].replace("\\ ", "")
    for _ in range(_MOST_BLANKS):
        if _SUFFIX.search(text, max(found.start(), at - 16), at):
            return at
        goes_on = (_GOES_ON_WINDOWS if windows else _GOES_ON).match(text, at)
        if goes_on is None:
            return end
        at = goes_on.end()
        # A slash may be a unit's; a file's name at the end says that it was none.
        end = at if windows or _SUFFIX.search(goes_on[0]) else end
    return end


def shown_path(path: str) -> str:
    """What of one path is public."""
    bare = path.rstrip(CLOSING)
    closing = path[len(bare) :]
    names = [name for name in SEPARATOR.split(bare) if name]
    if not names:
        return path
    if MODEL.fullmatch(names[-1]) or _PROGRAM.fullmatch(names[-1]):
        return names[-1] + closing
    if bare.startswith("/") and (len(names) == 1 or _ENDPOINT.fullmatch(bare)):
        return path
    if not re.search("[A-Za-z]", bare) or all(set(name) <= {".", "~"} for name in names):
        return path
    return HIDDEN + closing


def _relative(found: re.Match[str]) -> str:
    """A file without its folders, which begin nowhere that is known: a model's name alone."""
    word = found[0]
    if "://" in word or not SEPARATOR.search(word):
        return word
    ends = [found.end() for found in _FILE.finditer(word)]
    if not ends:
        return word
    names = [name for name in SEPARATOR.split(word[: ends[-1]]) if name]
    is_model = bool(names) and MODEL.fullmatch(names[-1]) is not None
    # A log in one folder is how a campaign names its own.
    if word.startswith("/") or len(names) < (2 if is_model else 3):
        return word
    return (names[-1] if is_model else HIDDEN) + word[ends[-1] :]


def without_folders(text: str) -> str:
    """A text without the folders of paths."""
    if "/" not in text and "\\" not in text:
        return text
    text = _paths(_QUOTED.sub(_quoted, text))
    return _WORD.sub(_relative, text) if _FILE.search(text) else text
