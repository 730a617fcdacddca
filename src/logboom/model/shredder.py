"""Turns lines into columns and summarises columns, with compiled code if available, else in pure Python.

`scan_lines` runs before an acknowledgement, `sort_rows` and `shred_rows` when a block is built, `summarise_series`
when blocks are merged. All are thread-safe; each thread keeps its own tree of known keys.
"""

import threading
from array import array
from collections.abc import Sequence
from typing import Protocol

import polars as pl

from logboom.base.compiled import find_compiled
from logboom.model import rows, scanning, summary
from logboom.model.batch import Batch, Routes, Scan
from logboom.model.columns import Column
from logboom.model.names import IndexTemplate
from logboom.model.summary import ColumnSummary

NATIVE = "logboom.model._native"


class Shredder(Protocol):
    """What both implementations provide; `model.scanning`, `model.rows` and `model.summary` have the contracts."""

    def scan_lines(
        self, data: bytes, arrival_ns: int, template: IndexTemplate, routes: Routes | None = None
    ) -> Scan: ...

    def sort_rows(self, batches: Sequence[Batch]) -> tuple["array[int]", "array[int]"]: ...

    def shred_rows(
        self, batches: Sequence[Batch], order: Sequence[int], max_fields: int
    ) -> rows.Rows: ...

    def summarise_series(self, column: Column, series: pl.Series) -> ColumnSummary: ...


class PythonShredder:
    """The definition."""

    scan_lines = staticmethod(scanning.scan_lines)
    sort_rows = staticmethod(rows.sort_rows)
    shred_rows = staticmethod(rows.shred_rows)
    summarise_series = staticmethod(summary.summarise_series)


def is_compiled() -> bool:
    return find_compiled(NATIVE) is not None


class ThreadShredders(threading.local):
    """One shredder per thread."""

    def __init__(self) -> None:
        native = find_compiled(NATIVE)
        self.shredder: Shredder = native.Shredder() if native else PythonShredder()


def open_shredder() -> ThreadShredders:
    return ThreadShredders()
