"""Names of users and machines in a text: addresses of any kind, prompts, heads of logs."""

from __future__ import annotations

import re
from functools import partial

from analysis.privacy.hidden import HIDDEN
from analysis.privacy.paths import CLOSING, MODEL, shown_path

__all__ = ["without_credentials", "without_names"]

_MAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]++@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++){0,8}\.[A-Za-z]{2,24}(?![\w.-]*\w)"
)
_LOGIN = re.compile(
    r"(?<![\w.+-])[A-Za-z_][\w.-]*+@[A-Za-z][\w.-]*+(?=:[~/\\]|[ \t]{0,2}[$%#>](?:\s|$))"
    r"|(?<=\[)[A-Za-z_][\w.-]*+@[A-Za-z][\w.-]*+(?= [^\]\s]{1,200}\][$#])"
    r"|(?<![\w.+-])[A-Za-z_][\w.-]*+@[A-Za-z][\w.-]*+(?= [~/][^\s]{0,80} [$%#](?:\s|$))"
    r"|(?<=\bssh )[A-Za-z_][\w.-]*+@[\w.-]++|(?<=\bscp )[A-Za-z_][\w.-]*+@[\w.-]++"
)
_SSH = re.compile(r"(\bssh (?:-\w \S{1,80} |-\w{1,9} ){1,8})[A-Za-z_][\w.-]*+@[\w.-]++")
_UNAME = re.compile(r"(?<![\w.-])(Linux )[A-Za-z0-9][\w.-]*+(?= \d{1,2}\.\d{1,3}[.-])")
_CREDENTIAL = re.compile(r"(?<![\w.+%-])[\w.+-]++:[^\s@/\"':]++@[\w.-]++(?::\d++)?")
# The head that Start-Transcript writes.
_TRANSCRIPT = re.compile(
    r"(?<![\w-])((?:Username|RunAs User): )[^\s\\]++\\{1,2}[^\s\\\"'`|,;)}]++"
    r"|(?<![\w-])(Machine: )[\w.-]++(?= \()"
)
_SYSLOG = re.compile(
    r"(?m)^((?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})? )"
    r"[A-Za-z0-9][\w.-]{0,80}+(?= [\w./@-]{1,80}+(?:\[\d{1,9}\])?:)"
    r"|^(\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:?\d\d)? )"
    r"[A-Za-z0-9][\w.-]{0,80}+(?= [\w./@-]{1,80}+\[\d{1,9}\]:)"
)
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_ADDRESS = re.compile(
    # llama.cpp's clock has the same shape: minutes, two digits, three, three.
    r"(?<![\w.-])(?!\d{1,3}\.\d\d\.\d{3}\.\d{3})"
    rf"(?:10\.{_OCTET}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.{_OCTET}\.{_OCTET}(?![\w-]|\.\d)"
)
_URL = re.compile(
    r"(?<![A-Za-z0-9+.-])(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{1,15})://(?P<rest>[^\s\"'<>`|\\]*+)"
)
_QUERY = re.compile(r"([?&;#][\w.%-]*+=)[^&#;\s)\]]*+")
_SECRET_QUERY = re.compile(r"key|token|secret|passw|pwd|sig|auth|cred|session", re.IGNORECASE)
_PRIVATE_HOST = re.compile(
    r"\d{1,3}(?:\.\d{1,3}){3}|[^.]*|.*\.(?:local|lan|home|internal|corp|intranet|arpa|ts\.net)",
    re.IGNORECASE | re.DOTALL,
)
_OWN_HOST = re.compile(r"localhost|127\.0\.0\.1|0\.0\.0\.0", re.IGNORECASE)


def _mail(found: re.Match[str]) -> str:
    # A model may have the sign in its name.
    return found[0] if MODEL.fullmatch(found[0]) else HIDDEN


def _url(found: re.Match[str], *, hosts: bool = True) -> str:
    scheme, rest = found["scheme"], found["rest"]
    if hosts and scheme.lower() == "file":
        return shown_path(f"/{rest.lstrip('/')}")
    end = next((at for at, sign in enumerate(rest) if sign in "/?#"), len(rest))
    place, tail = rest[:end], rest[end:]
    user, at, host = place.rpartition("@")
    bare = re.sub(r":\d*$", "", host).rstrip(CLOSING)
    if hosts and _PRIVATE_HOST.fullmatch(bare) and not _OWN_HOST.fullmatch(bare):
        return f"{scheme}://{HIDDEN}"
    return f"{scheme}://{HIDDEN if user or at else ''}{at}{host}{_QUERY.sub(_query, tail)}"


def _query(found: re.Match[str]) -> str:
    return f"{found[1]}{HIDDEN}" if _SECRET_QUERY.search(found[1]) else found[0]


def without_names(text: str) -> str:
    """A text without users, their addresses, and machines that are not public."""
    text = _UNAME.sub(r"\1host", text)
    text = _TRANSCRIPT.sub(lambda found: f"{found[1] or found[2]}{HIDDEN}", text)
    text = _SYSLOG.sub(lambda found: f"{found[1] or found[2]}host", text)
    if "://" in text:
        text = _URL.sub(_url, text)
    if "@" in text:
        text = _CREDENTIAL.sub(HIDDEN, text)
        text = _MAIL.sub(_mail, text)
        text = _LOGIN.sub(HIDDEN, text)
        text = _SSH.sub(rf"\1{HIDDEN}", text)
    return _ADDRESS.sub(HIDDEN, text)


def without_credentials(text: str) -> str:
    """A text whose addresses name no user, password or key; all else in it stays.

    Examples
    --------
    >>> without_credentials("ask http://ada:x@box:8080/v1?api_key=1&n=4")
    'ask http://***@box:8080/v1?api_key=***&n=4'
    """
    return _URL.sub(partial(_url, hosts=False), text) if "://" in text else text
