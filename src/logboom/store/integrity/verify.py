"""Verifies that the files of a block are what the catalog says.

    verify_block(objects, info) -> str | None    why the Parquet file is damaged, None if it is intact
    verify_index(objects, info) -> str | None    the same for its index
    check_block(file, info), read_index(file, info)    the same for a local file; raise Corrupt

A block of the first release has no checksums: its structure is checked instead, and with `deep` every page is decoded.
An unreachable store raises OSError or Unavailable, which does not mean damage.
"""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import google_crc32c
import polars as pl

from logboom.base.errors import Corrupt, NotFound
from logboom.base.stores.objects import ObjectStore
from logboom.store.block.encoding import ReadPages, decode_index, read_nothing
from logboom.store.block.index import BlockIndex
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import name_index

CHUNK_BYTES = 1 << 20
MISSING = "its file is missing"
WRONG_CHECKSUM = "its checksum is wrong"

UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
"""The exceptions of Polars for a damaged file."""


def verify_block(objects: ObjectStore, info: BlockInfo, *, deep: bool = False) -> str | None:
    """Return why the Parquet file of a block is damaged or missing, or None if it is intact."""
    return find_damage(
        lambda: objects.use(info.path, lambda file: check_block(file, info, deep=deep))
    )


def verify_index(objects: ObjectStore, info: BlockInfo) -> str | None:
    """Return why the index of a block is damaged or missing, or None if it is intact."""
    return find_damage(
        lambda: objects.use(name_index(info.path), lambda file: read_index(file, info))
    )


def find_damage(check: Callable[[], object]) -> str | None:
    """Return the damage that a check finds in a file; other failures are raised."""
    try:
        check()
    except (Corrupt, NotFound, OSError) as error:
        reason = describe_damage(error)
        if reason is None:
            raise
        return reason
    return None


def describe_damage(error: Exception) -> str | None:
    """Return the damage that an error describes, or None if it is about something else, such as a lack of memory."""
    match error:
        case Corrupt():
            return error.reason
        case NotFound() | FileNotFoundError():
            return MISSING
        case OSError(errno=errno.EIO):
            return f"it cannot be read: {error.strerror}"
        case _:
            return None


def check_block(file: str, info: BlockInfo, *, deep: bool = False) -> None:
    """Raise Corrupt unless the file is the intact Parquet file of the block."""
    size_bytes = os.stat(file).st_size
    if size_bytes != info.size_bytes:
        raise Corrupt(info.path, 0, f"it has {size_bytes} bytes, expected {info.size_bytes}")
    if info.checksum is None:
        check_structure(file, info, deep=deep)
    elif measure_checksum(file) != info.checksum:
        raise Corrupt(info.path, 0, WRONG_CHECKSUM)


def measure_checksum(file: str) -> int:
    """Return the CRC32C of a file, read in pieces."""
    checksum = 0
    with open(file, "rb", buffering=0) as stream:
        while chunk := stream.read(CHUNK_BYTES):
            checksum = google_crc32c.extend(checksum, chunk)
    return checksum


def check_structure(file: str, info: BlockInfo, *, deep: bool) -> None:
    try:
        scan = pl.scan_parquet(file, glob=False)
        names = scan.collect_schema().names()
        rows = scan.select(pl.len()).collect().item()
        for name in names if deep else ():
            pl.read_parquet(file, columns=[names.index(name)], glob=False)
    except UNREADABLE as error:
        raise Corrupt(info.path, 0, f"it cannot be read: {shorten(error)}") from error
    if rows != info.rows:
        raise Corrupt(info.path, 0, f"it has {rows} rows, expected {info.rows}")


def shorten(error: BaseException) -> str:
    """Return the first line of an error."""
    return str(error).partition("\n")[0][:200]


def read_index(
    file: str, info: BlockInfo, read_pages: ReadPages = read_nothing
) -> tuple[BlockIndex, int]:
    """Return the index in a file, and the file's size; raise Corrupt unless it is the intact index of the block."""
    data, name = Path(file).read_bytes(), name_index(info.path)
    if info.index_checksum is not None and google_crc32c.value(data) != info.index_checksum:
        raise Corrupt(name, 0, WRONG_CHECKSUM)
    return parse_index(data, info, read_pages, is_local=True)


def parse_index(
    data: bytes, info: BlockInfo, read_pages: ReadPages, *, is_local: bool = False
) -> tuple[BlockIndex, int]:
    """Return the index in a file that begins with `data`, and the file's size."""
    name = name_index(info.path)
    index = decode_index(data, name, read_pages, is_local=is_local)
    if index.rows != info.rows:
        raise Corrupt(name, 0, f"it describes {index.rows} rows, expected {info.rows}")
    filters_bytes = sum(section.stored_bytes for section in index.sections)
    return index, max(len(data), filters_bytes)
