"""The three kinds of pipes, by how many rows they must see at once.

Row pipes see one row, and run on each block separately. Merge pipes reduce: each block gives a small table, these are
merged, and the result is finished. Whole pipes need every row in order.

Every pipe reserves from the query's memory what it will need before it begins. If that cannot be known from the rows
alone, the pipe reserves it as soon as it is known, and before it is allocated.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, NamedTuple, Protocol, TypeAlias

import polars as pl

from logboom.base.structs import InternalStruct
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.block_group import BlockGroup
from logboom.engine.rows.computed import drop_columns
from logboom.engine.rows.detached import detach_few
from logboom.engine.rows.memory import reserve, working
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import PLACE, Table
from logboom.engine.terms.limits import NEVER, Watch
from logboom.engine.terms.needs import Needs
from logboom.lang import ast
from logboom.store.block.info import BlockInfo

MERGED_COPIES = 2
"""How often collected rows are counted: as they are, and as the result of merging them."""


class ByIndex(NamedTuple):
    """The result from indexes; the table is None if they are not sufficient."""

    table: Table | None
    left: list[Block]


class Tally(Protocol):
    """Counts rows by columns in memory."""

    @property
    def is_costly(self) -> bool:
        """Whether the rows are yet to be grouped, so that the result is worth caching."""

    def add(self, block: Block, selection: pl.Series | None) -> bool:
        """Count selected rows of a block; return False if that takes more than what is in memory."""

    def make_table(self) -> Table | None:
        """Return the partial result of the blocks that were counted, or None if no row was."""


class Pipe(InternalStruct, frozen=True):
    """What all kinds have in common."""

    keyword: ClassVar[str]
    """Its name in a query; the name of the class unless set."""

    def __init_subclass__(cls) -> None:
        if "keyword" not in cls.__dict__:
            cls.keyword = cls.__name__.lower()

    @abstractmethod
    def needs(self) -> Needs:
        """Return the fields that the pipe reads."""

    @abstractmethod
    def bound_memory(self, table: Table) -> int:
        """Return an upper bound of the memory it needs to work on these rows, including its result."""


class RowPipe(Pipe, frozen=True):
    """Changes, adds or leaves out rows one by one."""

    multiplies = False
    """Whether it may make several rows of one."""

    @abstractmethod
    def apply(self, table: Table) -> Table: ...


class MergePipe(Pipe, frozen=True):
    """Reduces rows. Tables passed to `merge` come from `compute` or `merge`.

    `bound_memory` is called before each of its steps; the rows that are merged are counted by the caller. Blocks may overlap
    in time: if the order of events matters, partial results have its columns (`Table.order`, descending). The rows of
    other tables are already in order.
    """

    keeps_events = False
    """Whether its rows still stand for events."""
    settles = False
    """Whether it may finish before all blocks were seen: then `is_settled` is called."""

    @property
    def needs_identity(self) -> bool:
        """Whether rows must know their event, even if only for the order of events."""
        return self.keeps_events

    @abstractmethod
    def compute(self, table: Table) -> Table:
        """Return the partial result of some rows, which are unordered if they are events."""

    @property
    def reads_indexes(self) -> bool:
        """Whether it is worth calling `compute_by_index`."""
        return False

    def compute_by_index(self, whole: BlockGroup) -> ByIndex:
        """Return the partial result of whole blocks whose indexes are sufficient, and the remaining blocks."""
        return ByIndex(None, list(whole.blocks))

    @property
    def count_rows(self) -> Callable[[int], Table] | None:
        """A function from a number of rows to the partial result; None unless the number is sufficient."""
        return None

    def finish_rows(self, rows: int) -> Table:
        """Return the finished result of this many rows; only for a reducer with `count_rows`."""
        assert self.count_rows is not None, "their number is sufficient"
        return self.finish(self.count_rows(rows))

    @property
    def counts_selected(self) -> bool:
        """Whether rows are only counted, so that they need not be loaded."""
        return False

    def count_selected(self, block: Block, selection: pl.Series | None) -> Table | None:  # noqa: ARG002
        """Return the partial result of selected rows if they are only counted, or None if that is not possible."""
        return None

    def make_tally(self, most_bytes: int) -> Tally | None:  # noqa: ARG002
        """Return a new tally whose table takes at most this much memory, or None unless rows are only counted."""
        return None

    @abstractmethod
    def merge(self, tables: Sequence[Table]) -> Table: ...

    def bound_merging(self, table: Table) -> int:
        """Return an upper bound of the memory to merge and finish with these partial results among others."""
        return MERGED_COPIES * measure(table.frame)

    def read_remarks(self, merged: Table) -> Counter[tuple[str, str]]:  # noqa: ARG002
        """Return what could not be computed: how often, by code and field."""
        return Counter()

    def may_be_settled(self, rows: int) -> bool:  # noqa: ARG002
        """Return whether it is worth merging so many rows to call `is_settled`."""
        return True

    def is_settled(self, merged: Table, following: BlockInfo) -> bool:  # noqa: ARG002
        """Return whether this block and all older ones can no longer change anything."""
        return False

    @abstractmethod
    def finish(self, merged: Table) -> Table: ...


class Finder(Protocol):
    """What a pipe may query beside its own rows, in the scope of its query."""

    def table(self, query: ast.Query) -> Table:
        """Return the rows of another query; events among them have all their fields loaded."""

    def around(self, anchors: Table, wanted: ast.Context) -> Table:
        """Return the events just before and after each of those in `anchors`, without these."""


class WholePipe(Pipe, frozen=True):
    """Works on all rows at once."""

    keeps_events = False

    @abstractmethod
    def apply(self, table: Table, finder: Finder) -> Table: ...


AnyPipe: TypeAlias = RowPipe | MergePipe | WholePipe


def run_locally(pipe: AnyPipe, table: Table, finder: Finder) -> Table:
    """Run a pipe over a complete table."""
    with working(pipe.keyword):
        table = table.unshare(list_read(pipe.needs(), table))
        reserve(pipe.bound_memory(table))
        match pipe:
            case RowPipe():
                return pipe.apply(table)
            case MergePipe():
                return reduce_locally(pipe, table)
            case WholePipe():
                return pipe.apply(table, finder)


def list_read(needs: Needs, table: Table) -> Iterable[str]:
    """Return the fields of a table with shared lists that a pipe reads."""
    reads_all = needs.everything or needs.texts or needs.listed is None
    return table.shared if reads_all else needs.fields


def reduce_locally(pipe: MergePipe, table: Table) -> Table:
    """Run a merge pipe on a whole table, whose rows are already in order, even if they stand for events."""
    if table.has_events:
        place = -pl.int_range(pl.len())
        table = table.with_frame(table.frame.with_columns(place.alias(PLACE)))
    result = pipe.finish(pipe.merge([pipe.compute(table)]))
    return result.with_frame(drop_columns(result.frame, [PLACE]))


def run_on_block(pipes: Sequence[RowPipe], table: Table, watch: Watch = NEVER) -> Table:
    """Run row pipes over rows of a block; the memory that the rows gain stays reserved for the enclosing step."""
    most_bytes = size_bytes = measure(table.frame) if pipes else 0
    for pipe in pipes:
        watch.check()
        with working(pipe.keyword):
            reserve(pipe.bound_memory(table))
            table = detach_few(pipe.apply(table), size_bytes)
        size_bytes = measure(table.frame)
        reserve(size_bytes - most_bytes)
        most_bytes = max(most_bytes, size_bytes)
    return table
