"""Batches: how many events, and the partitions they belong to."""

from array import array

from logboom.model.batch import Batch, Lines, Routes, Target
from logboom.model.names import parse_template
from logboom.model.scanning import scan_lines


def test_a_batch_knows_its_events_and_partitions() -> None:
    data = b'{"ts":0,"app":"A"}\n{"ts":-1,"app":"a"}\n\n{"ts":86400,"app":"b"}\nno event'
    scan = scan_lines(data, 1_700_000_000_000_000_000, parse_template("{{app}}"))
    batch = Batch(Target(index="{{app}}"), 1_700_000_000_000_000_000, data, scan)
    assert len(batch) == 4
    assert batch.partitions == {
        *("a/1970-01-01", "a/1969-12-31", "b/1970-01-02", "unknown/2023-11-14"),
    }


def test_pieces_are_joined_with_their_routes() -> None:
    first = Lines(b'{"a":1}\n{"a":2}\n', Routes(["x", "y"], array("i", [1, -1])))
    second = Lines(b'{"a":3}\n{"a":4}', Routes(["y", "z"], array("i", [0, 1])))
    joined = Lines.join([first, second])
    assert joined.data.split() == [b'{"a":1}', b'{"a":2}', b'{"a":3}', b'{"a":4}']
    assert joined.routes == Routes(["x", "y", "z"], array("i", [1, -1, 1, 2]))
    assert Lines.join([first]) is first
    assert Lines.join([Lines(b"a\n"), Lines(b"b")]).routes is None
    assert Lines.join([]) == Lines(b"")
