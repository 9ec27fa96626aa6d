"""Which variables of our environment does a server get? Those on a list, and no others.

What it needs to run at all, and what chooses among the machine's devices. The
rest is none of its business: settings of llama.cpp's own (``LLAMA_ARG_…``),
which would change a measurement behind its recorded command, and whatever
secrets there are.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from analysis.runner.redaction import is_secret_name

__all__ = ["server_environment", "told"]

NEEDED = frozenset(
    (
        "PATH",
        "HOME",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TMPDIR",
        "TEMP",
        "TMP",
        "LD_LIBRARY_PATH",
        "DYLD_LIBRARY_PATH",
        "DYLD_FALLBACK_LIBRARY_PATH",
        "XDG_CACHE_HOME",
        "XDG_RUNTIME_DIR",
        # Windows finds its own libraries by these.
        "SYSTEMROOT",
        "SYSTEMDRIVE",
        "WINDIR",
        "COMSPEC",
        "PATHEXT",
        "USERPROFILE",
        "LOCALAPPDATA",
        "PROGRAMDATA",
        "PROGRAMFILES",
        "NUMBER_OF_PROCESSORS",
        "PROCESSOR_ARCHITECTURE",
    )
)
DEVICES = frozenset(
    (
        "GPU_DEVICE_ORDINAL",
        "LIBVA_DRIVER_NAME",
        "MESA_VK_DEVICE_SELECT",
        "NVIDIA_VISIBLE_DEVICES",
        "NVIDIA_DRIVER_CAPABILITIES",
        "NVIDIA_TF32_OVERRIDE",
        "ONEAPI_DEVICE_SELECTOR",
    )
)
DEVICE_PREFIXES = (
    "CUDA_",
    "GGML_",
    "GOMP_",
    "HIP_",
    "HSA_",
    "KMP_",
    "MKL_",
    "OMP_",
    "OPENBLAS_",
    "RADV_",
    "ROCR_",
    "SYCL_",
    "VK_",
    "ZE_",
    "ZES_",
)
"""They choose devices, threads and kernels, so they belong to what was measured."""

ISOLATED: Mapping[str, str] = {
    # One line in the log for each verification round.
    "LLAMA_TRACE": "1",
    # llama.cpp reads a configuration file of the user's from here: in this place there is none.
    "APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME": os.devnull,
}


def server_environment() -> dict[str, str]:
    """The whole environment of a server."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in NEEDED or name.startswith("LC_") or _chooses(name)
    }
    return {**kept, **ISOLATED}


def told(environment: Mapping[str, str]) -> dict[str, str]:
    """What of an environment belongs into a record: all that can change what is measured."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if name in ISOLATED or _chooses(name)
    }


def _chooses(name: str) -> bool:
    named = name.upper() in DEVICES or name.startswith(DEVICE_PREFIXES)
    return named and not is_secret_name(name)
