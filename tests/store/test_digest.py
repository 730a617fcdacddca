"""A batch that cannot be made into blocks: kept in a file and named, and it holds up nobody."""

import json
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.logged import list_said_by
from tests.store.disk import behind, failing
from tests.store.stores import (
    copy_directory,
    list_messages,
    make_batch,
    make_store,
    opened,
    say,
)

from logboom.model.batch import Batch, Routes
from logboom.model.rows import Rows
from logboom.model.shredder import ThreadShredders
from logboom.store.block import parquet
from logboom.store.integrity import set_aside as set_aside_module
from logboom.store.store import Store

POISON = b"poison"
VENOM = b"venom"


class PickyShredder:
    """The real one, but for events with a mark in them: as a defect in it would be."""

    unscannable: bytes | None = None

    def __init__(self, real: Any) -> None:
        self._real = real

    def scan_lines(self, *args: Any) -> Any:
        if self.unscannable and self.unscannable in args[0]:
            raise RuntimeError("cannot scan this")
        return self._real.scan_lines(*args)

    def sort_rows(self, *args: Any) -> Any:
        return self._real.sort_rows(*args)

    def shred_rows(self, batches: Sequence[Batch], order: Any, max_fields: int) -> Rows:
        if any(POISON in batch.data for batch in batches):
            raise ZeroDivisionError("cannot digest this")
        if len(batches) > 1 and any(VENOM in batch.data for batch in batches):
            raise ValueError("not in company")
        rows: Rows = self._real.shred_rows(batches, order, max_fields)
        return rows

    def summarise_series(self, *args: Any) -> Any:
        return self._real.summarise_series(*args)


@pytest.fixture(autouse=True)
def _picky(monkeypatch: pytest.MonkeyPatch) -> None:
    make = ThreadShredders.__init__

    def make_picky(self: ThreadShredders) -> None:
        make(self)
        self.shredder = PickyShredder(self.shredder)

    monkeypatch.setattr(ThreadShredders, "__init__", make_picky)


def list_files(data: Path) -> list[str]:
    return sorted(path.name for path in (data / "set-aside").iterdir())


def read_note(data: Path, name: str) -> dict[str, Any]:
    note: dict[str, Any] = json.loads((data / "set-aside" / name).read_bytes())
    return note


def submit_all(store: Store, *batches: Batch) -> None:
    for batch in batches:
        store.submit(batch).result()


def test_the_others_go_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with opened(make_store(tmp_path)) as store:
        submit_all(store, say("a"), say("b", "poison", env="prod"), say("c"))
        assert store.flush().result().events == 2
        assert list_messages(store) == ["a", "c"]
        submit_all(store, say("d"))
        store.flush().result()
        assert list_messages(store) == ["a", "c", "d"]
        assert store.set_aside.measure() == (1, 2)
        assert list_files(tmp_path) == ["2.json", "2.ndjson"]
        lines = (tmp_path / "set-aside" / "2.ndjson").read_bytes()
        assert lines == b'{"message": "b"}\n{"message": "poison"}\n'
        assert read_note(tmp_path, "2.json") == {
            "env": "prod",
            "index": "default",
            "source": None,
            "events": 2,
            "arrival": "2023-11-14T22:13:20Z",
            "reason": "ZeroDivisionError('cannot digest this')",
        }
    (said,) = list_said_by(set_aside_module.__name__, caplog)
    assert (said.record, said.env, said.events) == (2, "prod", 2)
    with opened(make_store(tmp_path)) as store:
        assert list_messages(store) == ["a", "c", "d"]
        assert store.set_aside.measure() == (1, 2)


def test_lines_are_kept_by_where_they_belong(tmp_path: Path) -> None:
    data = b'{"message":"poison"}\n{"message":"to b"}\n{"message":"to a too"}'
    routes = Routes(["a", "b"], array("i", [0, 1, 0]))
    with opened(make_store(tmp_path)) as store:
        submit_all(store, make_batch(data, routes=routes, source="me"))
        store.flush().result()
    first, second = (
        (tmp_path / "set-aside" / name).read_bytes() for name in ("1.ndjson", "1-2.ndjson")
    )
    assert first == b'{"message":"poison"}\n{"message":"to a too"}\n'
    assert second == b'{"message":"to b"}\n'
    note = read_note(tmp_path, "1-2.json")
    assert (note["index"], note["source"], note["events"]) == ("b", "me", 1)


def test_batches_that_fail_only_together_are_written_alone(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        submit_all(store, say("venom"), say("b"))
        assert store.flush().result() == (2, 2)
        assert list_messages(store) == ["b", "venom"]
        assert store.set_aside.measure() == (0, 0)


def test_it_is_set_aside_when_the_log_is_replayed_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    with opened(make_store(data)) as store:
        submit_all(store, say("a"), say("poison"), say("unscannable", "b"), say("c"))
        copy = copy_directory(data, tmp_path / "copy")
    monkeypatch.setattr(PickyShredder, "unscannable", b"unscannable")
    with opened(make_store(copy)) as store:
        assert list_messages(store) == ["a", "c"]
        assert store.set_aside.measure() == (2, 1)
        assert list_files(copy) == ["2.json", "2.ndjson", "3.record"]
        assert b"unscannable" in (copy / "set-aside" / "3.record").read_bytes()
        submit_all(store, say("d"))
        store.flush().result()
    with opened(make_store(copy)) as store:
        assert list_messages(store) == ["a", "c", "d"]


def test_nothing_is_committed_before_the_batch_is_safe(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with opened(make_store(data)) as store:
        submit_all(store, say("a"), say("poison"))
        with failing("fsync", when=behind(".tmp")), pytest.raises(Exception, match="written"):
            store.flush().result()
        assert store.snapshot().count_blocks() == 0
        store.flush().result()
        assert list_messages(store) == ["a"]
        assert store.set_aside.measure() == (1, 1)


def test_a_store_that_fails_sets_nothing_aside(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        submit_all(store, say("a"))
        with failing("link"), pytest.raises(Exception, match="written"):
            store.flush().result()
        store.flush().result()
        assert list_messages(store) == ["a"]
        assert store.set_aside.measure() == (0, 0)


def test_a_panic_of_the_writer_is_no_reason_to_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def panic(*_args: Any, **_options: Any) -> None:
        raise pl.exceptions.PanicException("at the bottom")

    with opened(make_store(tmp_path)) as store:
        submit_all(store, say("a"))
        with monkeypatch.context() as patch:
            patch.setattr(parquet, "write_parquet", panic)
            store.flush().result()
        assert store.set_aside.measure() == (1, 1)
        submit_all(store, say("b"))
        store.flush().result()
        assert list_messages(store) == ["b"]
