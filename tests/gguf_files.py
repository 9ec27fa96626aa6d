"""Small GGUF files for tests, written by gguf's own writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFEndian, GGUFWriter
from gguf.quants import quantize

TOKENS = ("<s>", "</s>", "Ġthe", "ß", "语")


def write_gguf(
    path: Path,
    architecture: str = "llama",
    *,
    tokens: Sequence[str] | None = TOKENS,
    numbers: Mapping[str, int] | None = None,
    name: str | None = "Made Model",
    file_type: int | None = 7,
    endianess: GGUFEndian = GGUFEndian.LITTLE,
) -> Path:
    """A model of two tiny layers; `numbers` are keys without the architecture's name."""
    writer = GGUFWriter(None, architecture, endianess=endianess)
    if name is not None:
        writer.add_name(name)
    if file_type is not None:
        writer.add_file_type(file_type)
    for key, value in ({"block_count": 2, "context_length": 4096} | dict(numbers or {})).items():
        writer.add_uint32(f"{architecture}.{key}", value)
    if architecture == "dflash":
        writer.add_array("dflash.target_layers", [5, 15, 25])
        writer.add_bool("dflash.has_confidence_head", True)
        writer.add_tensor("fc.weight", np.ones((4, 32), np.float16))
    if tokens is not None:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("made")
        writer.add_token_list(list(tokens))
        writer.add_token_types([1] * len(tokens))
    eight = quantize(np.ones((4, 64), np.float32), GGMLQuantizationType.Q8_0)
    for tensor in ("token_embd.weight", "blk.0.attn_q.weight", "blk.1.ffn_up.weight"):
        writer.add_tensor(tensor, eight, raw_dtype=GGMLQuantizationType.Q8_0)
    writer.add_tensor("blk.0.attn_norm.weight", np.ones(64, np.float32))
    writer.write_header_to_file(path)
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
