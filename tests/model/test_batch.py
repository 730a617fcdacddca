"""Batches: how many events, and the partitions they belong to."""

from logboom.model.batch import Batch, Target
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
