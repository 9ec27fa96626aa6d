"""Which llama-server flags set a run's speculation?

A card's command, its preset and a live run give the same answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["depth_flags"]

DEPTH_FLAGS: Mapping[str, str] = MappingProxyType(
    {
        "ngram-simple": "spec-ngram-simple-size-m",
        "ngram-map-k": "spec-ngram-map-k-size-m",
        "ngram-map-k4v": "spec-ngram-map-k4v-size-m",
        "ngram-mod": "spec-ngram-mod-n-max",
    }
)
"""llama-server's flag for the depth, where it is not ``spec-draft-n-max``."""

NGRAM_MOD_N_MIN = 48
"""ngram-mod's default for the fewest tokens in a draft; shorter ones are dropped."""


def depth_flags(spec_type: str, n_max: int) -> dict[str, str]:
    """Long flags, without dashes, that let a method draft up to `n_max` tokens.

    Examples
    --------
    >>> depth_flags("draft-dflash", 4)
    {'spec-draft-n-max': '4'}

    ngram-mod drops drafts below its own minimum, so that has to come down too:

    >>> depth_flags("ngram-mod", 16)
    {'spec-ngram-mod-n-max': '16', 'spec-ngram-mod-n-min': '16'}
    """
    flags = {DEPTH_FLAGS.get(spec_type, "spec-draft-n-max"): str(n_max)}
    if spec_type == "ngram-mod" and n_max < NGRAM_MOD_N_MIN:
        flags["spec-ngram-mod-n-min"] = str(n_max)
    return flags
