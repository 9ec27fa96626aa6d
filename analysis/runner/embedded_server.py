"""llama.cpp's HTTP server inside a Python process of its own.

``python -m analysis.runner.embedded_server ARGUMENTS…`` understands the same
arguments as ``llama-server``, serves until it is ended, and logs to its
standard streams. It is started by ``servers.py`` and by nobody else.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from functools import reduce
from typing import Any

from analysis.runner.embedded_flags import ParamsField, UnknownFlagError, read_flags

__all__ = ["main"]


def main(words: Sequence[str]) -> int:
    """Serve; returns only when llama.cpp refuses to start."""
    import xllamacpp  # noqa: PLC0415 - the flags can be judged without it

    try:
        settings = read_flags(words)
        params = xllamacpp.CommonParams()
        for setting in settings:
            _apply(xllamacpp, params, setting)
    except UnknownFlagError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    params.ui = False
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    sys.stderr.write(f"serving at {server.listening_address}\n")
    sys.stderr.flush()
    # The server works in threads of its own; a signal ends the process.
    threading.Event().wait()
    return 0


def _apply(module: Any, params: Any, setting: ParamsField) -> None:
    *parents, name = setting.path.split(".")
    owner = reduce(getattr, parents, params)
    value = setting.value
    if setting.enumeration is not None:
        kind = getattr(module, setting.enumeration)
        tails = value if isinstance(value, list) else [value]
        members = [_member(kind, str(tail)) for tail in tails]
        value = members if isinstance(value, list) else members[0]
    setattr(owner, name, value)


def _member(kind: Any, tail: str) -> Any:
    prefix = {
        "common_speculative_type": "COMMON_SPECULATIVE_TYPE_",
        "llama_flash_attn_type": "LLAMA_FLASH_ATTN_TYPE_",
        "ggml_type": "GGML_TYPE_",
    }[kind.__name__]
    try:
        return getattr(kind, prefix + tail)
    except AttributeError:
        raise UnknownFlagError(f"this build of llama.cpp has no {tail.lower()}") from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
