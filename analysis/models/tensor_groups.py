"""Tensors by class: where are a model's bytes, and in which quantisation?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from analysis.models.gguf_header import Tensor

__all__ = ["TensorGroup", "main_type", "tensor_groups"]

_CLASSES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        # The first that matches: a norm inside of an attention is a norm.
        ("norm", r"norm"),
        ("embedding", r"^(token_embd|position_embd|per_layer_token_embd)\b"),
        ("output", r"^output\b"),
        ("experts", r"ffn_\w{0,40}_(exps|shexp|chexps)\b|ffn_gate_inp"),
        ("feed-forward", r"ffn_"),
        ("recurrent", r"ssm_|time_mix|shortconv"),
        ("attention", r"attn_"),
        ("draft", r"^(fc|enc\.|markov|conf_proj|d2t|t2d)|nextn"),
    )
)


@dataclass(frozen=True)
class TensorGroup:
    """Tensors of one class and type.

    Attributes
    ----------
    tensors
        What they do: ``embedding``, ``attention``, ``experts``, …
    kind
        ggml's name of their type.
    count, elements
        Number of tensors, and of weights in them.
    n_bytes
        Size of their data; null for a type without a known size.
    """

    tensors: str
    kind: str
    count: int
    elements: int
    n_bytes: int | None


def tensor_groups(tensors: Iterable[Tensor]) -> tuple[TensorGroup, ...]:
    """Tensors by class and type, the groups with most bytes first."""
    found: dict[tuple[str, str], list[Tensor]] = {}
    for tensor in tensors:
        found.setdefault((_class(tensor.name), tensor.kind), []).append(tensor)
    order = [name for name, _ in _CLASSES]
    groups = []
    for (name, kind), members in found.items():
        sizes = [tensor.n_bytes for tensor in members if tensor.n_bytes is not None]
        groups.append(
            TensorGroup(
                name,
                kind,
                len(members),
                sum(tensor.elements for tensor in members),
                sum(sizes) if len(sizes) == len(members) else None,
            )
        )
    rank = {name: position for position, name in enumerate((*order, "other"))}
    return tuple(
        sorted(groups, key=lambda group: (-(group.n_bytes or 0), rank[group.tensors], group.kind))
    )


def _class(name: str) -> str:
    return next((known for known, pattern in _CLASSES if pattern.search(name)), "other")


def main_type(groups: Iterable[TensorGroup]) -> str | None:
    """The type that holds most bytes; null without tensors."""
    sums: dict[str, int] = {}
    for group in groups:
        sums[group.kind] = sums.get(group.kind, 0) + (group.n_bytes or 0)
    return max(sums, key=lambda kind: sums[kind], default=None)
