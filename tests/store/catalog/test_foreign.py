"""What other engines do to the table is survived, and undone by our next commit."""

import json
from pathlib import Path

import deltalake
import duckdb
import polars as pl
import pytest
from deltalake.schema import Field, PrimitiveType
from tests.store.stores import HandClock, list_messages, make_batch, make_store, opened, read_rows

from logboom.base.errors import Corrupt
from logboom.base.stores.local import LocalObjects
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.catalog.log import FOLDER, name_commit
from logboom.store.catalog.table import CONFIGURATION, CORE_COLUMNS
from logboom.store.store import Store

FORGED = pl.DataFrame({"message": ["forged"], "_time": [1]})


def fill(store: Store, *messages: str) -> None:
    """An event for each, with a field of its own."""
    for message in messages:
        line = json.dumps({"message": message, "kind": message.upper()})
        store.submit(make_batch(line.encode())).result()
        store.flush().result()


Rows = list[tuple[str, str]]
QUERY = "select message, kind from logs order by message"


def read_with_polars(root: Path) -> Rows:
    return pl.read_delta(str(root)).select("message", "kind").sort("message").rows()


def read_with_deltalake(root: Path) -> Rows:
    builder = deltalake.QueryBuilder().register("logs", deltalake.DeltaTable(root))
    return pl.DataFrame(builder.execute(QUERY).read_all()).rows()


def read_with_duckdb(root: Path) -> Rows:
    files = deltalake.DeltaTable(root).file_uris()
    answer = duckdb.read_parquet(files, union_by_name=True).query("logs", QUERY)
    assert answer is not None
    return answer.fetchall()


READERS = (read_with_polars, read_with_deltalake, read_with_duckdb)


def read_table(root: Path) -> list[str]:
    """The messages that other engines find, all of them alike."""
    first, *others = [read(root) for read in READERS]
    assert all(found == first for found in others)
    assert [kind for _, kind in first] == [message.upper() for message, _ in first]
    return [message for message, _ in first]


def optimize(table: deltalake.DeltaTable) -> None:
    table.optimize.compact()


def delete(table: deltalake.DeltaTable) -> None:
    table.delete("message = 'a'")


def append(table: deltalake.DeltaTable) -> None:
    deltalake.write_deltalake(table, FORGED, mode="append", schema_mode="merge")


def overwrite(table: deltalake.DeltaTable) -> None:
    deltalake.write_deltalake(table, FORGED, mode="overwrite", schema_mode="overwrite")


def widen(table: deltalake.DeltaTable) -> None:
    frame = FORGED.with_columns(extra=1)
    deltalake.write_deltalake(table, frame, mode="append", schema_mode="merge")


def set_properties(table: deltalake.DeltaTable) -> None:
    table.alter.set_table_properties({"delta.logRetentionDuration": "interval 1 hours"})


def add_columns(table: deltalake.DeltaTable) -> None:
    table.alter.add_columns(
        [Field("extra", PrimitiveType("string")), Field("n", PrimitiveType("long"))]
    )


def constrain(table: deltalake.DeltaTable) -> None:
    table.alter.add_constraint({"known": "message is not null"})


def enable_vectors(table: deltalake.DeltaTable) -> None:
    feature = deltalake.TableFeatures.DeletionVectors
    table.alter.add_feature(feature, allow_protocol_versions_increase=True)


def update(table: deltalake.DeltaTable) -> None:
    table.update({"kind": "'forged'"}, predicate="message = 'b'")


def sort(table: deltalake.DeltaTable) -> None:
    table.optimize.z_order(["kind"])


def go_back(table: deltalake.DeltaTable) -> None:
    table.restore(table.version() - 1)


def merge(table: deltalake.DeltaTable) -> None:
    source = pl.DataFrame({"message": ["a"]})
    merger = table.merge(source, "t.message = s.message", source_alias="s", target_alias="t")
    merger.when_matched_delete().execute()


def sum_up(table: deltalake.DeltaTable) -> None:
    table.compact_logs(0, table.version())


def note(table: deltalake.DeltaTable) -> None:
    table.create_checkpoint()


ACTS = [
    *(optimize, sort, delete, update, merge, append, overwrite, widen, go_back),
    *(set_properties, add_columns, constrain, enable_vectors, sum_up, note),
]


@pytest.mark.parametrize("act", ACTS)
def test_events_stay_whatever_another_engine_does(tmp_path: Path, act: object) -> None:
    root = tmp_path / "store"
    with opened(make_store(tmp_path)) as store:
        fill(store, "a", "b", "c")
        assert callable(act)
        act(deltalake.DeltaTable(root))
        store.refresh()
        assert list_messages(store) == ["a", "b", "c"]
        fill(store, "d")
        assert list_messages(store) == ["a", "b", "c", "d"]
        assert read_table(root) == ["a", "b", "c", "d"], "its changes are undone for everybody"
        table = deltalake.DeltaTable(root)
        assert table.metadata().configuration == CONFIGURATION
        assert [field.name for field in table.schema().fields] == [*CORE_COLUMNS, "kind"]
        assert table.protocol().min_reader_version == 1
    with opened(make_store(tmp_path)) as store:
        assert list_messages(store) == ["a", "b", "c", "d"]
        assert read_rows(store).height == 4


def test_what_another_engine_says_of_our_blocks_is_undone(tmp_path: Path) -> None:
    """As when it writes statistics of its own."""
    root = tmp_path / "store"
    with opened(make_store(tmp_path)) as store:
        fill(store, "a")
        (block,) = store.snapshot().list_blocks()
        add = {"path": block.path, "partitionValues": {}, "size": 1, "modificationTime": 1}
        line = json.dumps({"add": {**add, "dataChange": False, "stats": '{"numRecords":99}'}})
        path = name_commit(store.snapshot().version + 1)
        store.objects.put_new(path, line.encode())
        fill(store, "b")
        assert list_messages(store) == ["a", "b"]
    assert read_table(root) == ["a", "b"]
    files = pl.DataFrame(deltalake.DeltaTable(root).get_add_actions(flatten=True))
    assert files["num_records"].to_list() == [1, 1]


def test_a_block_that_comes_back_with_news_of_it_is_there_once(tmp_path: Path) -> None:
    root = tmp_path / "store"
    with opened(make_store(tmp_path)) as store:
        fill(store, "a")
        (block,) = store.snapshot().list_blocks()
        delete(deltalake.DeltaTable(root))
        store.catalog.commit(Change(updates=(block._replace(index_checksum=None),)))
        assert list_messages(store) == ["a"]
        assert next(store.snapshot().list_blocks()).index_checksum is None
    assert read_table(root) == ["a"]


def test_a_checkpoint_of_another_engine_is_not_believed(tmp_path: Path) -> None:
    root = tmp_path / "store"
    with opened(make_store(tmp_path)) as store:
        fill(store, "a", "b")
        delete(deltalake.DeltaTable(root))
        note(deltalake.DeltaTable(root))
    with opened(make_store(tmp_path)) as store:
        assert list_messages(store) == ["a", "b"]
    assert read_table(root) == ["a", "b"]


def test_files_of_another_engine_are_no_blocks_where_its_checkpoint_is_all_there_is(
    tmp_path: Path,
) -> None:
    root = tmp_path / "store"
    with opened(make_store(tmp_path)) as store:
        fill(store, "a", "b")
        append(deltalake.DeltaTable(root))
        note(deltalake.DeltaTable(root))
    for path in (root / FOLDER).glob("*.json"):
        path.unlink()
    with opened(make_store(tmp_path)) as store:
        assert list_messages(store) == ["a", "b"]
    assert read_table(root) == ["a", "b"]


def test_another_engine_finds_nothing_to_vacuum(tmp_path: Path) -> None:
    root = tmp_path / "store"
    with opened(make_store(tmp_path)) as store:
        fill(store, "a", "b")
        table = deltalake.DeltaTable(root)
        optimize(table)
        fill(store, "c")
        store.catalog.remove([block.path for block in list(store.snapshot().list_blocks())[:1]])
        table = deltalake.DeltaTable(root)
        assert table.vacuum(dry_run=False) == []
        assert table.vacuum(dry_run=False, full=True) == []
        table.cleanup_metadata()
        assert len(list_messages(store)) == 2
    with opened(make_store(tmp_path)) as store:
        assert len(list_messages(store)) == 2


def test_a_commit_of_ours_with_a_damaged_signature_is_not_taken_for_a_foreign_one(
    tmp_path: Path,
) -> None:
    root = tmp_path / "store"
    with opened(make_store(tmp_path)) as store:
        fill(store, "a")
        version = store.snapshot().version
    path = root / name_commit(version)
    data = path.read_bytes()
    for name in (b'"commit_id"', b'"checksum"', b'"commitInfo"'):
        path.write_bytes(data.replace(name, name.replace(b"m", b"n").replace(b"s", b"t")))
        with pytest.raises(Corrupt, match="not a commit"):
            Catalog(LocalObjects(root), HandClock()).open()


def test_a_foreign_commit_that_cannot_be_read_is_refused_by_name(tmp_path: Path) -> None:
    root = tmp_path / "store"
    with opened(make_store(tmp_path)) as store:
        fill(store, "a")
        path = root / name_commit(store.snapshot().version + 1)
        for content in (b'{"add":3}\n', b"nonsense\n", b'{"remove":{"size":1}}\n'):
            path.write_bytes(content)
            with pytest.raises(Corrupt, match=path.name):
                store.refresh()
            path.unlink()
        path.write_text(json.dumps({"domainMetadata": {"domain": "x"}}) + "\n")
        fill(store, "b")
        assert list_messages(store) == ["a", "b"]


def test_a_block_that_we_remove_too_stays_removed(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        fill(store, "a", "b")
        delete(deltalake.DeltaTable(tmp_path / "store"))
        (block,) = [
            block
            for block in store.catalog.refresh().list_blocks()
            if pl.read_parquet(store.objects.locate(block.path))["message"].to_list() == ["a"]
        ]
        store.catalog.remove([block.path])
        assert list_messages(store) == ["b"]
        fill(store, "c")
        assert list_messages(store) == ["b", "c"]
        assert read_table(tmp_path / "store") == ["b", "c"]
