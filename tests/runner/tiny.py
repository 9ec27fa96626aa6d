"""A target of a few kilobytes, whole enough for everything that reads or remakes GGUF files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gguf import GGUFWriter, TokenType

WIDTH, HIDDEN, HEADS, KEY_HEADS = 32, 48, 4, 2


def tiny_target(
    path: Path, layers: int = 18, architecture: str = "llama", **left_out: bool
) -> Path:
    """Write a model whose every tensor of layer N holds the value N."""
    writer = GGUFWriter(path, architecture)
    writer.add_block_count(layers)
    writer.add_context_length(128)
    writer.add_embedding_length(WIDTH)
    if not left_out.get("feed_forward"):
        writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_array(f"{architecture}.made.per_layer", list(range(layers)))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([b"<|end|>", b"a", b"b", b"<|pad|>"])
    control = TokenType.CONTROL
    kinds = [control, TokenType.NORMAL, TokenType.NORMAL, control]
    writer.add_token_types([control] * 4 if left_out.get("text") else kinds)
    writer.add_eos_token_id(0)
    writer.add_tensor("token_embd.weight", np.zeros((4, WIDTH), np.float16))
    for layer in range(layers):
        writer.add_tensor(f"blk.{layer}.attn_norm.weight", np.full(WIDTH, layer, np.float32))
        writer.add_tensor(f"blk.{layer}.ffn_up.weight", np.full((HIDDEN, WIDTH), layer, np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
