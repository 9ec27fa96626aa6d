"""When was a line printed, by the server's own clock or by a calendar?"""

from __future__ import annotations

import re

__all__ = ["calendar_s", "clock_s"]

_STAMP = re.compile(
    rb"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
    rb"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?"
    rb"|\b\d{10}\.\d{3,9}\b"
)
_MONTHS = (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov",
           b"Dec")  # fmt: skip
_DAY_TIME = re.compile(rb"(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:Z|([+-])(\d\d):?(\d\d))?$")


def clock_s(text: bytes) -> float:
    """A server's clock ``M.SS.mmm.uuu`` in seconds, rounded once, as for a whole column.

    Examples
    --------
    >>> clock_s(b"1.02.452.007")
    62.452007
    """
    minutes, micros = divmod(int(text.replace(b".", b"")), 100_000_000)
    return (minutes * 60_000_000 + micros) / 1e6


def calendar_s(text: bytes) -> float | None:
    """The first calendar's time in a text, in seconds since some fixed day."""
    stamp = _STAMP.search(text)
    return _calendar(stamp[0]) if stamp else None


def _calendar(stamp: bytes) -> float | None:
    """Seconds since some fixed day; only differences are ever used."""
    import datetime as dt  # noqa: PLC0415 - most logs have the server's own clock

    if b":" not in stamp:
        return float(stamp)
    time = _DAY_TIME.search(stamp)
    try:
        if stamp[:1].isdigit():
            year, month, day = int(stamp[:4]), int(stamp[5:7]), int(stamp[8:10])
        else:
            # A journal leaves the year out: a leap one has every day.
            year, month, day = 2024, _MONTHS.index(stamp[:3]) + 1, int(stamp[4:6])
        days = dt.date(year, month, day).toordinal()
    except ValueError:
        return None
    if time is None:
        return None
    seconds = days * 86400 + int(time[1]) * 3600 + int(time[2]) * 60 + int(time[3])
    offset = (int(time[6]) * 60 + int(time[7])) * 60 if time[5] else 0
    fraction = float(b"0." + time[4]) if time[4] else 0.0
    return seconds + fraction - (offset if time[5] == b"+" else -offset)
