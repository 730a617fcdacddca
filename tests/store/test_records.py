"""Log records: what comes out is the batch that went in, with its answer."""

from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.readings import drop_readings
from tests.store.stores import NOW_NS, make_answer, make_batch

from logboom.base.errors import Corrupt
from logboom.model.batch import Routes
from logboom.model.shredder import open_shredder
from logboom.store.companions import ALONE, Companions
from logboom.store.idempotency.memory import IngestAnswer
from logboom.store.wal.records import SEQ_SHIFT, decode_record, encode_record
from logboom.store.wal.segment import WalRecord

Answers = st.none() | st.builds(
    IngestAnswer,
    key=st.text(min_size=1, max_size=20),
    time_ns=st.integers(0, 2**62),
    ingested=st.integers(0, 2**40),
    errors=st.integers(0, 2**40),
    partitions=st.lists(st.text(max_size=10), max_size=3),
)
Lines = st.lists(
    st.sampled_from(
        [b'{"a":1}', b'{"ts":1700000000.5,"app":"Web"}', b"no json", b"", b"\xff\xfe", b'{"app":3}']
    ),
    max_size=8,
)


@given(
    lines=Lines,
    answer=Answers,
    index=st.sampled_from(["default", "app-{{app}}", "{{ a }}"]),
    source=st.none() | st.text(max_size=5),
    number=st.integers(1, 2**38),
    marks=st.dictionaries(st.text(max_size=5), st.integers(0, 2**62), max_size=3),
)
@settings(deadline=None)
def test_a_batch_comes_back_as_it_was(
    lines: list[bytes],
    answer: IngestAnswer | None,
    index: str,
    source: str | None,
    number: int,
    marks: dict[str, int],
) -> None:
    batch = make_batch(b"\n".join(lines), env="prod", index=index, source=source)
    companions = Companions(answer, marks)
    payload = b"".join(encode_record(batch, companions))
    replayed = decode_record(WalRecord(number, payload), open_shredder())
    batch.first_seq = number << SEQ_SHIFT
    found = replayed._replace(batch=drop_readings(replayed.batch))
    assert found == (drop_readings(batch), companions)


def test_the_index_that_a_sender_named_comes_back_with_its_line() -> None:
    routes = Routes(["one", "two"], array("i", [1, -1, 0]))
    batch = make_batch(b'{"a":1}\n{"a":2}\nno json', index="app-{{a}}", routes=routes)
    replayed = decode_record(
        WalRecord(0, b"".join(encode_record(batch, ALONE))), open_shredder()
    ).batch
    assert drop_readings(replayed) == drop_readings(batch)
    names = [replayed.scan.index_names[place] for place in replayed.scan.index_ids]
    assert names == ["two", "app-2", "one"]


def test_the_lines_are_not_copied() -> None:
    batch = make_batch(b'{"message":"hello"}')
    assert encode_record(batch, ALONE)[-1] is batch.data


def test_events_without_a_time_keep_the_one_they_arrived_at() -> None:
    batch = make_batch(b'{"message":"hello"}', arrival_ns=NOW_NS + 5)
    payload = b"".join(encode_record(batch, Companions(make_answer("key"))))
    replayed = decode_record(WalRecord(1, payload), open_shredder())
    assert list(replayed.batch.scan.times_ns) == [NOW_NS + 5]


@pytest.mark.parametrize(
    "payload", [b"", b"\x01", b"\xff\xff\xff\xff", b"\x02\x00\x00\x00\xc1\xc1"]
)
def test_a_record_that_is_no_batch_is_refused_by_number(payload: bytes) -> None:
    with pytest.raises(Corrupt, match="record 17"):
        decode_record(WalRecord(17, payload), open_shredder())
