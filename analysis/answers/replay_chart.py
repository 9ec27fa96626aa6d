"""The charts of a replay, without a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from analysis.charts import Frames, write
from analysis.charts.reliability import reliability
from analysis.charts.truncation import truncation
from analysis.replaying.replayed import Replayed

__all__ = ["frames_of_replays", "write_charts"]


def frames_of_replays(found: Sequence[Replayed]) -> Frames:
    """What charts look at."""
    names = [one.run for one in found]
    none = pd.DataFrame()
    return Frames(
        pd.DataFrame(
            {
                "id": names,
                "label": names,
                "spec_type": None,
                "draft": None,
                "n_max": None,
                "repeats": 1,
                "synthetic": False,
            }
        ),
        none,
        none,
        none,
        replay=pd.concat([one.table.assign(run=one.run) for one in found]),
        reliability=pd.concat([one.reliability.assign(run=one.run) for one in found]),
    )


def write_charts(found: Sequence[Replayed], place: Path) -> list[Path]:
    """Write what thresholds bring to `place`, and reliability beside it; gives both paths."""
    frames = frames_of_replays(found)
    beside = place.with_name(f"{place.stem}-reliability{place.suffix or '.png'}")
    written = []
    for chart, path in ((truncation(frames), place), (reliability(frames), beside)):
        if chart is not None:
            write(chart.png(), path)
            written.append(path)
    return written
