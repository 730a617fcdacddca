"""Blocks in a bucket: a damaged copy is fetched again, a damaged object is set aside and taken back."""

from pathlib import Path

import pytest
from tests.buckets import S3Server
from tests.store.integrity.damaging import flip, keep_events
from tests.store.stores import make_store, opened

from logboom.base.errors import Corrupt
from logboom.base.stores.objects import ObjectStore
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import parse_place
from logboom.store.block.writer import name_index
from logboom.store.integrity.verify import WRONG_CHECKSUM

CACHE_BYTES = 1 << 24


@pytest.fixture
def url(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)
    return s3_server.make_url()


def open_bucket(url: str, cache: Path) -> ObjectStore:
    return open_objects(parse_place(url), cache, CACHE_BYTES)


def damage(data: bytes) -> bytes:
    return data[:50] + bytes([data[50] ^ 1]) + data[51:]


def test_a_damaged_copy_is_fetched_again(url: str, tmp_path: Path) -> None:
    objects = open_bucket(url, tmp_path / "cache")
    with opened(make_store(tmp_path / "data", objects=objects)) as store:
        info = keep_events(store)
        for copy in (tmp_path / "cache").iterdir():
            flip(copy, 50)
        assert store.access.use(info, lambda file: len(Path(file).read_bytes())) == info.size_bytes
        assert store.indexes.read(info).rows == info.rows
        assert store.damaged.list() == []


def test_a_copy_that_is_fetched_again_is_checked_again(url: str, tmp_path: Path) -> None:
    objects = open_bucket(url, tmp_path / "cache")
    with opened(make_store(tmp_path / "data", objects=objects)) as store:
        info = keep_events(store)
        store.access.use(info, len)
        objects.replace(info.path, damage(objects.read(info.path)))
        store.access.use(info, len)
        for copy in (tmp_path / "cache").iterdir():
            copy.unlink()
        with pytest.raises(Corrupt, match=WRONG_CHECKSUM):
            store.access.use(info, len)


def test_a_damaged_object_is_set_aside_and_taken_back(url: str, tmp_path: Path) -> None:
    objects = open_bucket(url, tmp_path / "cache")
    with opened(make_store(tmp_path / "data", objects=objects)) as store:
        info = keep_events(store)
    whole = objects.read(info.path)
    objects.replace(info.path, damage(whole))
    objects.delete(name_index(info.path))
    fresh = open_bucket(url, tmp_path / "other-cache")
    with opened(make_store(tmp_path / "data", objects=fresh)) as store:
        with pytest.raises(Corrupt, match=WRONG_CHECKSUM):
            store.indexes.read(info)
        assert [each.block for each in store.damaged.list()] == [info.path]
        objects.replace(info.path, whole)
        store.scrubber.step()
        assert store.damaged.list() == []
        assert store.indexes.read(info).rows == info.rows
        assert fresh.measure(name_index(info.path)), "the index is in the bucket again"
