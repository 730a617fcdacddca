"""Runs the compiled shredder beside the definition and compares all that they say."""

import shutil
from array import array
from collections.abc import Sequence
from importlib import import_module
from typing import cast

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.model.readings import drop_readings

from logboom.model import rows, scanning
from logboom.model.batch import Batch, Routes, Scan, Target
from logboom.model.names import parse_template
from logboom.model.shredder import Shredder, is_compiled

ARRIVAL_NS = 1_700_000_000_000_000_000


def open_native() -> Shredder:
    """Return a fresh compiled shredder; it may be missing only where it cannot be built."""
    if not is_compiled() and not (shutil.which("cc") or shutil.which("gcc")):
        pytest.skip("no C compiler to build the compiled shredder", allow_module_level=True)
    return cast(Shredder, import_module("logboom.model._native").Shredder())


def scan_both(
    native: Shredder, data: bytes, index: str = "default", routes: Routes | None = None
) -> Scan:
    """Return the compiled scan of a body, on which both agree."""
    template = parse_template(index)
    expected = scanning.scan_lines(data, ARRIVAL_NS, template, routes)
    found = native.scan_lines(data, ARRIVAL_NS, template, routes)
    assert found._replace(readings=None) == expected
    return found


def make_batches(
    native: Shredder, datas: Sequence[bytes], index: str = "default", source: str | None = None
) -> list[Batch]:
    """Return a batch of every body, numbered as if they had been accepted one after the other."""
    batches: list[Batch] = []
    first_seq = 100
    for data in datas:
        scan = scan_both(native, data, index)
        batches.append(Batch(Target("default", index, source), ARRIVAL_NS, data, scan, first_seq))
        first_seq += len(scan.starts)
    return batches


def list_places(batches: Sequence[Batch]) -> "array[int]":
    return array(
        "q",
        (number << 32 | row for number, batch in enumerate(batches) for row in range(len(batch))),
    )


def shred_both(
    native: Shredder,
    batches: Sequence[Batch],
    order: Sequence[int] | None = None,
    max_fields: int = 2000,
) -> rows.Rows:
    """Return the rows of some batches, on which both agree, with and without what was read by scanning."""
    places = list_places(batches) if order is None else array("q", order)
    expected = rows.shred_rows(batches, places, max_fields)
    check_rows(native.shred_rows(batches, places, max_fields), expected)
    check_rows(native.shred_rows(list(map(drop_readings, batches)), places, max_fields), expected)
    return expected


def check_rows(found: rows.Rows, expected: rows.Rows) -> None:
    assert_frame_equal(found.frame, expected.frame, check_column_order=False, check_exact=True)
    # Frames take 0.0 and -0.0 for equal; their texts tell them apart.
    assert write_floats(found.frame) == write_floats(expected.frame)
    assert found.summaries == expected.summaries


def write_floats(frame: pl.DataFrame) -> dict[str, str]:
    floats = (pl.Float64(), pl.List(pl.Float64()))
    return {series.name: repr(series.to_list()) for series in frame if series.dtype in floats}
