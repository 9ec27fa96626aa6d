"""One small text of every format, for tests that break them all alike."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests.parsers import (
    test_aiperf,
    test_ik_spec_bench,
    test_llama_batched_bench,
    test_llama_bench,
    test_llama_benchy,
    test_llama_speculative,
    test_llama_sweep_bench,
    test_metrics_text,
    test_results_csv,
    test_results_table,
    test_speed_bench,
    test_timings_json,
    test_vllm_bench,
    test_vllm_log,
    test_vllm_result,
)

__all__ = ["SAMPLES"]

_ROW = "  {name:<18} pred={pred:4d} draft={draft:4d} acc={acc:4d} rate={rate} tok/s={tps}\n"
_ROWS = (
    _ROW.format(name="code_python", pred=192, draft=153, acc=139, rate="0.908", tps="61.9")
    + _ROW.format(name="translation", pred=22, draft=32, acc=13, rate="0.406", tps="19.4")
    + "  summarize          ERROR: timed out\n"
)
_AGGREGATE = {
    "n_requests": 2,
    "total_predicted": 214,
    "total_draft": 185,
    "total_draft_accepted": 152,
    "aggregate_accept_rate": 0.8216,
    "wall_s_total": 4.62,
}
_SERVER = """\
0.02.974.228 I slot print_timing: id  0 | task 0 | prompt eval time =     276.98 ms /    44 tokens (    6.30 ms per token,   158.86 tokens per second)
0.02.974.290 I slot print_timing: id  0 | task 0 |        eval time =    1667.16 ms /   140 tokens (   11.99 ms per token,    83.38 tokens per second)
0.02.974.302 I slot print_timing: id  0 | task 0 |       total time =    1944.14 ms /   184 tokens
0.02.974.340 I slot print_timing: id  0 | task 0 | draft acceptance = 0.53719 (  130 accepted /   242 generated), mean len =  3.13
0.02.974.352 I slot print_timing: id  0 | task 0 |      acc per pos = (0.803, 0.607, 0.475, 0.246)
0.02.974.403 I spec common_specu: statistics     draft-dflash: #calls(b,g,a) =    1     61     61, #gen drafts =     61, #acc drafts =    49, #gen tokens =    242, #acc tokens =   130, dur(b,g,a) = 0.003, 474.484, 0.033 ms
0.02.452.000 I slot   operator(): id  0 | task 0 | accepted  3/ 4 draft tokens
"""  # noqa: E501 - lines as the server prints them

SAMPLES: Mapping[str, str] = {
    "mtp-bench": f"## MTP n=3\n\n```\n$ llama-server -m a.gguf --spec-type draft-mtp\n{_ROWS}\n"
    f"Aggregate: {json.dumps(_AGGREGATE, indent=2)}\n```\n",
    "mtp-bench-json": json.dumps(
        {
            "mode": "mtp-3",
            "results": [
                {
                    "name": "code_python",
                    "wall_s": 3.1,
                    "predicted_n": 192,
                    "predicted_per_second": 61.9,
                    "draft_n": 153,
                    "draft_n_accepted": 139,
                    "accept_rate": 0.9085,
                }
            ],
            "aggregate": _AGGREGATE,
        },
        indent=2,
    ),
    "llama-server": _SERVER,
    "llama-speculative": test_llama_speculative.PHASES + test_llama_speculative.SUMMARY,
    "ik-spec-bench": test_ik_spec_bench.HEAD + test_ik_spec_bench.CODE + test_ik_spec_bench.FAILED,
    "ik-spec-bench lines": json.dumps(test_ik_spec_bench.ATTEMPT) + '\n{"row_type": "summary"}\n',
    "speed-bench": json.dumps(test_speed_bench.OUTPUT, indent=2),
    "speed-bench summary": test_speed_bench.SUMMARY,
    "speed-bench comparison": test_speed_bench.COMPARISON,
    "vllm-log": test_vllm_log.NEW.format(second="06") + test_vllm_log.FIRST + test_vllm_log.SECOND,
    "vllm-bench": test_vllm_bench.SERVING + test_vllm_bench.SECTION,
    "vllm-result": json.dumps(test_vllm_result.RESULT | test_vllm_result.DETAIL, indent=1),
    "aiperf": json.dumps(test_aiperf.SUMMARY, indent=1),
    "aiperf table": test_aiperf.TABLE,
    "aiperf requests": test_aiperf.RECORDS,
    "llama-benchy": json.dumps(test_llama_benchy.REPORT, indent=1),
    "llama-benchy table": test_llama_benchy.TABLE,
    "metrics": test_metrics_text.ONE + test_metrics_text.TWO,
    "metrics table": test_metrics_text.TABLE,
    "llama-bench": test_llama_bench.TABLE,
    "llama-batched-bench": test_llama_batched_bench.TABLE,
    "llama-sweep-bench": test_llama_sweep_bench.TABLE,
    "results-table": test_results_table.RUNS + test_results_table.REPORT,
    "results-table tasks": test_results_table.TASKS + "\n" + test_results_table.ARMS,
    "results-csv": test_results_csv.SHEET,
    "results-csv bare": test_results_csv.ROWS,
    "timings-json": json.dumps([test_timings_json.TIMINGS] * 2, indent=1),
}
