"""How is a live campaign measured again without touching what was recorded?"""

from __future__ import annotations

import shutil
from pathlib import Path

from analysis.campaigns.campaign import find
from analysis.campaigns.entry_runs import LIVE_FOLDER
from analysis.errors import LiveError

__all__ = ["unmeasured_copy"]


def unmeasured_copy(campaign: str | Path, into: Path) -> Path:
    """Copy a campaign without its live records.

    Parameters
    ----------
    campaign
        See ``campaign.find``.
    into
        The new folder's parent, made if needed. The folder keeps its name, so
        that its report has the same.

    Returns
    -------
    pathlib.Path
        The copy.

    Raises
    ------
    CampaignError
        There is no such campaign.
    LiveError
        The copy is there already, or can't be written.
    """
    folder = find(campaign)
    copy = into / folder.name

    def records(place: str, names: list[str]) -> list[str]:
        return [name for name in names if Path(place) == folder and name == LIVE_FOLDER]

    try:
        shutil.copytree(folder, copy, ignore=records)
    except FileExistsError as error:
        problem = "there is something in the copy's place already"
        raise LiveError(problem, "choose another folder, or remove it", copy) from error
    except (OSError, shutil.Error) as error:
        reason = getattr(error, "strerror", None) or "some files can't be copied"
        problem = f"this campaign can't be copied: {reason}"
        raise LiveError(problem, "choose another folder", copy) from error
    return copy
