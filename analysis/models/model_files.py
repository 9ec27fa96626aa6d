"""Which facts about a model does its GGUF file state?

Everything here comes from headers, see ``gguf_header``; a model that is split
over several files is read as one. No folder ever enters the facts, only names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, Self

from gguf.constants import LlamaFileType

from analysis.errors import ModelFileError, encodable
from analysis.files.hashes import sha256
from analysis.hub.terms import REPOSITORY
from analysis.models.gguf_header import TOKENS, Array, GgufHeader, GgufValue, Tensor, read_header
from analysis.models.tensor_groups import TensorGroup, main_type, tensor_groups
from analysis.privacy import public_model

__all__ = ["DRAFT_ARCHITECTURES", "ModelFile", "Part", "Role", "model_paths", "read_model"]

DRAFT_ARCHITECTURES = ("dflash", "dspark", "eagle", "eagle3", "medusa", "mtp")
"""Architectures of models that can only draft for another."""

Role = Literal["target", "draft"]

_SHARD = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<total>\d{5})(?P<suffix>\.gguf)")


@dataclass(frozen=True)
class Part:
    """One file on disk: its name, size in bytes and, when it was asked for, SHA-256."""

    name: str
    size: int
    sha256: str | None = None


@dataclass(frozen=True)
class ModelFile:
    """What a GGUF file says of itself; null is not stated.

    Attributes
    ----------
    parts
        The file, or the files of a split model in order.
    architecture, name
        As stated.
    quantization
        The file type that the converter stated, like ``Q4_K_M``; where it
        stated none, the type that holds most bytes.
    elements
        Number of weights.
    groups
        Tensors by class and type.
    block_size, target_layers, confidence_head
        Of a DFlash or DSpark draft: tokens per drafted block, the target's
        layers that it listens to, whether it has a confidence head.
    context_length
        Tokens that the model was trained for.
    tokenizer, pre_tokenizer
        llama.cpp's names.
    vocabulary_size, vocabulary_sha256
        Number of tokens, and a hash of their texts in order.
    license, license_name, license_link
        As stated.
    repository
        On the Hub, of the weights that were converted, ``OWNER/NAME``.
    role
        What its giver or its architecture says that it is for; null is open.
    """

    parts: tuple[Part, ...]
    architecture: str | None = None
    name: str | None = None
    quantization: str | None = None
    elements: int | None = None
    groups: tuple[TensorGroup, ...] = ()
    block_count: int | None = None
    block_size: int | None = None
    target_layers: tuple[int, ...] | None = None
    confidence_head: bool | None = None
    context_length: int | None = None
    tokenizer: str | None = None
    pre_tokenizer: str | None = None
    vocabulary_size: int | None = None
    vocabulary_sha256: str | None = None
    license: str | None = None
    license_name: str | None = None
    license_link: str | None = None
    repository: str | None = None
    role: Role | None = None

    @property
    def file(self) -> str:
        """Name of the file; of a split model, of its first."""
        return self.parts[0].name

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(part.size for part in self.parts)

    @property
    def drafts_only(self) -> bool:
        """Whether its architecture can do nothing but draft for another model."""
        architecture = self.architecture or ""
        return architecture in DRAFT_ARCHITECTURES or self.block_size is not None

    def trained_depth(self, spec_type: str | None) -> int | None:
        """Most tokens that a DFlash or DSpark draft writes in one round; null for others."""
        methods = set((spec_type or "").split(","))
        if self.block_size is None or not methods & {"draft-dflash", "draft-dspark"}:
            return None
        # A DFlash block's first position is the last accepted token; DSpark drafts there too.
        return self.block_size - ("draft-dspark" not in methods)

    def as_dict(self) -> dict[str, Any]:
        """Plain data that JSON can hold."""
        data = asdict(self)
        data["parts"] = list(data["parts"])
        data["groups"] = list(data["groups"])
        if self.target_layers is not None:
            data["target_layers"] = list(self.target_layers)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`as_dict`; keys that a later version adds are left out."""
        known = {field.name: data[field.name] for field in fields(cls) if field.name in data}
        known["parts"] = tuple(Part(**part) for part in data["parts"])
        known["groups"] = tuple(TensorGroup(**group) for group in data.get("groups", ()))
        if known.get("target_layers") is not None:
            known["target_layers"] = tuple(known["target_layers"])
        return cls(**known)


def model_paths(place: str | Path) -> tuple[Path, ...]:
    """The models at a place: the file itself, or a folder's, the later parts of a split left out.

    Raises
    ------
    ModelFileError
        There is nothing, or a folder has no .gguf file.
    """
    path = Path(place).expanduser()
    try:
        if not path.is_dir():
            return (path,)
        found = sorted(file for file in path.iterdir() if file.suffix.lower() == ".gguf")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelFileError(
            f"this can't be read: {reason}", "name a .gguf file", file=path
        ) from error
    first = [file for file in found if _number(file) in (None, 1)]
    if not first:
        raise ModelFileError("this folder has no .gguf file", "name another", file=path)
    return tuple(first)


def read_model(path: str | Path, hashed: bool = False) -> ModelFile:
    """Read the facts of a model from its file's header.

    Parameters
    ----------
    path
        A GGUF file; of a split model any part, the others lie beside it.
    hashed
        Whether to compute the SHA-256 of each file, which reads it whole the
        first time.

    Returns
    -------
    ModelFile
        Takes as long for 20 GB as for 20 MB, unless `hashed`.

    Raises
    ------
    ModelFileError
        A file can't be read, is no GGUF file, cut or corrupt, or a part of a
        split model is missing.
    """
    paths = _all_parts(Path(path))
    headers = [read_header(file) for file in paths]
    parts = tuple(
        Part(encodable(file.name), header.size, sha256(file) if hashed else None)
        for file, header in zip(paths, headers, strict=True)
    )
    tensors = [tensor for header in headers for tensor in header.tensors]
    return _facts(parts, headers[0], tensors)


def _number(path: Path) -> int | None:
    shard = _SHARD.fullmatch(path.name)
    return int(shard["number"]) if shard else None


def _all_parts(path: Path) -> list[Path]:
    shard = _SHARD.fullmatch(path.name)
    if shard is None:
        return [path]
    total = int(shard["total"])
    paths = []
    for number in range(1, total + 1):
        part = path.with_name(f"{shard['stem']}-{number:05d}-of-{total:05d}{shard['suffix']}")
        # That the named file itself is missing is found when it is read.
        if part != path and not part.is_file():
            raise ModelFileError(
                f"part {number} of {total} is not beside it: {part.name}",
                "put all parts of the model into one folder",
                file=path,
            )
        paths.append(part)
    return paths or [path]


def _facts(parts: tuple[Part, ...], header: GgufHeader, tensors: list[Tensor]) -> ModelFile:
    stated = header.fields
    architecture = _text(stated, "general.architecture")
    own = f"{architecture}."
    tokens = stated.get(TOKENS)
    groups = tensor_groups(tensors)
    return ModelFile(
        parts,
        architecture=architecture,
        name=_text(stated, "general.name"),
        quantization=_file_type(stated) or main_type(groups),
        elements=sum(tensor.elements for tensor in tensors) or None,
        groups=groups,
        block_count=_whole(stated, own + "block_count"),
        block_size=_whole(stated, own + "block_size"),
        target_layers=_list(stated, own + "target_layers"),
        confidence_head=_flag(stated, own + "has_confidence_head"),
        context_length=_whole(stated, own + "context_length"),
        tokenizer=_text(stated, "tokenizer.ggml.model"),
        pre_tokenizer=_text(stated, "tokenizer.ggml.pre"),
        vocabulary_size=tokens.count if isinstance(tokens, Array) else None,
        vocabulary_sha256=tokens.sha256 if isinstance(tokens, Array) else None,
        license=_license(stated),
        license_name=_text(stated, "general.license.name"),
        license_link=_text(stated, "general.license.link"),
        repository=_repository(stated),
    )


def _file_type(stated: Mapping[str, GgufValue]) -> str | None:
    number = _whole(stated, "general.file_type")
    name = next((kind.name for kind in LlamaFileType if kind.value == number), "GUESSED")
    return None if name == "GUESSED" else name.removeprefix("MOSTLY_").removeprefix("ALL_")


def _repository(stated: Mapping[str, GgufValue]) -> str | None:
    """The converted repository; ``general.base_model`` is another thing, what it was trained on."""
    for key in ("source.huggingface.repository", "source.repo_url", "repo_url"):
        name = (_text(stated, f"general.{key}") or "").removeprefix("https://huggingface.co/")
        if REPOSITORY.fullmatch(name):
            return name
    return None


def _text(stated: Mapping[str, GgufValue], key: str) -> str | None:
    value = stated.get(key)
    # Converters take a model's name from the folder that it lay in.
    return public_model(value) or None if isinstance(value, str) else None


def _license(stated: Mapping[str, GgufValue]) -> str | None:
    """What a converter writes where nobody told it is no licence."""
    name = _text(stated, "general.license")
    return None if (name or "").lower() in ("unknown", "none") else name


def _whole(stated: Mapping[str, GgufValue], key: str) -> int | None:
    value = stated.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _flag(stated: Mapping[str, GgufValue], key: str) -> bool | None:
    value = stated.get(key)
    return value if isinstance(value, bool) else None


def _list(stated: Mapping[str, GgufValue], key: str) -> tuple[int, ...] | None:
    value = stated.get(key)
    if not isinstance(value, Array) or value.values is None:
        return None
    whole = tuple(number for number in value.values if isinstance(number, int))
    return whole if len(whole) == value.count else None
