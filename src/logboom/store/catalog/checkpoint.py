"""Checkpoints: the whole snapshot in one Parquet file, in the layout of the Delta protocol.

The file has a digest of its actions. A checkpoint whose digest does not match is skipped.
"""

import gc
import hashlib
import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, NoReturn

import msgspec
import polars as pl

from logboom.base.errors import TooNew
from logboom.base.versions import CHECKPOINT, Version, parse_version
from logboom.store.catalog.actions import (
    Action,
    Add,
    Metadata,
    Protocol,
    Remove,
    Transaction,
)
from logboom.store.catalog.columns import ADD, TEXTS, describe_blocks, read_blocks
from logboom.store.catalog.log import name_checkpoint
from logboom.store.catalog.marks import PREFIX, Mark
from logboom.store.catalog.snapshot import Snapshot, change_days, count_untimed
from logboom.store.catalog.steps import CLOCK, HOLDER, sort_numbers
from logboom.store.catalog.table import check_table

DIGEST, FORMAT = "logboom.digest", "logboom.format"
COLUMNS = Version(3, 0)
"""The version from which on blocks are part of the digest by columns."""
DIGEST_ROWS = 100_000
ADD_TEXTS = ("path", "size", "modificationTime", "dataChange", "stats")
NULL = "\0"
KEEP_TOMBSTONES_MS = 86_400_000
"""By then the files are deleted; what is left of them is found as unreferenced files."""
SCHEMA = {
    "txn": pl.Struct({"appId": pl.String, "version": pl.Int64, "lastUpdated": pl.Int64}),
    "add": ADD,
    "remove": pl.Struct(
        {"path": pl.String, "deletionTimestamp": pl.Int64, "dataChange": pl.Boolean}
    ),
    "metaData": pl.Struct(
        {
            "id": pl.String,
            "format": pl.Struct({"provider": pl.String, "options": TEXTS}),
            "schemaString": pl.String,
            "partitionColumns": pl.List(pl.String),
            "configuration": TEXTS,
            "createdTime": pl.Int64,
        }
    ),
    "protocol": pl.Struct({"minReaderVersion": pl.Int32, "minWriterVersion": pl.Int32}),
}
TYPES: Mapping[str, type[Any]] = {
    "txn": Transaction,
    "remove": Remove,
    "metaData": Metadata,
    "protocol": Protocol,
}


class Checkpoint(NamedTuple):
    """The contents of a checkpoint; `is_signed` if its digest proves that they are what was written."""

    snapshot: Snapshot
    marks: dict[str, Mark]
    is_signed: bool


def encode_checkpoint(snapshot: Snapshot, marks: Mapping[str, Mark]) -> tuple[bytes, int]:
    """Return the file, and the number of its actions."""
    rows = [msgspec.to_builtins(action) for action in list_actions(snapshot, marks)]
    columns = {name: [row.get(name) for row in rows] for name in SCHEMA}
    blocks = describe_blocks(snapshot.list_blocks(), snapshot.steady_ms)
    frame = pl.concat([pl.DataFrame(columns, schema=SCHEMA), blocks], how="diagonal")
    metadata = {DIGEST: make_digest(frame, str(CHECKPOINT)), FORMAT: str(CHECKPOINT)}
    buffer = io.BytesIO()
    frame.write_parquet(buffer, metadata=metadata)
    return buffer.getvalue(), frame.height


def list_actions(snapshot: Snapshot, marks: Mapping[str, Mark]) -> Iterator[Action]:
    """Yield all but the blocks."""
    assert snapshot.metadata is not None, "a log begins with its metadata"
    yield Action(protocol=Protocol())
    yield Action(metaData=snapshot.metadata)
    yield Action(txn=Transaction(CLOCK, snapshot.steady_ms))
    for name, number in snapshot.transactions.items():
        yield Action(txn=Transaction(name, number))
    for name, number in snapshot.claims.items():
        yield Action(txn=Transaction(HOLDER + name, number))
    for name, mark in sorted(marks.items()):
        yield Action(txn=Transaction(PREFIX + name, mark.value, mark.set_ms))
    for path, removed_ms in snapshot.tombstones.items():
        if removed_ms > snapshot.steady_ms - KEEP_TOMBSTONES_MS:
            yield Action(remove=Remove(path, dataChange=True, deletionTimestamp=removed_ms))


def make_digest(frame: pl.DataFrame, version: str) -> str:
    """Return a digest that is equal for equal actions and versions, however the file was encoded."""
    digest = hashlib.blake2b(version.encode(), digest_size=16)
    for action in read_actions(frame):
        digest.update(msgspec.json.encode(action, order="deterministic"))
    for part in frame.filter(pl.col("add").is_not_null()).unnest("add").iter_slices(DIGEST_ROWS):
        tags = part.select(pl.col("tags").map.entries().explode()).unnest("tags")
        columns = [*part.select(pl.col(ADD_TEXTS), pl.col("tags").map.len()), *tags]
        for column in columns:
            digest.update((column.cast(pl.String).fill_null(NULL).str.join("\n").item()).encode())
    return digest.hexdigest()


def make_first_digest(frame: pl.DataFrame, version: str | None) -> str:
    """Return the digest of checkpoints before version 3.0."""
    digest = hashlib.blake2b((version or "").encode(), digest_size=16)
    for action in read_actions(frame, {**TYPES, "add": Add}):
        digest.update(msgspec.json.encode(action, order="deterministic"))
    return digest.hexdigest()


def decode_checkpoint(data: bytes, version: int) -> Checkpoint:
    """Decode a checkpoint; raise ValueError if it is not what was written, or errors of Polars and msgspec.

    Raise TooNew if a newer build wrote it in a format that this one cannot read.
    """
    noted = pl.read_parquet_metadata(io.BytesIO(data))
    expected, written = noted.get(DIGEST), noted.get(FORMAT)
    if parse_version(written).major > CHECKPOINT.major:
        refuse_newer(data, version, noted)
    frame = pl.read_parquet(io.BytesIO(data))
    if expected is not None and choose_digest(frame, written) != expected:
        raise ValueError("its digest is wrong")
    with paused_collector():
        return summarise(frame, version, is_signed=expected is not None)


def choose_digest(frame: pl.DataFrame, version: str | None) -> str:
    """Return the digest of a checkpoint of this version."""
    if version is None or parse_version(version).major < COLUMNS.major:
        return make_first_digest(frame, version)
    check_types(frame)
    return make_digest(frame, version)


def check_types(frame: pl.DataFrame) -> None:
    """Raise ValueError unless the blocks have the types that are written: damage may turn a text into bytes."""
    adds = frame.select("add").unnest("add").schema
    odd = [name for name, dtype in ADD.to_schema().items() if adds.get(name) != dtype]
    if odd:
        raise ValueError(f"its columns have other types: {', '.join(odd)}")


def refuse_newer(data: bytes, version: int, noted: Mapping[str, str]) -> NoReturn:
    """Raise TooNew for the checkpoint of a newer build.

    Raise ValueError if it is one of ours with a damaged version.
    """
    is_ours = False
    with suppress(msgspec.MsgspecError, pl.exceptions.PolarsError, ValueError, TypeError, KeyError):
        frame = pl.read_parquet(io.BytesIO(data))
        is_ours = make_digest(frame, str(CHECKPOINT)) == noted.get(DIGEST)
    if is_ours:
        raise ValueError("its version is damaged")
    raise TooNew(name_checkpoint(version), noted[FORMAT], str(CHECKPOINT))


def read_actions(frame: pl.DataFrame, types: Mapping[str, type[Any]] = TYPES) -> Iterator[Action]:
    """Yield the actions of some types, by default all but the blocks."""
    names = [name for name in types if name in frame.columns]
    wanted = frame.select(names).filter(pl.any_horizontal(pl.col(names).is_not_null()))
    for row in wanted.iter_rows(named=True):
        for name, value in row.items():
            if value is not None:
                yield Action(**{name: msgspec.convert(drop_nulls(value), types[name])})


def drop_nulls(value: dict[str, object]) -> dict[str, object]:
    """Return a value without null members, which is what absent ones are in a checkpoint."""
    return {name: each for name, each in value.items() if each is not None}


def summarise(frame: pl.DataFrame, version: int, *, is_signed: bool) -> Checkpoint:
    """Return the state of the log that the actions of a checkpoint describe."""
    actions = list(read_actions(frame))
    blocks, strays = read_blocks(frame)
    numbers = sort_numbers(action.txn for action in actions if action.txn)
    metadata = [action.metaData for action in actions if action.metaData]
    if not metadata:
        raise ValueError("it does not describe the table")
    check_table(metadata[-1], name_checkpoint(version))
    snapshot = Snapshot(
        version=version,
        days=change_days({}, blocks, []),
        transactions=numbers.transactions,
        claims=numbers.claims,
        tombstones={
            action.remove.path: action.remove.deletionTimestamp or 0
            for action in actions
            if action.remove
        },
        strays=frozenset(strays),
        steady_ms=numbers.confirmed_ms,
        metadata=metadata[-1],
        untimed=count_untimed(blocks),
        _known={block.path: block for block in blocks},
    )
    return Checkpoint(snapshot, numbers.marks, is_signed)


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pause the garbage collector, which would look through a million new tuples again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
