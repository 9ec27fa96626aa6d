"""Which campaigns does a store hold, and which of them have changed?

A store is a folder: ``TABLE/slug=CAMPAIGN/rows.parquet`` for each table and
campaign, and ``_mtpbench.json``, which says what each campaign was made from.
Every file is replaced whole, and the list is written last: a campaign whose
writing was interrupted between two tables does not agree with its entry in the
list, and is collected again.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow.parquet as pq

from analysis.campaigns.campaign import find
from analysis.errors import MtpbenchError, ReportError
from analysis.files.fingerprint import fingerprint
from analysis.files.storage import remove_leftovers, write_bytes, write_text
from analysis.pipeline import summary_of
from analysis.store.rows import tables
from analysis.store.tables import SCHEMA_VERSION, TABLES

__all__ = ["LIST", "Collected", "collect"]

LIST = "_mtpbench.json"
"""The list of what a store holds; a folder that has it is known to be a store."""
_FILE = "rows.parquet"


@dataclass(frozen=True)
class Collected:
    """What became of one campaign: the number of rows by table, or the error.

    `removed` is of one that was in the store and not among those given.
    """

    campaign: str
    rows: Mapping[str, int] | None = None
    error: str | None = None
    unchanged: bool = False
    removed: bool = False


def collect(
    campaigns: Sequence[str | Path],
    out: str | Path,
    *,
    prune: bool = False,
    force: bool = False,
) -> Iterator[Collected]:
    """Write campaigns' figures into a store.

    Parameters
    ----------
    campaigns
        Campaign folders.
    out
        The store; made where there is none.
    prune
        Whether campaigns that the store holds and that are not given are
        removed. By default they stay, and so do the rows of one that fails.
    force
        Whether campaigns are written anew that have not changed.

    Yields
    ------
    Collected
        In the order of `campaigns`, then what was removed.

    Raises
    ------
    ReportError
        The place can't be written, or is no store.
    """
    store = Path(out)
    known = _opened(store)
    given: dict[str, str] = {}
    try:
        for campaign in map(str, campaigns):
            try:
                yield _collected(campaign, store, known, given, force=force)
            except MtpbenchError as error:
                yield Collected(campaign, error=str(error))
        for slug in sorted(known.keys() - given.keys()) if prune else ():
            del known[slug]
            for table in TABLES:
                shutil.rmtree(_place(store, table, slug), ignore_errors=True)
            yield Collected(slug, removed=True)
    finally:
        # Also after an interrupt: the campaigns that were finished before it are in the list.
        content = {"schema_version": SCHEMA_VERSION, "campaigns": known}
        write_text(
            store / LIST, json.dumps(content, sort_keys=True, indent=1, ensure_ascii=False) + "\n"
        )


def _collected(
    campaign: str,
    store: Path,
    known: dict[str, Any],
    given: dict[str, str],
    *,
    force: bool,
) -> Collected:
    source = find(campaign)
    # Half characters of a name that is not Unicode become their escapes.
    slug = source.name.encode("utf-8", "backslashreplace").decode()
    if slug in given:
        raise ReportError(
            f"its rows would take the place of those of {given[slug]}",
            "rename its folder, or name it once",
            file=campaign,
        )
    given[slug] = campaign
    inputs = fingerprint(source, None, slug)
    if not force and _is_current(store, slug, known.get(slug), inputs):
        return Collected(campaign, known[slug]["rows"], unchanged=True)
    made = tables(summary_of(source), inputs)
    # From here on the old rows are being replaced.
    known.pop(slug, None)
    sizes = {}
    for name, table in made.items():
        buffer = io.BytesIO()
        pq.write_table(table, buffer, compression="zstd", store_schema=True)
        place = _place(store, name, slug)
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ReportError(
                f"this can't be written: {error.strerror}", "choose another place", file=place
            ) from error
        remove_leftovers(place)
        write_bytes(place / _FILE, buffer.getvalue())
        sizes[name] = buffer.tell()
    rows = {name: table.num_rows for name, table in made.items()}
    known[slug] = {"inputs": inputs, "rows": rows, "bytes": sizes}
    return Collected(campaign, rows)


def _opened(store: Path) -> dict[str, Any]:
    """The list of a store, which is made if there is none."""
    try:
        store.mkdir(parents=True, exist_ok=True)
        remove_leftovers(store)
        if not (store / LIST).exists():
            # Tables without a list were left by a collection that was killed at its first campaign.
            if any(path.name not in TABLES for path in store.iterdir()):
                raise ReportError(
                    f"this folder is not empty, and no store: it has no {LIST}",
                    "choose another place with --out",
                    file=store,
                )
            return {}
        content = json.loads((store / LIST).read_text(encoding="utf-8"))
        version, known = content["schema_version"], dict(content["campaigns"])
    except OSError as error:
        raise ReportError(
            f"this can't be written: {error.strerror or error}",
            "choose another place with --out",
            file=store,
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ReportError(
            "this is not the list of a store",
            "remove the store and collect anew",
            file=store / LIST,
        ) from error
    if version != SCHEMA_VERSION:
        raise ReportError(
            f"this store has schema version {version!r}, and this is for {SCHEMA_VERSION}",
            "collect into another folder",
            file=store / LIST,
        )
    return known


def _is_current(store: Path, slug: str, entry: Any, inputs: str) -> bool:
    try:
        return bool(entry["inputs"] == inputs) and all(
            (_place(store, table, slug) / _FILE).stat().st_size == entry["bytes"][table]
            for table in TABLES
        )
    except (OSError, KeyError, TypeError):
        return False


def _place(store: Path, table: str, slug: str) -> Path:
    return store / table / f"slug={quote(slug, safe='')}"
