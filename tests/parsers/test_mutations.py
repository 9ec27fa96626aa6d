"""Whatever was done to a log: an answer or our error, in a time that grows with its length."""

from __future__ import annotations

import random
import time
from contextlib import suppress

import pytest

from analysis import parsers
from analysis.audit import audit_runs
from analysis.errors import LogError
from analysis.parsers.text.document import Document, decode
from analysis.parsers.text.stream import Log
from analysis.results import as_json, measured
from analysis.statistics.frames import task_frame
from analysis.statistics.speedups import TaskSpeedups
from tests.compared import compared
from tests.parsers.samples import SAMPLES

TEXTS = list(SAMPLES.values())
FIGURES = ["-1", "nan", "inf", "9" * 400, "1e309", "0", "0.0", "1,234", "1.234,5", "٣", "½", ""]
SIGNS = ['"', "\\", "|", "\t", "\r", "\u2028", "\u202e", "\x1b[31m", "\x00", "é", "😀", "\ud800"]
KINDS = ("cut", "splice", "drop", "repeat", "flip", "figure", "sign", "swap", "encode")
KEPT = 500


def mutated(number: int) -> bytes:
    """The input of this number: one to four things done to one of the samples."""
    chance = random.Random(number)
    raw = chance.choice(TEXTS).encode()
    for _ in range(chance.randint(1, 4)):
        raw = _mutation(chance, raw)
    return raw


def _mutation(chance: random.Random, raw: bytes) -> bytes:
    kind = chance.choice(KINDS)
    at, end = sorted((chance.randrange(len(raw) + 1), chance.randrange(len(raw) + 1)))
    text = raw.decode("utf-8", "replace")
    place = chance.randrange(len(text) + 1)
    match kind:
        case "cut":
            return raw[:end]
        case "splice":
            return raw[:at] + chance.choice(TEXTS).encode()[chance.randrange(200) :]
        case "drop":
            return raw[:at] + raw[end:]
        case "repeat":
            return (raw[:end] + raw[at:end] * chance.randint(1, 5) + raw[end:])[:60_000]
        case "flip" if raw:
            at = min(at, len(raw) - 1)
            return raw[:at] + bytes([raw[at] ^ (1 << chance.randrange(8))]) + raw[at + 1 :]
        case "figure":
            digits = [n for n, sign in enumerate(text) if sign.isdigit()]
            if digits:
                place = chance.choice(digits)
                text = text[:place] + chance.choice(FIGURES) + text[place + 1 :]
        case "sign":
            text = text[:place] + chance.choice(SIGNS) + text[place:]
        case "swap":
            lines = text.split("\n")
            chance.shuffle(lines)
            text = "\n".join(lines)
        case "encode":
            encoding = chance.choice(["utf-16", "latin-1", "utf-8-sig", "cp1252"])
            return text.encode(encoding, "replace")
    return text.encode("utf-8", "surrogatepass")


def judged(number: int, *, whole: bool) -> None:
    """Read an input, and now and then take what was read all the way.

    That is frames of a few rows, which take ten times as long as reading.
    """
    try:
        runs = parsers.read_log(Log.of(decode(mutated(number), "a.log")))
    except LogError:
        return
    assert runs
    if whole:
        findings = audit_runs(runs)
        tasks = TaskSpeedups(None)(task_frame(runs))
        totals = compared(runs[:1], None)
        as_json(measured(totals, tasks, findings))


@pytest.mark.parametrize("block", range(10))
def test_a_broken_log_is_read_or_refused(block: int) -> None:
    size = KEPT // 10
    for number in range(block * size, (block + 1) * size):
        judged(number, whole=number % 10 == 0)


@pytest.mark.parametrize("name", parsers.FORMATS)
def test_a_forced_format_reads_or_refuses_every_other(name: str) -> None:
    for text in TEXTS:
        with suppress(LogError):
            assert parsers.parse(Document.of(text, "a.log"), name)


HOSTILE = {
    **SAMPLES,
    "spaces": " " * 50,
    "pipes": "|" * 40,
    "table": "| a | b |\n|---|---|\n",
    "rows of one table": SAMPLES["speed-bench summary"].splitlines()[3] + "\n",
    "fields without values": "pred= draft= acc= rate= tok/s= ",
    "brackets": "[{",
    "quotes": '"\\"\\n',
    "empty lines": "\n",
    "quoting": "> ",
    "commas": "a,1,2.0,3,4,",
    "a summary's first count": "n_draft = 8\n",
    "phases": "decoded 1 tokens in 2.0 seconds ",
    "labels without an end": 'vllm:spec_decode_num_drafts_total{a="',
    "rates": "Per-position acceptance rate: 0.1, ",
    "aggregates": 'Aggregate: {"n_requests": ',
    "headings": "# x\n",
    "emphasis": "**a** ",
    "links": "[a](b",
    "rules": "---  ---\n",
    "commands": "llama-server -m a --x ",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_four_times_the_text_takes_about_four_times_the_time(text: str) -> None:
    head = SAMPLES["speed-bench summary"] if text.startswith("coding") else ""
    times = max(20_000 // len(text), 1)

    def seconds(factor: int) -> float:
        document = Document.of(head + text * times * factor, "a.log")
        start = time.process_time()
        with suppress(LogError):
            parsers.parse(document)
        return time.process_time() - start

    # Quadratic would be 16. The least of several, because the machine does other things too.
    assert any(seconds(4) <= 9 * max(seconds(1), 0.002) for _ in range(5)), (
        "the time grows faster than the text"
    )


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_a_million_broken_logs():
    from tests.parsers.mutations import run

    assert run(KEPT, 1_000_000).wrong == []
