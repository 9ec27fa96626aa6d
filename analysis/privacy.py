"""What of a stranger's text may be public?

The one place that knows what is private: folders, of which only the name of a
model file is left, keys and passwords, e-mail addresses, and the names of users
and machines. It looks at the text alone, never at the machine that it runs on,
so that the same log gives the same report everywhere. Figures, dates, rates and
names like ``OWNER/NAME`` are no part of it.

Every pattern takes time in proportion to the text: what repeats is possessive,
and begins only where something else ends.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

__all__ = [
    "HIDDEN",
    "public",
    "public_model",
    "public_path",
    "public_values",
    "without_credentials",
]

HIDDEN = "***"
"""What stands in the place of what is private."""

_LONGEST_KEPT = 1000
_MOST_BLANKS = 8
"""Places at which a path may go on behind a blank."""

_WORTH_A_LOOK = re.compile(
    r"[/\\](?=\S)|@|hf_|sk-|eyJ|gh[opsur]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|nvapi-|bearer"
    r"|g(?:sk|oc)[_s]|r8_|rpa_|tgp_v1|ya29\.|private key|cookie|linux \S|machine: "
    r"|-(?:key|token|secret|password|passwd|auth|hft)\\?[ \t\"']"
    r"|(?:key|id|token|secret|pass\w{0,6}|hft|credentials?|auth\w{0,12}|user\w{0,8}|login|\wname|e?mail)"
    r"(?:\\?[\"']{1,2})?[ \t]{0,8}[=:]"
    r"|(?<!\d)(?:10|172|192)\.\d|[a-z]{3} [ \d]\d \d\d:|\dT\d\d:\d\d:",
    re.IGNORECASE,
)

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
_VALUE = (
    r"\\\"{1,2}[^\"\\\n]*+\\\"{1,2}|\"\"[^\"\n]++\"\"|\"[^\"\n]*+\"|'[^'\n]*+'|[^\s\"',;)\]}&]++"
)
_FLAG = re.compile(
    r"(?<![\w-])(--?[A-Za-z][\w-]*+)"
    # Beside it, on the next line of a command, or the next in a list.
    r"(=|[ \t]{1,8}(?:[\\`^](?:\r?\n[ \t>]{0,40}|[ \t]{1,40}))?"
    r"|\\?[\"']{1,2},[ \t]{0,4}(?=\\?[\"']))"
    rf"(?!-)({_VALUE})",
    re.ASCII,
)
_SECRET_FLAG = re.compile(r"(?:^|[-_])(?:key|token|secret|password|passwd|auth|hft)(?:$|[-_])")
_PATH_FLAG = re.compile(
    r"(?:^|[-_])(?:file|path|dir|directory|folder|lora|scaled|mmproj|grammar|vector|out|output"
    r"|config|cache-static|cache-dynamic)(?:$|[-_])"
)
_MODEL_FLAGS = frozenset(("-m", "--model", "-md", "--model-draft", "--spec-draft-model"))
_NAME = re.compile(
    r"(?<![\w.-])([A-Za-z_][\w.-]*+)(\\?[\"']{0,2}[ \t]{0,8}[=:][ \t]{0,8}\[?)", re.ASCII
)
_ASSIGNED = re.compile(_VALUE)
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
_FILE_URL = re.compile(r"(?<![A-Za-z0-9])file:/{1,3}", re.IGNORECASE)
_QUERY = re.compile(r"([?&;#][\w.%-]*+=)[^&#;\s)\]]*+")
_SECRET_QUERY = re.compile(r"key|token|secret|passw|pwd|sig|auth|cred|session", re.IGNORECASE)
_PRIVATE_HOST = re.compile(
    r"\d{1,3}(?:\.\d{1,3}){3}|[^.]*|.*\.(?:local|lan|home|internal|corp|intranet|arpa|ts\.net)",
    re.IGNORECASE | re.DOTALL,
)
_OWN_HOST = re.compile(r"localhost|127\.0\.0\.1|0\.0\.0\.0", re.IGNORECASE)

_HOME = r"~[\w.-]*+|\$\{?(?:env:)?\w++\}?|%\w++%|\.{1,2}|<[A-Za-z][\w-]{0,40}>"
_WINDOWS = (
    r"(?:\\{2,4}[?.]\\{1,2}(?:[A-Za-z]:)?(?=[\\/])|"
    rf"[A-Za-z]:(?=[\\/])|\\{{2,4}}(?=[\w.$?])|(?:{_HOME})(?=\\))"
)
_POSIX = rf"(?:(?:{_HOME})(?=/)|/(?=[\w.~$@+-])|(?<!:)//(?=[\w.-]))"
_BEGIN = rf"(?:{_WINDOWS}|{_POSIX})"
_QUOTED = re.compile(rf"([\"'])(?={_BEGIN})([^\"'\n]*+)\1", re.ASCII)
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
_SEPARATOR = re.compile(r"[\\/]+")
_MODEL = re.compile(r".+\.(?:gguf|ggml|safetensors)", re.IGNORECASE | re.DOTALL)
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
_CLOSING = ".,:;)]}>!$"


def public(text: str) -> str:
    r"""A text without what is private in it.

    Parameters
    ----------
    text
        Of any length, one line or many.

    Returns
    -------
    str
        Equal to `text` where nothing in it is private; applying this again changes
        nothing.

    Examples
    --------
    >>> print(public("llama-server -m /home/ada/a.gguf --api-key sk-1 --temp 0 -np 1"))
    llama-server -m a.gguf --api-key *** --temp 0 -np 1
    >>> public(r'can not open "E:\My Models\ada.txt": 85.3 tok/s with org/Name-GGUF:Q4_K_M')
    'can not open "***": 85.3 tok/s with org/Name-GGUF:Q4_K_M'
    """
    if len(text) <= _LONGEST_KEPT:
        return _kept(text)
    return _public(text)


def without_credentials(text: str) -> str:
    """A text whose addresses name no user, password or key; all else in it stays.

    Examples
    --------
    >>> without_credentials("ask http://ada:x@box:8080/v1?api_key=1&n=4")
    'ask http://***@box:8080/v1?api_key=***&n=4'
    """
    return _URL.sub(partial(_url, hosts=False), text) if "://" in text else text


def public_model(name: str) -> str:
    r"""How a model is called in public: its repository, or its file without folders.

    Examples
    --------
    >>> public_model("org/Name:Q4_K_M"), public_model(r"D:\ada\Model"), public_model("a/b.gguf")
    ('org/Name:Q4_K_M', 'Model', 'b.gguf')
    """
    begins = re.match(_BEGIN, name) or _FILE_URL.match(name)
    if not begins:
        return public(name)
    return public(_SEPARATOR.split(name.rstrip("\\/"))[-1])


def public_path(path: str | Path, below: str | Path | None = None) -> str:
    """How a file is called in public: relative to a folder that it lies in, or by its name.

    Parameters
    ----------
    path
        The file.
    below
        The folder; by default the one that the process works in.
    """
    place = Path(os.path.abspath(path))  # noqa: PTH100 - resolving would follow links
    folder = Path(os.path.abspath(below or Path.cwd()))  # noqa: PTH100
    if place.is_relative_to(folder) and place != folder:
        return str(place.relative_to(folder))
    return place.name


def public_values(value: Any) -> Any:
    """Plain data, as TOML and JSON have it, with all texts in it made public."""
    if isinstance(value, str):
        return public(value)
    if isinstance(value, Mapping):
        return {public_values(key): public_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [public_values(item) for item in value]
    return value


@lru_cache(maxsize=8192)
def _kept(text: str) -> str:
    return _public(text)


def _public(text: str) -> str:
    if not _WORTH_A_LOOK.search(text):
        return text
    text = _SECRET.sub(HIDDEN, text)
    text = _BEARER.sub(rf"\1{HIDDEN}", text)
    text = _HEADER.sub(rf"\1{HIDDEN}", text)
    text = _COOKIE.sub(rf"\1{HIDDEN}", text)
    text = _FLAG.sub(_flag, text)
    text = _assigned(text)
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
    text = _ADDRESS.sub(HIDDEN, text)
    if "/" in text or "\\" in text:
        text = _QUOTED.sub(_quoted, text)
        text = _paths(text)
        if _FILE.search(text):
            text = _WORD.sub(_relative, text)
    return text


def _hidden(value: str) -> str:
    """A value's place, with the quotes that it had."""
    for quote in ('\\"', '""', '"', "'"):
        if value.startswith(quote) and value.endswith(quote) and len(value) > len(quote):
            return f"{quote}{HIDDEN}{quote}"
    return HIDDEN


def _flag(found: re.Match[str]) -> str:
    if found[1] in _MODEL_FLAGS:
        value = found[3].strip("\"'")
        model = public_model(value) if re.match(_BEGIN, value) else value
        return found[0][: found.start(3) - found.start()] + found[3].replace(value, model)
    name = found[1].lstrip("-").lower()
    if _PATH_FLAG.search(name) and _SEPARATOR.search(found[3]) and "://" not in found[3]:
        bare = found[3].strip("\"'\\")
        file = _SEPARATOR.split(bare.rstrip("\\/"))[-1]
        shown = file if _MODEL.fullmatch(file) else HIDDEN
        return found[0][: found.start(3) - found.start()] + found[3].replace(bare, shown)
    if not _SECRET_FLAG.search(name) or _is_plain(found[3]):
        return found[0]
    return f"{found[1]}{found[2]}{_hidden(found[3])}"


def _is_plain(value: str) -> bool:
    return _NO_VALUE.fullmatch(value.strip("\\\"'")) is not None


def _assigned(text: str) -> str:
    parts: list[str] = []
    done = 0
    for found in _NAME.finditer(text):
        if found.start() < done or not _is_secret(found[1], found[2]):
            continue
        value = _ASSIGNED.match(text, found.end())
        if value is None or _is_plain(value[0]):
            continue
        parts += [text[done : found.end()], _hidden(value[0])]
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


def _mail(found: re.Match[str]) -> str:
    # A model may have the sign in its name.
    return found[0] if _MODEL.fullmatch(found[0]) else HIDDEN


def _url(found: re.Match[str], *, hosts: bool = True) -> str:
    scheme, rest = found["scheme"], found["rest"]
    if hosts and scheme.lower() == "file":
        return _path(f"/{rest.lstrip('/')}")
    end = next((at for at, sign in enumerate(rest) if sign in "/?#"), len(rest))
    place, tail = rest[:end], rest[end:]
    user, at, host = place.rpartition("@")
    bare = re.sub(r":\d*$", "", host).rstrip(_CLOSING)
    if hosts and _PRIVATE_HOST.fullmatch(bare) and not _OWN_HOST.fullmatch(bare):
        return f"{scheme}://{HIDDEN}"
    return f"{scheme}://{HIDDEN if user or at else ''}{at}{host}{_QUERY.sub(_query, tail)}"


def _query(found: re.Match[str]) -> str:
    return f"{found[1]}{HIDDEN}" if _SECRET_QUERY.search(found[1]) else found[0]


def _quoted(found: re.Match[str]) -> str:
    return found[0] if _A_COMMAND.search(found[2]) else found[1] + _path(found[2]) + found[1]


def _paths(text: str) -> str:
    parts: list[str] = []
    done = 0
    for found in _PATH.finditer(text):
        if found.start() < done:
            continue
        end = _end(text, found)
        parts += [text[done : found.start()], _path(text[found.start() : end])]
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


def _path(path: str) -> str:
    """What of one path is public."""
    bare = path.rstrip(_CLOSING)
    closing = path[len(bare) :]
    names = [name for name in _SEPARATOR.split(bare) if name]
    if not names:
        return path
    if _MODEL.fullmatch(names[-1]) or _PROGRAM.fullmatch(names[-1]):
        return names[-1] + closing
    if bare.startswith("/") and (len(names) == 1 or _ENDPOINT.fullmatch(bare)):
        return path
    if not re.search("[A-Za-z]", bare) or all(set(name) <= {".", "~"} for name in names):
        return path
    return HIDDEN + closing


def _relative(found: re.Match[str]) -> str:
    """A file without its folders, which begin nowhere that is known: a model's name alone."""
    word = found[0]
    if "://" in word or not _SEPARATOR.search(word):
        return word
    ends = [found.end() for found in _FILE.finditer(word)]
    if not ends:
        return word
    names = [name for name in _SEPARATOR.split(word[: ends[-1]]) if name]
    is_model = bool(names) and _MODEL.fullmatch(names[-1]) is not None
    # A log in one folder is how a campaign names its own.
    if word.startswith("/") or len(names) < (2 if is_model else 3):
        return word
    return (names[-1] if is_model else HIDDEN) + word[ends[-1] :]
