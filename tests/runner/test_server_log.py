from __future__ import annotations

from pathlib import Path

import pytest

from analysis.runner.server_log import (
    LogTail,
    RequestLog,
    StartFacts,
    errors_in,
    read_request,
    read_start,
    tail_of,
)

START = """\
0.06.524.820 I spec common_specu: adding speculative implementation 'draft-simple'
0.06.524.824 I spec common_specu: - n_max=4, n_min=0, p_min=0.000000
"""
CLAMP = """\
0.01.346.640 I spec common_specu: adding speculative implementation 'draft-dflash'
0.01.346.641 I common_speculative_impl_draft_dflash: - n_max=12, n_min=0, p_min=0.00
0.01.346.643 W common_speculative_impl_draft_dflash: requested draft size (n_max=12, n_min=0) \
exceeds the trained block size 8 -- clamping to 7
"""
REFUSED = (
    START + "0.00.711.976 E spec common_specu: the target and draft vocabs are not compatible\n"
)
REQUEST = """\
0.09.034.694 I slot   operator(): id  0 | task 0 | accepted  3/ 3 draft tokens
0.09.268.538 I slot   operator(): id  0 | task 0 | accepted  1/ 3 draft tokens (restore checkpoint)
0.09.300.000 I slot   operator(): id  0 | task 0 | accepted  1/ 1 draft tokens
1.09.493.179 I slot   operator(): id  0 | task 0 | accepted  0/ 2 draft tokens
1.09.810.500 I spec common_specu: statistics     draft-simple: #calls(b,g,a) =    1     10     10, \
#gen drafts =     10, #acc drafts =    10, #gen tokens =     29, \
#acc tokens =    29, dur(b,g,a) = 0.003, 474.484, 0.033 ms
1.10.810.571 I slot      release: id  0 | task 0 | stop processing: n_tokens = 82, truncated = 0
"""


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("", StartFacts()),
        (START, StartFacts(4)),
        (START.replace("n_max=4, n_min=0", "size_n=12, size_m=48"), StartFacts(48)),
        (START.replace("- n_max=4", "- n_match=24, n_max=16"), StartFacts(16)),
        # Elsewhere the words mean something else.
        ("0.00.1 I srv: - n_max=9\n", StartFacts()),
    ],
)
def test_the_depth_in_effect(text: str, facts: StartFacts) -> None:
    assert read_start(text) == facts


def test_a_clamp() -> None:
    found = read_start(CLAMP)
    assert found.n_max == 7
    assert found.clamp == (
        "requested draft size (n_max=12, n_min=0) exceeds the trained block size 8 -- clamping to 7"
    )


def test_a_method_that_the_server_can_t_use() -> None:
    found = read_start(REFUSED)
    assert found.refusal == "common_specu: the target and draft vocabs are not compatible"
    assert read_start(START).refusal is None


def test_the_rounds_of_a_request_without_replays() -> None:
    found = read_request(REQUEST)
    assert found == RequestLog(
        (3, 3, 2),
        (3, 1, 0),
        (9.034694, 9.268538, 69.493179),
        (("draft-simple", pytest.approx(0.474484)),),
    )


def test_rounds_without_a_clock() -> None:
    bare = "\n".join(line.partition(" I ")[2] for line in REQUEST.splitlines())
    assert read_request(bare).at_s is None
    assert read_request(bare).drafted == (3, 3, 2)


def test_a_log_is_read_from_where_the_request_began(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text(REQUEST)
    tail = LogTail(path)
    with path.open("a") as file:
        file.write(REQUEST)
    assert tail.request() == read_request(REQUEST)
    tail.skip()
    assert tail.request(timeout_s=0.0) is None
    # Its end has not been written yet.
    with path.open("a") as file:
        file.write(REQUEST.partition("1.10.810.571")[0])
    assert tail.request(timeout_s=0.0) is None
    assert LogTail(None).request() is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ""),
        ("hello\n\n", "hello"),
        (
            "0.00.003.549 E cmn  common_init_: failed to load model '/nope.gguf'\n"
            "0.00.003.577 I srv    operator(): operator(): cleaning up before exit...\n"
            "0.00.003.788 E srv          init: exiting due to model loading error\n",
            "common_init_: failed to load model '/nope.gguf'",
        ),
        ("0.00.1 E a: one\n0.00.2 E a: one\nerror: two\nok\n", "a: one | error: two"),
    ],
)
def test_a_server_s_own_words(text: str, said: str) -> None:
    assert errors_in(text) == said


CONFIG = "0.00.001.000 I using config file: /etc/llama.cpp/config.ini\n"


def test_configuration_files_that_were_applied() -> None:
    assert read_start(CONFIG + START + CONFIG).config_files == ("/etc/llama.cpp/config.ini",)
    assert read_start(START).config_files == ()


@pytest.mark.parametrize("padding", [0, 1000, 300_000, 2_000_000])
def test_both_ends_of_a_long_log_are_read(tmp_path: Path, padding: int) -> None:
    log = tmp_path / "log"
    log.write_text(CONFIG + "x\n" * (padding // 2) + START)
    found = read_start(tail_of(log, 64 * 1024))
    assert (found.n_max, found.config_files) == (4, ("/etc/llama.cpp/config.ini",))
    assert len(tail_of(log, 64 * 1024)) <= 320 * 1024
    # Nothing is there twice.
    assert tail_of(log, 64 * 1024).count("config file") == 1
    assert tail_of(tmp_path / "gone") == ""
