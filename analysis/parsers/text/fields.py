"""What keys and column headings mean, and what stands in the cells under them.

JSON keys, CSV headings and the headings of Markdown tables name the same few
figures in many ways. One list of names serves them all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape

from analysis.parsers.text.grammar import NUMBER, as_count, as_measure, real

__all__ = ["COUNTS", "MEASURES", "CellFigure", "Field", "cell_figure", "cell_text", "field"]


@dataclass(frozen=True)
class Field:
    """A figure's name in our records, and the power of ten to its unit there."""

    name: str
    power: int = 0


COUNTS = frozenset(
    {
        "predicted_tokens",
        "draft_tokens",
        "accepted_tokens",
        "prompt_tokens",
        "n_requests",
        "n_max",
        "repeat",
        "concurrency",
        "rounds",
    }
)
MEASURES = frozenset(
    {
        "acceptance_rate",
        "wall_s",
        "request_wall_s",
        "elapsed_s",
        "decode_s",
        "decode_tps",
        "mean_tps",
        "effective_tps",
        "prompt_s",
        "first_token_s",
        "mean_length",
        "p_min",
        "temperature",
    }
)

_NAMES: Mapping[str, str] = {
    "predicted_tokens": "predicted_n predicted pred n_predicted total_predicted predicted_tokens "
    "total_predicted_tokens tokens_predicted generated generated_tokens total_generated "
    "completion_tokens predicted_tokens_count output_tokens "
    "total_output_tokens tokens gen_tokens n_gen n_decoded generation_tokens "
    "num_generation_tokens",
    "draft_tokens": "draft_n draft drafted n_draft n_drafted total_draft draft_tokens "
    "drafted_tokens num_draft_tokens total_draft_tokens total_draft_tokens_count "
    "spec_decode_draft_tokens spec_decode_num_draft_tokens proposed",
    "accepted_tokens": "draft_n_accepted draft_accept_n accepted acc n_accept n_accepted "
    "accepted_tokens num_accepted_tokens total_draft_accepted draft_accepted total_accepted "
    "spec_decode_accepted_tokens spec_decode_num_accepted_tokens accepted_draft_tokens_count",
    "prompt_tokens": "prompt_n prompt_tokens n_prompt n_prompt_tokens prompt_tokens_count",
    "n_requests": "n_requests requests n_prompts samples completed successful_requests",
    "n_max": "n_max spec_draft_n_max draft_n_max draft_max max_draft spec_n_max depth "
    "num_speculative_tokens",
    "repeat": "repeat rep repetition run iteration iter trial probe seed_index",
    "concurrency": "concurrency streams parallel np",
    "rounds": "rounds n_rounds draft_rounds num_drafts drafts spec_decode_num_drafts",
    "acceptance_rate": "accept_rate acceptance_rate aggregate_accept_rate acceptance accept "
    "acc_rate draft_acceptance draft_acceptance_rate accept_pct acceptance_pct accept_percent "
    "acceptance_percent rate draft_rate draft_acc draft_accept accept_ratio acceptance_ratio "
    "mean_acceptance mean_acceptance_rate avg_accept average_acceptance average_acceptance_rate "
    "draft_acceptance_pct acc_pct avg_acceptance avg_accept_rate spec_decode_acceptance_rate",
    "wall_s": "wall_s wall wall_secs wall_seconds wall_time wall_time_s wall_s_total "
    "total_wall_s total_wall total_wall_time total_wall_time_s wall_sec latency_s",
    "request_wall_s": "request_wall_s_total",
    "elapsed_s": "batch_wall_s elapsed_s elapsed",
    "decode_s": "decode_s predicted_s decode_time_s generation_s",
    "decode_tps": "predicted_per_second tok_s t_s tk_s tps tokens_s tokens_per_second toks "
    "predicted_tps decode_tps decode_tok_s decode_t_s gen_tps gen_tok_s generation_tps tg tg_tps "
    "tg_t_s tok_per_s tokens_per_sec speed pred_t_s t_sec tok_sec token_s",
    "mean_tps": "avg_tok_s average_tok_s mean_tok_s avg_tps average_tps mean_tps average_tk_s "
    "avg_t_s average_t_s avg_tokens_s average_tokens_s avg_tk_s avg_tokens_per_second "
    "average_tokens_per_second mean_request_tok_s avg_pred_t_s",
    "effective_tps": "aggregate_throughput aggregate_throughput_tok_s effective_tps "
    "aggregate_tok_s total_tok_s",
    "prompt_s": "prompt_s prefill_s",
    "first_token_s": "ttft_s time_to_first_token_sec",
    "mean_length": "mean_len mean_length acceptance_length accept_length mean_acceptance_length "
    "length a_len accept_len avg_accept_len mean_accepted_length accepted_length "
    "avg_accept_length mean_accept_length spec_decode_acceptance_length",
    "p_min": "p_min draft_p_min spec_draft_p_min",
    "temperature": "temperature temp",
    "task": "task name prompt prompt_name prompt_id task_name",
    "target": "model model_name gguf target",
    "draft": "draft_model model_draft",
    "build": "build llama_build build_number llama_cpp_build",
    "spec_type": "spec_type draft_kind",
    "command": "command load_command server_command cmd spec_flags flags",
    "label": "label mode config configuration arm variant setup",
    "error": "error",
}
_MILLISECONDS: Mapping[str, str] = {
    "decode_s": "predicted_ms decode_ms eval_ms generation_ms",
    "prompt_s": "prompt_ms prefill_ms prompt_eval_ms",
    "first_token_s": "ttft_ms",
    "wall_s": "wall_ms latency_ms",
}
_FIELDS = {name: Field(key) for key, names in _NAMES.items() for name in names.split()} | {
    name: Field(key, -3) for key, names in _MILLISECONDS.items() for name in names.split()
}
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LINK = re.compile(r"\[([^\[\]]{0,200})\]\([^()]{0,500}\)")
_ESCAPED = re.compile(r"(?<!\\)\\([*_|~<>&()\[\]#-])")
_WINDOWS = re.compile(r"[A-Za-z]:\\|\\\\|\w\\\w")
_PRIVATE_USE = 0xF700
_KEPT = re.compile("[\uf721-\uf77e]")
"""Signs that stood escaped, until emphasis is taken off."""
_HOME = re.compile(r"~[A-Za-z_]?[\w.-]*[\\/]")
_TAG = re.compile(r"<[^<>]{0,200}>")
_NOTHING = frozenset({"", "-", "--", "\u2013", "\u2014", "n/a", "na", "none", "null", "nan", "?"})
_UNIT = r"tokens?/s(?:ec)?|tok/s|tk[/\\]s|t/s|tps|%|x|\u00d7|seconds|secs?|s|ms|tokens?"
_QUANTITY = re.compile(
    rf"[~\u2248]?\s*+({NUMBER})\s*+({_UNIT})?(?:\s*+(?:\u00b1|\+/-)\s*+{NUMBER}\s*+%?)?",
    re.IGNORECASE,
)
_LONGEST_CELL = 80
_LONGEST_KEY = 60


def field(key: str) -> Field | None:
    r"""Return what a key or a column heading stands for.

    Examples
    --------
    >>> field("Tok/s"), field("average tk\\s").name, field("Accept%").name
    (Field(name='decode_tps', power=0), 'mean_tps', 'acceptance_rate')
    >>> field("predicted_ms"), field("spec-draft-n-max").name, field("Speedup")
    (Field(name='decode_s', power=-3), 'n_max', None)
    """
    if len(key) > _LONGEST_KEY:
        return None
    text = _CAMEL.sub("_", cell_text(key)).lower()
    words = re.sub(r"[^a-z0-9]+", "_", text).strip("_")
    return _FIELDS.get(words)


def cell_text(cell: str) -> str:
    r"""Return a table's cell without Markdown's emphasis, code marks, links, tags and escapes.

    Examples
    --------
    >>> cell_text(" **`code_python`** "), cell_text("[a](b) <sub>c</sub>")
    ('code_python', 'a c')
    >>> cell_text(r"a\|b &lt;i&gt; \*c\*")
    'a|b <i> *c*'
    """
    text = _TAG.sub("", _LINK.sub(r"\1", cell.strip())).replace("`", "")
    escaped = "\\" in text and not _WINDOWS.search(text)
    if escaped:
        text = _ESCAPED.sub(lambda found: chr(_PRIVATE_USE + ord(found[1])), text)
    text = text.replace("**", "").lstrip(" \t\n*_").rstrip(" \t\n*_")
    # Before a figure it says "about"; before a name it is somebody's home.
    text = (text if _HOME.match(text) else text.lstrip(" \t\n*_~")).strip()
    if escaped:
        text = _KEPT.sub(lambda found: chr(ord(found[0]) - _PRIVATE_USE), text)
    return unescape(text) if "&" in text else text


@dataclass(frozen=True)
class CellFigure:
    """What a cell says: a value, nothing, or something that is not a figure."""

    value: float | None = None
    unit: str = ""
    unread: bool = False


def cell_figure(value: object, name: str) -> CellFigure:
    """Read a cell or a JSON value as the figure `name`.

    Parameters
    ----------
    value
        A cell's text, or a value of JSON.
    name
        A member of :data:`COUNTS` or :data:`MEASURES`.

    Examples
    --------
    >>> cell_figure("85.73 tok/s", "decode_tps").value
    85.73
    >>> cell_figure("1,419", "predicted_tokens").value
    1419.0
    >>> cell_figure("\u2014", "acceptance_rate"), cell_figure("soon", "wall_s").unread
    (CellFigure(value=None, unit='', unread=False), True)
    """
    if value is None or isinstance(value, bool):
        return CellFigure(unread=isinstance(value, bool))
    unit = ""
    if isinstance(value, str):
        text = cell_text(value)
        if text.lower() in _NOTHING:
            return CellFigure()
        whole = _QUANTITY.fullmatch(text) if len(text) <= _LONGEST_CELL else None
        if whole is None:
            return CellFigure(unread=True)
        value, unit = whole[1], (whole[2] or "").lower()
        if name in MEASURES:
            value = real(whole[1])
    number = as_count(value) if name in COUNTS else as_measure(value)
    return CellFigure(unread=True) if number is None else CellFigure(float(number), unit)
