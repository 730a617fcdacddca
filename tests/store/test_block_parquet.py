"""How the rows of a block become a Parquet file."""

from pathlib import Path

import duckdb
import polars as pl
import pytest
from tests.together import together

from logboom.base.versions import PRECISE_BLOCK
from logboom.store.block import parquet
from logboom.store.block.parquet import encode_frame, split_evenly


@together(
    ("rows", "group_rows", "expected"),
    [
        (0, 10, 1),
        (1, 10, 1),
        (10, 10, 10),
        (14, 10, 14),
        (16, 10, 8),
        (31, 10, 11),
        (50_000, 16_384, 16_667),
    ],
)
def test_rows_are_split_into_groups_of_about_the_same_size(
    rows: int, group_rows: int, expected: int
) -> None:
    assert split_evenly(rows, group_rows) == expected


def test_the_file_of_a_flush_has_no_small_last_row_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", 100)
    path = tmp_path / "block.parquet"
    frame = pl.DataFrame({"_time": range(305), "_seq": range(305), "message": ["text"] * 305})
    path.write_bytes(encode_frame(frame, {}, PRECISE_BLOCK))
    groups = duckdb.execute(
        "SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(?) ORDER BY 1",
        [str(path)],
    ).fetchall()
    assert [rows for _, rows in groups] == [102, 102, 101]


def test_only_long_texts_are_plain(tmp_path: Path) -> None:
    path = tmp_path / "block.parquet"
    rows = range(2000)
    texts = {"short": [f"{n:016x}" for n in rows], "long": [f"{n:064x}" for n in rows]}
    frame = pl.DataFrame({"_time": rows, "_seq": rows, **texts})
    path.write_bytes(encode_frame(frame, {}, PRECISE_BLOCK))
    found = duckdb.execute(
        "SELECT path_in_schema, encodings FROM parquet_metadata(?) WHERE path_in_schema IN ('short', 'long')",
        [str(path)],
    ).fetchall()
    assert {name: "DELTA_LENGTH_BYTE_ARRAY" in encodings for name, encodings in found} == {
        "short": True,
        "long": False,
    }
    assert pl.read_parquet(path)["long"].to_list() == texts["long"]
