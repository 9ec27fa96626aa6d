"""The command lines and files that belong to a run."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from analysis.campaigns.spec_flags import depth_flags
from analysis.cards.facts import Facts, RunFacts
from analysis.cards.markdown import Markdown, clean, code, fence, join, say
from analysis.cards.numbers import decimal
from analysis.cards.shells import BASH, POWERSHELL, Shell
from analysis.cards.wording import is_are

__all__ = [
    "Files",
    "command",
    "files",
    "flags",
    "placeholder_note",
    "plain_command",
    "powershell",
]

TARGET = "TARGET.gguf"
DRAFT = "DRAFT.gguf"
LONGEST_NAME = 1000
PLACEHOLDER = "{names} {verb}: put the {file} that you have in {its} place."


@dataclass(frozen=True)
class Files:
    """Which files a run loads.

    Attributes
    ----------
    target
        File of the target model.
    draft
        File or Hub repository of the draft; null for a method that has none.
    placeholders
        Those of the two that nobody recorded.
    """

    target: str
    draft: str | None
    placeholders: tuple[str, ...]

    @property
    def draft_is_file(self) -> bool:
        """Whether `draft` is a file; else it is a repository on the Hub."""
        name = self.draft or ""
        return name.lower().endswith(".gguf") or not re.fullmatch(r"[\w.-]+/[\w.:-]+", name)


def files(facts: Facts, run: RunFacts) -> Files:
    """The files of `run`, a placeholder for what was not recorded."""
    card = facts.summary.campaign.card
    recorded = next((item for item in facts.summary.campaign.runs if item.id == run.id), None)
    target = _name(card.get("target_file")) or _name(recorded.target if recorded else None)
    draft = None
    missing = [] if target else [TARGET]
    if _needs_draft(run):
        own = run.spec_type == facts.method
        draft = _name(recorded.draft if recorded else None)
        draft = draft or (_name(card.get("draft_file")) if own else None)
        if draft is None and "draft-mtp" not in str(run.spec_type):
            draft = DRAFT if own else f"{_word(run.spec_type)}-{DRAFT}"
            missing.append(draft)
    return Files(target or TARGET, draft, tuple(missing))


def _name(value: object) -> str | None:
    """A file's name as it was recorded; null for one that no file can have."""
    name = clean(value, limit=None) if isinstance(value, str) else ""
    if not name or len(name) > LONGEST_NAME:
        return None
    # A name that begins with a dash would be read as an option.
    return f"./{name}" if name.startswith("-") else name


def _word(spec_type: str | None) -> str:
    words = str(spec_type or "").replace("draft-", "").upper()
    return re.sub(r"[^A-Z0-9]+", "-", words).strip("-") or "OTHER"


def _needs_draft(run: RunFacts) -> bool:
    return any(word.startswith("draft-") for word in str(run.spec_type).split(","))


def flags(run: RunFacts) -> dict[str, str]:
    """llama-server's long flags, without dashes, that set a run's speculation.

    Empty when nobody recorded which it was.
    """
    if run.spec_type is None:
        return {}
    if run.spec_type == "none":
        return {"spec-type": "none"}
    found = {"spec-type": str(run.spec_type)}
    if run.n_max is not None:
        found |= depth_flags(str(run.spec_type), run.n_max)
    if run.p_min:
        found["spec-draft-p-min"] = str(decimal(run.p_min))
    return found


def command(facts: Facts, run: RunFacts, program: str = "llama-server") -> Markdown | None:
    """A copyable command for a POSIX shell, one option a line; null without known flags."""
    options = _options(facts, run)
    return _written([(program,), *options], BASH) if options else None


def powershell(facts: Facts, run: RunFacts, program: str = "llama-server") -> Markdown | None:
    """As :func:`command`, for PowerShell."""
    options = _options(facts, run)
    return _written([(program,), *options], POWERSHELL) if options else None


def plain_command(used: Files, shell: Shell, program: str = "llama-server") -> Markdown:
    """The command that serves the target without speculation."""
    return _written([(program, "-m", used.target)], shell)


def _options(facts: Facts, run: RunFacts) -> list[tuple[str, ...]]:
    """The words of each option; empty without known flags."""
    if not flags(run):
        return []
    used = files(facts, run)
    options: list[tuple[str, ...]] = [("-m", used.target)]
    if used.draft is not None:
        options.append(("-md" if used.draft_is_file else "-hfd", used.draft))
    return [*options, *((f"--{flag}", value) for flag, value in flags(run).items())]


def _written(options: Sequence[tuple[str, ...]], shell: Shell) -> Markdown:
    lines = [" ".join(shell.quote(word) for word in words) for words in options]
    return fence(f" {shell.goes_on}\n  ".join(lines), shell.language)


def placeholder_note(used: Files, told: Collection[str] = ()) -> Markdown | None:
    """Says which names in a command are none of real files; those of `told` were said before."""
    names = [name for name in used.placeholders if name not in told]
    if not names:
        return None
    one = len(names) == 1
    return say(
        PLACEHOLDER,
        names=join([code(name) for name in names]),
        verb=f"{is_are(names)} {'a placeholder' if one else 'placeholders'}",
        file="file" if one else "files",
        its="its" if one else "their",
    )
