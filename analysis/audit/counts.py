"""Checks of token counts: can they be true?"""

from __future__ import annotations

from collections.abc import Iterator

from analysis.audit.finding import Check, Evidence, Hit
from analysis.records import Run, TaskResult

__all__ = ["CHECKS"]


def _results(evidence: Evidence) -> Iterator[tuple[Run, TaskResult]]:
    for run in evidence.runs:
        for result in run.tasks:
            yield run, result


def _sum_mismatch(evidence: Evidence) -> Iterator[Hit]:
    for run in evidence.runs:
        stated = run.aggregate
        if stated is None or not run.tasks:
            continue
        whole = [result for result in run.tasks if result.error is None]
        for name in ("predicted_tokens", "draft_tokens", "accepted_tokens"):
            total = getattr(stated, name)
            parts = [getattr(result, name) for result in whole]
            if total is None or None in parts:
                continue
            if sum(parts) != total:
                what = name.replace("_", " ")
                yield (
                    str(stated.source),
                    f"{run.id or run.source}: the rows have {sum(parts)} {what}, "
                    f"the aggregate says {total}",
                )


def _rate_mismatch(evidence: Evidence) -> Iterator[Hit]:
    for run, result in _results(evidence):
        stated, drafted, accepted = (
            result.reported_rate,
            result.draft_tokens,
            result.accepted_tokens,
        )
        if stated is None or not drafted or accepted is None:
            continue
        digits = 3 if result.rate_decimals is None else result.rate_decimals
        # mtp-bench rounds to four digits before it prints three, so both roundings count.
        if abs(stated - accepted / drafted) > 0.5 * 10**-digits + 0.5e-4 + 1e-9:
            yield (
                str(result.source),
                f"{_named(run, result)}: the row says {stated}, "
                f"{accepted}/{drafted} is {accepted / drafted:.{digits}f}",
            )
    for run in evidence.runs:
        total = run.aggregate
        if total is None or total.acceptance_rate is None or not total.draft_tokens:
            continue
        rate = (total.accepted_tokens or 0) / total.draft_tokens
        allowed = 0.5 * 10**-total.rate_decimals + 1e-9
        if total.accepted_tokens is not None and abs(total.acceptance_rate - rate) > allowed:
            yield (
                str(total.source),
                f"{run.id or run.source}: the aggregate says {total.acceptance_rate}, "
                f"{total.accepted_tokens}/{total.draft_tokens} is {rate:.4f}",
            )


def _counts_prefixes(run: Run) -> bool:
    """Whether accepted tokens are those up to the first rejected one, so are in the text."""
    return run.acceptance_definition != "accepted-anywhere/drafted"


def _accepted_exceeds_drafted(evidence: Evidence) -> Iterator[Hit]:
    for run, result in _results(evidence):
        drafted, accepted = result.draft_tokens, result.accepted_tokens
        if drafted is not None and accepted is not None and accepted > drafted:
            yield (
                str(result.source),
                f"{_named(run, result)}: {accepted} accepted of {drafted} drafted",
            )


def _predicted_not_above_accepted(evidence: Evidence) -> Iterator[Hit]:
    for run, result in _results(evidence):
        predicted, accepted = result.predicted_tokens, result.accepted_tokens
        if predicted is None or accepted is None or not 0 < accepted >= predicted:
            continue
        if _counts_prefixes(run) and predicted + _behind_stop(run, result) <= accepted:
            yield (
                str(result.source),
                f"{_named(run, result)}: {predicted} predicted, {accepted} of them from drafts",
            )


def _behind_stop(run: Run, result: TaskResult) -> int:
    """Accepted tokens that may lie behind the stop token, inside of the last draft."""
    known = run.n_max or (len(result.positions.rate) if result.positions else 0)
    if known or run.format != "llama-server":
        return known
    # The server's own count can't be a mistake of copying: the whole draft may be behind it.
    return result.draft_tokens or 0


def _depth_contradicted(evidence: Evidence) -> Iterator[Hit]:
    for run in evidence.runs:
        if not run.n_max or run.acceptance_definition != "accepted/drafted":
            continue
        rows = [
            (result.predicted_tokens, result.draft_tokens, result.accepted_tokens)
            for result in run.tasks
            if result.error is None and result.pooled == 1
        ]
        known = [row for row in rows if None not in row]
        drafted = sum(row[1] or 0 for row in known)
        # Counted from the tokens alone: the claimed depth must not enter its own check.
        steps = sum(max((row[0] or 0) - (row[2] or 0) - 1, 0) for row in known)
        if not drafted or not steps:
            continue
        # A stop token inside an accepted draft hides up to n_max tokens of each request.
        slack = len(known) * run.n_max
        if drafted > run.n_max * steps + slack * run.n_max:
            yield (
                str(run.source),
                f"{run.id or run.source}: {drafted / steps:.2f} tokens drafted per forward, "
                f"more than n_max {run.n_max}",
            )
        elif (
            run.conditions.get("depth") != "adaptive"
            and not run.p_min
            and drafted < 0.75 * run.n_max * steps
            and _fixed_depth(run)
        ):
            yield (
                str(run.source),
                f"{run.id or run.source}: {drafted / steps:.2f} tokens drafted per forward, "
                f"far below n_max {run.n_max}",
            )


def _fixed_depth(run: Run) -> bool:
    """Whether the method drafts its full depth every time: n-gram lookups often find nothing."""
    return not (run.spec_type or "").startswith("ngram")


def _named(run: Run, result: TaskResult) -> str:
    return f"{run.id}, {result.task}" if run.id else result.task


CHECKS = (
    Check(
        "sum-mismatch",
        "error",
        "The rows do not sum to the aggregate",
        "mtp-bench adds its rows up, so a difference means a row was edited, lost or pasted twice.",
        "Paste the whole block again from the original output.",
        _sum_mismatch,
    ),
    Check(
        "rate-mismatch",
        "error",
        "A stated acceptance rate is not accepted / drafted",
        "The rate is computed from the two counts beside it; when they disagree one was changed.",
        "Paste the row again from the original output; the counts are used, the rate is not.",
        _rate_mismatch,
    ),
    Check(
        "accepted-exceeds-drafted",
        "error",
        "More tokens accepted than drafted",
        "Only drafted tokens can be accepted, so at least one of the counts is wrong.",
        "Check whether the columns were swapped; measure again if not.",
        _accepted_exceeds_drafted,
    ),
    Check(
        "predicted-not-above-accepted",
        "error",
        "Not more tokens predicted than accepted",
        "Every request has at least one token that no draft gave: the one from prefill.",
        "Check whether the columns were swapped; measure again if not.",
        _predicted_not_above_accepted,
    ),
    Check(
        "depth-contradicted",
        "warning",
        "Drafted tokens per forward contradict n_max",
        "At a fixed depth every forward verifies n_max drafted tokens. Far more means a wrong "
        "label; far fewer a wrong label or drafts cut short (p_min, a clamp to the trained block).",
        "Correct n_max, or state p_min, in campaign.toml.",
        _depth_contradicted,
    ),
)
