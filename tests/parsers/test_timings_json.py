"""JSON results: timings of llama-server, summaries, wrapped and one per line."""

import json

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document

TIMINGS = {
    "prompt_n": 1,
    "prompt_ms": 228.522,
    "predicted_n": 200,
    "predicted_ms": 11082.606,
    "predicted_per_second": 18.0462970532382,
    "draft_n": 347,
    "draft_n_accepted": 65,
}


def runs_in(data, format=None):
    text = data if isinstance(data, str) else json.dumps(data, indent=2)
    return parsers.parse(Document.of(text, "a.json"), format)


def test_a_lone_timings_object_is_a_run_of_totals():
    (run,) = runs_in(TIMINGS)
    total = run.aggregate
    assert (run.format, run.tasks, total.n_requests) == ("timings-json", (), 1)
    assert (total.predicted_tokens, total.draft_tokens, total.accepted_tokens) == (200, 347, 65)
    assert (total.decode_s, total.decode_tps) == (11.082606, 18.0462970532382)


def test_a_response_of_the_server():
    (run,) = runs_in({"content": "def f(): …", "model": "a.gguf", "timings": TIMINGS})
    assert (run.aggregate.predicted_tokens, run.target) == (200, "a.gguf")


def test_timings_without_drafts_drafted_nothing():
    plain = {key: value for key, value in TIMINGS.items() if not key.startswith("draft")}
    (run,) = runs_in(plain)
    assert (run.aggregate.draft_tokens, run.aggregate.accepted_tokens) == (0, 0)


def test_several_are_requests_of_one_run():
    lines = "\n".join(json.dumps({"timings": TIMINGS}) for _ in range(3))
    (run,) = runs_in(f"$ cat all.jsonl\n{lines}\n")
    assert [task.task for task in run.tasks] == ["request 1", "request 2", "request 3"]
    assert [task.source.first_line for task in run.tasks] == [2, 3, 4]
    assert (run.tasks[0].decode_s, run.tasks[0].prompt_s) == (11.082606, 0.228522)


def test_a_fence_in_a_post():
    fenced = json.dumps(TIMINGS, indent=2)
    (run,) = runs_in(f"I measured this:\n\n```json\n{fenced}\n```\n\nNice, [isn't it]?\n")
    assert run.aggregate.draft_tokens == 347
    assert (run.source.first_line, run.source.last_line) == (4, 12)


def test_the_timings_alone_of_a_response_that_was_cut():
    text = 'curl … → …"content":"x","timings":' + json.dumps(TIMINGS) + ',"id_slot'
    (run,) = runs_in(text)
    assert run.aggregate.predicted_tokens == 200


def test_a_line_that_stops_is_a_finding():
    lines = [json.dumps({"name": name, **TIMINGS}) for name in "abc"]
    (run,) = runs_in("\n".join(lines)[:-9])
    assert [task.task for task in run.tasks] == ["a", "b"]
    assert [(f.code, f.where) for f in run.findings] == [("row-cut", "a.json:3")]


def test_a_named_result_per_line():
    rows = [
        {"mode": mode, "name": name, "predicted_n": 10, "draft_n": 4, "draft_n_accepted": 2}
        for mode in ("mtp-2", "mtp-3")
        for name in ("a", "b")
    ]
    first, second = runs_in("\n".join(map(json.dumps, rows)))
    assert (first.label, first.spec_type, first.n_max) == ("mtp-2", "draft-mtp", 2)
    assert [task.task for task in second.tasks] == ["a", "b"]


def test_a_list_of_summaries():
    rows = [
        {"model": "27B", "mode": "baseline", "avg_tok_s": 6.5, "accept_rate": None},
        {"model": "27B", "mode": "mtp-2", "avg_tok_s": 12.4, "accept_rate": 0.7971},
    ]
    plain, fast = runs_in([{**row, "wall_s_total": 100.5} for row in rows])
    assert (plain.spec_type, fast.spec_type, fast.n_max) == ("none", "draft-mtp", 2)
    assert (fast.label, fast.target) == ("27B, mtp-2", "27B")
    assert (fast.aggregate.acceptance_rate, fast.aggregate.wall_s) == (0.7971, 100.5)
    assert (fast.aggregate.quoted_tps, fast.aggregate.quoted_is_mean) == (12.4, True)


def test_a_model_named_mtp_does_not_make_its_baseline_speculative():
    rows = [
        {"model": "a-MTP", "mode": mode, "accept_rate": None, "wall_s": 3.0}
        for mode in ("baseline", "plain")
    ]
    assert [run.spec_type for run in runs_in(rows)] == ["none", None]


def test_figures_that_a_caller_spread_over_objects():
    (run,) = runs_in(
        {
            "label": "big",
            "model_name": "a.gguf",
            "model_path": "/home/me/a.gguf",
            "api_key": "sk-1",
            "sampler": {"temperature": 0.7},
            "load_command": "llama-server\n--spec-type draft-mtp\n--spec-draft-n-max 2",
            "performance": {"wall_secs": 355.3, "decode_ms": 353267.532},
            "mtp": {"draft_n": 10566, "draft_n_accepted": 8796, "accept_rate": 0.832},
            "server_timings": {"predicted_n": 14078, "draft_n": 10566},
        }
    )
    total = run.aggregate
    assert (total.predicted_tokens, total.draft_tokens, total.accepted_tokens) == (
        14078,
        10566,
        8796,
    )
    assert (total.wall_s, total.acceptance_rate, total.rate_decimals) == (355.3, 0.832, 3)
    assert (run.label, run.spec_type, run.n_max, run.temperature) == (
        "a.gguf, big",
        "draft-mtp",
        2,
        0.7,
    )
    assert "sk-1" not in str(run.conditions)
    assert "/home" not in str(run.conditions)


def test_elapsed_time_is_told_from_the_sum_of_requests():
    (run,) = runs_in(
        [
            {
                "total_predicted": 9,
                "total_draft": 4,
                "wall_s_total": 5.0,
                "request_wall_s_total": 19.0,
            }
        ]
    )
    assert (run.aggregate.wall_s, run.aggregate.elapsed_s) == (19.0, 5.0)


def test_an_impossible_figure_is_a_finding():
    (run,) = runs_in({**TIMINGS, "draft_n": -3})
    assert run.aggregate.draft_tokens is None
    assert [f.code for f in run.findings] == ["number-unread"]


def test_json_that_stops_in_the_middle_says_where():
    text = json.dumps([TIMINGS, TIMINGS], indent=2)
    with pytest.raises(LogError, match=r"a\.json:13: the JSON stops in the middle"):
        runs_in("\n".join(text.split("\n")[:13]))


@pytest.mark.parametrize(
    "data",
    [
        {"name": "x", "version": 1},
        {"messages": [{"role": "user", "content": 'say "draft_n": 5'}], "max_tokens": 192},
        {"draft_n": "soon", "predicted_n": "later"},
        [1, 2, 3],
    ],
)
def test_other_json_yields_nothing(data):
    with pytest.raises(LogError):
        runs_in(data)
    with pytest.raises(LogError, match="no object here has"):
        runs_in(data, "timings-json")


def test_statistics_of_a_conversation_in_lm_studio():
    stats = {
        "stopReason": "eosFound", "promptTokensCount": 34, "predictedTokensCount": 233,
        "totalDraftTokensCount": 100, "acceptedDraftTokensCount": 80,
    }  # fmt: skip
    steps = [{"type": "contentBlock", "genInfo": {"identifier": "m", "stats": stats}}]
    text = json.dumps({"name": "chat", "messages": [{"versions": [{"steps": steps}]}]}, indent=2)
    (run,) = parsers.parse(Document.of(text, "a.json"))
    total = run.aggregate
    assert (total.predicted_tokens, total.draft_tokens, total.accepted_tokens) == (233, 100, 80)


def test_a_drafter_and_its_rounds_in_timings():
    timings = {
        "predicted_n": 111, "predicted_ms": 2100.0, "draft_kind": "mtp", "draft_rounds": 30,
        "draft_n": 90, "draft_n_accepted": 81,
    }  # fmt: skip
    (run,) = parsers.parse(Document.of(json.dumps({"timings": timings}), "a.json"))
    assert (run.spec_type, run.n_max, dict(run.conditions)) == ("draft-mtp", None, {"rounds": "30"})


@pytest.mark.parametrize(
    "request_of",
    [
        {"usage": {"prompt_tokens": 44, "completion_tokens": 140},
         "metrics": {"spec_decode": {"num_draft_tokens": 242, "num_accepted_tokens": 130}}},
        {"num_generation_tokens": 140, "spec_decode_num_draft_tokens": 242,
         "spec_decode_num_accepted_tokens": 130},
    ],
)  # fmt: skip
def test_a_request_s_speculation_as_vllm_counts_it(request_of):
    (run,) = parsers.parse(Document.of(json.dumps(request_of), "a.json"))
    total = run.aggregate
    assert (total.predicted_tokens, total.draft_tokens, total.accepted_tokens) == (140, 242, 130)


@pytest.mark.parametrize("timings", [{"predicted_n": 0}, {"": 0, "predicted_n": 0, "draft_n": 0}])
def test_a_request_that_nothing_came_of_is_no_result(timings):
    with pytest.raises(LogError, match="no tokens and no time"):
        parsers.parse(Document.of(json.dumps(timings), "a.json"))
    (run,) = parsers.parse(Document.of(json.dumps(timings | {"predicted_n": 1}), "a.json"))
    assert run.aggregate.predicted_tokens == 1


def _lines(accepted):
    request = {"predicted_n": 140, "predicted_ms": 1667.16, "draft_n": 242}
    return "\n".join(json.dumps(request | {"draft_n_accepted": count}) for count in accepted)


def test_headings_that_name_a_setting_begin_another_run():
    text = f"=== n_max=3 ===\n{_lines([130, 80])}\n# MTP, n_max=5\n{_lines([140])}\n"
    first, second = parsers.parse(Document.of(text, "a.txt"))
    assert (first.label, first.n_max, len(first.tasks)) == ("n_max=3", 3, 2)
    assert (second.spec_type, second.n_max, len(second.tasks)) == ("draft-mtp", 5, 1)


def test_other_words_between_requests_do_not():
    text = f"HTTP/1.1 200 OK\n{_lines([130])}\n100  1024\n{_lines([80])}\ndone\n{_lines([1])}\n"
    (run,) = parsers.parse(Document.of(text, "a.txt"))
    assert [task.accepted_tokens for task in run.tasks] == [130, 80, 1]


def test_commands_between_requests_begin_another_run():
    command = "llama-server -m a.gguf --spec-type draft-mtp --spec-draft-n-max {}"
    text = f"$ {command.format(2)}\n{_lines([130])}\n$ {command.format(4)}\n{_lines([80])}\n"
    assert [run.n_max for run in parsers.parse(Document.of(text, "a.txt"))] == [2, 4]
