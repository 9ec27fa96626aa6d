"""What stands in the place of what is private?"""

from __future__ import annotations

__all__ = ["HIDDEN", "hidden"]

HIDDEN = "***"
"""What stands in the place of what is private."""


def hidden(value: str) -> str:
    """A value's place, with the quotes that it had."""
    for quote in ('\\"', '""', '"', "'"):
        if value.startswith(quote) and value.endswith(quote) and len(value) > len(quote):
            return f"{quote}{HIDDEN}{quote}"
    return HIDDEN
