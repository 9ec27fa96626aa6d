"""Many campaigns as tables: Parquet that any program for data reads."""

from __future__ import annotations

from analysis.store.collection import Collected, collect
from analysis.store.reading import read
from analysis.store.tables import SCHEMA_VERSION, TABLES

__all__ = ["SCHEMA_VERSION", "TABLES", "Collected", "collect", "read"]
