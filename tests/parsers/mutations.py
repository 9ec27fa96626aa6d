"""Many broken logs, each read or refused: ``python -m tests.parsers.mutations SEED COUNT``.

Prints every input that raised anything but our error, or took too long or too much; one of them
is made anew by its number.
"""

from __future__ import annotations

import resource
import sys
import time
from typing import NamedTuple

from tests.parsers.test_mutations import judged

TOO_LONG_S, TOO_MUCH_MB = 2.0, 500
_WHOLE = 100
"""One in so many is taken all the way."""


class Outcome(NamedTuple):
    """What came of some inputs: what went wrong, the most that one took, the memory of all."""

    wrong: list[str]
    worst_s: float
    most_mb: float


def run(seed: int, count: int) -> Outcome:
    """Judge the inputs `seed` up to `seed + count`."""
    wrong = []
    worst_s = 0.0
    for number in range(seed, seed + count):
        begun = time.process_time()
        try:
            judged(number, whole=number % _WHOLE == 0)
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            wrong.append(f"{number}: {type(error).__name__}: {error}"[:300])
        taken = time.process_time() - begun
        worst_s = max(worst_s, taken)
        if taken > TOO_LONG_S:
            wrong.append(f"{number}: {taken:.1f} s")
    most_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if sys.platform == "linux" and most_mb > TOO_MUCH_MB:
        wrong.append(f"{most_mb:.0f} MB")
    return Outcome(wrong, worst_s, most_mb)


if __name__ == "__main__":
    first, number = map(int, sys.argv[1:3])
    started = time.process_time()
    found = run(first, number)
    taken_s = time.process_time() - started
    last = (
        f"{number} inputs from {first}, {taken_s:.0f} s, at most {found.worst_s:.2f} s and "
        f"{found.most_mb:.0f} MB, {len(found.wrong)} wrong"
    )
    sys.stdout.write("\n".join([*found.wrong, last]) + "\n")
    sys.exit(bool(found.wrong))
