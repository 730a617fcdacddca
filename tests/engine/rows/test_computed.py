"""Expressions computed for every row, whatever the size of the frame."""

import polars as pl
import pytest

from logboom.engine.rows.computed import compute_rows
from logboom.engine.rows.table import Table

LARGE = 20_000
"""Rows that Polars filters in several pieces."""


@pytest.mark.parametrize("height", [0, 1, 2, LARGE])
def test_what_is_the_same_in_all_rows_is_repeated(height: int) -> None:
    frame = pl.DataFrame({"a": range(height)}, {"a": pl.Int64})
    constant = frame.with_columns(pl.lit("x").alias("same"))
    missing = pl.lit(None, pl.String).str.to_lowercase()
    for expression in (pl.lit(value=True), missing, missing == pl.col("same"), pl.col("a") > 1):
        assert len(compute_rows(constant, expression)) == height
    assert compute_rows(pl.DataFrame(height=height), pl.lit(5)).to_list() == [5] * height


@pytest.mark.parametrize("height", [0, 1, LARGE])
def test_a_table_is_filtered_by_one_test_for_all_rows(height: int) -> None:
    table = Table(pl.DataFrame({"a": range(height)}, {"a": pl.Int64}))
    passed, failed = pl.lit(value=True), pl.lit(value=False).fill_null(value=False)
    assert table.filter(failed).height == table.filter(~passed.fill_null(value=False)).height == 0
    assert table.filter(~failed).height == table.filter(passed, ~failed).height == height
    assert table.filter(pl.all_horizontal([passed, passed]), pl.col("a") >= 0).height == height
    assert table.filter(pl.lit(None, pl.Int64) > 1).height == 0
