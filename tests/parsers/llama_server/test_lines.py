from __future__ import annotations

import pytest

from analysis.parsers.llama_server.lines import lines_of

SAID = "slot release: id  0 | task 1 | stop processing: n_tokens = 1, truncated = 0"


def seconds(stamp: str) -> float:
    (line,) = lines_of(f"{stamp} host llama-server[1]: {SAID}".encode())
    assert line.at_s is not None
    assert not line.own_clock
    return line.at_s


@pytest.mark.parametrize(
    ("early", "late", "apart"),
    [
        ("Jan 31 23:59:58", "Feb 01 00:00:01", 3),
        ("Feb 29 23:59:59", "Mar 01 00:00:00", 1),
        ("Apr 30 12:00:00", "May 01 12:00:00", 86400),
        ("Nov 30 12:00:00", "Dec 31 12:00:00", 31 * 86400),
        ("2025-02-28T23:59:59Z", "2025-03-01T00:00:00Z", 1),
        ("2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z", 1),
        ("2026-01-01T00:00:00+0200", "2026-01-01T00:00:00Z", 2 * 3600),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00-01:30", 5400),
    ],
)
def test_a_calendar_s_days_and_months_count(early: str, late: str, apart: float) -> None:
    assert seconds(late) - seconds(early) == apart
