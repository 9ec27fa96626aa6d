"""Keys, passwords and cookies in a text, by their shape or by the name that they are given to."""

from __future__ import annotations

import re

from analysis.privacy.hidden import HIDDEN, hidden

__all__ = ["VALUE", "is_plain", "without_assigned", "without_keys"]

_SECRET = re.compile(
    r"(?<![A-Za-z0-9])(?:hf_[A-Za-z0-9]{16,}+|sk-[\w-]{16,}+|gh[opsur]_[A-Za-z0-9]{16,}+"
    r"|github_pat_\w{16,}+|glpat-[\w-]{16,}+|xox[abprs]-[\w-]{10,}+|AKIA[0-9A-Z]{16}"
    r"|gsk_[A-Za-z0-9]{16,}+|r8_[A-Za-z0-9]{16,}+|rpa_[A-Za-z0-9]{16,}+|tgp_v1_[\w-]{10,}+"
    r"|GOCSPX-[\w-]{10,}+|ya29\.[\w-]{10,}+|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^\n-]{0,9000}+"
    r"(?:\r?\n[A-Za-z0-9+/=]{16,80}+(?=[\r\n]|\Z)){0,400}+"
    r"|AIza[\w-]{30,}+|nvapi-[\w-]{16,}+|eyJ[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]++)?)",
    re.ASCII,
)
_BEARER = re.compile(r"(?<![A-Za-z])(bearer\s{1,4})[^\s\"',;)\\]{6,}+", re.IGNORECASE)
_HEADER = re.compile(
    r"(?<![A-Za-z])(authorization\\?[\"']?\s{0,4}[:=]\s{0,4}\\?[\"']?)"
    r"(?:(basic|bearer|token|digest)\s{1,4})?[^\s\"',;)\\]++",
    re.IGNORECASE,
)
_COOKIE = re.compile(
    r"((?<![A-Za-z])(?:set-)?cookie\\?[\"']?\s{0,4}:\s{0,4})[^\n\"']++", re.IGNORECASE
)
VALUE = (
    r"\\\"{1,2}[^\"\\\n]*+\\\"{1,2}|\"\"[^\"\n]++\"\"|\"[^\"\n]*+\"|'[^'\n]*+'|[^\s\"',;)\]}&]++"
)
_NAME = re.compile(
    r"(?<![\w.-])([A-Za-z_][\w.-]*+)(\\?[\"']{0,2}[ \t]{0,8}[=:][ \t]{0,8}\[?)", re.ASCII
)
_ASSIGNED = re.compile(VALUE)
_SECRET_NAME = re.compile(
    r"(?:^|[._-])(?:api[_-]?key|(?:access|account|secret|shared|private|auth|client|subscription)"
    r"[_-]?key(?:[_-]?id)?"
    r"|(?:hf|hub|api|access|auth|oauth|bearer|refresh|session|private|bot|github|gitlab|wandb)"
    r"[_-]?token|secret(?:[_-]?access[_-]?key)?|client[_-]?secret|pass(?:word|wd|phrase)"
    r"|credentials?|hft)$",
    re.IGNORECASE,
)
_ENVIRONMENT = re.compile(r"[A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS)")
_WHO = re.compile(
    r"user|user_?name|log_?name|login|e_?mail|host_?name|computer_?name|node_?name", re.IGNORECASE
)
_HOST_NAME = re.compile(r"host_?name|computer_?name|node_?name", re.IGNORECASE)
# A figure may stand behind the name of a key; one of six digits without a point is none.
_NO_VALUE = re.compile(
    r"[+-]?\d{0,5}|[+-]?\d*+[.,][\d.,+-]*|none|null|true|false|unset|\*+", re.IGNORECASE
)


def is_plain(value: str) -> bool:
    """Whether a value is none that anybody keeps secret: a figure, or the word for nothing."""
    return _NO_VALUE.fullmatch(value.strip("\\\"'")) is not None


def without_assigned(text: str) -> str:
    """A text without what is given to a name that says that it is secret, or who somebody is."""
    parts: list[str] = []
    done = 0
    for found in _NAME.finditer(text):
        if found.start() < done or not _is_secret(found[1], found[2]):
            continue
        value = _ASSIGNED.match(text, found.end())
        if value is None or is_plain(value[0]):
            continue
        parts += [text[done : found.end()], hidden(value[0])]
        done = value.end()
    return "".join([*parts, text[done:]]) if parts else text


def _is_secret(name: str, between: str) -> bool:
    if _SECRET_NAME.search(name) or (between == "=" and _ENVIRONMENT.fullmatch(name)):
        return True
    # With blanks around its sign, it may as well be prose.
    sure = between == "=" or '"' in between or "'" in between
    if _HOST_NAME.fullmatch(name.lstrip("_")):
        return sure or between.lstrip().startswith(":")
    return sure and (name.lower() == "token" or _WHO.fullmatch(name.lstrip("_")) is not None)


def without_keys(text: str) -> str:
    """A text without what is a key by its shape, or stands in a header."""
    text = _SECRET.sub(HIDDEN, text)
    text = _BEARER.sub(rf"\1{HIDDEN}", text)
    text = _HEADER.sub(rf"\1{HIDDEN}", text)
    return _COOKIE.sub(rf"\1{HIDDEN}", text)
