"""How is a draft made of nothing but its target: its own layers, or random weights?"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from gguf import GGUFReader, GGUFValueType, GGUFWriter, TokenType

from analysis.errors import MtpbenchError

__all__ = ["DemoDraftError", "Target", "dflash", "dspark", "self_draft"]

LEFT_OUT = 15
"""``demo:self`` leaves out one layer of this many: 2 of SmolLM2's 30."""
LAST_KEPT = 2
"""The layers left out end before this many last ones, which shape the output most."""
BLOCKS = 2
BLOCK_SIZE = 8
HEARD = (1 / 6, 1 / 2, 5 / 6)
"""Where in the target's layers DFlash listens: 5, 15 and 25 of 30."""
MARKOV_RANK = 64
_LAYER = re.compile(r"blk\.(\d+)\.(.+)")
Matrix = npt.NDArray[np.float16] | npt.NDArray[np.float32]


class DemoDraftError(MtpbenchError):
    """A demo draft that can't be made for a target, or can't be written."""


class Target:
    """A target's file, and the facts of it that a draft must share."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reader = GGUFReader(path)
        self.architecture = str(self._field("general.architecture"))
        self.layers = self.whole("block_count")

    def draft_architecture(self, recipe: object) -> str:
        """What a draft of this target is to llama.cpp."""
        return self.architecture if recipe is self_draft else "dflash"

    def whole(self, key: str, otherwise: int | None = None) -> int:
        """A whole number of the architecture's own keys."""
        value = self._field(f"{self.architecture}.{key}", otherwise)
        if not isinstance(value, int) or value < 1:
            self.refuse(f"its {key} is {value!r}")
        return value

    def number(self, key: str, otherwise: float) -> float:
        """A number of the architecture's own keys."""
        return float(self._field(f"{self.architecture}.{key}", otherwise))

    def fields(self) -> Iterator[tuple[str, Any, GGUFValueType, GGUFValueType | None]]:
        """Every key that a writer does not write itself: value, type and type of items."""
        for key, field in self.reader.fields.items():
            if not key.startswith("GGUF.") and key != "general.architecture":
                is_list = field.types[0] == GGUFValueType.ARRAY
                yield key, field.contents(), field.types[0], field.types[-1] if is_list else None

    def last_plain_token(self) -> int:
        """Id of the last token that is text.

        An untrained draft mostly repeats its mask token, and llama.cpp never
        accepts one that ends a text, as unknown and padding tokens often do.
        """
        kinds = self._field("tokenizer.ggml.token_type", [])
        for token in reversed(range(len(kinds))):
            if kinds[token] == TokenType.NORMAL:
                return token
        return self.refuse("its vocabulary has no plain tokens")

    def refuse(self, problem: str) -> NoReturn:
        """Say why there can be none."""
        raise DemoDraftError(
            f"no demo draft can be made for this model: {problem}",
            "use a dense model of llama's kind, or a draft of your own",
            self.path,
        )

    def _field(self, key: str, otherwise: Any = None) -> Any:
        field = self.reader.fields.get(key)
        return otherwise if field is None else field.contents()


def self_draft(target: Target, writer: GGUFWriter) -> None:
    """The target's own layers, less a few before its last ones."""
    dropped = max(target.layers // LEFT_OUT, 1)
    first = target.layers - LAST_KEPT - dropped
    if first < 1:
        target.refuse(f"it has {target.layers} layers")
    kept = [layer for layer in range(target.layers) if not first <= layer < first + dropped]
    places = {layer: place for place, layer in enumerate(kept)}
    for key, value, kind, items in target.fields():
        own = value
        if key == f"{target.architecture}.block_count":
            own = len(kept)
        elif (
            key.startswith(f"{target.architecture}.")
            and isinstance(value, list)
            and len(value) == target.layers
        ):
            # One value per layer, like the heads of models whose layers differ.
            own = [value[layer] for layer in kept]
        writer.add_key_value(key, own, kind, items)
    for tensor in target.reader.tensors:
        name = tensor.name
        if layer := _LAYER.fullmatch(name):
            if int(layer[1]) not in places:
                continue
            name = f"blk.{places[int(layer[1])]}.{layer[2]}"
        writer.add_tensor(name, tensor.data, raw_dtype=tensor.tensor_type)


@dataclass(frozen=True)
class _Shape:
    """The sizes that a block draft takes over from its target."""

    width: int
    hidden: int
    heads: int
    key_heads: int
    head: int

    @classmethod
    def of(cls, target: Target) -> _Shape:
        width, heads = target.whole("embedding_length"), target.whole("attention.head_count")
        return cls(
            width,
            target.whole("feed_forward_length"),
            heads,
            target.whole("attention.head_count_kv", heads),
            target.whole("attention.key_length", width // heads),
        )


def dflash(target: Target, writer: GGUFWriter) -> None:
    """A DFlash draft with random weights; embeddings and head are the target's."""
    shape = _Shape.of(target)
    _dflash_keys(target, writer, shape)
    width, queries, keys = shape.width, shape.heads * shape.head, shape.key_heads * shape.head
    tensors: dict[str, tuple[int, ...]] = {
        "fc.weight": (width, len(HEARD) * width),
        "enc.output_norm.weight": (width,),
        "output_norm.weight": (width,),
    }
    for block in range(BLOCKS):
        shapes: dict[str, tuple[int, ...]] = {
            "attn_norm": (width,),
            "attn_q": (queries, width),
            "attn_k": (keys, width),
            "attn_v": (keys, width),
            "attn_output": (width, queries),
            "attn_q_norm": (shape.head,),
            "attn_k_norm": (shape.head,),
            "ffn_norm": (width,),
            "ffn_gate": (shape.hidden, width),
            "ffn_up": (shape.hidden, width),
            "ffn_down": (width, shape.hidden),
        }
        tensors |= {f"blk.{block}.{name}.weight": shape for name, shape in shapes.items()}
    for name, size in tensors.items():
        writer.add_tensor(name, _weights(name, size))


def _dflash_keys(target: Target, writer: GGUFWriter, shape: _Shape) -> None:
    writer.add_name("Demo draft with random weights")
    writer.add_block_count(BLOCKS)
    writer.add_context_length(target.whole("context_length"))
    writer.add_embedding_length(shape.width)
    writer.add_feed_forward_length(shape.hidden)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.key_heads)
    writer.add_key_length(shape.head)
    writer.add_value_length(shape.head)
    writer.add_layer_norm_rms_eps(target.number("attention.layer_norm_rms_epsilon", 1e-5))
    writer.add_rope_freq_base(target.number("rope.freq_base", 10000.0))
    writer.add_rope_dimension_count(target.whole("rope.dimension_count", shape.head))
    writer.add_uint32("dflash.block_size", BLOCK_SIZE)
    writer.add_array("dflash.target_layers", [int(target.layers * share) for share in HEARD])
    for key, value, kind, items in target.fields():
        if key.startswith("tokenizer.") and key != "tokenizer.ggml.mask_token_id":
            writer.add_key_value(key, value, kind, items)
    writer.add_mask_token_id(target.last_plain_token())


def dspark(target: Target, writer: GGUFWriter) -> None:
    """DFlash with DSpark's Markov head and confidence head."""
    dflash(target, writer)
    writer.add_bool("dflash.sample_from_anchor", True)
    writer.add_bool("dflash.has_confidence_head", True)
    tokens = len(target.reader.fields["tokenizer.ggml.tokens"].data)
    width = target.whole("embedding_length")
    for name, shape in (
        ("markov_w1.weight", (tokens, MARKOV_RANK)),
        ("markov_w2.weight", (tokens, MARKOV_RANK)),
        ("conf_proj.weight", (1, width + MARKOV_RANK)),
    ):
        writer.add_tensor(name, _weights(name, shape))


def _weights(name: str, shape: tuple[int, ...]) -> Matrix:
    """Random values that every machine and version of numpy gives alike.

    Only a bit generator's raw stream is promised to stay the same, so the
    values are made of that: uniform, with variance 1 / fan-in. Norms are ones.
    """
    if len(shape) == 1:
        return np.ones(shape, np.float32)
    count = int(np.prod(shape))
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")
    raw = np.random.PCG64(seed).random_raw(-(-count // 4))
    steps = raw.astype("<u8").view("<u2")[:count].astype(np.float32)
    bound = np.float32((3 / shape[1]) ** 0.5)
    values: npt.NDArray[np.float32] = (steps / np.float32(32767.5) - 1) * bound
    return values.astype(np.float16).reshape(shape)
