"""Tables: rows on their way through a query, in the layout of blocks: one column per field and type.

In a row at most one of a field's columns is not null. Rows that stand for events know which event it is; their own
fields are read only for those that are answered.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import polars as pl
from msgspec import field
from msgspec.structs import replace

from logboom.base.clock import format_time
from logboom.base.structs import InternalStruct
from logboom.engine.rows.computed import compute_rows, drop_columns
from logboom.engine.rows.internal import internal, is_internal
from logboom.engine.rows.memory import check_waiting, reserve
from logboom.model.columns import Column, Kind, list_kinds, parse_column
from logboom.model.names import CORE_FIELDS, fold_name

VIEW_BYTES = 16
"""The size of a text beside its characters, which Polars does not count."""
BLOCK, ROW = internal("block"), internal("row")
"""Which event a row stands for: the path of its block, and its row there."""
NODE, SEQ = internal("node"), internal("seq")
"""What distinguishes events of the same time: the node that received them, and its event counter."""
TIME = Column("_time", Kind.TIME)
ID = Column("_id", Kind.STR)
INDEX = Column("_index", Kind.STR)
ENV = Column("_env", Kind.STR)
REST = internal("rest")
"""The field of all values without a column, when every text or value of an event is searched."""
IDENTITY = (BLOCK, ROW, TIME.name, NODE, SEQ)
NEWEST_FIRST = (TIME.name, NODE, SEQ)
"""Descending order of these columns is the order of events."""
PLACE = internal("place")
"""Descending order of this column is the order of events that a pipe has reordered."""


class OwnFields(InternalStruct, frozen=True):
    """Which of the events' own fields rows show: those that match `kept` (all if None), none of `hidden`.

    Both are patterns, the hidden ones folded.
    """

    kept: tuple[str, ...] | None = None
    hidden: frozenset[str] = frozenset()

    def shows(self, name: str) -> bool:
        if any(matches_name(each, name) for each in self.hidden):
            return False
        return self.kept is None or any(matches_name(each, name) for each in self.kept)


class Shared(NamedTuple):
    """The lists of a field that many rows share: each once, and the column with the index of a row's list."""

    place: str
    lists: Mapping[Kind, pl.Series]


class Table(InternalStruct, frozen=True, dict=True):
    """Rows on their way through a query.

    `columns` are the names shown, in order; rows that stand for events also show fields of their own.
    A field in `shared`, by its folded name, has no columns until `unshare` makes them.
    """

    frame: pl.DataFrame
    columns: tuple[str, ...] = ()
    own: OwnFields | None = None
    shared: Mapping[str, Shared] = field(default_factory=dict)

    @property
    def has_events(self) -> bool:
        return self.own is not None

    @property
    def height(self) -> int:
        return self.frame.height

    @property
    def order(self) -> tuple[str, ...]:
        """The columns that give the order of rows that stand for events, descending."""
        return (PLACE,) if PLACE in self.frame.columns else NEWEST_FIRST

    def find_columns(self, field: str) -> list[Column]:
        """Return the columns with values of a field, whatever its case."""
        names = self._names
        return [column for name, column in list_kinds(fold_name(field)) if name in names]

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.frame.columns)

    def list_columns(self) -> list[Column]:
        """Return every column of a field, without the service's own."""
        found = (parse_column(name) for name in self.frame.columns if not is_internal(name))
        return [column for column in found if column.field not in CORE_FIELDS]

    def list_searched(self) -> list[Column]:
        """Return every column with values of events, including that of the values without a column."""
        rest = [column for name, column in list_kinds(REST) if name in self._names]
        return self.list_columns() + rest

    def with_frame(self, frame: pl.DataFrame) -> "Table":
        return Table(frame, self.columns, self.own, self.shared)

    def filter(self, *tests: pl.Expr) -> "Table":
        """Return the rows that pass every test; a test may be one literal for all rows."""
        masks = [
            test if test.meta.root_names() else compute_rows(self.frame, test) for test in tests
        ]
        return self.with_frame(self.frame.filter(*masks)) if masks else self

    def without(self, *fields: str) -> "Table":
        """Return the table without some fields: their columns, their names, and those of the events' own."""
        folded = frozenset(map(fold_name, fields))
        return Table(
            drop_columns(self.frame, self._list_held(folded)),
            tuple(name for name in self.columns if fold_name(name) not in folded),
            self._own_without(folded),
            self._shared_without(folded),
        )

    def with_field(self, name: str, parts: Mapping[Kind, pl.Expr]) -> "Table":
        """Return the table with a computed field, replacing any of that name."""
        return self.with_fields({name: parts})

    def with_fields(self, fields: Mapping[str, Mapping[Kind, pl.Expr]]) -> "Table":
        """Return the table with fields that are computed from its columns, replacing any of those names."""
        check_waiting()
        added = {
            Column(fold_name(name), kind).name: expression
            for name, parts in fields.items()
            for kind, expression in parts.items()
        }
        folded = frozenset(map(fold_name, fields))
        frame = self.frame.with_columns(**added)
        return Table(
            drop_columns(frame, self._list_held(folded) - added.keys()),
            add_names(self.columns, fields),
            self._own_with(fields),
            self._shared_without(folded),
        )

    def with_shared(self, name: str, shared: Shared) -> "Table":
        """Return the table with a field whose lists are shared, replacing any of that name."""
        table = self.with_field(name, {})
        return replace(table, shared={**table.shared, fold_name(name): shared})

    def unshare(self, names: Iterable[str]) -> "Table":
        """Return the table with columns for these fields, where every row has its own list."""
        table = self
        for name in {fold_name(name) for name in names} & self.shared.keys():
            place, lists = self.shared[name]
            reserve(sum(measure_spread(each, self.frame[place]) for each in lists.values()))
            parts = {
                Column(name, kind).name: each.gather(self.frame[place])
                for kind, each in lists.items()
            }
            frame = table.frame.with_columns(**parts)
            table = replace(table, frame=frame, shared=table._shared_without({name}))
        return table

    def _list_held(self, folded: Iterable[str]) -> set[str]:
        """Return the columns of some fields, without those that say which event a row stands for."""
        names = {column.name for field in folded for column in self.find_columns(field)}
        return names - set(IDENTITY) if self.own else names

    def _shared_without(self, folded: Container[str]) -> dict[str, Shared]:
        return {name: each for name, each in self.shared.items() if name not in folded}

    def _own_without(self, folded: frozenset[str]) -> OwnFields | None:
        return self.own and replace(self.own, hidden=self.own.hidden | folded)

    def _own_with(self, names: Iterable[str]) -> OwnFields | None:
        """Return which own fields show beside columns of some names, which take their place."""
        own = self._own_without(frozenset(map(fold_name, names)))
        if own is None or own.kept is None:
            return own
        return replace(own, kept=add_names(own.kept, names))

    def read_column(self, name: str) -> list[Any]:
        """Return the values of one field, row by row, as they are answered."""
        if shared := self.shared.get(fold_name(name)):
            return read_shared(shared, self.frame[shared.place])
        columns = self.find_columns(name)
        if len(columns) == 1 and columns[0].kind not in SHOWN:
            return self.frame.get_column(columns[0].name).to_list()
        values: list[Any] = [None] * self.frame.height
        for column in columns:
            for place, value in enumerate(self.frame[column.name].to_list()):
                if value is not None:
                    values[place] = show_value(value, column.kind)
        return values

    def read_rows(self) -> list[dict[str, object]]:
        """Return every row as a dictionary of its shown columns."""
        values = [self.read_column(name) for name in self.columns]
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*values, strict=True)] or [
            {} for _ in range(self.frame.height)
        ]


def add_names(known: tuple[str, ...], names: Iterable[str]) -> tuple[str, ...]:
    """Return the known names and the others that are not among them, whatever their case."""
    spelled: dict[str, str] = {}
    for name in (*known, *names):
        spelled.setdefault(fold_name(name), name)
    return tuple(spelled.values())


def read_shared(shared: Shared, places: pl.Series) -> list[Any]:
    """Return the list of each row; rows that share one get the same object."""
    known: list[Any] = [None] * max((len(each) for each in shared.lists.values()), default=0)
    for kind, lists in shared.lists.items():
        for place, value in enumerate(lists.to_list()):
            if value is not None:
                known[place] = show_value(value, kind)
    return [None if place is None else known[place] for place in places]


def measure_spread(lists: pl.Series, places: pl.Series) -> int:
    """Return the size of lists if every row has its own."""
    sizes = (lists.list.len() * (VIEW_BYTES + average_bytes(lists))).cast(pl.Int64)
    return int(sizes.gather(places).sum() or 0)


def average_bytes(lists: pl.Series) -> int:
    """Return the average size of a value in some lists."""
    return int(lists.estimated_size()) // max(int(lists.list.len().sum() or 0), 1)


SHOWN = frozenset({Kind.TIME, Kind.TIMES})
"""Kinds whose values are answered in another form."""


def show_value(value: Any, kind: Kind) -> Any:
    """Return a value as it is answered: times as RFC 3339."""
    if kind is Kind.TIME:
        return format_time(value)
    if kind is Kind.TIMES:
        return [format_time(each) for each in value]
    return value


def concat_tables(tables: Sequence[Table]) -> Table:
    """Return the rows of all tables, with the columns of all."""
    assert tables, "there is something to put together"
    if len(tables) == 1:
        return tables[0]
    names = add_names((), (name for table in tables for name in table.columns))
    alone = [table.unshare(table.shared) for table in tables]
    frame = pl.concat([table.frame for table in alone], how="diagonal")
    return Table(frame, names, tables[0].own)


def matches_name(pattern: str, name: str) -> bool:
    """Return whether a name matches the pattern, ignoring case: `*` stands for any text."""
    if "*" not in pattern:
        return fold_name(pattern) == fold_name(name)
    return compile_pattern(fold_name(pattern)).fullmatch(fold_name(name)) is not None


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return a regular expression with a group per star; it never backtracks: pieces match where they first occur."""
    first, *middle, last = map(re.escape, re.split(r"\*+", pattern))
    pieces = "".join(f"(?>(.*?){piece})" for piece in middle)
    return re.compile(f"{first}{pieces}(.*){last}", re.DOTALL)


def match_names(patterns: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the names that patterns with `*` match, in the order of the patterns."""
    known = list(names)
    chosen: dict[str, None] = {}
    for pattern in patterns:
        for name in known:
            if matches_name(pattern, name):
                chosen.setdefault(name)
    return list(chosen)
