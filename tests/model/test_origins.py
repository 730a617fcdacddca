"""Origins of lines: however lines are joined, picked and split, each keeps its own."""

from hypothesis import given
from hypothesis import strategies as st

from logboom.model.batch import Batch, Lines, Target
from logboom.model.names import parse_template
from logboom.model.shredder import open_shredder

SHREDDERS = open_shredder()
LINES = st.lists(st.sampled_from(["{}", "", "x", '{"message":"long enough"}']), max_size=4)
PIECES = st.lists(st.tuples(st.sampled_from("abc"), LINES), min_size=1, max_size=8)


def make_lines(pieces: list[tuple[str, list[str]]]) -> Lines:
    """Lines whose origins are as given."""
    return Lines.join([Lines("\n".join(lines).encode()).come_from(name) for name, lines in pieces])


def make_batch(lines: Lines) -> Batch:
    scan = SHREDDERS.shredder.scan_lines(lines.data, 0, parse_template("default"), None)
    return Batch(Target(), 0, lines.data, scan, 100, origins=lines.origins)


def list_rows(batches: list[Batch]) -> list[tuple[str | None, bytes, int]]:
    return [
        (batch.target.source, batch.data[start:end], batch.first_seq + at)
        for batch in batches
        for at, (start, end) in enumerate(zip(batch.scan.starts, batch.scan.ends, strict=True))
    ]


def expect(pieces: list[tuple[str, list[str]]]) -> list[tuple[str, bytes]]:
    return [(name, line.encode()) for name, lines in pieces for line in lines if line]


@given(PIECES)
def test_a_split_batch_has_the_same_lines_each_with_its_origin(
    pieces: list[tuple[str, list[str]]],
) -> None:
    rows = list_rows(make_batch(make_lines(pieces)).split())
    assert [row[:2] for row in rows] == expect(pieces)
    assert [number for *_, number in rows] == list(range(100, 100 + len(rows)))


@given(PIECES, st.data())
def test_picked_lines_keep_their_origins(
    pieces: list[tuple[str, list[str]]], data: st.DataObject
) -> None:
    lines = make_lines(pieces)
    scan = make_batch(lines).scan
    kept = [at for at in range(len(scan.starts)) if data.draw(st.booleans())]
    spans = [(scan.starts[at], scan.ends[at]) for at in kept]
    assert lines.origins is not None
    text = b"\n".join(lines.data[start:end] for start, end in spans)
    rows = list_rows(make_batch(Lines(text, origins=lines.origins.pick(spans))).split())
    assert [row[:2] for row in rows] == [expect(pieces)[at] for at in kept]
