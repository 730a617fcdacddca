"""Marks: how far a reader has come, durable with the events that it brought, or not at all."""

from pathlib import Path

import deltalake
from tests.store.stores import (
    HandClock,
    copy_directory,
    list_messages,
    make_store,
    opened,
    say,
)

from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import Bucket
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.marks import Mark, name_turn
from logboom.store.catalog.upkeep import write_checkpoint
from logboom.store.companions import ALONE, Companions


def test_a_mark_is_there_as_soon_as_its_batch_is_durable(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        assert store.find_mark("file") is None
        store.submit(say("a"), Companions(marks={"file": 10, "other": 1})).result()
        assert store.find_mark("file") == 10
        store.submit(say("b"), Companions(marks={"file": 20})).result()
        assert store.find_mark("file") == 20
        store.flush().result()
        assert (store.find_mark("file"), store.find_mark("other")) == (20, 1)
        store.submit(say("c"), Companions(marks={"file": 5})).result()
        assert store.find_mark("file") == 5


def test_after_a_crash_a_mark_is_as_far_as_the_events(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with opened(make_store(data)) as store:
        store.submit(say("a"), Companions(marks={"file": 10})).result()
        store.flush().result()
        store.submit(say("b"), Companions(marks={"file": 20})).result()
        copy = copy_directory(data, tmp_path / "copy")
    with opened(make_store(copy)) as store:
        assert list_messages(store) == ["a", "b"]
        assert store.find_mark("file") == 20


def test_a_mark_of_a_bulk_load_counts_with_its_commit(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        load = store.open_bulk()
        load.add(say("a"))
        assert store.find_mark("file") is None
        load.commit(Companions(marks={"file": 7}))
        assert store.find_mark("file") == 7
        aborted = store.open_bulk()
        aborted.add(say("b"))
        aborted.abort()
        assert store.find_mark("file") == 7


def test_marks_are_seen_by_every_node_of_a_store(tmp_path: Path) -> None:
    objects = make_store(tmp_path / "unused").objects
    with (
        opened(make_store(tmp_path / "one", objects=objects)) as one,
        opened(make_store(tmp_path / "two", objects=objects)) as two,
    ):
        one.submit(say("a"), Companions(marks={"file": 3})).result()
        one.submit(say("b"), ALONE).result()
        one.flush().result()
        two.refresh()
        assert two.find_mark("file") == 3


def test_marks_of_a_prefix_are_listed_unless_they_are_about_to_change(tmp_path: Path) -> None:
    clock = HandClock(5_000_000)
    with opened(make_store(tmp_path, clock=clock)) as store:
        store.submit(say("a"), Companions(marks={"s.1/a": 10, "s.1/b": 20, "t.1/a": 1})).result()
        assert store.list_marks("s.") == {}
        store.flush().result()
        assert store.list_marks("s.") == {"s.1/a": Mark(10, 5), "s.1/b": Mark(20, 5)}
        store.submit(say("b"), Companions(marks={"s.1/a": 11})).result()
        assert store.list_marks("s.") == {"s.1/b": Mark(20, 5)}


def test_a_mark_that_is_set_to_nothing_is_no_more(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        store.set_marks({"a": 10, "b": -20})
        store.submit(say("a"), Companions(marks={"a": 0})).result()
        assert store.find_mark("a") == 0
        store.flush().result()
        assert store.find_mark("a") is None
        assert list(store.list_marks("")) == ["b"]
    with opened(make_store(tmp_path)) as store:
        assert store.find_mark("a") is None
        assert store.find_mark("b") == -20


def test_checkpoints_hold_no_mark_that_has_ended(
    tmp_path: Path, store_place: Path | Bucket
) -> None:
    objects = open_objects(store_place, tmp_path / "cache", 1)
    root = store_place if isinstance(store_place, Path) else store_place.url
    with opened(make_store(tmp_path / "node", objects=objects)) as store:
        store.submit(say("a"), Companions(marks={"a": 10, "b": 20})).result()
        store.flush().result()
        write_checkpoint(store.catalog, objects)
        store.set_marks({"a": 0})
        version = write_checkpoint(store.catalog, objects)
        node, before = store.node, store.snapshot()
    for name in objects.list("_delta_log"):
        if name.endswith(".json"):
            objects.delete(f"_delta_log/{name}")
    table = deltalake.DeltaTable(root)
    positions = [table.transaction_version(name) for name in ("mark/a", "mark/b", node)]
    assert positions == [None, 20, 1]
    assert (table.version(), len(table.file_uris())) == (version, 1)
    catalog = Catalog(objects, HandClock())
    catalog.follow()
    assert catalog.snapshot == before
    assert list(catalog.marks.list("")) == ["b"]


def test_who_is_late_overwrites_no_mark_of_those_who_came_after(tmp_path: Path) -> None:
    objects = make_store(tmp_path / "unused").objects
    turn = name_turn("s")
    with (
        opened(make_store(tmp_path / "one", objects=objects)) as one,
        opened(make_store(tmp_path / "two", objects=objects)) as two,
    ):
        late = {turn: 1, "s.0/a": 10, "s.0/b": 10, "other.0/a": 1}
        one.submit(say("a"), Companions(marks=late)).result()
        two.submit(say("a", "b"), Companions(marks={turn: 2, "s.0/a": 20})).result()
        two.flush().result()
        one.flush().result()
        names = ("s.0/a", "s.0/b", "other.0/a", turn)
        assert list(map(one.find_mark, names)) == [20, None, 1, 2]
        one.submit(say("c"), Companions(marks={turn: 3, "s.0/a": 5})).result()
        one.flush().result()
        assert one.find_mark("s.0/a") == 5
        one.set_marks({turn: 0, "s.0/a": 0})
        assert list(map(one.find_mark, names)) == [None, None, 1, None]
        two.refresh()
        assert list_messages(two) == ["a", "a", "b", "c"]
