"""With which command line is a configuration started, and what of it may be shown?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.campaigns.spec_flags import depth_flags

__all__ = ["SpecSettings", "refusal", "server_arguments", "shown_command"]

_OURS = (
    # What [live] and [[runs]] say, and what the runner needs as it is. A short
    # name first: what a user most likely writes.
    "-m --model -mu --model-url -hf -hfr --hf-repo -hff --hf-file",
    "-md --model-draft --spec-draft-model -hfd -hfrd --hf-repo-draft --spec-draft-hf",
    "--spec-type --spec-draft-n-max --spec-draft-p-min --draft-p-min",
    "--draft --draft-n --draft-max",
    "--spec-synth-rates --spec-synth-len",
    "-a --alias --host --port --reuse-port --api-prefix --metrics --no-metrics",
    "-np --parallel -v --verbose -lv --verbosity --log-verbosity",
    "--log-disable --log-file --log-jsonl --log-colors --log-prefix",
    "-h --help --usage --version",
)
OURS = frozenset(word for line in _OURS for word in line.split())

_OPEN = (
    # Short names and words of their own; the rest is told by what a name says.
    "-dr -mmu -hft -hfv -hfrv -hffv -lcd --lookup-cache-dynamic -ag -no-ag -cl",
    "--cache-list --completion-bash --list-devices --public --props --reuse-port --path --rpc",
)
OPEN = frozenset(word for line in _OPEN for word in line.split())
_OPEN_WORDS = re.compile(
    r"-(?:rpc|tools?|mcp|agent|hf|hub|url|docker|download|proxy|cors|ssl|api|token|secret|password"
    r"|save|dump|export|log|prompts-dir|media|models|preset|config|static-files)(?=-|$)"
    r"|^--(?:embd|fim|gpt|vision)-.*-(?:default|spec)$"
)
"""Names of flags that open a network, give a model tools, fetch something or write files."""

_SECRET = re.compile(r"--?[\w-]*(?:key|token|secret|password|auth)[\w-]*", re.IGNORECASE)
_USER_INFO = re.compile(r"(?<=://)[^/@\s]+@")
_MODELS = frozenset({"-m", "-md"})


@dataclass(frozen=True)
class SpecSettings:
    """What a command line says about speculation.

    Attributes
    ----------
    spec_type
        llama-server's name; ``none`` for a baseline.
    n_max, p_min, synthetic_rates
        See ``settings.Configuration``; null leaves them to llama.cpp.
    """

    spec_type: str
    n_max: int | None = None
    p_min: float | None = None
    synthetic_rates: tuple[float, ...] | None = None


def refusal(words: Iterable[str]) -> tuple[str, str] | None:
    """The first of a campaign's arguments that no server of ours gets: problem and remedy, or null.

    Examples
    --------
    >>> refusal(["-ngl", "99", "--rpc=there:50052"])[0]
    '--rpc opens a network, gives tools, fetches or writes files'
    """
    for word in words:
        name = word.partition("=")[0]
        # llama-server reads --slot_save_path as --slot-save-path.
        plain = name.replace("_", "-") if name.startswith("--") else name
        if plain in OURS:
            problem = f"{name} is set by mtpbench itself"
            return problem, "remove it; [live] and [[runs]] have keys for it"
        if plain in OPEN or (plain.startswith("--") and _OPEN_WORDS.search(plain)):
            problem = f"{name} opens a network, gives tools, fetches or writes files"
            return problem, "remove it: nothing of that belongs to a measurement"
    return None


def server_arguments(
    spec: SpecSettings,
    model: Path,
    draft: Path | None,
    extra: Sequence[str] = (),
    plain: Sequence[str] = ("--spec-type", "none"),
    *,
    confidence: bool = False,
    slots: int = 1,
) -> list[str]:
    """llama-server's arguments for a configuration, without address and port.

    Parameters
    ----------
    spec
        Its speculation.
    model, draft
        The files.
    extra
        The user's own, which come last.
    plain
        What says that a baseline has no speculation.
    confidence
        Whether drafted tokens are logged with their probabilities.
    slots
        Requests that it serves at once.

    Examples
    --------
    >>> server_arguments(SpecSettings("none"), Path("a.gguf"), None, ["-ngl", "99"])[:6]
    ['-m', 'a.gguf', '--spec-type', 'none', '-np', '1']
    """
    words = ["-m", str(model)]
    if draft is not None:
        words += ["-md", str(draft)]
    if spec.spec_type == "none":
        words += plain
    else:
        words += ["--spec-type", spec.spec_type]
        if spec.n_max is not None:
            for flag, value in depth_flags(spec.spec_type, spec.n_max).items():
                words += [f"--{flag}", value]
        if spec.p_min is not None:
            words += ["--spec-draft-p-min", f"{spec.p_min:g}"]
        if spec.synthetic_rates is not None:
            words += ["--spec-synth-rates", ",".join(f"{rate:g}" for rate in spec.synthetic_rates)]
    # Level 4 is where the depth in effect and the verification rounds are logged, 5 the candidates.
    level = "5" if confidence else "4"
    return [*words, "-np", str(slots), "--metrics", "-lv", level, *extra]


def shown_command(arguments: Sequence[str]) -> str:
    """A command line for records and eyes: no secrets, no folders of this machine.

    Parameters
    ----------
    arguments
        As from :func:`server_arguments`.

    Examples
    --------
    >>> shown_command(["-m", "/data/a.gguf", "--hf-token", "hf_x", "--proxy=http://u:p@host/"])
    'llama-server -m a.gguf --hf-token *** --proxy=http://***@host/'
    """
    shown = ["llama-server"]
    previous = ""
    for word in arguments:
        flag, equals, _ = word.partition("=")
        if _SECRET.fullmatch(flag) and equals:
            shown.append(f"{flag}=***")
        elif _SECRET.fullmatch(previous) and not word.startswith("--"):
            shown.append("***")
        elif previous in _MODELS:
            shown.append(Path(word).name)
        else:
            shown.append(_USER_INFO.sub("***@", word))
        previous = word
    return _without_home(" ".join(_quoted(word) for word in shown))


def _quoted(word: str) -> str:
    """The word as a shell would need it; ``***`` and ``~`` are for the eye and stay bare."""
    if re.fullmatch(r"[\w@%+=:,./*~-]+", word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _without_home(text: str) -> str:
    home = str(Path.home())
    # A home at the root of the file system would turn every path around.
    return text.replace(home, "~") if len(home) > 1 else text
