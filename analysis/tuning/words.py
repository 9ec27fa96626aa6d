"""What is said when tuning has ended: the command, its preset, how sure, and what was tried."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.campaigns.spec_flags import depth_flags
from analysis.cards.shells import BASH, POWERSHELL
from analysis.cards.wording import workload_name
from analysis.errors import printable
from analysis.runner.models import DEMO, PACKAGE
from analysis.runner.time_left import duration
from analysis.tuning.chooser import ENOUGH, SPENT, Chooser
from analysis.tuning.folder import title_of
from analysis.tuning.methods import Setting, published_kinds
from analysis.tuning.search import INTERRUPTED, NO_TIME
from analysis.tuning.tune import Tuned

__all__ = ["command", "preset", "said"]

_OFF = "Leave speculation off: nothing that could be tried here is faster."
_OFF_SO_FAR = "Leave speculation off, as far as is known: what may be faster is named below."
_NOTHING = "Too little was measured to advise anything; --resume goes on."
_ENDS = {
    ENOUGH: "it was enough",
    SPENT: "one start of every setting, or 24, is the most that is spent",
    NO_TIME: "the time was up",
    INTERRUPTED: "it was interrupted",
}


def said(tuned: Tuned) -> str:
    """Everything that tuning ends with, for a terminal."""
    parts = [*_advice(tuned), *_sureness(tuned), *_tried(tuned), *_next(tuned)]
    return "\n\n".join(parts)


def _advice(tuned: Tuned) -> Iterator[str]:
    one = tuned.advised
    if one is None:
        yield _NOTHING
        return
    if one.method is None:
        yield _OFF if tuned.ended == ENOUGH else _OFF_SO_FAR
    yield f"The command:\n\n{_indented(command(tuned, one))}"
    yield f"The same as a preset, in {_shown(tuned.folder / 'preset.ini')}:\n\n" + _indented(
        preset(tuned, one)
    )


def command(tuned: Tuned, one: Setting) -> str:
    """llama-server's command for a setting, as a shell takes it."""
    shell = POWERSHELL if os.name == "nt" else BASH
    words = ["llama-server", "-m", _file(*tuned.model)]
    if one.method is not None and one.method.draft is not None:
        words += ["-md", _file(one.method.draft, tuned.drafts[one.method.draft])]
    for flag, value in _flags(one).items():
        words += [f"--{flag}", value]
    return " ".join(shell.quote(word) for word in words)


def preset(tuned: Tuned, one: Setting) -> str:
    """The same for ``llama-server --models-preset FILE``."""
    keys = {"model": _file(*tuned.model)}
    if one.method is not None and one.method.draft is not None:
        keys["model-draft"] = _file(one.method.draft, tuned.drafts[one.method.draft])
    keys |= _flags(one)
    lines = [f"{key} = {_value(value)}" for key, value in keys.items()]
    return "\n".join([f"[{one.id}]", *lines])


def _value(text: str) -> str:
    # llama.cpp ends a value where a comment could begin.
    return printable(text).replace(";", "?").replace("#", "?")


def _flags(one: Setting) -> dict[str, str]:
    if one.method is None:
        return {"spec-type": "none"}
    found = {"spec-type": one.method.spec_type, **depth_flags(one.method.spec_type, one.n_max)}
    return found | ({"spec-draft-p-min": f"{one.p_min:g}"} if one.p_min else {})


def _file(named: str, path: Path) -> str:
    """The file, so that the command works where it was printed: as given, where that is a path."""
    return str(path) if named.startswith((PACKAGE, DEMO)) else _shown(path)


def _shown(path: Path) -> str:
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)


def _sureness(tuned: Tuned) -> Iterator[str]:
    choice = tuned.choice
    if choice.advised is None or choice.drawn is None:
        return
    table = choice.belief.set_index("setting")
    row = table.loc[choice.advised]
    texts = ", ".join(workload_name(kind) for kind in tuned.workloads)
    about = (
        f"measured with {len(tuned.tasks)} of mtpbench's own prompts ({texts}), "
        f"up to {tuned.max_tokens} tokens each, greedy, {_conditions(tuned)}"
    )
    if tuned.advised is not None and tuned.advised.method is None:
        rest = table[table["method"] != row["method"]].dropna(subset=["speedup"])
        if len(rest):
            best = _fastest(rest)
            yield (
                f"The fastest with speculation, {best.name}, gives "
                f"{best['speedup']:.2f}× ({best['speedup_low']:.2f} to "
                f"{best['speedup_high']:.2f} with 90 % probability): {about}."
            )
        else:
            yield f"Nothing else could be tried: {about}."
    else:
        yield (
            f"{row['speedup']:.2f}× as many tokens per second as without speculation, "
            f"{row['speedup_low']:.2f} to {row['speedup_high']:.2f} with 90 % probability: {about}."
        )
    loss = Chooser().loss
    yield (
        f"That no setting tried here is faster has a probability of {choice.probability:.0%}; "
        f"that none is faster by more than {loss:.0%}, of {choice.close:.0%}."
    )
    if tuned.ended != ENOUGH:
        yield f"Still open, as {_ENDS[tuned.ended]}: {_rivals(choice.belief, choice.advised)}."


def _conditions(tuned: Tuned) -> str:
    clients, context = tuned.point.parallel or 1, tuned.point.context
    said = "one request at a time" if clients == 1 else f"{clients} requests at once"
    return f"{said}, behind {context} tokens of other text" if context else said


def _fastest(belief: pd.DataFrame) -> pd.Series:
    return belief.iloc[int(np.argmax(belief["speedup"]))]


def _rivals(belief: pd.DataFrame, advised: str) -> str:
    others = belief[(belief["setting"] != advised) & (belief["probability_best"] >= 0.02)]
    others = others.sort_values("probability_best", ascending=False, kind="stable").head(5)
    named = [
        f"{row['setting']} may be faster ({row['probability_best']:.0%})"
        for row in others.to_dict("records")
    ]
    return "; ".join(named) or "nothing in particular"


def _tried(tuned: Tuned) -> Iterator[str]:
    belief = tuned.choice.belief
    lines = []
    for method, own in belief.groupby("method", sort=False):
        known = own.dropna(subset=["speedup"])
        if known.empty and (own["starts"] > 0).any():
            lines.append(f"{method}: drafted nothing on these texts, so it is no speculation")
        if known.empty or tuned.settings[str(own["setting"].iloc[0])].method is None:
            continue
        best = _fastest(known)
        ran = int((own["starts"] > 0).sum())
        dropped = ", dropped: it can hardly hold the fastest" if own["dropped"].all() else ""
        predicted = "" if best["starts"] > 0 else "predicted "
        lines.append(
            f"{method}: best {title_of(tuned.settings[best['setting']])}, "
            f"{predicted}{best['speedup']:.2f}× "
            f"({best['speedup_low']:.2f} to {best['speedup_high']:.2f}); "
            f"{ran} of {len(own)} settings ran{dropped}"
        )
    lines += [f"not tried: {why}" for why in tuned.skipped]
    lines += _not_believed(tuned)
    if tuned.draft_is_missing:
        kinds = published_kinds(tuned.architecture)
        published = (
            f"published for {tuned.architecture} models: {', '.join(kinds)}"
            if kinds
            else "a smaller model with the same vocabulary is one"
        )
        lines.append(f"no draft was given and the model has no MTP layers; {published}")
    if lines:
        yield "Tried:\n" + "\n".join(f"  {printable(line)}" for line in lines)


def _not_believed(tuned: Tuned) -> Iterator[str]:
    drawn = tuned.choice.drawn
    for one in [] if drawn is None else drawn.belief.hiccups.to_dict("records"):
        setting, _, number = str(one["start"]).rpartition("/")
        yield (
            f"not believed: {one['task']} on start {number} of {setting} took {one['times']:.1f} "
            "times as long as all else leads to expect; its usual time stands in"
        )


def _next(tuned: Tuned) -> Iterator[str]:
    yield (
        f"{tuned.requests} requests on {tuned.starts} server starts of {tuned.engine} in "
        f"{duration(tuned.seconds)}; {_ENDS[tuned.ended]}."
    )
    if tuned.choice.advised is not None:
        yield f"A report of it: mtpbench report {_shown(tuned.folder)}"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))
