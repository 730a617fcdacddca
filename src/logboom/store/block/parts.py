"""Parts of a block: some columns of some rows, and where they are in its file."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from logboom.base.pages import Pages, Span
from logboom.store.block.footer import RowGroup
from logboom.store.block.index import BlockFile
from logboom.store.block.layout import SHAPE, SHAPE_PARTS

MAGIC_BYTES = 4
"""What every Parquet file begins with."""
WHOLE_SHARE = 2
"""If more than 1/2 of its bytes are needed, a file is fetched whole."""


class Part(NamedTuple):
    """Columns by their names in the block, and the ranges of rows to read; None for all rows."""

    columns: tuple[str, ...]
    rows: tuple[range, ...] | None = None

    @classmethod
    def of(cls, columns: Iterable[str], rows: Iterable[range] | None = None) -> "Part":
        names = dict.fromkeys(columns)
        if SHAPE in names:
            names[SHAPE_PARTS] = None
        return cls(tuple(names), None if rows is None else tuple(rows))

    def find_spans(self, groups: Iterable[RowGroup]) -> list[Span]:
        """Return the byte ranges of the part in a file with these row groups."""
        first, spans = 0, []
        for group in groups:
            if self._touches(range(first, first + group.rows)):
                spans += [group.columns[name] for name in self.columns if name in group.columns]
            first += group.rows
        return spans

    def _touches(self, group: range) -> bool:
        if self.rows is None:
            return True
        return any(rows.start < group.stop and rows.stop > group.start for rows in self.rows)


def make_pages(path: str, file: BlockFile) -> Pages:
    return Pages(path, 0, file.size_bytes, file.checksums)


def find_footer(file: BlockFile) -> Span:
    return file.size_bytes - file.footer_bytes, file.size_bytes


def frame_spans(file: BlockFile, spans: Sequence[Span]) -> list[Span]:
    """Return the spans, and those that every reader of the file needs."""
    return [(0, MAGIC_BYTES), *spans, find_footer(file)]


def is_most(file: BlockFile, spans: Iterable[Span]) -> bool:
    """Return whether the spans are so much of a file that it is better fetched whole."""
    return WHOLE_SHARE * sum(end - start for start, end in spans) > file.size_bytes
