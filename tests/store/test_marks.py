"""Marks: how far a reader has come, durable with the events that it brought, or not at all."""

from pathlib import Path

from tests.store.stores import copy_directory, list_messages, make_store, opened, say

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
