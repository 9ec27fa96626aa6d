"""Which of llama-server's flags does the embedded server understand?

xllamacpp has llama.cpp's settings as attributes and no parser for its flags.
The ones that matter to a benchmark are here; others need a ``llama-server``
executable. Nothing is imported from xllamacpp, so that a flag can be refused
before a server is started.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["FLAGS", "ParamsField", "UnknownFlagError", "read_flags"]


class UnknownFlagError(Exception):
    """An argument that the embedded server can't be given; its text says which and why."""


@dataclass(frozen=True)
class ParamsField:
    """One attribute of xllamacpp's ``CommonParams`` and its value.

    Attributes
    ----------
    path
        Dotted name of the attribute.
    value
        Number, text, truth value or a list of them; of an attribute that is
        an enumeration, the tail of its member's name.
    enumeration
        Name of the enumeration, or null.
    """

    path: str
    value: object
    enumeration: str | None = None


@dataclass(frozen=True)
class _Flag:
    path: str
    read: Callable[[str], object] | None
    enumeration: str | None = None
    fixed: object = None


def _layers(text: str) -> int:
    return {"auto": -1, "all": -2}[text] if text in ("auto", "all") else int(text)


def _attention(text: str) -> str:
    return {"on": "ENABLED", "off": "DISABLED", "auto": "AUTO"}[text]


def _numbers(text: str) -> list[float]:
    return [float(word) for word in text.split(",")]


def _types(text: str) -> list[str]:
    return [word.upper().replace("-", "_") for word in text.split(",")]


_TABLE: Mapping[str, _Flag] = {
    "-m --model": _Flag("model.path", str),
    "-md --model-draft --spec-draft-model": _Flag("speculative.draft.mparams.path", str),
    "-a --alias": _Flag("model_alias", lambda text: {text}),
    "--host": _Flag("hostnames", lambda text: [text]),
    "--port": _Flag("port", int),
    "--metrics": _Flag("endpoint_metrics", None, fixed=True),
    "-lv --verbosity --log-verbosity": _Flag("verbosity", int),
    "-np --parallel": _Flag("n_parallel", int),
    "--spec-type": _Flag("speculative.types", _types, "common_speculative_type"),
    "--spec-draft-n-max": _Flag("speculative.draft.n_max", int),
    "--spec-draft-n-min": _Flag("speculative.draft.n_min", int),
    "--spec-draft-p-min": _Flag("speculative.draft.p_min", float),
    "--spec-draft-p-split": _Flag("speculative.draft.p_split", float),
    "--spec-synth-rates": _Flag("speculative.synth_rates", _numbers),
    "-ngld --gpu-layers-draft --n-gpu-layers-draft --spec-draft-ngl": _Flag(
        "speculative.draft.n_gpu_layers", _layers
    ),
    "--spec-ngram-simple-size-n": _Flag("speculative.ngram_simple.size_n", int),
    "--spec-ngram-simple-size-m": _Flag("speculative.ngram_simple.size_m", int),
    "--spec-ngram-simple-min-hits": _Flag("speculative.ngram_simple.min_hits", int),
    "--spec-ngram-map-k-size-n": _Flag("speculative.ngram_map_k.size_n", int),
    "--spec-ngram-map-k-size-m": _Flag("speculative.ngram_map_k.size_m", int),
    "--spec-ngram-map-k-min-hits": _Flag("speculative.ngram_map_k.min_hits", int),
    "--spec-ngram-map-k4v-size-n": _Flag("speculative.ngram_map_k4v.size_n", int),
    "--spec-ngram-map-k4v-size-m": _Flag("speculative.ngram_map_k4v.size_m", int),
    "--spec-ngram-map-k4v-min-hits": _Flag("speculative.ngram_map_k4v.min_hits", int),
    "--spec-ngram-mod-n-match": _Flag("speculative.ngram_mod.n_match", int),
    "--spec-ngram-mod-n-min": _Flag("speculative.ngram_mod.n_min", int),
    "--spec-ngram-mod-n-max": _Flag("speculative.ngram_mod.n_max", int),
    "-c --ctx-size": _Flag("n_ctx", int),
    "-b --batch-size": _Flag("n_batch", int),
    "-ub --ubatch-size": _Flag("n_ubatch", int),
    "-t --threads": _Flag("cpuparams.n_threads", int),
    "-tb --threads-batch": _Flag("cpuparams_batch.n_threads", int),
    "-ngl --gpu-layers --n-gpu-layers": _Flag("n_gpu_layers", _layers),
    "-mg --main-gpu": _Flag("main_gpu", int),
    "-fa --flash-attn": _Flag("flash_attn_type", _attention, "llama_flash_attn_type"),
    "-ctk --cache-type-k": _Flag("cache_type_k", str.upper, "ggml_type"),
    "-ctv --cache-type-v": _Flag("cache_type_v", str.upper, "ggml_type"),
    "-cram --cache-ram": _Flag("cache_ram_mib", int),
    "--swa-full": _Flag("swa_full", None, fixed=True),
    "-nkvo --no-kv-offload": _Flag("no_kv_offload", None, fixed=True),
    "--no-warmup": _Flag("warmup", None, fixed=False),
    "--jinja": _Flag("use_jinja", None, fixed=True),
    "--no-jinja": _Flag("use_jinja", None, fixed=False),
    "--chat-template": _Flag("chat_template", str),
    "--offline": _Flag("offline", None, fixed=True),
}
FLAGS: Mapping[str, _Flag] = {
    word: flag for words, flag in _TABLE.items() for word in words.split()
}


def read_flags(words: Sequence[str]) -> list[ParamsField]:
    """Turn llama-server's arguments into settings.

    Raises
    ------
    UnknownFlagError
        For an argument that is not in the table, or a value that is none.

    Examples
    --------
    >>> read_flags(["-ngl", "99", "--jinja"])[0]
    ParamsField(path='n_gpu_layers', value=99, enumeration=None)
    """
    found = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        flag = FLAGS.get(name)
        if flag is None:
            raise UnknownFlagError(f"the embedded server has no {name}")
        if flag.read is None:
            found.append(ParamsField(flag.path, flag.fixed))
            continue
        if not equals:
            if not rest:
                raise UnknownFlagError(f"{name} has no value")
            value = rest.pop(0)
        try:
            found.append(ParamsField(flag.path, flag.read(value), flag.enumeration))
        except (ValueError, KeyError):
            raise UnknownFlagError(f"{name} can't be {value!r}") from None
    return found
