"""A store that is only read, beside the one who writes it."""

from pathlib import Path

import pytest
from tests.store.stores import HandClock, checkpoint, make_store, opened, say

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Corrupt, NotFound, Unavailable
from logboom.store.catalog.log import name_commit
from logboom.store.reader import StoreReader


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def list_files(directory: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in directory.rglob("*")}


def test_the_blocks_of_a_writer_are_seen_as_they_come(data: Path) -> None:
    with opened(make_store(data)) as store:
        reader = StoreReader(data)
        assert reader.snapshot().count_blocks() == 0
        store.submit(say("one")).result()
        assert reader.snapshot().count_blocks() == 0
        store.flush().result()
        assert reader.snapshot() == store.snapshot()
        (info,) = reader.snapshot().list_blocks()
        assert reader.indexes.read(info).columns == store.indexes.read(info).columns
        assert reader.count_buffered("default") == 0


def test_the_store_itself_is_as_good_as_the_directory_around_it(data: Path) -> None:
    with opened(make_store(data)) as store:
        store.submit(say("one")).result()
        store.flush().result()
    assert StoreReader(data / "store").snapshot() == StoreReader(data).snapshot()


def test_a_checkpoint_and_what_came_after_it_are_read(data: Path) -> None:
    with opened(make_store(data)) as store:
        for number in range(12):
            store.submit(say(str(number))).result()
            store.flush().result()
            if number == 5:
                checkpoint(data / "store")
        assert StoreReader(data).snapshot() == store.snapshot()


def test_reading_changes_nothing(data: Path) -> None:
    with opened(make_store(data)) as store:
        store.submit(say("one")).result()
        store.flush().result()
    before = list_files(data)
    StoreReader(data).snapshot()
    assert list_files(data) == before


def test_what_is_no_store_is_not_made_one(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("text")
    for path in (tmp_path, file, tmp_path / "missing", file / "below"):
        with pytest.raises(NotFound, match=f"no store at {path}$"):
            StoreReader(path)
    assert list(tmp_path.iterdir()) == [file]


def test_a_hole_in_the_log_is_an_error(data: Path) -> None:
    with opened(make_store(data)) as store:
        for number in range(3):
            store.submit(say(str(number))).result()
            store.flush().result()
    (data / "store" / name_commit(2)).unlink()
    with pytest.raises(Corrupt, match="missing, but the log goes on to version 4"):
        StoreReader(data)


def test_who_has_not_looked_for_long_misses_nothing(data: Path) -> None:
    clock = HandClock()
    with opened(make_store(data)) as store:
        reader = StoreReader(data, clock)
        for message in ("one", "two"):
            store.submit(say(message)).result()
            store.flush().result()
        checkpoint(data / "store")
        (data / "store" / name_commit(1)).unlink()
        clock.time_ns += 2 * 3600 * NS_PER_S
        assert reader.snapshot() == store.snapshot()


def test_a_directory_that_cannot_be_opened_is_said(data: Path) -> None:
    with opened(make_store(data)):
        pass
    log = data / "store/_delta_log"
    log.rename(data / "kept")
    log.symlink_to(log)
    with pytest.raises(Unavailable, match="cannot be read: Too many levels"):
        StoreReader(data)
