"""Exports: every row once, in order, in each format."""

import csv
import gc
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.stored import Stored
from tests.together import together

from logboom.base.errors import DeadlineExceeded
from logboom.base.texts import write_cell
from logboom.engine.answers.export import FORMATS, parquet
from logboom.engine.answers.export.pages import Export

EVENTS: list[dict[str, Any]] = [
    {"timestamp": 1_700_000_000 + number // 3, "n": number, "Level": "info", "tags": ["a", "b"]}
    for number in range(20)
]


@pytest.fixture
def env(stored: Stored) -> str:
    name = stored.make_env()
    stored.keep(name, EVENTS[:12])
    stored.keep(name, [*EVENTS[12:], {"timestamp": 1, "n": 0.5, "level": "=1+1", "ok": True}])
    return name


def write(
    stored: Stored, env: str, kind: str, query: str = "", columns: tuple[str, ...] | None = None
) -> bytes:
    return b"".join(FORMATS[kind].write(stored.make_finder(env, query), columns))


def read_lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def read_csv(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


@pytest.mark.parametrize("page_rows", [1, 2, 7, 21, 100])
def test_pages_hold_every_event_once_and_in_order(stored: Stored, env: str, page_rows: int) -> None:
    export = Export.begin(stored.make_finder(env), page_rows)
    rows = [row for chunk in export.list_chunks() for row in chunk]
    assert rows == stored.search(env, "").rows
    assert len(rows) == 21


def test_ndjson_is_what_a_search_answers(stored: Stored, env: str) -> None:
    assert read_lines(write(stored, env, "ndjson")) == stored.search(env).rows
    table = "* | stats count by level"
    assert read_lines(write(stored, env, "ndjson", table)) == stored.search(env, table).rows
    chosen = "* | sort n | fields n"
    assert read_lines(write(stored, env, "ndjson", chosen)) == stored.search(env, chosen).rows


def test_ndjson_has_the_columns_asked_for(stored: Stored, env: str) -> None:
    rows = read_lines(write(stored, env, "ndjson", "n<2", ("LEVEL", "n")))
    assert rows == [{"level": "=1+1", "n": 0.5}] or rows[-1] == {"level": "=1+1", "n": 0.5}
    assert all(list(row)[-1] == "n" for row in rows)


def test_csv_has_every_name_and_every_row(stored: Stored, env: str) -> None:
    data = write(stored, env, "csv")
    assert data.startswith(b"_time,_id,_env,_index,level,n,ok,tags\r\n")
    rows = read_csv(data)
    assert [row["n"] for row in rows] == [str(row["n"]) for row in stored.search(env, "").rows]
    assert rows[0]["tags"] == '["a","b"]'
    assert rows[-1]["tags"] == ""
    assert rows[-1]["ok"] == "true"
    assert rows[-1]["level"] == "'=1+1"


def test_csv_has_the_columns_asked_for(stored: Stored, env: str) -> None:
    assert write(stored, env, "csv", "n:0.5", ("n", "nothing", "le*")) == (
        b"n,nothing,level\r\n0.5,,'=1+1\r\n"
    )
    assert write(stored, env, "csv", "n:0.5 | fields ok, n") == b"ok,n\r\ntrue,0.5\r\n"
    assert write(stored, env, "csv", "n:0.5 | sort n | fields ok, n") == b"ok,n\r\ntrue,0.5\r\n"
    assert write(stored, env, "csv", "* | stats count") == b"count\r\n21\r\n"


@together(
    ("value", "cell"),
    [
        ("=cmd", "'=cmd"),
        ("+x", "'+x"),
        ("-x", "'-x"),
        ("@x", "'@x"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("-5", "-5"),
        ("+1.5e3", "+1.5e3"),
        (-5, "-5"),
        ("a=b", "a=b"),
        ("", ""),
        (None, ""),
        (False, "false"),
        ([1, "a"], '[1,"a"]'),
    ],
)
def test_cells_that_a_spreadsheet_would_run_are_defused(value: object, cell: str) -> None:
    assert write_cell(value) == cell


@given(st.text())
def test_no_cell_begins_a_formula(text: str) -> None:
    cell = write_cell(text)
    assert not cell.startswith(("=", "@", "\t", "\r"))
    assert not cell.startswith(("+", "-")) or float(cell) is not None


def test_awkward_texts_come_back_from_csv(wide: Stored) -> None:
    env = wide.make_env()
    texts = ['a"b', "a,b", "a\r\nb", "é", " a "]
    wide.keep(env, [{"timestamp": place, "t": text} for place, text in enumerate(texts, 1)])
    rows = read_csv(write(wide, env, "csv", "* | sort _time", ("t",)))
    assert [row["t"] for row in rows] == texts


def test_parquet_keeps_types_and_order(
    stored: Stored, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "PAGE_ROWS", 4)
    frame = pl.read_parquet(io.BytesIO(write(stored, env, "parquet")))
    rows = stored.search(env).rows
    assert frame.columns[:4] == ["_time", "_id", "_env", "_index"]
    assert frame["_id"].to_list() == [row["_id"] for row in rows]
    assert frame.schema["_time"] == pl.Datetime("ns", "UTC")
    numbers = frame.select(pl.coalesce("n:int", "n:float")).to_series()
    assert numbers.to_list() == [row["n"] for row in rows]
    assert frame["tags:str[]"][0].to_list() == ["a", "b"]
    assert frame["level"].to_list() == [row.get("level", row.get("Level")) for row in rows]


def test_parquet_has_what_is_shown(stored: Stored, env: str) -> None:
    shown = write(stored, env, "parquet", "n:0.5 | eval x = n + 1 | fields x, _time")
    assert pl.read_parquet(io.BytesIO(shown)).columns == ["_time", "x:float"]
    table = write(stored, env, "parquet", "* | stats count by level")
    assert pl.read_parquet(io.BytesIO(table)).columns == ["level", "count:int"]
    chosen = write(stored, env, "parquet", "n:0.5", ("n",))
    assert pl.read_parquet(io.BytesIO(chosen)).columns == ["n:float"]


@pytest.mark.parametrize("kind", FORMATS)
def test_nothing_found_is_an_empty_file_of_the_format(stored: Stored, kind: str) -> None:
    data = write(stored, stored.make_env(), kind)
    if kind == "parquet":
        assert pl.read_parquet(io.BytesIO(data)).is_empty()
    else:
        assert data in (b"", b"_time,_id,_env,_index\r\n")


def test_temporary_files_go_when_the_reader_does(
    wide: Stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(parquet, "PIECE_BYTES", 10)
    env = wide.make_env()
    wide.keep(env, EVENTS)
    pieces = FORMATS["parquet"].write(wide.make_finder(env), None)
    next(pieces)
    assert list(tmp_path.iterdir())
    pieces.close()
    assert not list(tmp_path.iterdir())
    gc.collect()


def test_what_would_be_cut_is_refused(wide: Stored) -> None:
    env = wide.make_env()
    wide.keep(env, EVENTS)
    finder = wide.make_finder(env)
    finder.budget.deadline.set()
    with pytest.raises(DeadlineExceeded, match="the client disconnected"):
        FORMATS["ndjson"].write(finder, None)


@pytest.mark.parametrize(
    "query", ["* | top 3 _id", "* | stats count by _id, _index", "* | uniq _ID"]
)
def test_a_table_may_have_the_ids_of_events(stored: Stored, env: str, query: str) -> None:
    found = pl.read_parquet(io.BytesIO(write(stored, env, "parquet", query)))
    rows = stored.search(env, query).rows
    assert sorted(map(str, found["_id"])) == sorted(
        str(value) for row in rows for name, value in row.items() if name.lower() == "_id"
    )
