"""What can be said of a write-ahead log without touching it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.integrity.damaging import flip
from tests.store.stores import copy_directory, make_store, opened, say

from logboom.model.shredder import open_shredder
from logboom.store.store import Store
from logboom.store.wal import log as wal_module
from logboom.store.wal.log import list_segments
from logboom.store.wal.segment import HEADER_BYTES
from logboom.store.wal.survey import Survey, survey_log


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two events in a block, three in the log only."""
    with opened(make_store(tmp_path / "data")) as store:
        store.submit(say("a", "b")).result()
        store.flush().result()
        for message in "cde":
            store.submit(say(message)).result()
        yield store


def survey(store: Store, folder: Path) -> Survey:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    committed = store.snapshot().transactions[store.node]
    found = survey_log(folder, committed, open_shredder())
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    return found


@pytest.fixture
def wal(tmp_path: Path, store: Store) -> Path:
    """A copy to be broken."""
    return copy_directory(store.options.data_dir, tmp_path / "copy") / "wal"


def test_a_log_in_use_says_what_waits(store: Store) -> None:
    found = survey(store, store.options.data_dir / "wal")
    size_bytes = sum(store.measure_log())
    assert found == Survey(segments=1, records=4, events=3, size_bytes=size_bytes)


def test_an_append_that_did_not_end_is_no_damage(store: Store, wal: Path) -> None:
    (segment,) = list_segments(wal)
    whole = segment.read_bytes()
    for lost in (1, 30):
        segment.write_bytes(whole[:-lost])
        found = survey(store, wal)
        assert (found.records, found.events, found.damaged) == (3, 2, {})
        assert found.torn_bytes > 0


def test_damage_is_named(store: Store, wal: Path) -> None:
    (segment,) = list_segments(wal)
    whole = segment.read_bytes()
    for offset in (HEADER_BYTES + 50, len(whole) - 1):
        segment.write_bytes(whole)
        flip(segment, offset)
        found = survey(store, wal)
        assert (found.records, list(found.damaged)) == (3, [segment.name])
        assert found.damaged_bytes > 0
    segment.write_bytes(b"x" * len(whole))
    assert survey(store, wal).damaged == {segment.name: "its header is damaged"}
    for length in (20, 0):
        segment.write_bytes(whole[:length])
        assert survey(store, wal).damaged == {segment.name: "it is cut off in its header"}


def test_what_a_later_segment_voids_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal_module, "SEGMENT_BYTES", 1)
    wal = wal_module.Wal(tmp_path)
    first = wal.write([[b"acked"]])
    wal.write([[b"voided"]])
    wal.close()
    later = wal_module.Wal(tmp_path)
    later.next_seq = first + 1
    later.write([[b"instead"]])
    later.close()
    assert survey_log(tmp_path, first + 1, open_shredder()).records == 2
