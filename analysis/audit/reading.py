"""What parsers report themselves while reading: codes without a check of their own."""

from __future__ import annotations

from analysis.audit.finding import Check

__all__ = ["CHECKS"]

CHECKS = (
    Check(
        "log-broken",
        "error",
        "A log can't be read",
        "It is one of several that were named, is called like a log, or begins like a benchmark's "
        "output, but no run can be taken from it, so the figures lack it.",
        "Save or paste the whole output again, or leave the file out.",
    ),
    Check(
        "row-cut",
        "warning",
        "A row stops in the middle",
        "The text was cut while copying. Whole rows count; the cut one is left out.",
        "Paste the rest of the output.",
    ),
    Check(
        "table-left-out",
        "note",
        "A table with rates alone is left out",
        "Beside a table with counts it may hold the same measurements again, or others whose rates "
        "can't be recomputed. Only the one with counts is read.",
        "Put it into a file of its own if its rows were measured apart.",
    ),
    Check(
        "config-file",
        "warning",
        "A configuration file changed the server",
        "llama-server applies /etc/llama.cpp/config.ini and the user's own before its arguments. "
        "Threads, cache types, even the drafter may be other than the command says.",
        "Measure with XDG_CONFIG_HOME at an empty folder, or state what the file sets.",
    ),
    Check(
        "depth-clamped",
        "note",
        "The server lowered the depth",
        "A draft trained for blocks of one size can't draft more; llama.cpp then uses the largest "
        "depth that it can, and that is the depth these figures are for.",
        "Ask for the depth in effect, so that the label says what was measured.",
    ),
    Check(
        "server-changed",
        "error",
        "The server became another one while it was measured",
        "Its build, its model, its context or its chat template is not what it was when the "
        "campaign began, so figures before and after are of two things and must not be pooled.",
        "Measure all of it on one server, one build and one model.",
    ),
    Check(
        "aggregate-cut",
        "warning",
        "The aggregate is incomplete",
        "Without it the wall time is unknown, and so is effective throughput.",
        "Paste the rest of the output.",
    ),
    Check(
        "number-unread",
        "warning",
        "A figure can't be what it says",
        "It is negative, endless or not a number, so it is left out and everything that needs it "
        "is not known.",
        "Correct the figure from the original output, or measure again.",
    ),
    Check(
        "acceptance-untimed",
        "warning",
        "Acceptance lines belong to no request",
        "llama-server prints a request's times before its acceptance. A line without them may be "
        "quoted in somebody's prompt, so it is not counted.",
        "Save the log from the server's start, and at a level that prints times.",
    ),
    Check(
        "requests-unfinished",
        "note",
        "Requests began and have no times",
        "They were cancelled, or the log was cut. Only requests with times are counted.",
        "Save the log again after the last request is answered.",
    ),
    Check(
        "request-twice",
        "warning",
        "The same request stands in a log twice",
        "Its slot, task, clock and figures are those of an earlier one: the lines were pasted or "
        "printed twice. It is counted once.",
        "Paste each part of the log once.",
    ),
    Check(
        "server-failed",
        "warning",
        "A server in this log did not start",
        "Nothing was measured with it, so a run that it was meant for is missing.",
        "Read its error, mend the command or the model file, and measure again.",
    ),
    Check(
        "columns-inferred",
        "warning",
        "The columns have no headings",
        "What each column holds was told by its figures: repeats count from 1, and of two columns "
        "of tokens the one that is never the larger holds what was accepted.",
        "Add the header line of the CSV.",
    ),
    Check(
        "no-rows",
        "error",
        "A block has totals but no rows",
        "Nothing can be compared per task, and the totals can't be checked.",
        "Paste the rows that belong to the totals.",
    ),
)
