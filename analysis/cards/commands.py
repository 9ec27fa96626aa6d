"""The command lines and files that belong to a run."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from analysis.campaigns.spec_flags import depth_flags
from analysis.cards.escaping import Markdown, clean, code, fence, say
from analysis.cards.facts import Facts, Recommendation, RunFacts
from analysis.cards.markdown import join
from analysis.cards.numbers import decimal
from analysis.cards.shells import BASH, POWERSHELL, Shell
from analysis.cards.wording import is_are
from analysis.hub.terms import MODEL_REPOSITORY, quantization
from analysis.parsers.text.command import ngram_flags

__all__ = [
    "FIRST_BUILDS",
    "Files",
    "FirstBuild",
    "coded",
    "command",
    "files",
    "flags",
    "placeholder_note",
    "plain_command",
    "powershell",
    "run_flags",
]

TARGET = "TARGET.gguf"
DRAFT = "DRAFT.gguf"
LONGEST_NAME = 1000
_LAYERS = {
    "-ngl": ("-ngl", "--gpu-layers", "--n-gpu-layers"),
    "-ngld": ("-ngld", "--gpu-layers-draft", "--n-gpu-layers-draft", "--spec-draft-ngl"),
}
_HOW_MANY = re.compile(r"\d{1,4}|all|auto")
PLACEHOLDER = "{names} {verb}: put the {file} that you have in {its} place."


@dataclass(frozen=True)
class FirstBuild:
    """The first llama.cpp build with a method, or one that still lacked it.

    Attributes
    ----------
    number
        No build below it has the method.
    released
        Whether the build of that number is known to have it.
    """

    number: int
    released: bool = True

    @property
    def words(self) -> str:
        """As a reader needs it."""
        return f"b{self.number} or newer" if self.released else f"newer than b{self.number - 1}"


FIRST_BUILDS: Mapping[str, FirstBuild] = {
    "draft-mtp": FirstBuild(9180),
    "draft-dflash": FirstBuild(9831),
    "draft-dspark": FirstBuild(10067, released=False),
}
"""MTP came with ggml-org/llama.cpp#22673, released as b9180; DFlash with #22105, published as
"b9831 or newer"; DSpark is #26275, and the list of methods of b10066 still lacks it."""


@dataclass(frozen=True)
class Files:
    """Which files a run loads.

    Attributes
    ----------
    target, draft
        Name of the file, else the repository on the Hub; the draft is null for a
        method that has none.
    target_repository, draft_repository
        ``OWNER/NAME:QUANT`` on the Hub, where one is known.
    placeholders
        Those of the two files that nobody recorded, and that no repository stands for.
    layers
        How many layers of each went to the GPU, by option, where that was recorded.
    """

    target: str
    draft: str | None
    target_repository: str | None
    draft_repository: str | None
    placeholders: tuple[str, ...]
    layers: Mapping[str, str] = field(default_factory=dict)

    @property
    def plain(self) -> list[tuple[str, str]]:
        """The options that load the target alone: by repository where known, else by file name."""
        repository = self.target_repository
        return [("-hf", repository) if repository else ("-m", self.target), *self._on_gpu("-ngl")]

    @property
    def options(self) -> list[tuple[str, str]]:
        """The options that load both."""
        if self.draft_repository:
            return [*self.plain, ("-hfd", self.draft_repository), *self._on_gpu("-ngld")]
        if self.draft is not None:
            return [*self.plain, ("-md", self.draft), *self._on_gpu("-ngld")]
        return self.plain

    def _on_gpu(self, option: str) -> list[tuple[str, str]]:
        return [(option, self.layers[option])] if option in self.layers else []


def files(facts: Facts, run: RunFacts) -> Files:
    """The files of `run`, a placeholder for what was not recorded."""
    card = facts.summary.campaign.card
    recorded = next((item for item in facts.summary.campaign.runs if item.id == run.id), None)
    target = _name(card.get("target_file")) or _name(recorded.target if recorded else None)
    target_repository = _repository(card.get("target_repo"), target)
    draft = draft_repository = None
    missing = [] if target or target_repository else [TARGET]
    if _needs_draft(run):
        own = run.spec_type == facts.method
        draft = _name(recorded.draft if recorded else None)
        draft = draft or (_name(card.get("draft_file")) if own else None)
        draft_repository = _repository(card.get("draft_repo") if own else None, draft)
        if draft is None and draft_repository is None and "draft-mtp" not in str(run.spec_type):
            draft = DRAFT if own else f"{_word(run.spec_type)}-{DRAFT}"
            missing.append(draft)
    return Files(
        target or target_repository or TARGET,
        draft or draft_repository,
        target_repository,
        draft_repository,
        tuple(missing),
        _layers(facts.summary.campaign.conditions.get("flags", "")),
    )


def _layers(flags: str) -> dict[str, str]:
    """Layers on the GPU among recorded flags; nothing where they do not say, or not as a number.

    Examples
    --------
    >>> _layers("-c 8192 --n-gpu-layers 99"), _layers("-ngl $HOME"), _layers("--ngl")
    ({'-ngl': '99'}, {}, {})
    """
    words = flags.split()
    told = dict(pairwise(words))
    found = {
        option: told[name] for option, names in _LAYERS.items() for name in names if name in told
    }
    return {option: value for option, value in found.items() if _HOW_MANY.fullmatch(value)}


def _repository(stated: object, name: str | None) -> str | None:
    """A repository with the quantization that llama.cpp is to take of it, or null.

    Without one llama.cpp prefers Q4_K_M, then Q8_0, whichever was measured.
    """
    if not isinstance(stated, str):
        return name if name and MODEL_REPOSITORY.fullmatch(name) and not _is_file(name) else None
    kind = quantization(name or "")
    return stated if ":" in stated or kind is None else f"{stated}:{kind}"


def _is_file(name: str) -> bool:
    return name.lower().endswith(".gguf")


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


def run_flags(facts: Facts, run: RunFacts) -> dict[str, str]:
    """:func:`flags` with what the run's own command said of n-gram drafters beside them."""
    found = flags(run)
    recorded = next((item for item in facts.summary.campaign.runs if item.id == run.id), None)
    if not found or recorded is None or not recorded.command:
        return found
    own = tuple(f"spec-{word}-" for word in str(run.spec_type).split(","))
    said = ngram_flags(recorded.command)
    return found | {name: value for name, value in said.items() if name.startswith(own)}


def coded(used: Mapping[str, str]) -> Markdown:
    """Flags as they stand in a sentence."""
    return code(" ".join(f"--{flag} {value}" for flag, value in used.items()))


def replayed_flags(facts: Facts, choice: Recommendation) -> dict[str, str]:
    """The same of a recommendation's replayed setting; empty where there is none."""
    if choice.replayed_run is None:
        return {}
    logged = facts.by_id[choice.replayed_run]
    return flags(replace(logged, n_max=choice.replayed_n_max, p_min=choice.replayed_p_min))


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
    words = [word for option in used.plain for word in option]
    return _written([(program, *words)], shell)


def _options(facts: Facts, run: RunFacts) -> list[tuple[str, ...]]:
    """The words of each option; empty without known flags."""
    used = run_flags(facts, run)
    if not used:
        return []
    named = [(f"--{flag}", value) for flag, value in used.items()]
    return [*files(facts, run).options, *named]


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
