"""The actions of a Delta log, as far as this program reads and writes them."""

import json
import uuid

import google_crc32c
import msgspec

from logboom.base.clock import format_day
from logboom.store.block.info import BlockInfo

TABLE_SCHEMA = {
    "_time": "long",
    "_seq": "long",
    "_node": "string",
    "_index": "string",
    "message": "string",
    "source": "string",
    "_shape": "string",
    "_raw": "string",
    "_rest": "string",
    "_env": "string",
    "_day": "date",
}
"""What other engines see; the columns of the events' own fields are beside it in each file."""


class Transaction(msgspec.Struct, omit_defaults=True):
    """How far a writer has come, in its own counting."""

    appId: str  # noqa: N815 - Delta's own spelling, here and below
    version: int
    lastUpdated: int | None = None  # noqa: N815


class Add(msgspec.Struct, omit_defaults=True):
    path: str
    partitionValues: dict[str, str]  # noqa: N815
    size: int
    modificationTime: int  # noqa: N815
    dataChange: bool  # noqa: N815
    stats: str
    tags: dict[str, str]


class Remove(msgspec.Struct, omit_defaults=True):
    path: str
    deletionTimestamp: int  # noqa: N815
    dataChange: bool  # noqa: N815


class CommitInfo(msgspec.Struct, omit_defaults=True):
    """Who made a commit and why; `checksum` is of the lines that follow, where a node of ours wrote them."""

    timestamp: int = 0
    operation: str = ""
    commit_id: str = ""
    checksum: int | None = None


class Protocol(msgspec.Struct):
    minReaderVersion: int = 1  # noqa: N815
    minWriterVersion: int = 2  # noqa: N815


class Metadata(msgspec.Struct):
    id: str
    format: dict[str, object]
    schemaString: str  # noqa: N815
    partitionColumns: list[str]  # noqa: N815
    configuration: dict[str, str]
    createdTime: int  # noqa: N815


class Action(msgspec.Struct, omit_defaults=True):
    """One line of a commit; exactly one of these is set."""

    commitInfo: CommitInfo | None = None  # noqa: N815
    protocol: Protocol | None = None
    metaData: Metadata | None = None  # noqa: N815
    txn: Transaction | None = None
    add: Add | None = None
    remove: Remove | None = None


def encode_commit(actions: list[Action], operation: str, time_ms: int) -> bytes:
    """The lines of a commit, which nobody can take for another's."""
    lines = b"".join(msgspec.json.encode(action) + b"\n" for action in actions)
    info = CommitInfo(time_ms, operation, uuid.uuid4().hex, google_crc32c.value(lines))
    return msgspec.json.encode(Action(commitInfo=info)) + b"\n" + lines


def decode_commit(data: bytes) -> list[Action]:
    """The actions of a commit; ValueError or msgspec's own when it is damaged."""
    actions = [msgspec.json.decode(line, type=Action) for line in data.splitlines()]
    if not actions:
        raise ValueError("it is empty")
    info = actions[0].commitInfo
    if info and info.checksum not in (None, google_crc32c.value(data.partition(b"\n")[2])):
        raise ValueError("its checksum is wrong")
    return actions


def make_first_commit(time_ms: int) -> list[Action]:
    """Version 0: what kind of table this is."""
    fields = [
        {"name": name, "type": kind, "nullable": True, "metadata": {}}
        for name, kind in TABLE_SCHEMA.items()
    ]
    metadata = Metadata(
        id=str(uuid.uuid4()),
        format={"provider": "parquet", "options": {}},
        schemaString=json.dumps({"type": "struct", "fields": fields}),
        partitionColumns=[],
        configuration={"delta.logRetentionDuration": "interval 1 days"},
        createdTime=time_ms,
    )
    return [Action(protocol=Protocol()), Action(metaData=metadata)]


def describe_block(block: BlockInfo, time_ms: int) -> Add:
    day = format_day(block.day)
    return Add(
        path=block.path,
        partitionValues={},
        size=block.size_bytes,
        modificationTime=time_ms,
        dataChange=True,
        stats=json.dumps(
            {
                "numRecords": block.rows,
                "minValues": {"_time": block.first_ns, "_env": block.env, "_day": day},
                "maxValues": {
                    "_time": block.last_ns,
                    "_seq": block.last_seq,
                    "_env": block.env,
                    "_day": day,
                },
            }
        ),
        tags={"node": block.node, "env": block.env, "day": str(block.day)},
    )


def read_block(add: Add) -> BlockInfo:
    """The inverse of `describe_block`."""
    stats = json.loads(add.stats)
    return BlockInfo(
        path=add.path,
        env=add.tags["env"],
        day=int(add.tags["day"]),
        rows=stats["numRecords"],
        size_bytes=add.size,
        first_ns=stats["minValues"]["_time"],
        last_ns=stats["maxValues"]["_time"],
        last_seq=stats["maxValues"]["_seq"],
        node=add.tags["node"],
    )
