from pathlib import Path

import duckdb
import polars as pl
import pytest

from logboom.store.block.footer import parse_footer
from logboom.store.block.output import describe_path
from logboom.store.block.parts import Part, find_footer, frame_spans, is_most

ROWS = 1000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    frame = pl.DataFrame(
        {
            "number": range(ROWS),
            "text": [f"text {row}" for row in range(ROWS)],
            "few": ["same", None] * (ROWS // 2),
            "list": [[str(row), "x"] for row in range(ROWS)],
            "flag": [True] * ROWS,
            "größe.ü": [0.5] * ROWS,
        }
    )
    frame.write_parquet(tmp_path / "file.parquet", row_group_size=300)
    return tmp_path / "file.parquet"


def test_columns_are_where_another_reader_finds_them(path: Path) -> None:
    file = describe_path(str(path))
    groups = parse_footer(path.read_bytes()[slice(*find_footer(file))])
    chunks = duckdb.execute(
        "SELECT row_group_id, path_in_schema, row_group_num_rows, "
        "coalesce(nullif(dictionary_page_offset, 0), data_page_offset), total_compressed_size "
        f"FROM parquet_metadata('{path}')"
    ).fetchall()
    assert len(chunks) == len(groups) * 6 == 24
    for group, name, rows, start, size in chunks:
        assert groups[group].rows == rows
        assert groups[group].columns[name.split(", ")[0]] == (start, start + size)


@pytest.mark.parametrize(
    "data", [b"", b"PAR1", b"\x19", b"\x15\x02\x00", b"\xff" * 100, bytes(range(256))]
)
def test_what_is_no_footer_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"footer|kind"):
        parse_footer(data)


def read_alone(path: Path, part: Part, tmp_path: Path) -> pl.LazyFrame:
    """A file that has nothing but a part of another one."""
    file, data = describe_path(str(path)), path.read_bytes()
    groups = parse_footer(data[slice(*find_footer(file))])
    alone = bytearray(len(data))
    for start, end in frame_spans(file, part.find_spans(groups)):
        alone[start:end] = data[start:end]
    (tmp_path / "alone.parquet").write_bytes(alone)
    return pl.scan_parquet(tmp_path / "alone.parquet", glob=False)


@pytest.mark.parametrize("columns", [["number"], ["list", "few"], ["größe.ü", "text", "flag"]])
@pytest.mark.parametrize(("first", "last"), [(0, 1), (299, 301), (950, 1000), (0, ROWS)])
def test_a_part_is_all_that_reading_it_needs(
    path: Path, tmp_path: Path, columns: list[str], first: int, last: int
) -> None:
    part = Part.of(columns, [range(first, last)])
    found = read_alone(path, part, tmp_path).slice(first, last - first).select(columns).collect()
    assert found.equals(pl.read_parquet(path, columns=columns).slice(first, last - first))


def test_a_part_is_no_more_than_its_row_groups_and_columns(path: Path) -> None:
    file = describe_path(str(path))
    groups = parse_footer(path.read_bytes()[slice(*find_footer(file))])
    spans = Part.of(["text", "nowhere"], [range(10, 20), range(950, 951)]).find_spans(groups)
    assert spans == [groups[0].columns["text"], groups[-1].columns["text"]]
    assert Part.of(["text"], []).find_spans(groups) == []
    assert len(Part.of(["text"]).find_spans(groups)) == len(groups)
    assert not is_most(file, spans)
    assert is_most(file, [(0, file.size_bytes)])
