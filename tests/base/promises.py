"""Checks what every kind of bucket must guarantee."""

import pytest

from logboom.base.errors import Conflict, NotFound
from logboom.base.pages import PAGE_BYTES, Pages, sum_pages
from logboom.base.stores.objects import ObjectStore

MANY = 20


def check_objects(objects: ObjectStore) -> None:
    """Check that an object is created once, and can be read, listed and deleted."""
    objects.put_new("a/b", b"content")
    with pytest.raises(Conflict):
        objects.put_new("a/b", b"other")
    assert objects.read("a/b") == b"content"
    assert objects.measure("a/b") == len(b"content")
    assert objects.list("a") == objects.list_below("a") == ["b"]
    objects.replace("a/b", b"another")
    assert objects.read("a/b") == b"another"
    objects.delete("a/b")
    objects.delete("a/b")
    assert objects.list("a") == []
    with pytest.raises(NotFound):
        objects.read("a/b")


def check_listings(objects: ObjectStore) -> None:
    """Check that listings are complete and in order, however many pages they have."""
    names = [f"{number:03}" for number in range(MANY)]
    objects.put_all({f"log/{name}": b"" for name in names} | {"log/below/x": b""})
    assert objects.list("log") == [*names, "below"]
    assert objects.list_below("log") == [*names, "below/x"]
    assert list(objects.list_stamps("log", names[-3])) == names[-2:]


def check_ranges(objects: ObjectStore) -> None:
    data = bytes(range(256)) * 300
    objects.put_new("large", data)
    pages = Pages("large", 0, len(data), sum_pages(data))
    assert objects.read_start("large", 10) == data[:10]
    start, end = PAGE_BYTES - 5, PAGE_BYTES + 5
    assert objects.read_pages(pages, start, end) == data[start:end]


PROMISES = [check_objects, check_listings, check_ranges]
