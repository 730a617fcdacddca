"""What other engines see of the table: the fields of events, by their names and types, and times as timestamps."""

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import deltalake
import duckdb
import polars as pl
import pytest
from tests.golden.directories import unpack
from tests.store.stores import (
    NOW_NS,
    HandClock,
    checkpoint,
    make_batch,
    make_store,
    merge_days,
    opened,
    read_rows,
)

from logboom.base.clock import NS_PER_S
from logboom.base.stores.local import LocalObjects
from logboom.base.versions import BLOCK, PRECISE_BLOCK
from logboom.store.block import layout
from logboom.store.catalog.change import Change
from logboom.store.catalog.fields import PAUSE_NS, NewFields
from logboom.store.catalog.log import name_commit
from logboom.store.catalog.table import CORE_COLUMNS, MOST_FIELDS, find_type, read_columns
from logboom.store.store import Store

Row = tuple[object, ...]
Engine = Callable[[Path, str], list[Row]]

EVENTS = [
    {"ts": NOW_NS, "service": "shop", "status": 200, "took": 1.5, "ok": True, "tags": ["a", "b"]},
    {"ts": NOW_NS + 1, "service": "shop", "status": 500, "http": {"path": "/x"}},
    {"ts": NOW_NS + NS_PER_S, "service": "pay", "status": "unknown", "code": [1, 2]},
]


def send(store: Store, *events: object) -> None:
    body = "\n".join(map(json.dumps, events)).encode()
    store.submit(make_batch(body)).result()
    store.flush().result()


def list_columns(store: Store) -> dict[str, object]:
    """The columns of the fields of events in the table's schema."""
    metadata = store.snapshot().metadata
    assert metadata
    columns = read_columns(metadata.schemaString)
    assert list(columns)[: len(CORE_COLUMNS)] == list(CORE_COLUMNS)
    return {name: kind for name, kind in columns.items() if name not in CORE_COLUMNS}


def count_metadata(root: Path) -> int:
    commits = (root / "_delta_log").glob("*.json")
    return sum(path.read_text().count('{"metaData"') for path in commits)


def ask_deltalake(root: Path, query: str) -> list[Row]:
    builder = deltalake.QueryBuilder().register("logs", deltalake.DeltaTable(root))
    return pl.DataFrame(builder.execute(query).read_all()).rows()


def ask_polars(root: Path, query: str) -> list[Row]:
    with pl.SQLContext(logs=pl.scan_delta(str(root))) as context:
        return context.execute(query).collect().rows()


def ask_duckdb(root: Path, query: str) -> list[Row]:
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    files = deltalake.DeltaTable(root).file_uris()
    logs = connection.read_parquet(files, union_by_name=True)
    answer = logs.query("logs", query)
    assert answer is not None
    return answer.fetchall()


ENGINES: list[Engine] = [ask_deltalake, ask_polars, ask_duckdb]
MICROS: dict[Engine, str] = {
    ask_deltalake: "cast(_time as bigint)",
    ask_polars: "cast(_time as bigint)",
    ask_duckdb: "epoch_ns(_time) // 1000",
}
"""Microseconds since 1970, in the words of each."""
SINCE_2023: dict[Engine, str] = {
    ask_deltalake: "timestamp '2023-01-01T00:00:00Z'",
    ask_polars: "strptime('2023-01-01T00:00:00Z', '%Y-%m-%dT%H:%M:%S%#z')",
    ask_duckdb: "'2023-01-01T00:00:00Z'",
}


@pytest.mark.parametrize("merged", [False, True], ids=["flushed", "merged"])
@pytest.mark.parametrize("ask", ENGINES)
def test_other_engines_find_the_fields_of_events(tmp_path: Path, ask: Engine, merged: bool) -> None:
    root = tmp_path / "store"
    with opened(make_store(tmp_path)) as store:
        send(store, *EVENTS[:2])
        send(store, *EVENTS[2:])
        if merged:
            assert merge_days(store) == 1
    assert ask(root, "select service, count(*) from logs group by service order by service") == [
        ("pay", 1),
        ("shop", 2),
    ]
    assert ask(root, 'select sum("status:int"), sum("took:float") from logs') == [(700, 1.5)]
    assert ask(root, "select status from logs where \"http.path\" is null and service = 'pay'") == [
        ("unknown",)
    ]
    assert ask(root, 'select "http.path" from logs where "status:int" = 500') == [("/x",)]
    assert ask(root, 'select "tags:str[]" from logs where "ok:bool"') == [(["a", "b"],)]


@pytest.mark.parametrize("merged", [False, True], ids=["flushed", "merged"])
@pytest.mark.parametrize("ask", ENGINES)
def test_other_engines_find_times(tmp_path: Path, ask: Engine, merged: bool) -> None:
    root = tmp_path / "store"
    times_ns = [-NS_PER_S, 0, 999, NOW_NS + 123_456_789, 9_000_000_000 * NS_PER_S]
    with opened(make_store(tmp_path, clock=HandClock(9_000_000_000 * NS_PER_S))) as store:
        for time_ns in times_ns:
            moment = datetime.fromtimestamp(time_ns // NS_PER_S, UTC)
            text = f"{moment:%Y-%m-%dT%H:%M:%S}.{time_ns % NS_PER_S:09d}Z"
            send(store, {"timestamp": text, "n": time_ns})
        assert read_rows(store)["_time"].to_list() == times_ns
        if merged:
            assert merge_days(store) == 4
    # Microseconds are what all of them keep.
    found = ask(root, f"select {MICROS[ask]} from logs")
    assert sorted(found) == [(time_ns // 1000,) for time_ns in times_ns]
    assert ask(root, f"select count(*) from logs where _time >= {SINCE_2023[ask]}") == [(2,)]


def test_the_range_of_times_in_the_log_holds_every_time(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        send(store, {"ts": NOW_NS + 1}, {"ts": NOW_NS + 1_001})
        send(store, {"timestamp": "1969-12-31T23:59:59.999999999Z"})
    added = pl.DataFrame(deltalake.DeltaTable(tmp_path / "store").get_add_actions(flatten=True))
    ranges = added.sort("min._time").select("min._time", "max._time").rows()
    assert ranges == [
        (datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC), datetime(1970, 1, 1, tzinfo=UTC)),
        (
            datetime(2023, 11, 14, 22, 13, 20, 0, UTC),
            datetime(2023, 11, 14, 22, 13, 20, 2, UTC),
        ),
    ]


def test_types_are_those_of_the_files(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        send(store, *EVENTS)
        [block] = store.snapshot().list_blocks()
        columns = list_columns(store)
        stored = pl.read_parquet_schema(store.objects.locate(block.path))
    assert stored.keys() == columns.keys() | CORE_COLUMNS.keys()
    assert columns["tags:str[]"] == {
        "type": "array",
        "elementType": "string",
        "containsNull": True,
    }
    assert {name: columns[name] for name in ("service", "status:int", "took:float", "ok:bool")} == {
        "service": "string",
        "status:int": "long",
        "took:float": "double",
        "ok:bool": "boolean",
    }


def test_the_schema_grows_only_with_new_fields(tmp_path: Path) -> None:
    root = tmp_path / "store"
    with opened(make_store(tmp_path)) as store:
        send(store, {"message": "no fields of its own"})
        assert count_metadata(root) == 1
        send(store, {"a": "x"})
        assert count_metadata(root) == 2
        send(store, {"a": "y"})
        store.refresh()
        assert count_metadata(root) == 2, "it is named already"
        send(store, {"b": 1, "a": "z"})
        assert list(list_columns(store)) == ["a", "b:int"]
        assert count_metadata(root) == 3


def test_a_large_schema_grows_in_steps(tmp_path: Path) -> None:
    clock = HandClock()
    with opened(make_store(tmp_path, clock=clock)) as store:
        send(store, {f"f{number:03d}": "x" for number in range(150)})
        send(store, {"late": "x"})
        store.refresh()
        assert "late" not in list_columns(store)
        clock.time_ns += 2 * PAUSE_NS
        version = store.snapshot().version
        store.refresh()
        assert list(list_columns(store))[-1] == "late", "without any new event"
        clock.time_ns += 2 * PAUSE_NS
        store.refresh()
        assert store.snapshot().version == version + 1


def test_many_names_neither_bloat_the_log_nor_stop_it(tmp_path: Path) -> None:
    clock = HandClock()
    root = tmp_path / "store"
    with opened(make_store(tmp_path, clock=clock)) as store:
        for turn in range(8):
            names = {f"made_up_{turn}_{number}": number for number in range(400)}
            send(store, *[{"service": "shop"}] * 5, names)
            clock.time_ns += 20 * PAUSE_NS
        columns = list_columns(store)
        assert len(columns) == MOST_FIELDS
        assert next(iter(columns)) == "service", "what most events have comes first"
        assert count_metadata(root) <= 4
        sizes = [path.stat().st_size for path in (root / "_delta_log").glob("*.json")]
        assert sorted(sizes)[-4] < 10_000 < max(sizes) < 200_000
        checkpoint(root)
    assert len(pl.read_delta(str(root)).columns) == MOST_FIELDS + len(CORE_COLUMNS)
    with opened(make_store(tmp_path, clock=clock)) as store:
        assert list_columns(store) == columns


def test_names_that_some_engine_refuses_are_left_out(tmp_path: Path) -> None:
    root = tmp_path / "store"
    with opened(make_store(tmp_path)) as store:
        names = [
            "a b",
            "a,b",
            "a;b",
            "{a}",
            "(a)",
            "a\nb",
            "a\tb",
            "a=b",
            "",
            "x" * 300,
            "Name",
            "name",
        ]
        send(store, dict.fromkeys(names, "v") | {"ünï": "v", "a.b": "v", "_own": "v", "q\"'`": "v"})
        assert sorted(list_columns(store)) == sorted(
            [":str", "_own:str", "a.b", "name:str[]", "q\"'`", "ünï"]
        )
        expected = read_rows(store)["ünï"].to_list()
    for ask in ENGINES:
        assert ask(root, 'select "ünï" from logs') == [(value,) for value in expected], ask


def test_of_names_that_differ_in_case_only_one_is_named() -> None:
    fields = NewFields()
    fields.note({"Name": 1, "name": 2, "other": 1})
    assert fields.list_due(0) == ["name", "Name", "other"]
    fields.settle({"NAME": "string"}, 0)
    assert fields.list_due(PAUSE_NS * 2) == ["other"]
    fields.note({"nAME": 5})
    assert fields.list_due(PAUSE_NS * 2) == ["other"]


def test_nodes_that_share_a_store_name_the_fields_of_all(tmp_path: Path) -> None:
    objects = LocalObjects(tmp_path / "shared")
    with (
        opened(make_store(tmp_path / "one", objects=objects)) as one,
        opened(make_store(tmp_path / "two", objects=objects)) as two,
    ):
        send(one, {"a": "x"})
        send(two, {"b": "x", "a": "y"})
        send(one, {"message": "nothing new"})
        assert list(list_columns(one)) == ["a", "b"]


def test_blocks_of_the_first_release_beside_new_ones_give_other_engines_no_wrong_times(
    tmp_path: Path,
) -> None:
    data = unpack("0.1", tmp_path)
    root = data / "store"
    with opened(make_store(data)) as store:
        old = [block for block in store.snapshot().list_blocks() if not block.is_timed]
        times_ns = read_rows(store)["_time"].to_list()
        send(store, {"ts": NOW_NS + 1, "service": "new"})
        assert read_rows(store)["_time"].to_list() == sorted([*times_ns, NOW_NS + 1])
        checkpoint(root)
        for ask in (ask_deltalake, ask_polars):
            query = "select service, count(*) from logs where service is not null group by service"
            assert ("new", 1) in ask(root, query)
            with pytest.raises(Exception, match="_time"):
                ask(root, "select _time from logs")
    with opened(make_store(data)) as store:
        store.catalog.commit(Change(removes=tuple(block.path for block in old)))
        for ask in (ask_deltalake, ask_polars):
            query = "select _time from logs where service = 'new'"
            assert ask(root, query) == [(datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC),)]


def test_a_table_of_the_first_release_alone_keeps_its_type_of_times(tmp_path: Path) -> None:
    data = unpack("0.1", tmp_path)
    shutil.rmtree(data / "wal")
    with opened(make_store(data)) as store:
        times_ns = read_rows(store)["_time"].to_list()
        for ask in (ask_deltalake, ask_polars):
            found = ask(data / "store", "select _time from logs order by _time")
            assert found == [(time_ns,) for time_ns in times_ns]


@pytest.mark.parametrize(
    ("ask", "time"),
    [
        (ask_deltalake, "_time"),
        (ask_polars, "_time"),
        (
            ask_duckdb,
            "cast(_time as timestamptz)",
        ),  # it cannot cast nanoseconds to what Python knows
    ],
)
def test_times_of_any_precision_are_in_one_table(tmp_path: Path, ask: Engine, time: str) -> None:
    times_us = [0, 1_000, 2_345, 5_000]
    with opened(make_store(tmp_path)) as store:
        for time_us in times_us:
            send(store, {"ts": NOW_NS + 1000 * time_us})
        versions = {block.version for block in store.snapshot().list_blocks()}
        assert versions == {BLOCK, PRECISE_BLOCK}
        query = f"select cast({time} as timestamp) as time from logs order by time"
        found = ask(tmp_path / "store", query)
    start = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC).replace(tzinfo=None)
    assert found == [(start + timedelta(microseconds=time_us),) for time_us in times_us]


def test_fields_of_blocks_that_were_there_before_are_named_too(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        store._blocks._note_columns = lambda _columns: None
        send(store, {"service": "shop"})
        assert list_columns(store) == {}
    with opened(make_store(tmp_path)) as store:
        store.refresh()
        assert list(list_columns(store)) == ["service"]


def test_a_file_says_which_version_it_has(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        send(store, *EVENTS)
        [block] = store.snapshot().list_blocks()
        path = store.objects.locate(block.path)
    assert pl.read_parquet_metadata(path)[layout.FORMAT_KEY] == str(block.version)
    assert pl.read_parquet_schema(path)["_time"] == layout.STORED_TIMES[block.version]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a", "string"), ("a:int", "long"), ("a:str", "string"), ("a:b:bool", "boolean")],
)
def test_a_name_tells_the_type(name: str, kind: str) -> None:
    assert find_type(name) == kind
    assert find_type(f"x:{'str'}[]") == {
        "type": "array",
        "elementType": "string",
        "containsNull": True,
    }


def test_the_first_commit_names_the_version(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)):
        first = (tmp_path / "store" / name_commit(0)).read_text()
    assert '"logboom.format":"2.0"' in first
