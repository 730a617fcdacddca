"""Checkpoints: the whole snapshot in one Parquet file, as the Delta protocol lays it out.

The file carries a digest of the actions it holds. One that does not match is passed over.
"""

import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple, NoReturn

import msgspec
import polars as pl

from logboom.base.errors import TooNew
from logboom.base.versions import CHECKPOINT, parse_version
from logboom.store.catalog.actions import (
    Action,
    Add,
    Metadata,
    Protocol,
    Remove,
    Transaction,
    describe_block,
    read_block,
)
from logboom.store.catalog.log import name_checkpoint
from logboom.store.catalog.marks import PREFIX, Mark
from logboom.store.catalog.snapshot import Snapshot, change_days, count_untimed
from logboom.store.catalog.steps import CLOCK, HOLDER, is_ours, sort_numbers
from logboom.store.catalog.table import check_table

DIGEST, FORMAT = "logboom.digest", "logboom.format"
KEEP_TOMBSTONES_MS = 86_400_000
"""By then the files are deleted; what is left of them is found as files that no commit names."""
TEXTS = pl.Map(pl.String(), pl.String())
SCHEMA = {
    "txn": pl.Struct({"appId": pl.String, "version": pl.Int64, "lastUpdated": pl.Int64}),
    "add": pl.Struct(
        {
            "path": pl.String,
            "partitionValues": TEXTS,
            "size": pl.Int64,
            "modificationTime": pl.Int64,
            "dataChange": pl.Boolean,
            "stats": pl.String,
            "tags": TEXTS,
        }
    ),
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
TYPES = {
    "txn": Transaction,
    "add": Add,
    "remove": Remove,
    "metaData": Metadata,
    "protocol": Protocol,
}


class Checkpoint(NamedTuple):
    """What a checkpoint says; `is_signed` when its digest proves that it is what was written."""

    snapshot: Snapshot
    marks: dict[str, Mark]
    is_signed: bool


def encode_checkpoint(snapshot: Snapshot, marks: Mapping[str, Mark]) -> tuple[bytes, int]:
    """The file, and how many actions it holds."""
    actions = list(list_actions(snapshot, marks))
    rows = [msgspec.to_builtins(action) for action in actions]
    columns = {name: [row.get(name) for row in rows] for name in SCHEMA}
    buffer = io.BytesIO()
    frame = pl.DataFrame(columns, schema=SCHEMA)
    metadata = {DIGEST: make_digest(actions, str(CHECKPOINT)), FORMAT: str(CHECKPOINT)}
    frame.write_parquet(buffer, metadata=metadata)
    return buffer.getvalue(), len(actions)


def list_actions(snapshot: Snapshot, marks: Mapping[str, Mark]) -> Iterator[Action]:
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
    for block in snapshot.list_blocks():
        yield Action(add=describe_block(block, snapshot.steady_ms, is_new_data=False))
    for path, removed_ms in snapshot.tombstones.items():
        if removed_ms > snapshot.steady_ms - KEEP_TOMBSTONES_MS:
            yield Action(remove=Remove(path, dataChange=True, deletionTimestamp=removed_ms))


def make_digest(actions: Iterable[Action], version: str | None) -> str:
    """Equal for equal actions and versions, whatever became of the file in between."""
    digest = hashlib.blake2b((version or "").encode(), digest_size=16)
    for action in actions:
        digest.update(msgspec.json.encode(action, order="deterministic"))
    return digest.hexdigest()


def decode_checkpoint(data: bytes, version: int) -> Checkpoint:
    """ValueError when it is not what was written; other errors of Polars and msgspec when it is unreadable.

    TooNew when a newer build wrote it in a way that this one cannot read.
    """
    noted = pl.read_parquet_metadata(io.BytesIO(data))
    expected, written = noted.get(DIGEST), noted.get(FORMAT)
    if parse_version(written).major > CHECKPOINT.major:
        refuse_newer(data, version, noted)
    actions = list(read_actions(pl.read_parquet(io.BytesIO(data))))
    if expected is not None and make_digest(actions, written) != expected:
        raise ValueError("its digest is wrong")
    return summarise(actions, version, is_signed=expected is not None)


def refuse_newer(data: bytes, version: int, noted: Mapping[str, str]) -> NoReturn:
    """TooNew for the checkpoint of a newer build; ValueError when it is one of ours whose version is damaged."""
    is_ours = False
    with suppress(msgspec.MsgspecError, pl.exceptions.PolarsError, ValueError, TypeError, KeyError):
        actions = read_actions(pl.read_parquet(io.BytesIO(data)))
        is_ours = make_digest(actions, str(CHECKPOINT)) == noted.get(DIGEST)
    if is_ours:
        raise ValueError("its version is damaged")
    raise TooNew(name_checkpoint(version), noted[FORMAT], str(CHECKPOINT))


def read_actions(frame: pl.DataFrame) -> Iterator[Action]:
    names = [name for name in TYPES if name in frame.columns]
    for row in frame.select(names).iter_rows(named=True):
        for name, value in row.items():
            if value is not None:
                yield Action(**{name: msgspec.convert(drop_nulls(value), TYPES[name])})


def drop_nulls(value: dict[str, object]) -> dict[str, object]:
    """Members that are absent are null in a checkpoint."""
    return {name: each for name, each in value.items() if each is not None}


def summarise(actions: list[Action], version: int, *, is_signed: bool) -> Checkpoint:
    """The state of the log that the actions of a checkpoint describe."""
    added = [action.add for action in actions if action.add]
    blocks = [read_block(add) for add in added if is_ours(add)]
    numbers = sort_numbers(action.txn for action in actions if action.txn)
    metadata = [action.metaData for action in actions if action.metaData]
    if not metadata:
        raise ValueError("it says nothing of the table")
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
        strays=frozenset(add.path for add in added if not is_ours(add)),
        steady_ms=numbers.confirmed_ms,
        metadata=metadata[-1],
        untimed=count_untimed(blocks),
        _known={block.path: block for block in blocks},
    )
    return Checkpoint(snapshot, numbers.marks, is_signed)
