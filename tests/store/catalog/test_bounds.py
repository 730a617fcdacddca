"""A start costs the same however long the log has been written, and the log does not grow without end."""

from pathlib import Path

import pytest
from tests.store.stores import HandClock, checkpoint, list_messages, make_store, opened, say

from logboom.base.stores.local import LocalObjects
from logboom.store.catalog import upkeep
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.catalog.log import FOLDER

COMMITS = 40
"""Between two checkpoints."""


class CountingObjects(LocalObjects):
    """Knows how often the log was read."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.reads = 0

    def read(self, name: str) -> bytes:
        self.reads += name.startswith(FOLDER)
        return super().read(name)


def count_reads(root: Path) -> int:
    objects = CountingObjects(root)
    Catalog(objects, HandClock()).open()
    return objects.reads


@pytest.fixture(autouse=True)
def keep_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "KEEP_COMMITS", COMMITS // 2)


def test_start_and_log_are_bounded(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        store.submit(say("kept")).result()
    root = tmp_path / "store"
    reads, files = [], []
    for _ in range(5):
        catalog = Catalog(LocalObjects(root), HandClock())
        catalog.open()
        for number in range(COMMITS):
            catalog.commit(Change(marks={"file": number + 1}))
        checkpoint(root)
        catalog = Catalog(LocalObjects(root), HandClock())
        catalog.open()
        for number in range(COMMITS - 1):
            catalog.commit(Change(marks={"file": number + 1}))
        reads.append(count_reads(root))
        files.append(len(list((root / FOLDER).iterdir())))
    assert set(reads[1:]) == {reads[1]}, "the same number of commits is read at every start"
    assert reads[1] <= COMMITS + 5
    assert set(files[2:]) == {files[2]}
    with opened(make_store(tmp_path)) as store:
        assert list_messages(store) == ["kept"]
