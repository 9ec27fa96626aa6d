from __future__ import annotations

import dataclasses
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.parsers import STANDARD_INPUT, open_log
from analysis.parsers.text.published import published
from analysis.privacy import HIDDEN, public, public_model, public_path, public_values
from analysis.records import Finding, Run, Source, TaskResult
from tests.planted import PLANTED, found_in

ROOT = Path(__file__).parents[2]
LOGS = sorted(path for path in ROOT.glob("raw/**/*") if path.suffix in (".log", ".jsonl"))
CARDS = sorted(ROOT.glob("reports/*/README.md"))


@pytest.mark.parametrize("planted", PLANTED)
@pytest.mark.parametrize(
    "around",
    ["{}", "before {} behind", "({})", "x={}, y", "`{}`", "| a | {} | b |", "0.1 I srv {}"],
)
def test_nothing_private_is_left(planted: str, around: str) -> None:
    text = public(around.format(planted))
    assert found_in(text) == []
    assert public(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (r"-m E:\ada\Q4.gguf -ngl 99", "-m Q4.gguf -ngl 99"),
        ("-m ~/models/qwen3.6-q8 -np 1", "-m qwen3.6-q8 -np 1"),
        ('"/my models/a b.gguf" 4', '"a b.gguf" 4'),
        ("/home/ada/llama.cpp/build/bin/llama-server -m x.gguf", "llama-server -m x.gguf"),
        ("loading '/m/x.gguf', 3/4", "loading 'x.gguf', 3/4"),
        ("/home/ada/notes.txt:12: bad", f"{HIDDEN}:12: bad"),
        ("/home/ada/x 85.3 tok/s org/name", f"{HIDDEN} 85.3 tok/s org/name"),
        ("https://u:p@example.org/a?n=4", f"https://{HIDDEN}@example.org/a?n=4"),
        ("Dec 01 20:05:39 gpu-box llama[1]: x", "Dec 01 20:05:39 host llama[1]: x"),
    ],
)
def test_what_is_left_can_still_be_read(text: str, left: str) -> None:
    assert public(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "draft acceptance = 0.53719 (  130 accepted /   242 generated), mean len =  3.13",
        "10.11.198.021 I slot print_timing: id  0 | task 0 | 166.13 tokens per second",
        "pred= 192 draft= 160 acc= 110 rate=0.688 tok/s=85.3",
        "org/Name-GGUF:Q4_K_M, ggml-org/llama.cpp#26275, 1/2 and/or 3 t/s",
        "2026-12-01T20:05:39+0000, 01/12/2026, 31.0.15.4601, 8.9.7.29",
        "EOS token = 2 '</s>', n_tokens = 12, max_tokens: 192, --max-tokens 192, token: 5",
        "161.2 t/s @ 73.9%, dspark@n4, model@q4.gguf",
        "https://huggingface.co/org/name/resolve/main/x.gguf?download=true",
        "http://localhost:8080/v1, http://127.0.0.1:8080",
        "POST /v1/chat/completions 200, GET /metrics, </details>",
        "user: who was it?, the key: a figure, a secret",
        "F = predicted − accepted − 1; (k + 1) / 2",
    ],
)
def test_figures_names_and_dates_stay(text: str) -> None:
    assert public(text) == text


@pytest.mark.parametrize("card", CARDS, ids=lambda path: path.parent.name)
def test_the_committed_cards_have_nothing_to_hide(card: Path) -> None:
    text = card.read_text("utf-8")
    assert public(text) == text


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_no_figure_of_a_committed_log_is_lost(log: Path) -> None:
    assert str(log) != STANDARD_INPUT
    with open_log(log) as opened:
        for line in opened.document().lines:
            shown = public(line)
            if shown != line:
                # Only what names a file may differ.
                assert ".gguf" in line, line


@given(st.text(max_size=200))
def test_any_text_is_read_and_reading_it_again_changes_nothing(text: str) -> None:
    once = public(text)
    assert public(once) == once


NUMBERS = st.floats(0, 1e6).map(lambda number: f"{number:.2f}")


@given(st.lists(NUMBERS, min_size=1, max_size=8), st.sampled_from([" ", ", ", " / ", " | ", "\n"]))
def test_figures_alone_are_never_private(numbers: list[str], between: str) -> None:
    text = between.join(f"{number} tok/s" for number in numbers)
    assert public(text) == text


def test_names_of_models_keep_their_repository_or_their_file() -> None:
    assert public_model("org/Name:Q4_K_M") == "org/Name:Q4_K_M"
    assert public_model(r"D:\ada\Model Q8.gguf") == "Model Q8.gguf"
    assert public_model("/data/hub/Qwen3-8B/") == "Qwen3-8B"
    assert public_model("file:///data/a.gguf") == "a.gguf"


def test_files_are_called_from_where_one_stands(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert public_path("raw/a.log") == "raw/a.log"
    assert public_path(tmp_path / "raw" / "a.log") == "raw/a.log"
    assert public_path(tmp_path.parent / "other" / "a.log") == "a.log"
    assert public_path("/srv/logs/sub/a.log", "/srv/logs") == "sub/a.log"


def test_data_is_made_public_wherever_a_text_is() -> None:
    data = {"a": ["/home/ada/x.gguf", 1.5, None, True], "/home/ada/y": {"b": "--api-key k"}}
    assert public_values(data) == {
        "a": ["x.gguf", 1.5, None, True],
        HIDDEN: {"b": f"--api-key {HIDDEN}"},
    }


KEPT = {"id", "format", "spec_type", "acceptance_definition", "rate_convention", "output_hash"}
"""What our own words or a hash are."""


def texts(kind: type) -> set[str]:
    """Names of a record's fields that hold a text."""
    return {
        field.name for field in dataclasses.fields(kind) if str(field.type) in ("str", "str | None")
    }


@pytest.mark.parametrize("planted", PLANTED)
def test_no_text_of_a_record_escapes(planted: str) -> None:
    """A field that somebody adds is looked at as well."""
    source = Source("a.log", 1, 2)
    tasks = dict.fromkeys(texts(TaskResult) - KEPT, planted)
    runs = dict.fromkeys(texts(Run) - KEPT, planted)
    run = Run(
        source,
        "made",
        tasks=(TaskResult(**{"source": source, **tasks}),),
        conditions={planted: planted},
        findings=(Finding("note", "made", "a.log", planted),),
        **runs,
    )
    assert found_in(repr(published(run)).replace("\\\\", "\\")) == []


HOSTILE = (
    *("a", "/", "\\", "/a", "-", "--a", "key", "key=", " /a b/", "a@", "@a.b", "a:b@", '"/a'),
    *("http://", "http://a@", "?a=", "/.gguf", "C:\\ a\\", "/a a/", "~", "${", "%a%/"),
    *("Bearer ", "authorization", "[a@b ", "Jan 01 00:00:00 a ", "2026-01-01T", "10.1", '\\"'),
    *("_", " ", 'a="', "=a", "&key=", "/a:/b:", "/a x=/c ", "C:\\a x\\c ", "user", "pass"),
    *("<a>/", "a.", "eyJaaaaaaaa.", "key=key=", "--key --key ", "a=a="),
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_as_the_text(piece: str) -> None:
    """Four times the text may take four times as long; sixteen would be quadratic."""
    text = piece * (60_000 // len(piece))

    def seconds(of: str) -> float:
        took = []
        for _ in range(3):
            began = time.process_time()
            public(of)
            took.append(time.process_time() - began)
        return min(took)

    small, large = seconds(text[:15_000]), seconds(text)
    assert large < 8 * small + 0.02
