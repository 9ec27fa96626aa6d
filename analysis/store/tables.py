"""Which tables does a store have, and which columns has each?

The schema is fixed, so that a column in which one campaign knows nothing has
the same type as in all others. docs/store.md tells it to readers; a change
that breaks them counts `SCHEMA_VERSION` up.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

__all__ = ["SCHEMA_VERSION", "TABLES", "columns", "schema"]

SCHEMA_VERSION = 1

_INT, _FLOAT, _TEXT, _BOOL = pa.int64(), pa.float64(), pa.string(), pa.bool_()

_CAMPAIGN = ("campaign", _TEXT, "slug of the campaign")
_RUN = ("run", _TEXT, "id of the run within the campaign")
_COUNTS = (
    ("predicted_tokens", _INT, "tokens generated"),
    ("draft_tokens", _INT, "tokens drafted"),
    ("accepted_tokens", _INT, "drafted tokens accepted"),
    ("acceptance_rate", _FLOAT, "accepted / drafted"),
)
_STEPS = (
    ("forwards", _INT, "target forwards after prefill"),
    ("mean_accepted_length", _FLOAT, "tokens per forward, bonus token included"),
    ("ms_per_forward", _FLOAT, "milliseconds of decoding per forward"),
)

_COLUMNS: Mapping[str, tuple[tuple[str, pa.DataType, str], ...]] = {
    "runs": (
        _CAMPAIGN,
        ("title", _TEXT, "title of the campaign"),
        ("target", _TEXT, "target model"),
        ("conditions", _TEXT, "JSON object: what is known of hardware, build and sampler"),
        _RUN,
        ("label", _TEXT, "what the run is called"),
        ("spec_type", _TEXT, "llama-server's --spec-type; none without speculation"),
        ("n_max", _INT, "depth: most tokens drafted per round"),
        ("p_min", _FLOAT, "least probability of a drafted token"),
        ("baseline", _BOOL, "whether the campaign's speedups refer to this run"),
        ("synthetic", _BOOL, "whether acceptance was made by chance: no real speed"),
        ("repeats", _INT, "how often each task was run"),
        ("n_requests", _INT, "requests, failed ones included"),
        *_COUNTS,
        ("wall_s", _FLOAT, "sum of the requests' wall times, seconds"),
        ("effective_tps", _FLOAT, "predicted tokens / wall time, tokens per second"),
        ("decode_s", _FLOAT, "decode time, seconds"),
        ("decode_tps", _FLOAT, "predicted tokens / decode time, tokens per second"),
        *_STEPS,
        ("speedup", _FLOAT, "ratio of effective throughputs to the baseline"),
        ("speedup_low", _FLOAT, "lower end of its 90 % interval"),
        ("speedup_high", _FLOAT, "upper end of its 90 % interval"),
        ("decode_speedup", _FLOAT, "ratio of decode throughputs to the baseline"),
        ("geomean_task_speedup", _FLOAT, "geometric mean of the tasks' decode speedups"),
        ("step_cost_ratio", _FLOAT, "time per forward over a plain step's"),
        ("break_even_acceptance", _FLOAT, "acceptance rate above which the depth pays"),
        ("temperature", _FLOAT, "sampling temperature"),
        ("concurrency", _INT, "requests at once"),
        ("prompt_set", _TEXT, "which prompts"),
        ("build", _TEXT, "llama.cpp build"),
        ("definition", _TEXT, "what acceptance counts"),
        ("source", _TEXT, "file and lines of the raw data"),
    ),
    "tasks": (
        _CAMPAIGN,
        _RUN,
        ("request", _INT, "number of the row within its run, from 1"),
        ("repeat", _INT, "which repetition, from 1"),
        ("task", _TEXT, "name of the prompt"),
        ("workload", _TEXT, "class of the task"),
        *_COUNTS,
        ("decode_tps", _FLOAT, "decode rate, tokens per second"),
        ("decode_s", _FLOAT, "decode time, seconds; predicted / rate where not measured"),
        ("wall_s", _FLOAT, "wall time of the request, seconds"),
        ("draft_s", _FLOAT, "time spent drafting, seconds"),
        ("speedup", _FLOAT, "ratio of decode rates to the baseline's same task"),
        *_STEPS,
        ("pooled", _INT, "requests that the row sums"),
        ("error", _TEXT, "why the request failed"),
        ("source", _TEXT, "file and lines of the raw data"),
    ),
    "rounds": (
        _CAMPAIGN,
        _RUN,
        ("request", _INT, "number of the task's row within its run, from 1"),
        ("task", _TEXT, "name of the prompt"),
        ("round", _INT, "number of the verification round within the request, from 1"),
        ("drafted", _INT, "tokens drafted"),
        ("accepted", _INT, "drafted tokens accepted"),
        ("at_s", _FLOAT, "seconds since the log's first timestamp at which it ended"),
    ),
    "findings": (
        _CAMPAIGN,
        ("level", _TEXT, "error, warning or note"),
        ("code", _TEXT, "stable name of the finding"),
        ("where", _TEXT, "file, run or campaign"),
        ("message", _TEXT, "what a careful reader would say"),
    ),
}

TABLES = tuple(_COLUMNS)
"""Names of the tables; each is a folder of a store."""


def columns(table: str) -> tuple[str, ...]:
    """Names of a table's columns in order."""
    return tuple(name for name, _, _ in _COLUMNS[table])


def schema(table: str, inputs: str = "") -> pa.Schema:
    """Columns of a table with what they mean, as Parquet keeps them.

    Parameters
    ----------
    table
        One of `TABLES`.
    inputs
        Fingerprint of what the rows were made from.
    """
    fields = [
        pa.field(name, kind, metadata={"description": meaning})
        for name, kind, meaning in _COLUMNS[table]
    ]
    about = {"schema_version": str(SCHEMA_VERSION), "table": table, "inputs": inputs}
    return pa.schema(fields, {f"mtpbench.{key}": value for key, value in about.items()})
