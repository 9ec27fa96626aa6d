from __future__ import annotations

import dataclasses
import gzip
import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import parsers
from analysis.errors import LogError, ReportError
from analysis.parsers import Log
from analysis.privacy import public
from analysis.publishing.scrub import Scrubbed, scrub, scrubbed

ROOT = Path(__file__).parents[2]
PLACES = (ROOT / "raw", ROOT / "tests" / "parsers" / "data", ROOT / "tests" / "checking" / "data")
LOGS = sorted(
    path
    for place in PLACES
    for path in place.rglob("*")
    if path.is_file() and path.suffix not in (".toml", ".py", ".gz", ".zst")
)


def plain(value: object) -> object:
    """A record as plain data, which can be compared whole."""
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, np.ndarray):
        return json.loads(json.dumps(value.tolist()).replace("NaN", "null"))
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def records(data: bytes) -> object:
    try:
        return plain(parsers.read_log(Log("a.log", iter([data]))))
    except LogError as error:
        return public(error.problem), error.line


def copy(data: bytes, size: int = 1 << 20) -> bytes:
    out = io.BytesIO()
    scrubbed((data[at : at + size] for at in range(0, len(data), size)), out)
    return out.getvalue()


def test_there_are_logs() -> None:
    assert len(LOGS) > 10


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_scrubbed_log_gives_the_same_records(path: Path) -> None:
    data = path.read_bytes()
    posted = copy(data)
    assert posted.count(b"\n") == data.count(b"\n")
    assert records(posted) == records(data)
    assert copy(posted) == posted


@given(st.binary(max_size=300), st.integers(1, 50))
def test_any_bytes_keep_their_lines_however_they_come(data: bytes, size: int) -> None:
    posted = copy(data, size)
    assert posted == copy(data)
    assert posted.count(b"\n") == data.count(b"\n")


def test_bytes_that_are_no_text_stay(tmp_path: Path) -> None:
    assert copy(b"\xff\xfe\x00 /home/ada/x \xe9\r\n") == b"\xff\xfe\x00 *** \xe9\r\n"


def test_a_key_in_a_file_of_its_own_is_hidden_whole() -> None:
    key = b"-----BEGIN RSA PRIVATE KEY-----\nAAAA\nBBBB\n-----END RSA PRIVATE KEY-----\nkept\n"
    assert copy(b"before\n" + key) == b"before\n***\n***\n***\n***\nkept\n"


def test_a_value_on_the_line_behind_its_flag_is_hidden() -> None:
    command = b"llama-server \\\n  --api-key \\\n  letmein \\\n  -np 1\n"
    assert copy(command) == b"llama-server \\\n  --api-key \\\n  *** \\\n  -np 1\n"


def test_the_copy_is_a_file_or_nothing(tmp_path: Path) -> None:
    log = tmp_path / "a.log.gz"
    log.write_bytes(gzip.compress(b"-m /home/ada/a.gguf\nplain\n"))
    out = tmp_path / "posted.log"
    assert scrub(log, out) == Scrubbed(lines=2, changed=1)
    assert out.read_bytes() == b"-m a.gguf\nplain\n"
    log.write_bytes(log.read_bytes()[:-4])
    with pytest.raises(LogError, match="cut or broken"):
        scrub(log, out)
    assert out.read_bytes() == b"-m a.gguf\nplain\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.log.gz", "posted.log"]


def test_a_log_is_not_replaced_by_its_copy(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("/home/ada/x\n")
    link = tmp_path / "b.log"
    link.symlink_to(log)
    for out in (log, link):
        with pytest.raises(ReportError, match="this is the log itself; name another"):
            scrub(log, out)
    assert log.read_text() == "/home/ada/x\n"
