"""Which lines of a block are verification rounds, and what do they count?

With ``LLAMA_TRACE`` a server prints one line per round, so nearly all of a large
log is such lines. They have one shape; all of a block are read at once here, in
columns. A line that differs in anything is left to the reader of single lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = [
    "Bytes",
    "Flags",
    "Indices",
    "Trace",
    "behind_clock",
    "chatter",
    "clock",
    "stands",
    "tagged_lines",
    "trace",
]

Bytes = npt.NDArray[np.uint8]
Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_ENDINGS = ((b" draft tokens", False), (b" draft tokens (restore checkpoint)", True))
_TAGS = (b" I slot   operator(): id", b" I slot update_slots: id")
"""What stands between clock and slot, in present and earlier builds; both are as long."""

# No step below goes farther back than this from a line's end.
_SHORTEST = 128
_MOST_DIGITS = 9
_MOST_MINUTES = 7


@dataclass(frozen=True, eq=False)
class Trace:
    """The rounds of a block as columns, each of shape (n,), in the order of the lines.

    `line` is the index of a round's line within the block; `restored` says that
    the next round of the same slot is a replay of this one.
    """

    line: Indices
    slot: Indices
    task: Indices
    accepted: Indices
    drafted: Indices
    at_s: npt.NDArray[np.float64]
    restored: Flags

    def __getitem__(self, which: Flags | Indices | slice) -> Trace:
        return Trace(
            self.line[which],
            self.slot[which],
            self.task[which],
            self.accepted[which],
            self.drafted[which],
            self.at_s[which],
            self.restored[which],
        )

    def __len__(self) -> int:
        return len(self.line)


def trace(buffer: Bytes, starts: Indices, ends: Indices) -> Trace:
    """Read all lines of the usual shape, ``CLOCK I slot NAME: id S | task T | accepted A/D …``.

    Parameters
    ----------
    buffer
        The bytes of a block.
    starts, ends
        Where its lines begin and end, without line ends, shape (lines,).
    """
    found = [_with_ending(buffer, starts, ends, *ending) for ending in _ENDINGS]
    found = [part for part in found if len(part)]
    if len(found) == 1:
        return found[0]
    if not found:
        none = np.empty(0, np.int64)
        return Trace(none, none, none, none, none, none.astype(np.float64), none.astype(np.bool_))
    both = Trace(
        *(
            np.concatenate([getattr(part, name) for part in found])
            for name in Trace.__dataclass_fields__
        )
    )
    return both[np.argsort(both.line, kind="stable")]


_NAMES = (b"print_timing", b"     release", b"launch_slot_")
_SECONDS = len(".00.000.000")


def behind_clock(buffer: Bytes, starts: Indices, ends: Indices) -> Indices:
    """Where the space between clock and level of each line stands; -1 where there is none.

    Parameters
    ----------
    buffer, starts, ends
        As for :func:`trace`.
    """
    found = np.full(len(starts), -1)
    long = np.flatnonzero(ends - starts > _SECONDS + _MOST_MINUTES + len(" I "))
    for digits in range(1, _MOST_MINUTES):
        at = starts[long]
        here = (
            (buffer[at + digits] == ord("."))
            & (buffer[at + digits + _SECONDS] == ord(" "))
            & (buffer[at + digits + _SECONDS + len(" I")] == ord(" "))
        )
        found[long[here]] = at[here] + digits + _SECONDS
        long = long[~here]
        if not len(long):
            break
    return found


def tagged_lines(buffer: Bytes, behind: Indices) -> Flags:
    """Which lines say in the usual shape what a request comes to, ``CLOCK I slot NAME: …``.

    Parameters
    ----------
    buffer
        The bytes of a block.
    behind
        What :func:`behind_clock` says of its lines.
    """
    found = np.zeros(len(behind), np.bool_)
    here = np.flatnonzero(behind >= 0)
    here = here[stands(buffer, behind[here], b" I slot ")]
    name = behind[here] + len(" I slot ")
    found[here] = np.logical_or.reduce([stands(buffer, name, text) for text in _NAMES])
    return found


_CHATTER = (
    b" D spec        draft: ",
    b" D que ",
    b" D srv ",
    b" D slot process_toke: ",
    b" D slot get_n_draft_: ",
    b" D slot handle_last_: ",
    b" D set_",
    b" D adapters_lora",
    b" D spec common_specu: called",
)
_SAID_BY_TRACE = (b" D slot   operator(): ",)
_QUEUE = (b" I slot get_availabl: ", b" I srv  update_slots: all slots are idle")


def chatter(buffer: Bytes, behind: Indices, *, traced: bool) -> Flags:
    """Which lines of the usual shape talk of queues, batches and candidates.

    They are nearly all of a log at ``-lv 5`` and say nothing of a request;
    what is read of candidates is read elsewhere.

    Parameters
    ----------
    buffer, behind
        As for :func:`tagged_lines`.
    traced
        Whether the rounds are traced, so that their debug lines say it again.
    """
    found = np.zeros(len(behind), np.bool_)
    here = np.flatnonzero(behind >= 0)
    level = buffer[behind[here] + 1]
    debug = (*_CHATTER, *_SAID_BY_TRACE) if traced else _CHATTER
    for letter, texts in ((b"D", debug), (b"I", _QUEUE)):
        own = here[level == ord(letter)]
        for text in texts:  # nearly all lines are of the first kinds, and looked at no further
            hit = stands(buffer, behind[own], text)
            found[own[hit]] = True
            own = own[~hit]
    return found


def _with_ending(
    buffer: Bytes, starts: Indices, ends: Indices, ending: bytes, restored: bool
) -> Trace:
    line = np.flatnonzero((ends >= _SHORTEST) & (buffer[ends - 1] == ending[-1]))
    line = line[stands(buffer, ends[line] - len(ending), ending)]
    drafted, at, right = _number(buffer, ends[line] - len(ending))
    at = _without_spaces(buffer, at)
    right &= buffer[at - 1] == ord("/")
    accepted, at, digits = _number(buffer, at - 1)
    right &= digits
    at = _without_spaces(buffer, at)
    right &= stands(buffer, at - 11, b" | accepted")
    task, at, digits = _number(buffer, at - 11)
    right &= digits & stands(buffer, at - 8, b" | task ")
    slot, begin, digits = _number(buffer, at - 8)
    at = _without_spaces(buffer, begin)
    right &= digits & (at < begin)
    at_s, after, timed = clock(buffer, starts[line])
    right &= timed & (after + len(_TAGS[0]) == at)
    right &= stands(buffer, after, _TAGS[0]) | stands(buffer, after, _TAGS[1])
    where = np.full(len(line), restored)
    return Trace(line, slot, task, accepted, drafted, at_s, where)[right]


def stands(buffer: Bytes, at: Indices, text: bytes) -> Flags:
    """Whether `text` stands at each place."""
    if not len(at) or len(buffer) < len(text):
        return np.zeros(len(at), np.bool_)
    windows = np.lib.stride_tricks.sliding_window_view(buffer, len(text))
    inside = np.clip(at, 0, len(windows) - 1)
    same = windows[inside].view(f"S{len(text)}").ravel() == np.bytes_(text)
    there: Flags = np.logical_and(same, inside == at)
    return there


def _number(buffer: Bytes, end: Indices) -> tuple[Indices, Indices, Flags]:
    """The number that ends before each place, where it begins, and whether there is one."""
    value = np.zeros(len(end), np.int64)
    at = end.copy()
    more = np.ones(len(end), np.bool_)
    scale = 1
    for _ in range(_MOST_DIGITS):
        digit = buffer[at - 1] - np.uint8(ord("0"))  # wraps below zero: no digit either
        more &= digit < 10
        if not more.any():
            break
        value += np.where(more, digit, 0).astype(np.int64) * scale
        at -= more
        scale *= 10
    return value, at, at < end


def _without_spaces(buffer: Bytes, end: Indices) -> Indices:
    at = end.copy()
    for _ in range(_MOST_DIGITS):
        space = buffer[at - 1] == ord(" ")
        if not space.any():
            break
        at -= space
    return at


def clock(buffer: Bytes, start: Indices) -> tuple[npt.NDArray[np.float64], Indices, Flags]:
    """Seconds of the clock ``M.SS.mmm.uuu`` at each place, where it ends, and whether it is one."""
    width = np.zeros(len(start), np.int64)
    for digits in range(_MOST_MINUTES, 0, -1):
        # The lines asked for are longer than a clock, so looking ahead stays within the buffer.
        width = np.where(buffer[start + digits] == ord("."), digits, width)
    end = start + width + 11
    micros, at, right = _number(buffer, end)
    right &= (at == end - 3) & (width > 0)
    for size, scale in ((3, 1_000), (2, 1_000_000)):
        right &= buffer[at - 1] == ord(".")
        part, before, found = _number(buffer, at - 1)
        right &= found & (before == at - 1 - size)
        micros += part * scale
        at = before
    right &= buffer[at - 1] == ord(".")
    minutes, at, found = _number(buffer, at - 1)
    right &= found & (at == start)
    return (minutes * 60_000_000 + micros) / 1e6, end, right
