"""How figures are written: one function per kind of quantity.

Each takes a number or null and gives text that may stand in a card as it is.
Null is an en dash; the word for a missing fact in a sentence is `UNRECORDED`.
"""

from __future__ import annotations

from analysis.cards.escaping import Markdown
from analysis.cards.markdown import NOT_KNOWN

__all__ = [
    "UNRECORDED",
    "break_even",
    "chance",
    "count",
    "counted",
    "decimal",
    "joules",
    "length",
    "milliseconds",
    "percent",
    "rate",
    "ratio",
    "seconds",
    "signed_count",
    "signed_percent",
    "speedup",
    "speedup_between",
]

UNRECORDED = Markdown("not recorded")
_SELDOM = 0.0005
"""Half a unit of the last digit of a probability."""


def _written(value: float | None, form: str) -> Markdown:
    return Markdown(NOT_KNOWN if value is None else form.format(value))


def rate(value: float | None) -> Markdown:
    """Tokens per second.

    Examples
    --------
    >>> rate(133.878)
    '133.9'
    """
    return _written(value, "{:,.1f}")


def speedup(value: float | None) -> Markdown:
    """A ratio of throughputs.

    Examples
    --------
    >>> speedup(1.1822)
    '1.18×'
    """
    return _written(value, "{:,.2f}×")


def speedup_between(value: float | None, low: float | None, high: float | None) -> Markdown:
    """A ratio of throughputs with its interval; ``~`` in front where that holds 1.

    Examples
    --------
    >>> speedup_between(1.18, 1.15, 1.214), speedup_between(1.01, 0.99, 1.03)
    ('1.18× [1.15, 1.21]', '~1.01× [0.99, 1.03]')
    >>> speedup_between(1.18, None, None)
    '1.18×'
    """
    if value is None or low is None or high is None:
        return speedup(value)
    mark = "~" if low <= 1 <= high else ""
    return Markdown(f"{mark}{speedup(value)} [{low:,.2f}, {high:,.2f}]")


def ratio(value: float | None) -> Markdown:
    """A ratio that is no speedup.

    Examples
    --------
    >>> ratio(18.39 / 14.08)
    '1.306'
    """
    return _written(value, "{:,.3f}")


def percent(share: float | None) -> Markdown:
    """A share from 0 to 1.

    Examples
    --------
    >>> percent(0.4785), percent(None)
    ('47.9 %', '–')
    """
    return _written(None if share is None else 100 * share, "{:,.1f} %")


def chance(share: float | None) -> Markdown:
    """A probability that was drawn, so that none is certain.

    Examples
    --------
    >>> chance(0.668), chance(1.0), chance(0.0002), chance(None)
    ('66.8 %', 'more than 99.9 %', 'less than 0.1 %', '–')
    """
    if share is not None and not _SELDOM <= share <= 1 - _SELDOM:
        return Markdown("less than 0.1 %" if share < _SELDOM else "more than 99.9 %")
    return percent(share)


def break_even(share: float | None) -> Markdown:
    """An acceptance rate that has to be reached, which may be none or any.

    Examples
    --------
    >>> break_even(0.589), break_even(1.2), break_even(-0.1)
    ('58.9 %', 'no acceptance rate is enough', 'any acceptance rate is enough')
    """
    if share is None or 0 <= share <= 1:
        return percent(share)
    return Markdown(f"{'no' if share > 1 else 'any'} acceptance rate is enough")


def signed_percent(share: float | None) -> Markdown:
    """A relative difference; below one percent with one digit more.

    Examples
    --------
    >>> signed_percent(0.00592), signed_percent(-0.041), signed_percent(0.0)
    ('+0.59 %', '-4.1 %', '0.00 %')
    """
    if share is None:
        return Markdown(NOT_KNOWN)
    written = f"{100 * share:+,.2f} %" if abs(share) < 0.01 else f"{100 * share:+,.1f} %"
    return Markdown("0.00 %" if written in ("+0.00 %", "-0.00 %") else written)


def count(value: float | None) -> Markdown:
    """A whole number.

    Examples
    --------
    >>> count(2303)
    '2,303'
    """
    return _written(value, "{:,.0f}")


def signed_count(value: float | None) -> Markdown:
    """A difference of whole numbers.

    Examples
    --------
    >>> signed_count(535), signed_count(0)
    ('+535', '0')
    """
    return _written(value, "{:,.0f}" if value == 0 else "{:+,.0f}")


def counted(number: int, one: str, many: str | None = None) -> Markdown:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "request"), counted(13, "request"), counted(2, "entry", "entries")
    ('1 request', '13 requests', '2 entries')
    """
    return Markdown(f"{number:,} {one if number == 1 else many or one + 's'}")


def seconds(value: float | None) -> Markdown:
    """A duration in seconds, without its unit.

    Examples
    --------
    >>> seconds(18.39)
    '18.39'
    """
    return _written(value, "{:,.2f}")


def milliseconds(value: float | None) -> Markdown:
    """A duration in milliseconds, without its unit.

    Examples
    --------
    >>> milliseconds(23.2345)
    '23.2'
    """
    return _written(value, "{:,.1f}")


def joules(value: float | None) -> Markdown:
    """Energy per token, without its unit.

    Examples
    --------
    >>> joules(1.2345)
    '1.23'
    """
    return _written(value, "{:,.2f}")


def length(value: float | None) -> Markdown:
    """Tokens per forward.

    Examples
    --------
    >>> length(2.8571)
    '2.86'
    """
    return _written(value, "{:,.2f}")


def decimal(value: float | None) -> Markdown:
    """A setting as its author wrote it.

    Examples
    --------
    >>> decimal(0.8), decimal(1.0)
    ('0.8', '1')
    """
    return _written(value, "{:g}")
