"""Requests of llama-server's logs, in every shape that they have been met in."""

import gzip
from pathlib import Path

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers import Document
from tests.parsers.server_log import Asked, as_json, middle, new, old

DATA = Path(__file__).parents[1] / "data"
FOUR = Asked()
NOTHING = Asked(predicted=12, rounds=())


def runs_of(*lines, name="a.log"):
    flat = [text for line in lines for text in ([line] if isinstance(line, str) else line)]
    return parsers.parse(Document.of("\n".join(flat) + "\n", name), "llama-server")


def only(*lines):
    (run,) = runs_of(*lines)
    return run


def counts(run):
    return [(task.predicted_tokens, task.draft_tokens, task.accepted_tokens) for task in run.tasks]


def test_a_true_log_of_two_slots():
    (run,) = parsers.read(DATA / "llama-server-b11549.log", name="a.log")
    assert run.format == "llama-server"
    assert (run.spec_type, run.n_max, run.p_min) == ("draft-simple", 4, 0.0)
    assert run.target == run.draft == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert (run.temperature, run.concurrency, run.build) == (0.0, 2, None)
    assert run.rate_convention == "n-1"
    assert run.conditions == {"slots": "2"}
    assert run.findings == ()
    assert counts(run) == [(40, 31, 31), (40, 31, 31)]
    first, second = run.tasks
    assert (first.task, second.task) == ("request 1", "request 2")
    assert str(first.source) == "a.log:51-57"
    assert (first.prompt_tokens, first.prompt_s) == (3, pytest.approx(3.25229))
    assert [task.cached_tokens for task in run.tasks] == [0, 0]
    assert (first.decode_tps, first.decode_s) == (1.26, pytest.approx(30.89999))
    assert first.wall_s == pytest.approx(34.15228)
    assert (first.reported_rate, first.rate_decimals) == (1.0, 5)
    assert first.positions.rate == (1.0, 1.0, 1.0, 0.875)
    assert (first.positions.accepted, first.positions.rounds) == ((8, 8, 8, 7), 8)
    assert first.positions.definition == "all-rounds"
    for task in run.tasks:
        assert task.rounds.drafted.tolist() == [4] * 7 + [3]
        assert task.rounds.accepted.tolist() == [4] * 7 + [3]
    # Since the log's first line, at 3.324 ms.
    assert first.rounds.at_s[0] == pytest.approx(14.122167 - 0.003324)
    assert first.rounds.at_s[-1] == pytest.approx(43.441809 - 0.003324)


def test_totals_of_two_slots_at_once_are_no_request_s():
    (run,) = parsers.read(DATA / "llama-server-b11549.log")
    assert [task.draft_s for task in run.tasks] == [None, None]
    assert (run.drafts, run.draft_s) == (16, pytest.approx(18.732649))


def test_true_json_lines():
    (run,) = parsers.read(DATA / "llama-server-b11549.jsonl")
    assert (run.spec_type, run.temperature, run.concurrency) == ("ngram-simple", 0.0, 2)
    assert counts(run) == [(40, 18, 18), (40, 0, 0)]
    first = run.tasks[0]
    assert first.rounds.drafted.tolist() == [15, 3]
    assert first.rounds.at_s[0] == pytest.approx(8.938632 - 0.00183)
    assert first.positions.accepted[:4] == (2, 2, 2, 1)
    # The one request that was finished by then: its totals are the difference to nothing.
    assert first.draft_s == pytest.approx(23e-6)


SHAPES = {
    "new": (lambda *a: new(*a), "n-1"),
    "json lines": (lambda *a: as_json(new(*a)), "n-1"),
    "middle": (middle, "n"),
    "old": (old, "n"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_request_without_a_draft_line_drafted_nothing(shape):
    write, convention = SHAPES[shape]
    run = only(write(FOUR, 0), write(NOTHING, 7))
    assert counts(run) == [(140, 11, 6), (12, 0, 0)]
    assert run.tasks[1].reported_rate is None
    assert run.rate_convention == convention
    assert run.findings == ()


@pytest.mark.parametrize("shape", ["new", "json lines", "middle"])
def test_positions(shape):
    positions = only(SHAPES[shape][0](FOUR, 0)).tasks[0].positions
    assert positions.rate == (0.667, 0.667, 0.667, 0.0)
    traced = shape != "middle"
    assert positions.accepted == ((2, 2, 2, 0) if traced else None)
    assert positions.rounds == (3 if traced else None)


PREFIXES = {
    "none": "",
    "router": "[53409] ",
    "docker": "2026-05-14 22:40:00.316 | ",
    "compose": "llama-1  | ",
    "kubernetes": "2026-05-14T22:40:00.316123Z stderr F ",
    "journal": "May 14 22:40:00 host llama-server[123]: ",
    "journal, iso": "2026-05-14T22:40:00+0200 host llama-server[123]: ",
    "quoted": "> ",
    "in a cell": "| ",
    "colour": "\x1b[34m",
}


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("shape", ["new", "middle", "old"])
def test_prefixes(prefix, shape):
    lines = [PREFIXES[prefix] + line for line in SHAPES[shape][0](FOUR, 3)]
    run = only(lines)
    assert counts(run) == [(140, 11, 6)]
    if shape == "new":
        assert run.tasks[0].rounds.accepted.tolist() == [3, 0, 3]
        assert run.tasks[0].rounds.at_s.tolist() == pytest.approx([0.017, 0.034, 0.051])


def test_colours_as_the_server_prints_them():
    lines = [
        line.replace(" I ", "\x1b[0m \x1b[32mI \x1b[0m", 1).join(["\x1b[34m", "\x1b[0m"])
        for line in new(FOUR)
    ]
    (task,) = only(lines).tasks
    assert task.rounds.drafted.tolist() == [4, 4, 3]
    assert task.rounds.at_s.tolist() == pytest.approx([0.017, 0.034, 0.051])


def test_windows_line_ends_and_utf16(tmp_path):
    text = "\r\n".join(new(FOUR)) + "\r\n"
    for encoding in ("utf-8", "utf-16"):
        (tmp_path / "a.log").write_bytes(text.encode(encoding))
        (run,) = parsers.read(tmp_path / "a.log")
        assert counts(run) == [(140, 11, 6)]
        assert run.tasks[0].source.last_line == len(new(FOUR)) - 1


def test_a_clock_above_sixty_minutes():
    (task,) = only(new(FOUR, at_ms=132 * 60_000)).tasks
    assert task.rounds.at_s.tolist() == pytest.approx([0.017, 0.034, 0.051])


def test_calendar_times_count_where_the_server_has_no_clock():
    lines = [
        f"May 14 23:59:{59 + i % 1:02d} host llama-server[1]: " + line.partition(" I ")[2]
        for i, line in enumerate(new(FOUR))
    ]
    lines[2] = lines[2].replace("May 14 23:59:59", "May 15 00:00:01")
    lines[3] = lines[3].replace("May 14 23:59:59", "May 15 00:00:02")
    assert only(lines).tasks[0].rounds.at_s.tolist() == [0.0, 2.0, 3.0]


def test_slots_side_by_side_keep_their_own_lines():
    a, b = new(FOUR, 62, 0), new(Asked(predicted=99, rounds=((5, 5), (5, 1))), 63, 1)
    mixed = [line for pair in zip(a, [*b, b[-1]], strict=True) for line in pair]
    run = only(mixed[:-1])
    assert sorted(counts(run)) == [(99, 10, 6), (140, 11, 6)]
    assert run.concurrency == 2
    assert {tuple(task.rounds.accepted.tolist()) for task in run.tasks} == {(3, 0, 3), (5, 1)}


def test_requests_one_after_the_other_are_no_concurrency():
    assert only(new(FOUR, 0, 0), new(FOUR, 9, 3)).concurrency == 1


def test_identical_requests_stay_several():
    run = only(*(new(FOUR, task) for task in (0, 88, 175)))
    assert counts(run) == [(140, 11, 6)] * 3
    assert [task.task for task in run.tasks] == ["request 1", "request 2", "request 3"]


def test_a_replay_is_no_round():
    lines = new(Asked(rounds=((4, 1), (2, 2), (4, 4), (3, 0), (1, 1))))
    lines[1] += " (restore checkpoint)"
    lines[4] += " (restore checkpoint)"
    rounds = only(lines).tasks[0].rounds
    assert rounds.drafted.tolist() == [4, 4, 3]
    assert rounds.accepted.tolist() == [1, 4, 0]


def test_a_replay_belongs_to_its_slot():
    a = new(Asked(rounds=((4, 1), (2, 2), (4, 4))), 0, 0)
    b = new(Asked(rounds=((9, 5), (9, 6), (9, 7))), 1, 1)
    a[1] += " (restore checkpoint)"
    mixed = [line for pair in zip(a, b, strict=True) for line in pair]
    first, second = only(mixed).tasks
    assert first.rounds.drafted.tolist() == [4, 4]
    assert second.rounds.drafted.tolist() == [9, 9, 9]


def test_debug_lines_are_rounds_only_where_no_trace_is():
    debug = (
        "0.01.000.000 D slot update_slots: id  0 | task 0 | "
        "accepted {}/{} draft tokens, new n_tokens = 42"
    )
    lines = new(Asked(rounds=()))
    alone = [lines[0], debug.format(3, 4), debug.format(0, 4), *lines[1:]]
    assert only(alone).tasks[0].rounds.accepted.tolist() == [3, 0]
    traced = new(FOUR)
    both = [traced[0], traced[1], debug.format(3, 4), *traced[2:]]
    assert only(both).tasks[0].rounds.accepted.tolist() == [3, 0, 3]


ECHO = (
    "0.02.974.340 I slot print_timing: id  0 | task 0 | "
    "draft acceptance = 0.9 (9 accepted / 10 generated)"
)


@pytest.mark.parametrize(
    "echo",
    [
        f'srv log_server_r: request: {{"messages":[{{"content":"{ECHO}"}}]}}',
        f'{{"messages":[{{"content":"{ECHO}"}}]}}',
        f"the user wrote: {ECHO}",
        "draft acceptance rate = 0.9 (9 accepted / 10 generated)",
        ECHO.replace("task 0", "task 4"),
    ],
)
def test_an_echo_is_no_request(echo):
    lines = new(FOUR, 8)
    run = only(lines[:2], echo, lines[2:], echo)
    assert counts(run) == [(140, 11, 6)]


def test_an_acceptance_line_before_any_time_is_left_out_and_said():
    lines = new(FOUR, 8)
    run = only(lines[0], ECHO.replace("task 0", "task 8"), lines[1:])
    assert counts(run) == [(140, 11, 6)]
    (finding,) = run.findings
    assert (finding.level, finding.code, finding.where) == (
        "warning",
        "acceptance-untimed",
        "a.log:2",
    )
    assert finding.message.startswith("1 acceptance lines have no time line")


def test_a_second_acceptance_line_of_a_request_is_not_believed():
    lines = new(FOUR, 8)
    run = only(lines[:-1], ECHO.replace("task 0", "task 8"), lines[-1])
    assert counts(run) == [(140, 11, 6)]
    assert [finding.code for finding in run.findings] == ["acceptance-untimed"]


def test_a_log_that_begins_within_a_request():
    first, second = new(FOUR, 1), new(NOTHING, 2)
    run = only(first[-3:], second)
    assert counts(run) == [(None, 11, 6), (12, 0, 0)]
    assert run.findings == ()


def test_a_log_of_acceptance_lines_alone():
    run = only("draft acceptance = 0.45343 (185 accepted / 408 generated), mean len = 3.72",
               "acc per pos = (0.897, 0.662, 0.456)", "pp 165.124 t/s   tg 13.938 t/s")  # fmt: skip
    assert counts(run) == [(None, 408, 185)]
    assert run.tasks[0].positions.rate == (0.897, 0.662, 0.456)
    assert run.rate_convention is None


STATISTICS = (
    "statistics ngram_simple: #calls = 15, #gen drafts = 5, #acc drafts = 5, "
    "#gen tokens = {}, #acc tokens = {}",
    "statistics draft: #calls(b,g,a) = {} 10 10, #gen drafts = 10, #acc drafts = 10, "
    "#gen tokens = {}, #acc tokens = {}, dur(b,g,a) = 0.1, {}, 0.3 ms",
)


def test_time_spent_drafting_is_the_difference_of_totals():
    ngram, draft = STATISTICS
    lines = [
        "draft acceptance rate = 0.57576 (  171 accepted /   297 generated)",
        ngram.format(187, 73), draft.format(1, 110, 98, 5.0),
        "draft acceptance rate = 0.5 (  10 accepted /   20 generated)",
        ngram.format(200, 80), draft.format(2, 117, 101, 7.5),
    ]  # fmt: skip
    first, second = only(lines).tasks
    assert first.draft_s is second.draft_s is None  # one of the two says no time
    lines = [lines[0], draft.format(1, 297, 171, 5.0), lines[3], draft.format(2, 317, 181, 7.5)]
    first, second = only(lines).tasks
    assert (first.draft_s, second.draft_s) == (0.005, pytest.approx(0.0025))


def test_totals_are_not_taken_for_a_request():
    _, draft = STATISTICS
    line = "draft acceptance rate = 0.5 (  10 accepted /   20 generated)"
    (task,) = only(line, draft.format(9, 600, 300, 5.0)).tasks
    assert task.draft_s is None


def test_a_drafter_that_only_a_later_line_of_totals_names():
    _, draft = STATISTICS
    lines = old(FOUR, 585)[:-1]
    assert only(lines, draft.format(9, 600, 300, 5.0)).spec_type == "draft-simple"
    # A chain has a line each after every request, whatever they did.
    chain = [STATISTICS[0].format(1, 1), draft.format(9, 600, 300, 5.0)]
    assert only(lines, chain).spec_type == "ngram-simple,draft-simple"
    # Lines of two servers are no chain.
    assert only(lines, chain[0], old(FOUR, 586)[:-1], chain[1]).spec_type is None


@pytest.mark.parametrize(("calls", "rates"), [(1, (0.85, 0.705)), (4, None)])
def test_shares_of_a_line_of_totals_are_a_request_s_where_the_counts_are(calls, rates):
    line = (
        "0.34.089.513 I spec common_specu: statistics        draft-mtp: #calls(b,g,a) =    1    "
        "200    200, #gen drafts =    200, #acc drafts =   170, #gen tokens =    {}, #acc tokens "
        "=   {}, #mean acc len = 2.55, #acc rate/pos = (0.850, 0.705), dur(b,g,a) = 0.004, "
        "1011.730, 0.465 ms"
    )
    (task,) = only(
        "0.34.089.489 I slot print_timing: id  3 | task 0 | draft acceptance = 0.77945 "
        "(  311 accepted /   399 generated), mean len =  2.55",
        line.format(399 * calls, 311 * calls),
    ).tasks
    assert (task.positions.rate if task.positions else None) == rates
    if rates:
        assert task.positions.rounds == 200


def test_a_request_without_an_end_is_said_also_where_the_log_begins_within_another():
    first, second = new(FOUR, 1), new(NOTHING, 2)
    run = only(first[-4:], second[0], second[0].replace("launch_slot_: id  0", "x: id  0"))
    assert counts(run) == [(None, 11, 6)]
    assert [finding.code for finding in run.findings] == ["requests-unfinished"]


def test_wrapped_statistics():
    (task,) = only(
        "draft acceptance = 1.00000 (8 accepted / 8 generated)",
        "statistics draft-mtp: #calls(b,g,a) = 1 3 3,",
        "  #gen drafts = 3, #acc drafts = 3,",
        "  #gen tokens = 8, #acc tokens = 8,",
        "  dur(b,g,a) = 0.004, 26.710, 0.001 ms",
    ).tasks
    assert task.draft_s == pytest.approx(0.02671)


START = [
    "0.00.010.148 I cmn  common_param: common_params_print_info: build 9831 (7e4c0a9f) with GNU 11",
    "0.00.023.041 I srv    load_model: loading model '/home/ada/models/a.gguf'",
    "0.04.069.213 I common_speculative_init_result: loading draft model 'C:\\Users\\ada\\d.gguf'",
    "0.05.223.209 I srv    load_model: initializing, n_slots = 1, n_ctx_slot = 131072",
    "0.05.223.238 I common_speculative_impl_draft_dflash: "
    "adding speculative implementation 'draft-dflash'",
    "0.05.223.240 I common_speculative_impl_draft_dflash: - n_max=9, n_min=0, p_min=0.25",
    "0.05.223.241 I common_speculative_impl_draft_dflash: - block_size=8, mask_token_id=2",
    "0.05.223.242 W common_speculative_impl_draft_dflash: requested draft size (n_max=9, n_min=0) "
    "exceeds the trained block size 8 -- clamping to 7",
]


def test_a_start_says_what_is_in_effect():
    run = only(START, new(FOUR, at_ms=6000))
    assert (run.build, run.target, run.draft) == ("b9831", "a.gguf", "d.gguf")
    assert (run.spec_type, run.n_max, run.p_min) == ("draft-dflash", 7, 0.25)
    assert run.conditions == {"slots": "1", "block size": "8"}
    assert str(run.source) == f"a.log:1-{len(START) + len(new(FOUR))}"
    (clamped,) = run.findings
    assert (clamped.level, clamped.code, clamped.where) == ("note", "depth-clamped", "a.log:8")
    assert clamped.message == "draft-dflash: n_max 9 became 7"


def test_of_a_chain_the_deepest_counts():
    start = [
        *START[:7],
        "0.06.314.526 I spec common_specu: adding speculative implementation 'ngram-simple'",
        "0.06.314.548 I spec common_specu: - size_n=12, size_m=48, min_hits=1",
    ]
    run = only(start, new(FOUR, at_ms=7000))
    assert (run.spec_type, run.n_max, run.p_min) == ("draft-dflash,ngram-simple", 48, 0.25)
    assert run.conditions["n_max of draft-dflash"] == "9"
    # Where one of them does not say how deep it goes, the chain does not either.
    unsaid = only(start[:-1], new(FOUR, at_ms=7000))
    assert (unsaid.spec_type, unsaid.n_max) == ("draft-dflash,ngram-simple", None)


def test_a_single_file_that_ignores_p_min():
    line = "0.05.3 W common_speculative_impl_draft_dflash: DFlash2 path scores are no token "
    ignored = line.replace("0.05.3", "0.05.300.000") + "probabilities; ignoring p_min 0.25"
    assert only(START, ignored, new(FOUR, at_ms=6000)).p_min == 0.0


@pytest.mark.parametrize(
    ("text", "build"),
    [
        ("build: 6710 (d8919424) with cc (GCC) 13", "b6710"),
        ("0.00.000.001 I srv  init: build_info: b9831-7e4c0a9", "b9831"),
        ("0.00.010.148 I cmn  common_param: common_params_print_info: build 1 (7e4c0a9) with GNU",
         "7e4c0a9"),
        ("0.00.010.148 I cmn  common_param: common_params_print_info: build 0 (unknown) with GNU",
         None),
    ],
)  # fmt: skip
def test_builds(text, build):
    assert only(text, new(FOUR)).build == build


def test_a_configuration_file_is_said():
    line = "0.00.001.000 I srv  llama_server: using config file: {}"
    (own,) = runs_of(START, line.format("/home/ada/.config/llama.cpp/config.ini"), new(FOUR))
    assert own.conditions["config file"] == "the user's"
    (finding,) = [finding for finding in own.findings if finding.code == "config-file"]
    assert (finding.level, finding.where) == ("warning", f"a.log:{len(START) + 1}")
    assert finding.message == "the user's config.ini was applied before the arguments"
    assert only(line.format("/etc/llama.cpp/config.ini"), new(FOUR)).conditions == {
        "config file": "the system's"
    }


def test_a_type_that_the_draft_s_file_gave():
    line = "0.00.001.000 I srv load_model: auto-detected speculative type 'draft-dspark'"
    assert only(line, new(FOUR)).spec_type == "draft-dspark"


def test_a_drafter_that_chooses_its_depth():
    start = [line.replace("'draft-dflash'", "'draft-mtp-adaptive'") for line in START]
    run = only(start, new(FOUR, at_ms=6000))
    assert (run.spec_type, run.conditions["depth"]) == ("draft-mtp", "adaptive")


def test_several_starts_are_several_runs():
    text = [*START, *new(FOUR, at_ms=6000), *START[:4], *new(NOTHING, at_ms=6000)]
    first, second = runs_of(text)
    assert (first.spec_type, second.spec_type) == ("draft-dflash", None)
    assert (counts(first), counts(second)) == ([(140, 11, 6)], [(12, 0, 0)])
    assert second.source.first_line == len(START) + len(new(FOUR)) + 1
    assert second.tasks[0].task == "request 1"


def test_servers_of_a_router_are_several_runs():
    a = [f"[53409] {line}" for line in [*START, *new(FOUR, at_ms=6000)]]
    b = [f"[53410] {line}" for line in [*START[:4], *new(NOTHING, at_ms=6000)]]
    mixed = [line for pair in zip(a, b, strict=False) for line in pair] + a[len(b) :]
    first, second = runs_of(mixed)
    assert (counts(first), counts(second)) == ([(140, 11, 6)], [(12, 0, 0)])
    assert (first.n_max, second.n_max) == (7, None)


def test_excerpts_whose_clock_goes_back_are_several_runs():
    first, second = new(FOUR, 144, at_ms=43_000)[4:], new(NOTHING, 0, at_ms=11_000)[1:-1]
    runs = runs_of("### One", "```", first, "```", "", "### Two", "```", second, "```")
    assert [counts(run) for run in runs] == [[(140, 11, 6)], [(12, 0, 0)]]
    assert [run.label for run in runs] == ["One", "Two"]


def test_a_command_above_a_log_says_what_the_log_does_not():
    command = (
        "$ llama-server -m /home/ada/a.gguf -md d.gguf --spec-type mtp --api-key sk-1 --temp 0"
    )
    run = only(command, new(FOUR))
    assert (run.spec_type, run.temperature, run.target) == ("draft-mtp", 0.0, "a.gguf")
    assert run.command == (
        "llama-server -m a.gguf -md d.gguf --spec-type mtp --api-key *** --temp 0"
    )


def test_a_log_cut_after_a_request_s_times_does_not_say_what_it_drafted():
    lines = new(FOUR)
    cut = lines[: next(i for i, line in enumerate(lines) if "total time" in line) + 1]
    assert counts(only(START, cut)) == [(140, None, None)]
    assert counts(only(cut)) == [(140, 0, 0)]  # nothing says that this server drafts at all


def test_a_cancelled_request_is_left_out_and_said():
    run = only(new(FOUR, 1), new(FOUR, 2)[:2], "0.01.500.000 W srv  stop: cancel task, id_task = 2",
               "0.01.600.000 I slot      release: id  0 | task 2 | stop processing")  # fmt: skip
    assert counts(run) == [(140, 11, 6)]
    assert [(finding.level, finding.code) for finding in run.findings] == [
        ("note", "requests-unfinished")
    ]


def test_one_token_has_no_rate():
    (task,) = only(new(Asked(predicted=1, rounds=(), eval_ms=0.0))).tasks
    assert (task.predicted_tokens, task.decode_s, task.decode_tps) == (1, 0.0, None)


def refusal(*lines):
    with pytest.raises(LogError) as caught:
        runs_of(*lines)
    return str(caught.value)


def test_a_server_that_never_started():
    lines = [
        "0.00.022.775 I srv    load_model: loading model 'a.gguf'",
        "0.00.379.950 E llama_model_load_from_file_impl: failed to load model",
        "0.14.812.914 E srv    load_model: failed to load draft model, '/home/ada/d.gguf'",
        "0.14.816.471 E srv  llama_server: exiting due to model loading error",
    ]
    assert refusal(lines) == (
        "a.log:3: the server stopped before it answered a request: failed to load draft model, "
        "'d.gguf'; mend that, start it again and save the log of a request"
    )
    (run,) = runs_of(lines, START[:4], new(FOUR, at_ms=6000))
    assert counts(run) == [(140, 11, 6)]
    (failed,) = run.findings
    assert (failed.level, failed.code, failed.where) == ("warning", "server-failed", "a.log:3")


@pytest.mark.parametrize(("lines", "seen"), [
    ([STATISTICS[0].format(1, 1)], ", only totals of the server since it started"),
    (["srv  update_slots: all slots are idle"], ""),
    ([new(FOUR)[0]], ", only the beginning of task 0"),
    (["Jun 18 08:57:40  llama-Model:[1351]: 10.13.175.674 I slot print_timing: id  0 | task 84 | "
      "prompt processing, n_tokens =  36864, progress = 0.24"] * 2,
     ", only progress of task 84, behind `\u2026 18 08:57:40  \u2026:[1351]:`"),
    ([f"slot print_timing: id  0 | task {task} | n_gen =    100, tg =  20.33 t/s"
      for task in (1, 2)], ", only progress of 2 tasks"),
])  # fmt: skip
def test_no_request(lines, seen):
    assert refusal(lines) == (
        f"a.log: no request's times or acceptance are in this server log{seen}; "
        "save it after a request has been answered, or with -lv 3 or more"
    )


ROW = "  code_python        pred= 192 draft= 135 acc= 123 rate=0.911 tok/s=161.0"


def sniffed(tmp_path, text):
    (tmp_path / "a.log").write_text(text)
    with parsers.open_log(tmp_path / "a.log") as log:
        return parsers.sniff(log).name


def test_a_server_log_is_recognised_though_its_prompts_look_like_others(tmp_path):
    lines = new(FOUR)
    assert sniffed(tmp_path, "\n".join([*lines[:3], ROW, *lines[3:]])) == "llama-server"
    echo = '{"results":[{"name":"a","predicted_n":1}],"aggregate":{}}'
    assert sniffed(tmp_path, "\n".join([*lines[:3], echo, *lines[3:]])) == "llama-server"


def test_a_large_log_is_recognised_though_older_builds_mark_few_of_its_lines(tmp_path):
    loading = "print_info: general.name = a model\n" * 9000
    idle = "srv  update_slots: all slots are idle\n"
    text = loading[:35_000] + idle * 30 + loading
    with parsers.open_log(write(tmp_path, text)) as log:
        assert parsers.FORMATS["llama-server"].begins(log.head)


def write(tmp_path, text):
    (tmp_path / "a.log").write_text(text)
    return tmp_path / "a.log"


def test_a_log_of_another_program_of_llama_cpp_is_none(tmp_path):
    text = "0.00.100.000 I load_tensors: loading model tensors\n" * 9 + "\n".join(
        f"0.01.000.000 I {name} = {value}"
        for name, value in [
            ("n_draft  ", "8"), ("n_predict", "129"), ("n_drafted", "132"), ("n_accept ", "47"),
            ("accept   ", "35.606%"),
        ]
    )  # fmt: skip
    with parsers.open_log(write(tmp_path, text)) as log:
        assert not parsers.FORMATS["llama-server"].begins(log.head)


def test_a_paste_with_rows_is_no_server_log(tmp_path):
    text = f"It said\n\n```\n{new(FOUR)[4]}\n{new(FOUR)[5]}\n```\n\nand then\n\n{ROW}\n"
    assert sniffed(tmp_path, text) == "mtp-bench"


@pytest.mark.parametrize("text", [
    "llama_print_timings:        eval time = 27360.44 ms /   214 runs   ( 127.85 ms per token)",
    "The draft acceptance = 0.9 (9 accepted / 10 generated) was high.",
    'said {"content": "draft acceptance = 0.9 (9 accepted / 10 generated)"}',
    "my total time = 12 ms, eval time was fine",
])  # fmt: skip
def test_look_alikes_are_not_recognised(tmp_path, text):
    with pytest.raises(LogError, match=r"nothing was recognised|another program"):
        sniffed(tmp_path, f"Some words\n{text}\nMore words\n")


def test_a_compressed_log(tmp_path):
    (tmp_path / "a.log.gz").write_bytes(gzip.compress("\n".join(new(FOUR)).encode()))
    assert counts(*parsers.read(tmp_path / "a.log.gz")) == [(140, 11, 6)]


def test_a_request_that_was_pasted_twice_counts_once():
    run = only(*new(FOUR, 7), *new(FOUR, 8, at_ms=3000.0), *new(FOUR, 7))
    assert len(run.tasks) == 2
    ((level, code, message),) = [(one.level, one.code, one.message) for one in run.findings]
    assert (level, code) == ("warning", "request-twice")
    assert message.startswith("1 request stands here with the slot, task, clock and figures of an ")


def test_equal_figures_at_another_time_are_another_request():
    run = only(*new(FOUR, 7), *new(FOUR, 7, at_ms=9000.0))
    assert (len(run.tasks), run.findings) == (2, ())
