"""What stands above a block of results: its label and the commands that made it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from analysis.parsers.text.prefixes import is_log_prefix
from analysis.parsers.text.spec_words import mined, names_a_repeat

__all__ = ["Heading", "command_below", "heading", "server_command"]

_SERVER = re.compile(
    r"\bllama-(?:server|cli|speculative(?:-simple)?)(?:\.exe)?\b(?![\w.]*\.(?:py|md|cpp))"
)
_OTHER_COMMAND = re.compile(
    r"^(?:[$%#\u276f\u279c\u03bb]|//|PS [^>]*>|\S*@\S+[$#:])\s|\bmtp[-_ ]bench\b"
    r"|^(?:python[\d.]*|py|curl|wget|bash|sh|cd|git|export|set|sudo|docker|cmake|uv|sd)(?:\s|$)",
    re.IGNORECASE,
)
_DECORATION = re.compile(r"^(?:```[\w.+-]*|~~~\w*|[-=*_]{3,}|(?:</?[A-Za-z][^<>]*>\s*)+|[{}\[\]])$")
# What Start-Transcript writes above what was done.
_TRANSCRIPT = re.compile(
    r"(?:Windows )?PowerShell transcript (?:start|end)$|(?:Start time|End time|Username|RunAs User"
    r"|Configuration Name|Machine|Host Application|Process ID|OS|Platform|GitCommitId"
    r"|(?:PS|CLR|WSMan|Build|Serialization)\w{0,30}): "
)
_MARKDOWN_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$")
_BOLD = re.compile(r"^(?:[-*+]\s+)?(\*\*|__)([^*_].*?)\1:?$")
_SUMMARY = re.compile(r"<summary[^<>]*+>((?:[^<]++|<(?!/?summary\b))*+)</summary>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_BULLET = re.compile(r"^(?:[-*+\u2022]|\d{1,2}[.)])\s+")
_CONTINUED = ("\\", "`", "^")
_SAYS_NOTHING = re.compile(
    r"(?:(?:detailed|raw|full|benchmark)\s+)*(?:details|results?|outputs?|logs?|data|benchmarks?)"
    r"|click to expand|spoiler",
    re.IGNORECASE,
)
_LONGEST_LABEL = 80
_LONGEST_PLAIN = 60
_MOST_WORDS = 9
_MOST_IN_ITEM = 4
_FARTHEST = 60
# Commands are shorter; the text of a whole page on one line is not worth a search.
_LONGEST_LINE = 3000
_REACH = 20_000


@dataclass(frozen=True)
class Heading:
    """A block's label and server command, where the text above it has them."""

    label: str | None = None
    command: str | None = None


def heading(above: str) -> Heading:
    r"""Find the label nearest to a block, and the server command above it.

    A Markdown heading, a bold line, a summary, or words and a colon before the
    server command are labels wherever they stand. A plain short line is one
    only right above the block, commands, fences and empty lines aside:
    farther up it is prose. One that says no more than ``run 2`` is a label only
    where nothing farther up is one.

    Parameters
    ----------
    above
        The text between the block before and this one.

    Returns
    -------
    Heading

    Examples
    --------
    >>> heading("Some words about it.\n\nmax 2\n\npython mtp-bench.py\n").label
    'max 2'
    >>> heading("## No MTP\n\n`./llama-server -m a.gguf -np 1`\n\n```\n")
    Heading(label='No MTP', command='./llama-server -m a.gguf -np 1')
    """
    label = command = repeat = None
    plain_allowed = True
    for line in reversed(_joined(above[-_REACH:])[-_FARTHEST:]):
        text = line[-_LONGEST_LINE:].strip()
        summary = _SUMMARY.search(text)
        explicit = _explicit(text)
        if summary:
            explicit = _TAG.sub("", summary[1]).strip()
        if found := server_command(text):
            before, server = found
            command = command or server
            explicit = before if before.endswith(":") else None
        elif not explicit and (not text or _DECORATION.match(text) or _is_command(text)):
            continue
        if explicit:
            label = _as_label(explicit, _LONGEST_LABEL)
        elif plain_allowed and not found:
            label = _as_label(text, _LONGEST_PLAIN) if _reads_as_heading(text) else None
            plain_allowed = bool(label) and names_a_repeat(label or "")
        if label and names_a_repeat(label):
            repeat, label = repeat or label, None
        if label:
            break
    return Heading(label or repeat, command)


def server_command(text: str) -> tuple[str, str] | None:
    """Split a line into what stands before a llama.cpp command, and the command.

    Returns
    -------
    tuple of str or None
        ``None`` when the line has no command with flags.

    Examples
    --------
    >>> server_command("CPU: llama-server -m a.gguf -bs")
    ('CPU:', 'llama-server -m a.gguf -bs')
    """
    start = _SERVER.search(text)
    if start is None or not re.search(r"\s--?[A-Za-z]", text[start.end() :]):
        return None
    # The program may be named with its path.
    begin = max(text.rfind(sign, 0, start.start()) for sign in " \t`\"'") + 1
    command = text[begin:].strip().rstrip("`").strip()
    return text[:begin].strip().strip("`$>\u276f* ").strip(), command


def command_below(below: str) -> str | None:
    """Find the server command that a person wrote under the results."""
    found = (
        server_command(line[:_LONGEST_LINE].strip()) for line in _joined(below[:_REACH])[:_FARTHEST]
    )
    return next((command for _, command in filter(None, found)), None)


def _joined(text: str) -> list[str]:
    """The lines, with those that a shell would join joined."""
    lines: list[str] = []
    continued = False
    for line in text.split("\n"):
        stripped = line.rstrip()
        if continued and stripped.strip():
            lines[-1] = f"{lines[-1]} {stripped.strip()}"
        else:
            lines.append(stripped)
        continued = (
            stripped.endswith(_CONTINUED)
            and not stripped.endswith("```")
            and stripped.count("`") != 2
        )
        if continued:
            lines[-1] = lines[-1][:-1].rstrip()
    return lines


def _is_command(text: str) -> bool:
    if _TRANSCRIPT.match(text):
        return True
    return bool(_OTHER_COMMAND.search(text)) and not _MARKDOWN_HEADING.match(text)


def _explicit(text: str) -> str | None:
    if marked := _MARKDOWN_HEADING.match(text):
        return marked[1]
    bold = _BOLD.match(text)
    return bold[2] if bold else None


def _names_a_method(text: str) -> bool:
    """Whether an item of a list is a heading: ``- none``, ``- MTP n=3``, and nothing else."""
    item = _BULLET.match(text)
    return (
        item is not None
        and len(text.split()) <= _MOST_IN_ITEM
        and mined(text[item.end() :])[0] is not None
    )


def _reads_as_heading(text: str) -> bool:
    if _names_a_method(text):
        return True
    words = text.split()
    return (
        len(words) <= _MOST_WORDS
        and not text.endswith((".", ",", ";", "!", "?", "|", "{", "}"))
        and ". " not in text
        and not text.startswith(("|", "<", "-", "{", '"'))
        and any(letter.isalpha() for letter in text)
    )


def _as_label(text: str, longest: int) -> str | None:
    text = _BULLET.sub("", text.strip()).strip("*_`= ").removesuffix(":").strip("*_`= ")
    if len(text) > longest or _SAYS_NOTHING.fullmatch(text) or is_log_prefix(text):
        return None
    return text or None
