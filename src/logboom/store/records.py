"""What a record of the write-ahead log holds: a batch, and the answer its sender got."""

import struct
from typing import NamedTuple

import msgspec

from logboom.base.errors import Corrupt
from logboom.model.batch import Batch, Target
from logboom.model.names import parse_template
from logboom.model.shredder import ThreadShredders
from logboom.store.answers import Answer
from logboom.store.segment import Record

LENGTH = struct.Struct("<I")
SEQ_SHIFT = 24
"""An event's number is its record's, shifted, plus its row: unique on its node, growing with arrival."""


class RecordHead(msgspec.Struct, frozen=True):
    """The part of a record before its lines."""

    target: Target
    arrival_ns: int
    answer: Answer | None = None


class Replayed(NamedTuple):
    batch: Batch
    answer: Answer | None


def encode_record(batch: Batch, answer: Answer | None) -> list[bytes]:
    """A record in pieces, so that its lines are not copied."""
    head = msgspec.msgpack.encode(RecordHead(batch.target, batch.arrival_ns, answer))
    return [LENGTH.pack(len(head)), head, batch.data]


def decode_record(record: Record, shredders: ThreadShredders) -> Replayed:
    """The batch as it was when it was acknowledged: the same lines looked at by the same rules."""
    try:
        (length,) = LENGTH.unpack_from(record.payload)
        start = LENGTH.size + length
        head = msgspec.msgpack.decode(record.payload[LENGTH.size : start], type=RecordHead)
    except (struct.error, msgspec.MsgspecError) as error:
        reason = f"its checksum is right, but it is no batch: {error}"
        raise Corrupt(f"write-ahead log record {record.seq}", 0, reason) from error
    data = record.payload[start:]
    scan = shredders.shredder.scan_lines(data, head.arrival_ns, parse_template(head.target.index))
    batch = Batch(head.target, head.arrival_ns, data, scan, first_seq=record.seq << SEQ_SHIFT)
    return Replayed(batch, head.answer)
