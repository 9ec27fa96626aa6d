"""Every refusal: which file, which line, what is wrong, what to do."""

import json

import pytest

from analysis import parsers
from analysis.errors import LogError

TOTALS = (
    '{"n_requests": 1, "total_predicted": 192, "total_draft": 135, "total_draft_accepted": 123}'
)


def refusal(path, **options):
    with pytest.raises(LogError) as caught:
        parsers.read(path, **options)
    return caught.value


def of(tmp_path, content, **options):
    path = tmp_path / "a.log"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return refusal(path, name="a.log", **options)


def test_no_such_file(tmp_path):
    error = refusal(tmp_path / "none.log", name="none.log")
    assert str(error) == "none.log: there is no such file; check the path"


def test_the_path_is_the_name_when_none_is_given(tmp_path):
    assert refusal(tmp_path / "none.log").file == str(tmp_path / "none.log")


def test_a_folder(tmp_path):
    assert str(refusal(tmp_path, name="x")) == "x: this is a folder; name one log file"


def test_a_file_that_can_not_be_opened(tmp_path, monkeypatch):
    def deny(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", deny)
    error = refusal(tmp_path, name="x")
    assert error.problem == "the file can't be read (Permission denied)"
    assert (error.file, error.line, error.remedy) == (
        "x",
        None,
        "check the path and its permissions",
    )


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000])
def test_a_path_that_can_not_be(path):
    assert refusal(path, name="x").problem.startswith("the file can't be read (")


def test_a_link_to_itself(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert refusal(tmp_path / "loop", name="loop").problem.startswith("the file can't be read (")


@pytest.mark.parametrize("content", [b"", b"\n \r\n\t", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_an_empty_file(tmp_path, content):
    assert str(of(tmp_path, content)) == (
        "a.log: the file is empty; save the benchmark's output to it"
    )


def test_a_binary_file(tmp_path):
    assert str(of(tmp_path, b"GGUF\n\n\0\1")) == (
        "a.log:3: this is a binary file (a NUL byte at offset 6); name the log as text"
    )


def test_another_encoding(tmp_path):
    assert str(of(tmp_path, "one\ntwo é\n".encode("latin-1"))) == (
        "a.log:2: byte 0xe9 at offset 8 is not UTF-8; save the log as UTF-8"
    )


def test_half_a_utf16_character(tmp_path):
    error = of(tmp_path, "row".encode("utf-16") + b"x")
    assert error.problem == "byte 0x78 at offset 8 is not UTF-16"


def test_powershells_utf16_is_read(tmp_path):
    row = "code_python pred= 192 draft= 135 acc= 123 rate=0.911 tok/s=161.0\r\n"
    (tmp_path / "a.log").write_bytes(row.encode("utf-16"))
    assert parsers.read(tmp_path / "a.log")[0].tasks[0].predicted_tokens == 192


def test_nothing_recognised_names_the_formats(tmp_path):
    error = of(tmp_path, "Some words.\nAnd more.\n")
    assert (error.file, error.line) == ("a.log", None)
    assert error.problem.startswith("nothing was recognised; looked for ")
    assert all(made.shape in error.problem for made in parsers.FORMATS.values())
    assert error.remedy == "paste the tool's output as it was printed, or name its format"


def test_nothing_recognised_names_the_closest_line(tmp_path):
    error = of(tmp_path, "Words\nrate=0.9 here\ncode_x acc= 12 rate=0.911\nrate=1\n")
    assert error.line == 3
    assert error.problem.endswith("; this line comes closest, with acc=, rate=")


def test_an_unknown_format(tmp_path):
    error = of(tmp_path, "words", format="csv")
    assert error.problem == "the format is 'csv'"
    assert error.remedy == "use one of: " + ", ".join(parsers.FORMATS)
    assert ", mtp-bench," in error.remedy
    assert error.file == "a.log"


def test_a_format_that_the_file_is_not(tmp_path):
    assert str(of(tmp_path, "words\n", format="mtp-bench")) == (
        "a.log: no row of mtp-bench's output is here; paste its whole output"
    )
    assert str(of(tmp_path, "words\n", format="mtp-bench-json")) == (
        "a.log:1: this is not JSON (Expecting value); mend it here or save it again"
    )


def test_a_block_with_no_rows(tmp_path):
    assert str(of(tmp_path, f"max 2\n\nAggregate: {TOTALS}\n")) == (
        "a.log:3: a block with no rows; paste the task rows that stand above its aggregate as well"
    )


def test_a_broken_aggregate_with_no_rows(tmp_path):
    error = of(tmp_path, "words\nAggregate: {oops\n")
    assert (error.line, error.problem) == (
        2,
        "a block with no rows and its aggregate is cut or not JSON",
    )


def test_only_a_cut_row(tmp_path):
    assert str(of(tmp_path, "words\n  code_python    pred= 192 dra")) == (
        "a.log:2: the only row is cut; paste the whole output"
    )


def test_only_rows_that_say_nothing(tmp_path):
    error = of(tmp_path, "\ncode_python pred= nan draft= 0 acc= 0 rate=n/a tok/s=1.0\n")
    assert (error.line, error.problem) == (2, "no row has numbers that can be read")
    assert error.remedy == "paste the rows again"


JSON = json.dumps({"results": [{"name": "code_python", "predicted_n": 192}]}, indent=1)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (JSON[:-8], 5, "the JSON stops in the middle"),
        (JSON.replace("192", "oops"), 5, "this is not JSON (Expecting value)"),
        (JSON + "\n\nwords", 10, "there is more text after the JSON"),
        (JSON.replace("192", "[" * 100_000), 1, "the JSON nests too deep to be a benchmark's"),
        (f'\n{{"results": [],\n"aggregate": {TOTALS}}}', 2, "a block with no rows"),
        ('{"results": [{"name": 5, "predicted_n": 1}]}', 1,
         'no object here has "results" with an mtp-bench task in them'),
    ],
)  # fmt: skip
def test_broken_json(tmp_path, text, line, problem):
    error = of(tmp_path, text)
    assert (error.file, error.line, error.problem) == ("a.log", line, problem)
    assert error.remedy
