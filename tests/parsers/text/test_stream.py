"""Bytes come out the same, whatever they come out of, and what is cut is refused."""

import gzip
import os

import pytest
import zstandard

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.stream import HEAD, LARGEST_WHOLE, Log, open_log
from tests.parsers.server_log import Asked, new

ROW = "code_python pred= 192 draft= 135 acc= 123 rate=0.911 tok/s=161.0\n"
PACK = {
    "plain": bytes,
    "gzip": gzip.compress,
    "two gzip members": lambda raw: gzip.compress(raw[:9]) + gzip.compress(raw[9:]),
    "zstd": zstandard.compress,
    "two zstd frames": lambda raw: zstandard.compress(raw[:9]) + zstandard.compress(raw[9:]),
}


def written(tmp_path, raw):
    (tmp_path / "a.log").write_bytes(raw)
    return tmp_path / "a.log"


@pytest.mark.parametrize("packed", PACK)
def test_compressed_bytes_are_recognised_by_their_first_ones(tmp_path, packed):
    path = written(tmp_path, PACK[packed](ROW.encode()))
    assert parsers.read(path)[0].tasks[0].predicted_tokens == 192


@pytest.mark.parametrize("packed", PACK)
def test_pieces_are_all_of_it_whether_or_not_the_head_was_looked_at(tmp_path, packed):
    raw = os.urandom(HEAD // 2).hex().encode() * 7
    path = written(tmp_path, PACK[packed](raw))
    with open_log(path) as log:
        assert b"".join(log.pieces()) == raw
    with open_log(path) as log:
        assert log.head.text == raw[:HEAD].decode()
        assert b"".join(log.pieces()) == raw


@pytest.mark.parametrize("packed", [name for name in PACK if name != "plain"])
def test_a_compressed_log_that_is_cut(tmp_path, packed):
    path = written(tmp_path, PACK[packed](ROW.encode() * 50)[:-5])
    with pytest.raises(LogError) as caught:
        parsers.read(path, name="a.log")
    assert str(caught.value).startswith("a.log: the compressed data is cut or broken (")
    assert caught.value.remedy == "copy the log again"


@pytest.mark.parametrize("magic", [b"\x1f\x8b", b"\x28\xb5\x2f\xfd"])
def test_what_only_begins_like_compressed_data(tmp_path, magic):
    path = written(tmp_path, magic + b"words and words and words and words")
    with pytest.raises(LogError, match="cut or broken"):
        parsers.read(path)


def test_a_bomb_comes_in_small_pieces(tmp_path):
    path = written(tmp_path, zstandard.compress(bytes(LARGEST_WHOLE), 19))
    with open_log(path) as log:
        sizes = [len(piece) for piece in log.pieces()]
    assert sum(sizes) == LARGEST_WHOLE
    assert max(sizes) <= LARGEST_WHOLE // 2


def test_the_head_ends_with_a_whole_line():
    line = b"words without end\n"
    raw = line * (HEAD // len(line) + 9)
    head = Log("a.log", iter([raw])).head.text
    assert len(head) == HEAD // len(line) * len(line)
    assert head.endswith("end\n")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_pieces_are_utf8(encoding):
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    raw = (mark + ROW + "é\n").encode(encoding)
    pieces = iter([raw[:3], raw[3:10], raw[10:]])
    assert b"".join(Log("a.log", pieces).pieces()) == (ROW + "é\n").encode()


def test_a_document_is_not_made_of_endless_bytes():
    def endless():
        while True:
            yield b"words\n" * 100_000

    with pytest.raises(LogError) as caught:
        Log("a.log", endless()).document()
    assert caught.value.problem == (
        f"this is larger than {LARGEST_WHOLE >> 20} MiB and does not begin like a server's log"
    )


def test_a_binary_file_is_refused_before_all_of_it_is_read():
    pieces = iter([b"GGUF\n", b"\0\1", b"never asked for"])
    with pytest.raises(LogError, match="binary file \\(a NUL byte at offset 5\\)"):
        Log("a.gguf", pieces).document()
    assert next(pieces) == b"never asked for"


def test_standard_input(mtpbench):
    done = mtpbench("ingest", "-", input=ROW)
    assert done.returncode == 0
    assert "stdin:1" in done.stdout


def test_standard_input_that_holds_nothing(mtpbench):
    done = mtpbench("ingest", "-", input="")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: stdin: the file is empty; save the benchmark's output to it\n"


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_a_bomb_behind_the_head_of_a_log(tmp_path, ending):
    head = ("\n".join(new(Asked())) + "\n").encode() * 300
    noise = b"x" * (1 << 20)
    path = tmp_path / f"a.log.{ending}"
    if ending == "gz":
        with gzip.open(path, "wb", 9) as file:
            file.write(head)
            for _ in range(160):
                file.write(noise)
    else:
        with path.open("wb") as file, zstandard.ZstdCompressor().stream_writer(file) as writer:
            writer.write(head)
            for _ in range(160):
                writer.write(noise)
    with pytest.raises(LogError, match="unpacks to more than 100 times its size, which no log"):
        parsers.read(path)
    # Little is unpacked from much, and a log that packs well is read.
    with gzip.open(tmp_path / "b.log.gz", "wb") as file:
        file.write(head)
    assert len(parsers.read(tmp_path / "b.log.gz")[0].tasks) >= 1
