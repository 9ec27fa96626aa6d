"""The campaign folder that tuning fills, like any other live campaign's."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from analysis.campaigns.axes import Point, at
from analysis.campaigns.campaign_file import SETTINGS_FILE
from analysis.cards.wording import method_name
from analysis.errors import encodable
from analysis.files.storage import write_text
from analysis.tuning.methods import OFF_ID, Setting

__all__ = ["Wanted", "slug", "title_of", "write_campaign"]

_HEAD = """\
# Written by mtpbench tune: the settings that it tried, in the order in which it came to them.
# `mtpbench report`, `card` and `recommend` take this folder, and `mtpbench run --resume` (with
# the same --server) measures what is missing until every setting has `repeats`.
"""


@dataclass(frozen=True)
class Wanted:
    """What is asked of every server, as ``[live]`` says it.

    Attributes
    ----------
    model
        The target as campaign.toml names it.
    tasks
        Names of built-in prompts.
    point
        Requests at once, and tokens before the task.
    """

    title: str
    model: str
    tasks: tuple[str, ...]
    max_tokens: int
    server_args: tuple[str, ...] = ()
    point: Point = field(default_factory=Point)

    def run_id(self, one: Setting) -> str:
        """The id of a setting's run under these conditions."""
        return str(at({"id": one.id}, self.point)["id"])


def write_campaign(
    folder: Path, wanted: Wanted, tried: Sequence[Setting], *, confidence: bool
) -> None:
    """Write campaign.toml with the settings tried so far.

    Raises
    ------
    ReportError
        It can't be written.
    """
    lines = [
        _HEAD,
        "[campaign]",
        f"title = {_text(wanted.title)}",
        f"baseline = {_text(wanted.run_id(Setting(OFF_ID)))}",
        "",
        "[live]",
        f"model = {_text(wanted.model)}",
        f"tasks = {json.dumps(list(wanted.tasks))}",
        f"max_tokens = {wanted.max_tokens}",
        *([f"server_args = {json.dumps(list(wanted.server_args))}"] if wanted.server_args else []),
        *(f"{key} = {value}" for key, value in asdict(wanted.point).items() if value is not None),
        *(["confidence = true"] if confidence else []),
    ]
    for one in tried:
        lines += ["", *_run(one)]
    write_text(folder / SETTINGS_FILE, "\n".join(lines) + "\n")


def _run(one: Setting) -> list[str]:
    lines = ["[[runs]]", f"id = {_text(one.id)}", f"label = {_text(title_of(one))}"]
    if one.method is None:
        return [*lines, 'spec_type = "none"']
    lines += [f"spec_type = {_text(one.method.spec_type)}", f"n_max = {one.n_max}"]
    if one.p_min:
        lines.append(f"p_min = {one.p_min:g}")
    if one.method.draft is not None:
        lines.append(f"draft = {_text(one.method.draft)}")
    return lines


def title_of(one: Setting) -> str:
    """A setting as a person calls it.

    Examples
    --------
    >>> title_of(Setting("off"))
    'No speculation'
    """
    if one.method is None:
        return "No speculation"
    simple = one.method.spec_type == "draft-simple"
    kind = "Draft model" if simple else method_name(one.method.spec_type)
    # Several drafts of a kind have a name of their own.
    own = one.method.name.removeprefix(one.method.spec_type.removeprefix("draft-")).strip("-")
    named = f"{kind} ({own})" if own else kind
    return f"{named}, n_max {one.n_max}" + (f", p_min {one.p_min:g}" if one.p_min else "")


def slug(model: str) -> str:
    """A folder's name for a model's file."""
    stem = re.sub(r"\.gguf$", "", re.split(r"[\\/:]", model)[-1], flags=re.IGNORECASE)
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._").lower()[:60] or "model"


def _text(text: str) -> str:
    """A TOML string; JSON's escapes are TOML's, except for one sign that JSON lets stand."""
    return json.dumps(encodable(text), ensure_ascii=False).replace("\x7f", "\\u007f")
