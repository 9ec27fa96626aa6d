"""Rows of a store back into a frame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds

from analysis.errors import ReportError, one_of
from analysis.store.tables import TABLES, columns, schema

__all__ = ["read"]


def read(
    store: str | Path,
    table: str,
    names: Sequence[str] | None = None,
    campaigns: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Read a table of a store.

    Parameters
    ----------
    store
        The folder.
    table
        One of `tables.TABLES`.
    names
        Which columns; the fewer, the faster. By default all.
    campaigns
        Slugs; by default of all campaigns.

    Returns
    -------
    pandas.DataFrame
        Rows in the order of the campaigns' slugs and of their raw data.

    Raises
    ------
    ReportError
        There is no such table or column, or it can't be read.
    """
    if table not in TABLES:
        raise ReportError(*one_of("table", table, TABLES), file=store)
    for name in names or ():
        if name not in columns(table):
            raise ReportError(*one_of("a column", name, columns(table)), file=store)
    place = Path(store) / table
    files = sorted(str(path) for path in place.glob("slug=*/*.parquet"))
    if not files:
        raise ReportError(
            "there are no rows", "write some with mtpbench collect raw/* --out STORE", file=place
        )
    wanted = None if campaigns is None else ds.field("campaign").isin(list(campaigns))
    try:
        rows = ds.dataset(files, schema=schema(table), format="parquet").to_table(
            columns=list(names or columns(table)), filter=wanted
        )
    except (OSError, pa.ArrowException) as error:
        raise ReportError(
            f"this can't be read: {error}", "collect it anew with --force", file=place
        ) from error
    frame: pd.DataFrame = rows.to_pandas()
    return frame
