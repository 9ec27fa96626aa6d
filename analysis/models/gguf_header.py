"""What does the header of this GGUF file say?

Only the header is read, however large the file is, and whatever its counts
claim: each is checked against what the file can hold before it is believed.
``gguf.GGUFReader`` builds several arrays for each token of a vocabulary, which
takes seconds for a large one, and follows a corrupt count past the end of the
file; its tables of value and tensor types are used here.
"""

from __future__ import annotations

import hashlib
import math
import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from gguf.constants import (
    GGML_QUANT_SIZES,
    GGUF_DEFAULT_ALIGNMENT,
    GGMLQuantizationType,
    GGUFValueType,
)

from analysis.errors import ModelFileError

__all__ = ["TOKENS", "Array", "GgufHeader", "GgufValue", "Tensor", "read_header"]

TOKENS = "tokenizer.ggml.tokens"

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_SCALARS: Mapping[int, struct.Struct] = {
    int(kind): struct.Struct("<" + sign)
    for kind, sign in (
        (GGUFValueType.UINT8, "B"),
        (GGUFValueType.INT8, "b"),
        (GGUFValueType.UINT16, "H"),
        (GGUFValueType.INT16, "h"),
        (GGUFValueType.UINT32, "I"),
        (GGUFValueType.INT32, "i"),
        (GGUFValueType.FLOAT32, "f"),
        (GGUFValueType.BOOL, "?"),
        (GGUFValueType.UINT64, "Q"),
        (GGUFValueType.INT64, "q"),
        (GGUFValueType.FLOAT64, "d"),
    )
}
_U32, _U64 = struct.Struct("<I"), struct.Struct("<Q")

# Far above every real file, so that a corrupt count costs a moment and not an hour.
_MOST_FIELDS = 1 << 16
_MOST_TENSORS = 1 << 17
_MOST_STRINGS = 1 << 21
_LONGEST_NAME = 65535
_LONGEST_TEXT = 1 << 24
_LONGEST_LIST = 4096
_MOST_DIMENSIONS = 4
_MOST_ELEMENTS = 1 << 60


@dataclass(frozen=True)
class Array:
    """A list of a header.

    Attributes
    ----------
    count
        Number of its values.
    values
        The values of a list of numbers, unless it is very long; else null.
    sha256
        Of the vocabulary only: over each token's length (8 bytes,
        little-endian) and its bytes.
    """

    count: int
    values: tuple[float, ...] | None = None
    sha256: str | None = None


GgufValue = str | int | float | bool | Array


@dataclass(frozen=True)
class Tensor:
    """What a header says of one tensor.

    Attributes
    ----------
    kind
        ggml's name of its type, like ``Q4_K``; ``type N`` where `gguf` knows none.
    elements
        Number of weights.
    n_bytes
        Size of its data; null for a type without a known size.
    """

    name: str
    kind: str
    elements: int
    n_bytes: int | None


@dataclass(frozen=True)
class GgufHeader:
    """All of a header."""

    fields: Mapping[str, GgufValue]
    tensors: tuple[Tensor, ...]
    size: int


def read_header(path: Path) -> GgufHeader:
    """Read a GGUF file's header and nothing else of it.

    Parameters
    ----------
    path
        A GGUF file of version 2 or 3, little-endian.

    Returns
    -------
    GgufHeader
        Texts with bytes that are no UTF-8 have a replacement sign for each.

    Raises
    ------
    ModelFileError
        The file can't be read, is something else, is shorter than its header
        says, or its header is corrupt.
    """
    try:
        if not path.is_file():
            raise ModelFileError(
                "there is no such file", "give a .gguf file, or a folder with some", file=path
            )
        size = path.stat().st_size
        if size < 24:
            raise _no_gguf(path)
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Walk(path, data, len(data)).header()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelFileError(
            f"this file can't be read: {reason}", "make it readable", file=path
        ) from error


def _no_gguf(path: Path) -> ModelFileError:
    return ModelFileError(
        "this is not a GGUF file", "give a model file that llama.cpp loads", file=path
    )


@dataclass
class _Walk:
    """One pass over a header, from its first byte to the end of its tensor list."""

    path: Path
    data: mmap.mmap
    size: int
    at: int = 0

    def header(self) -> GgufHeader:
        self._version()
        tensor_count = self._count("tensors", _MOST_TENSORS, smallest=24)
        field_count = self._count("fields", _MOST_FIELDS, smallest=13)
        fields: dict[str, GgufValue] = {}
        for _ in range(field_count):
            name = self._text(_LONGEST_NAME)
            if not name or name in fields:
                self._corrupt(
                    f"field {name[:60]!r} is there twice" if name else "a field has no name"
                )
            fields[name] = self._value(name, self._number(_U32))
        tensors: dict[str, Tensor] = {}
        end = 0
        for _ in range(tensor_count):
            tensor, its_end = self._tensor()
            if tensor.name in tensors:
                self._corrupt(f"tensor {tensor.name[:60]!r} is there twice")
            tensors[tensor.name] = tensor
            end = max(end, its_end)
        self._check_end(fields, end)
        return GgufHeader(fields, tuple(tensors.values()), self.size)

    def _version(self) -> None:
        if self.data[:4] != _MAGIC:
            raise _no_gguf(self.path)
        self.at = 4
        version = self._number(_U32)
        if version & 0xFFFF == 0:
            raise ModelFileError(
                "this GGUF file is big-endian", "convert it to little-endian", file=self.path
            )
        if version not in _VERSIONS:
            raise ModelFileError(
                f"this is GGUF version {version}, and versions 2 and 3 are known",
                "convert it with a current llama.cpp",
                file=self.path,
            )

    def _value(self, name: str, kind: int) -> GgufValue:
        if kind in _SCALARS:
            return self._number(_SCALARS[kind])
        if kind == GGUFValueType.STRING:
            return self._text(_LONGEST_TEXT)
        if kind == GGUFValueType.ARRAY:
            return self._array(name)
        return self._corrupt(f"field {name[:60]!r} has the unknown type {kind}")

    def _array(self, name: str) -> Array:
        kind = self._number(_U32)
        if kind == GGUFValueType.STRING:
            count = self._count(f"texts in {name[:60]!r}", _MOST_STRINGS, smallest=8)
            return self._texts(name, count)
        if kind not in _SCALARS:
            self._corrupt(f"field {name[:60]!r} is a list of the unknown type {kind}")
        form = _SCALARS[kind]
        count = self._count(f"numbers in {name[:60]!r}", self.size, smallest=form.size)
        start, self.at = self.at, self.at + count * form.size
        if count > _LONGEST_LIST:
            return Array(count)
        values = struct.unpack_from(f"<{count}{form.format[1:]}", self.data, start)
        return Array(count, tuple(values))

    def _texts(self, name: str, count: int) -> Array:
        start = at = self.at
        read, data = _U64.unpack_from, self.data
        try:
            for _ in range(count):
                at += 8 + read(data, at)[0]
        except (struct.error, OverflowError):
            self._cut()
        if at > self.size:
            self._cut()
        self.at = at
        if name != TOKENS:
            return Array(count)
        return Array(count, sha256=hashlib.sha256(memoryview(data)[start:at]).hexdigest())

    def _tensor(self) -> tuple[Tensor, int]:
        """A tensor, and where its data ends within the file's data."""
        name = self._text(_LONGEST_NAME)
        dimensions = self._number(_U32)
        if dimensions > _MOST_DIMENSIONS:
            self._corrupt(f"tensor {name[:60]!r} has {dimensions} dimensions")
        elements = math.prod(self._number(_U64) for _ in range(dimensions))
        if elements > _MOST_ELEMENTS:
            self._corrupt(f"tensor {name[:60]!r} has {elements} weights")
        kind = self._number(_U32)
        offset = self._number(_U64)
        try:
            known = GGMLQuantizationType(kind)
        except ValueError:
            return Tensor(name, f"type {kind}", elements, None), offset
        block, block_bytes = GGML_QUANT_SIZES[known]
        n_bytes = elements // block * block_bytes
        return Tensor(name, known.name, elements, n_bytes), offset + n_bytes

    def _check_end(self, fields: Mapping[str, GgufValue], end: int) -> None:
        alignment = fields.get("general.alignment", GGUF_DEFAULT_ALIGNMENT)
        if not isinstance(alignment, int) or alignment < 1:
            self._corrupt(f"the alignment is {alignment!r}")
        start = -(-self.at // alignment) * alignment
        if end and start + end > self.size:
            raise ModelFileError(
                f"this file ends after {self.size} bytes, and its header says {start + end}",
                "download it again",
                file=self.path,
            )

    def _text(self, longest: int) -> str:
        length = self._number(_U64)
        if length > self.size - self.at:
            self._cut()
        if length > longest:
            self._corrupt(f"a text has {length} bytes")
        start, self.at = self.at, self.at + length
        return self.data[start : self.at].decode("utf-8", "replace")

    def _count(self, what: str, most: int, smallest: int) -> int:
        count = self._number(_U64)
        if count > most:
            self._corrupt(f"it has {count} {what}")
        if count * smallest > self.size - self.at:
            self._cut()
        return count

    def _number(self, form: struct.Struct) -> int:
        if self.at + form.size > self.size:
            self._cut()
        number: int = form.unpack_from(self.data, self.at)[0]
        self.at += form.size
        return number

    def _cut(self) -> NoReturn:
        raise ModelFileError(
            "this file ends, or goes wrong, within its header", "download it again", file=self.path
        )

    def _corrupt(self, problem: str) -> NoReturn:
        raise ModelFileError(
            f"this GGUF header is corrupt: {problem}", "download it again", file=self.path
        )
