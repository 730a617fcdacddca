"""Reads the footer of a Parquet file: where the columns of every row group are.

The footer is a structure in Thrift's compact protocol; only the fields needed for this are decoded.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from logboom.base.pages import Span

Fields = dict[int, Any]
"""The fields of a structure by their numbers."""

# Field numbers of the Parquet format.
ROW_GROUPS = 4
GROUP_COLUMNS, GROUP_ROWS = 1, 3
CHUNK_METADATA = 3
PATH, COMPRESSED_BYTES, DATA_OFFSET, DICTIONARY_OFFSET = 3, 7, 9, 11


class RowGroup(NamedTuple):
    """Some rows of a file, and where each column stores its values; a column of lists counts as one."""

    rows: int
    columns: dict[str, Span]


def parse_footer(data: bytes) -> list[RowGroup]:
    """Return the row groups in the footer; raise ValueError if it is not one."""
    try:
        found = Reader(data).read_struct()
        return [parse_group(group) for group in found[ROW_GROUPS]]
    except (LookupError, TypeError) as error:
        raise ValueError("not the footer of a Parquet file") from error


def parse_group(group: Fields) -> RowGroup:
    columns: dict[str, Span] = {}
    for chunk in group[GROUP_COLUMNS]:
        metadata = chunk[CHUNK_METADATA]
        start = min(metadata[DATA_OFFSET], metadata.get(DICTIONARY_OFFSET) or metadata[DATA_OFFSET])
        span = (start, start + metadata[COMPRESSED_BYTES])
        columns[metadata[PATH][0].decode()] = span
    return RowGroup(group[GROUP_ROWS], columns)


class Reader:
    """Decodes structures of the compact protocol."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._kinds: dict[int, Callable[[], Any]] = {
            1: lambda: True,
            2: lambda: False,
            3: self._read_byte,
            4: self._read_signed,
            5: self._read_signed,
            6: self._read_signed,
            7: lambda: self._read_bytes(8),
            8: lambda: self._read_bytes(self._read_number()),
            9: self._read_list,
            10: self._read_list,
            12: self.read_struct,
        }
        """How the values of each kind are read."""

    def read_struct(self) -> Fields:
        found: Fields = {}
        number = 0
        while head := self._read_byte():
            delta, kind = head >> 4, head & 15
            number = number + delta if delta else self._read_signed()
            found[number] = self._read_value(kind)
        return found

    def _read_value(self, kind: int) -> Any:
        if kind not in self._kinds:
            raise ValueError(f"a value of the kind {kind} is not known")
        return self._kinds[kind]()

    def _read_list(self) -> list[Any]:
        head = self._read_byte()
        count, kind = head >> 4, head & 15
        if count == 15:
            count = self._read_number()
        if kind in (1, 2):
            return [self._read_byte() == 1 for _ in range(count)]
        return [self._read_value(kind) for _ in range(count)]

    def _read_signed(self) -> int:
        number = self._read_number()
        return number >> 1 ^ -(number & 1)

    def _read_number(self) -> int:
        number = shift = 0
        while True:
            byte = self._read_byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7

    def _read_bytes(self, count: int) -> bytes:
        self._at += count
        if self._at > len(self._data):
            raise ValueError("the footer ends too early")
        return self._data[self._at - count : self._at]

    def _read_byte(self) -> int:
        byte = self._data[self._at]
        self._at += 1
        return byte
