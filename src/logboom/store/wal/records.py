"""The contents of a write-ahead log record: a batch, and what becomes durable with it."""

import struct
from array import array
from typing import NamedTuple

import msgspec

from logboom.base.errors import Corrupt
from logboom.model.batch import Batch, Origins, Routes, Target
from logboom.model.names import parse_template
from logboom.model.shredder import ThreadShredders
from logboom.store.companions import Companions
from logboom.store.idempotency.memory import IngestAnswer
from logboom.store.wal.segment import WalRecord

LENGTH = struct.Struct("<I")
SEQ_SHIFT = 24
"""An event's number is its record's, shifted, plus its row: unique on its node, growing with arrival."""


class RouteRecord(msgspec.Struct, frozen=True):
    """The index of each line, if the sender named it: four bytes per line, -1 for none."""

    names: list[str]
    ids: bytes


class OriginRecord(msgspec.Struct, frozen=True):
    """Where lines come from, and where in the data those of each end: eight bytes each."""

    names: list[str]
    ends: bytes


class RecordHead(msgspec.Struct, frozen=True):
    """The part of a record before its lines."""

    target: Target
    arrival_ns: int
    answer: IngestAnswer | None = None
    routes: RouteRecord | None = None
    marks: dict[str, int] = {}
    origins: OriginRecord | None = None


class Replayed(NamedTuple):
    batch: Batch
    companions: Companions


def encode_record(batch: Batch, companions: Companions) -> list[bytes]:
    """Return a record in pieces, so that its lines are not copied."""
    routes = batch.routes and RouteRecord(batch.routes.names, batch.routes.ids.tobytes())
    origins = batch.origins and OriginRecord(batch.origins.names, batch.origins.ends.tobytes())
    answer, marks = companions
    head = RecordHead(batch.target, batch.arrival_ns, answer, routes, dict(marks), origins)
    encoded = msgspec.msgpack.encode(head)
    return [LENGTH.pack(len(encoded)), encoded, batch.data]


def decode_record(record: WalRecord, shredders: ThreadShredders) -> Replayed:
    """Return the batch as it was acknowledged: the same lines scanned by the same rules."""
    try:
        (length,) = LENGTH.unpack_from(record.payload)
        start = LENGTH.size + length
        head = msgspec.msgpack.decode(record.payload[LENGTH.size : start], type=RecordHead)
        named = head.routes
        routes = Routes(named.names, array("i", named.ids)) if named else None
        came = head.origins
        origins = Origins(came.names, array("q", came.ends)) if came else None
    except (struct.error, ValueError, msgspec.MsgspecError) as error:
        reason = f"its checksum is right, but it is no batch: {error}"
        raise Corrupt(f"write-ahead log record {record.seq}", 0, reason) from error
    data = record.payload[start:]
    template = parse_template(head.target.index)
    scan = shredders.shredder.scan_lines(data, head.arrival_ns, template, routes)
    first_seq = record.seq << SEQ_SHIFT
    batch = Batch(head.target, head.arrival_ns, data, scan, first_seq, routes, origins)
    return Replayed(batch, Companions(head.answer, head.marks))
