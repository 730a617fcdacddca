"""Tables from plain dictionaries and back, whole or in pieces, as pipes meet them."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl
from hypothesis import strategies as st

from logboom.engine.pipes.kinds import AnyPipe, Finder, MergePipe, RowPipe, run_locally
from logboom.engine.rows.shown import list_shown
from logboom.engine.rows.table import BLOCK, IDENTITY, NODE, ROW, SEQ, TIME, OwnFields, Table
from logboom.lang import ast
from logboom.model.columns import DTYPES, Column, Kind
from logboom.model.names import fold_name

Row = dict[str, Any]

SCALARS = {str: Kind.STR, int: Kind.INT, float: Kind.FLOAT, bool: Kind.BOOL}
TIMES = frozenset({"_time", "first", "last"})
"""Names whose whole numbers are times."""


def make_table(rows: list[Row], *, events: bool = False) -> Table:
    """Return a table of the rows; a missing name, or None, is no value, and `_time` is in nanoseconds.

    Events get `_time` from their place where they have none: the first is the newest.
    """
    if events:
        count = len(rows)
        rows = [{"_time": count - place, **row} for place, row in enumerate(rows)]
    names = {fold_name(name): name for row in rows for name in row}
    columns: dict[str, pl.Series] = {}
    for folded in names:
        cells = [next((v for k, v in row.items() if fold_name(k) == folded), None) for row in rows]
        for kind in dict.fromkeys(find_kind(folded, cell) for cell in cells if cell is not None):
            name = Column(folded, kind).name
            own = [c if c is not None and find_kind(folded, c) is kind else None for c in cells]
            columns[name] = pl.Series(name, own, DTYPES[kind])
    if not events:
        frame = pl.DataFrame(columns) if columns else pl.DataFrame(height=len(rows))
        return Table(frame, tuple(names.values()))
    return Table(
        identify(pl.DataFrame(columns, schema_overrides={TIME.name: pl.Int64}), rows),
        own=OwnFields(),
    )


def identify(frame: pl.DataFrame, rows: list[Row]) -> pl.DataFrame:
    """Add the columns that identify the event of a row."""
    numbers = list(range(len(rows)))
    return frame.with_columns(
        pl.Series(TIME.name, [row["_time"] for row in rows], pl.Int64),
        pl.Series(BLOCK, ["block"] * len(rows), pl.String),
        pl.Series(ROW, numbers, pl.Int64),
        pl.Series(NODE, ["node"] * len(rows), pl.String),
        pl.Series(SEQ, numbers[::-1], pl.Int64),
    )


def find_kind(name: str, cell: Any) -> Kind:
    if isinstance(cell, list):
        return SCALARS[type(cell[0])].listed if cell else Kind.STRS
    if name in TIMES and type(cell) is int:
        return Kind.TIME
    return SCALARS[type(cell)]


def read(table: Table) -> list[Row]:
    """Return every row with its shown values; missing ones are left out, times are nanoseconds."""
    table = table.unshare(table.shared)
    rows: list[Row] = [{} for _ in range(table.height)]
    for name in list_shown(table):
        for column in table.find_columns(name):
            for row, value in zip(rows, table.frame[column.name].to_list(), strict=True):
                if value is not None:
                    assert name not in row, "a row has one value of a field"
                    row[name] = value
    return rows


def split(table: Table, cuts: Iterable[int]) -> list[Table]:
    """Return the table in pieces, each with no more columns than it needs; `cuts` are places, in any order."""
    places = sorted({0, table.height, *(cut % (table.height + 1) for cut in cuts)})
    frames = [table.frame.slice(first, last - first) for first, last in itertools.pairwise(places)]
    return [table.with_frame(drop_empty(frame)) for frame in frames or [table.frame]]


def drop_empty(frame: pl.DataFrame) -> pl.DataFrame:
    kept = [each.name for each in frame if each.name in IDENTITY or each.null_count() < len(each)]
    return frame.select(kept) if kept else frame


def run_split(pipe: MergePipe, table: Table, cuts: Sequence[int]) -> Table:
    """Run a merge pipe on the pieces, some of which are merged before the others."""
    partials = [pipe.compute(piece) for piece in split(table, cuts)]
    middle = len(partials) // 2
    merged = [pipe.merge(part) for part in (partials[:middle], partials[middle:]) if part]
    return pipe.finish(pipe.merge(merged))


def apply_split(pipe: RowPipe, table: Table, cuts: Iterable[int]) -> list[Row]:
    """Return the rows that a pipe makes of the pieces, one piece after the other."""
    return [row for piece in split(table, cuts) for row in read(pipe.apply(piece))]


class NothingElse:
    """A finder for pipes that query nothing."""

    def table(self, query: ast.Query) -> Table:
        raise AssertionError(query)

    def around(self, anchors: Table, wanted: ast.Context) -> Table:
        raise AssertionError(wanted)


def run(pipe: AnyPipe, table: Table, finder: Finder | None = None) -> Table:
    """Run a pipe over a table that an earlier pipe made, and return the result."""
    return run_locally(pipe, table, finder or NothingElse())


scalars: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(["", "a", "A", "b", "É", "é", "10", "9", " 2.5 ", "1e3", "true", "x y"]),
    st.sampled_from([0, 1, -2, 10, 2**53 + 1, 2**53, 2**63 - 1, -(2**63)]),
    st.sampled_from([0.0, 1.0, -2.5, 10.5, 2.0**53, 1e300]),
    st.booleans(),
)
cells = st.one_of(
    scalars,
    scalars,
    st.none(),
    st.lists(st.sampled_from(["a", "B", "7"]), max_size=3),
    st.lists(st.sampled_from([1, 2]), max_size=2),
)
mixed_rows: st.SearchStrategy[list[Row]] = st.lists(
    st.fixed_dictionaries(
        {"_time": st.integers(0, 5)}, optional={"a": cells, "b": cells, "message": cells}
    ),
    max_size=12,
).map(lambda rows: [{**row, "id": place} for place, row in enumerate(rows)])
"""Rows of every type, with their number as `id`."""
cut_lists = st.lists(st.integers(0, 20), max_size=4)


def find_first(cell: Any) -> Any:
    """Return the first of many values, or None if there is none."""
    return (cell[0] if cell else None) if isinstance(cell, list) else cell


def make_key(cell: Any) -> tuple[str, Any]:
    """Return a key that is equal for two cells exactly if their first values are the same."""
    value = find_first(cell)
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        value = int(value)
    kind = "number" if type(value) in (int, float) else type(value).__name__
    return kind, str(value) if type(value) is float else value


def find_ids(table: Table) -> list[int]:
    """Return which rows these are, by their `id`."""
    return [row["id"] for row in read(table)]


def sort_newest(rows: list[Row]) -> list[Row]:
    """Return rows with an `id`, in the order that their events come in."""
    return sorted(rows, key=lambda row: (-row["_time"], row["id"]))


class Beside(NothingElse):
    """A finder that knows one other table."""

    def __init__(self, other: Table) -> None:
        self._other = other

    def table(self, query: ast.Query) -> Table:
        return self._other
