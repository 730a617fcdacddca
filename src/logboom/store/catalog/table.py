"""The table as other engines see it: its columns and their types, and its properties.

The core columns come first, then those of the events' own fields, in the order in which they were first seen and
named as in the files. There are at most `MOST_FIELDS` of them, because anybody who may send events can invent names.
"""

import json
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from logboom.base.versions import CATALOG, Version, check_version, parse_version
from logboom.model.columns import Kind, parse_column
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.actions import Action, Metadata, Protocol
from logboom.store.catalog.snapshot import Snapshot, count_untimed

Type = str | dict[str, object]
"""A type as the schema of a Delta table writes it."""

CORE_COLUMNS: Mapping[str, Type] = MappingProxyType(
    {
        "_time": "timestamp",
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
)
MOST_FIELDS = 1000
LONGEST_NAME = 255
FORBIDDEN = re.compile(r"[ ,;{}()\n\t=\x00-\x1f]")
"""Characters that some engines accept in no column name."""
ELEMENTS = {Kind.STR: "string", Kind.INT: "long", Kind.FLOAT: "double", Kind.BOOL: "boolean"}

FORMAT = "logboom.format"
CONFIGURATION = {
    "delta.logRetentionDuration": "interval 36500 days",
    "delta.enableExpiredLogCleanup": "false",
    "delta.deletedFileRetentionDuration": "interval 36500 days",
    FORMAT: str(CATALOG),
}
"""These keep other engines from deleting files that Logboom still needs, and record the version for our builds."""


def make_metadata(
    table_id: str, created_ms: int | None, columns: Mapping[str, Type], more: Mapping[str, str]
) -> Metadata:
    """Return the table's metadata; `more` are properties that a newer build set."""
    fields = [
        {"name": name, "type": kind, "nullable": True, "metadata": {}}
        for name, kind in columns.items()
    ]
    return Metadata(
        id=table_id,
        format={"provider": "parquet", "options": {}},
        schemaString=json.dumps({"type": "struct", "fields": fields}, separators=(",", ":")),
        partitionColumns=[],
        configuration={**CONFIGURATION, **more},
        createdTime=created_ms,
    )


@lru_cache(maxsize=8)
def read_columns(schema: str) -> Mapping[str, Type]:
    """Return the columns that a schema names, and their types."""
    fields = json.loads(schema)["fields"]
    return MappingProxyType({field["name"]: field["type"] for field in fields})


def check_table(metadata: Metadata, place: str) -> None:
    """Raise TooNew if a newer build changed the log in a way that this one cannot read."""
    check_version(place, read_version(metadata), CATALOG)


def read_version(metadata: Metadata) -> Version:
    return parse_version(metadata.configuration.get(FORMAT))


def list_newer_properties(metadata: Metadata) -> dict[str, str]:
    """Return the properties that a newer minor version has set: its own version, and unknown ones."""
    if read_version(metadata) <= CATALOG:
        return {}
    return {
        name: value
        for name, value in metadata.configuration.items()
        if name == FORMAT or (name.startswith("logboom.") and name not in CONFIGURATION)
    }


def restate(metadata: Metadata, is_timed: bool | None, new: Sequence[str] = ()) -> Metadata:
    """Return the metadata that the table should have.

    `is_timed` says whether the blocks have timestamps for times; None if only some have. No type fits both: then
    other engines see no times, rather than wrong ones.
    """
    known = read_columns(metadata.schemaString)
    core, more = list_core(is_timed), list_newer_properties(metadata)
    is_settled = known.get("_time") == core.get("_time") and known.keys() >= {*core, *new}
    if is_settled and metadata.configuration == {**CONFIGURATION, **more}:
        return metadata
    fields = {name: kind for name, kind in known.items() if name not in CORE_COLUMNS}
    columns = {**core, **add_fields(fields, new)}
    if columns == known and metadata.configuration == {**CONFIGURATION, **more}:
        return metadata
    return make_metadata(metadata.id, metadata.createdTime, columns, more)


def list_core(is_timed: bool | None) -> dict[str, Type]:
    core = dict(CORE_COLUMNS)
    if is_timed is None:
        del core["_time"]
    elif not is_timed:
        core["_time"] = "long"
    return core


def add_fields(fields: Mapping[str, Type], new: Iterable[str]) -> dict[str, Type]:
    """Return the fields with new ones, while there is room; of names that differ only in case the first counts."""
    columns = dict(fields)
    taken = {name.lower() for name in (*CORE_COLUMNS, *columns)}
    for name in new:
        if len(columns) >= MOST_FIELDS:
            break
        if name.lower() not in taken and is_nameable(name):
            taken.add(name.lower())
            columns[name] = find_type(name)
    return columns


def is_nameable(name: str) -> bool:
    """Return whether every engine accepts it as a column name."""
    return 0 < len(name) <= LONGEST_NAME and not FORBIDDEN.search(name)


def find_type(name: str) -> Type:
    """Return the type of the column of a block with this name."""
    kind = parse_column(name).kind
    element = ELEMENTS[kind.element]
    if not kind.is_list:
        return element
    return {"type": "array", "elementType": element, "containsNull": True}


def make_first_commit(time_ms: int) -> list[Action]:
    """Return the actions of version 0, which say what kind of table this is."""
    metadata = make_metadata(str(uuid.uuid4()), time_ms, CORE_COLUMNS, {})
    return [Action(protocol=Protocol()), Action(metaData=metadata)]


def describe_table(
    snapshot: Snapshot, adds: Iterable[BlockInfo], removes: Iterable[str], new: Sequence[str]
) -> list[Action]:
    """Return what a commit that adds and removes blocks must say about the table; empty if nothing changes."""
    assert snapshot.metadata is not None, "a log begins with its metadata"
    metadata = restate(snapshot.metadata, find_time_form(snapshot, adds, removes), new)
    if snapshot.is_altered:
        return [Action(protocol=Protocol()), Action(metaData=metadata)]
    return [] if metadata is snapshot.metadata else [Action(metaData=metadata)]


def find_time_form(
    snapshot: Snapshot, adds: Iterable[BlockInfo], removes: Iterable[str]
) -> bool | None:
    """Return whether the blocks after a commit have timestamps, or None if only some have."""
    added = list(adds)
    if not (snapshot.untimed or count_untimed(added)):
        return True
    removed = [block for path in removes if (block := snapshot.find(path))]
    untimed = snapshot.untimed + count_untimed(added) - count_untimed(removed)
    total = snapshot.count_blocks() + len(added) - len(removed)
    if untimed == 0:
        return True
    return False if untimed == total else None
