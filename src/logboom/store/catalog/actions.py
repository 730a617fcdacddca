"""The actions of a Delta log that this program reads and writes.

Only commits written by a Logboom node change which blocks are live. What other engines commit to the table is
detected and undone by the next commit: see `docs/open-data.md`.
"""

import json
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import google_crc32c
import msgspec

from logboom.base.clock import format_day
from logboom.base.versions import BLOCK, FIRST, check_version, parse_version
from logboom.store.block.info import BlockInfo

SIGNATURE = (b'"commit_id":', b'"checksum":')
"""Our commits have both in the first line.

A commit with either one is not treated as foreign: a single damaged byte must not make the blocks of a commit
disappear.
"""


class Transaction(msgspec.Struct, omit_defaults=True):
    """How far a writer has come, in its own numbering."""

    appId: str  # noqa: N815 - Delta's own spelling, here and below
    version: int
    lastUpdated: int | None = None  # noqa: N815


class Add(msgspec.Struct, omit_defaults=True):
    path: str
    partitionValues: dict[str, str | None]  # noqa: N815
    size: int
    modificationTime: int  # noqa: N815
    dataChange: bool  # noqa: N815
    stats: str | None = None
    tags: dict[str, str | None] | None = None


class Remove(msgspec.Struct, omit_defaults=True):
    path: str
    dataChange: bool  # noqa: N815
    deletionTimestamp: int | None = None  # noqa: N815


class CommitInfo(msgspec.Struct, omit_defaults=True):
    """Who made a commit and why; our nodes add an id and the checksum of the following lines."""

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
    createdTime: int | None = None  # noqa: N815


class Action(msgspec.Struct, omit_defaults=True):
    """One line of a commit; at most one of these is set."""

    commitInfo: CommitInfo | None = None  # noqa: N815
    protocol: Protocol | None = None
    metaData: Metadata | None = None  # noqa: N815
    txn: Transaction | None = None
    add: Add | None = None
    remove: Remove | None = None


class Commit(msgspec.Struct):
    """A commit as it was read; `info` is None if another program wrote it."""

    info: CommitInfo | None
    actions: list[Action]

    def list_added(self) -> list[Add]:
        return [action.add for action in self.actions if action.add]

    def list_removed(self) -> list[Remove]:
        return [action.remove for action in self.actions if action.remove]

    def list_numbers(self) -> list[Transaction]:
        return [action.txn for action in self.actions if action.txn]

    def find_metadata(self) -> Metadata | None:
        return next((action.metaData for action in self.actions if action.metaData), None)

    def find_protocol(self) -> Protocol | None:
        return next((action.protocol for action in self.actions if action.protocol), None)


def encode_commit(actions: Iterable[Action], operation: str, time_ms: int) -> bytes:
    """Return the lines of a commit, with an id that makes it unique."""
    lines = b"".join(msgspec.json.encode(action) + b"\n" for action in actions)
    info = CommitInfo(time_ms, operation, uuid.uuid4().hex, google_crc32c.value(lines))
    return msgspec.json.encode(Action(commitInfo=info)) + b"\n" + lines


def decode_commit(data: bytes) -> Commit:
    """Return the actions of a commit; raise ValueError or msgspec's own error if it is damaged."""
    first, _, rest = data.partition(b"\n")
    if not first:
        raise ValueError("it is empty")
    if not any(mark in first for mark in SIGNATURE):
        return Commit(None, decode_foreign(data))
    info = msgspec.json.decode(first, type=Action).commitInfo
    if not (info and info.commit_id):
        raise ValueError("its signature is damaged")
    if info.checksum != google_crc32c.value(rest):
        raise ValueError("its checksum is wrong")
    return Commit(info, [msgspec.json.decode(line, type=Action) for line in rest.splitlines()])


def decode_foreign(data: bytes) -> list[Action]:
    """Return the actions of another engine that concern files or the table, without its notes about itself."""
    lines = (msgspec.json.decode(line, type=dict[str, msgspec.Raw]) for line in data.splitlines())
    known = ({name: raw for name, raw in line.items() if name in FOREIGN_ACTIONS} for line in lines)
    return [msgspec.convert(decode_members(line), Action) for line in known if line]


FOREIGN_ACTIONS = ("add", "remove", "metaData", "protocol")


def decode_members(line: dict[str, msgspec.Raw]) -> dict[str, object]:
    return {name: msgspec.json.decode(raw) for name, raw in line.items()}


def describe_block(block: BlockInfo, time_ms: int, *, is_new_data: bool = True) -> Add:
    day = format_day(block.day)
    first, last = describe_times(block)
    return Add(
        path=block.path,
        partitionValues={},
        size=block.size_bytes,
        modificationTime=time_ms,
        dataChange=is_new_data,
        stats=json.dumps(
            {
                "numRecords": block.rows,
                "minValues": {"_time": first, "_env": block.env, "_day": day},
                "maxValues": {
                    "_time": last,
                    "_seq": block.last_seq,
                    "_env": block.env,
                    "_day": day,
                },
            }
        ),
        tags={
            "node": block.node,
            "env": block.env,
            "day": str(block.day),
            **describe_file(block),
            **dict(block.more),
        },
    )


def describe_times(block: BlockInfo) -> tuple[str | int, str | int]:
    """Return the first and last time of a block in the type of its column, for engines that skip files by them.

    Timestamps of a Delta table have microseconds: the range is the smallest that includes every time.
    """
    if not block.is_timed:
        return block.first_ns, block.last_ns
    return format_micros(block.first_ns // 1000), format_micros(-(-block.last_ns // 1000))


def format_micros(time_us: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time_us)
    return moment.strftime(f"{moment.year:04d}-%m-%dT%H:%M:%S.%fZ")


def describe_file(block: BlockInfo) -> dict[str, str | None]:
    """Return the tags that blocks of the first release do not have."""
    tags = {
        "level": block.level or None,
        "checksum": block.checksum,
        "index_checksum": block.index_checksum,
        "through": block.through,
        "first_ns": block.first_ns if block.is_timed else None,
        "last_ns": block.last_ns if block.is_timed else None,
        "format": block.version if block.version != FIRST else None,
    }
    return {name: str(value) for name, value in tags.items() if value is not None}


KNOWN_TAGS = frozenset(
    {
        "node",
        "env",
        "day",
        "level",
        "checksum",
        "index_checksum",
        "through",
        "first_ns",
        "last_ns",
        "format",
    }
)


def read_block(add: Add) -> BlockInfo:
    """Return the block of an `add`; raise ValueError, KeyError or TypeError for the file of another engine.

    Raise TooNew if this build cannot read the block.
    """
    stats, tags = json.loads(add.stats or "{}"), add.tags or {}
    version = parse_version(tags.get("format"))
    check_version(add.path, version, BLOCK)
    first_ns, last_ns = read_number(tags, "first_ns"), read_number(tags, "last_ns")
    return BlockInfo(
        path=add.path,
        env=read_tag(tags, "env"),
        day=int(read_tag(tags, "day")),
        rows=stats["numRecords"],
        size_bytes=add.size,
        first_ns=stats["minValues"]["_time"] if first_ns is None else first_ns,
        last_ns=stats["maxValues"]["_time"] if last_ns is None else last_ns,
        last_seq=stats["maxValues"]["_seq"],
        node=read_tag(tags, "node"),
        level=read_number(tags, "level") or 0,
        checksum=read_number(tags, "checksum"),
        index_checksum=read_number(tags, "index_checksum"),
        through=tags.get("through"),
        version=version,
        more=tuple((name, tag) for name, tag in tags.items() if name not in KNOWN_TAGS),
    )


def read_tag(tags: dict[str, str | None], name: str) -> str:
    value = tags[name]
    if value is None:
        raise ValueError(f"its tag {name} is null")
    return value


def read_number(tags: dict[str, str | None], name: str) -> int | None:
    value = tags.get(name)
    return None if value is None else int(value)
