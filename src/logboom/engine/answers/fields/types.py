"""The types of the fields of each index, from the indexes of blocks where these are enough and reveal nothing."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from logboom.engine.answers.rowwise import check_complete, check_rowwise
from logboom.engine.blocks.census import count_listed
from logboom.engine.blocks.overflow import LISTED
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.execution.find import Finder
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import ENV, INDEX, Table, concat_tables
from logboom.engine.terms.needs import Needs
from logboom.model.columns import Column, Kind, parse_column
from logboom.model.names import expose_name
from logboom.store.block.held import list_held

FieldTypes = Mapping[str, frozenset[Kind]]
"""The kinds of single values by field."""

OWN = frozenset({INDEX.field, ENV.field})
SCHEMA = {"index": pl.String(), "field": pl.String(), "kind": pl.String()}
Row = tuple[str, str, str]


class KindsByIndex(MergePipe, frozen=True):
    """Lists the kinds of all fields of each index."""

    keyword = "listing fields"

    def needs(self) -> Needs:
        return Needs(frozenset({INDEX.field}), listed=None)

    def bound_memory(self, table: Table) -> int:
        return measure(table.frame)

    def compute(self, table: Table) -> Table:
        columns = {each.name: each for each in table.list_columns() if shows(table, each)}
        held = table.frame.group_by(INDEX.name).agg(pl.col(list(columns)).is_not_null().any())
        rows = [
            describe(row[INDEX.name], column)
            for row in held.iter_rows(named=True)
            for name, column in columns.items()
            if row[name]
        ]
        return make_partial([*rows, *list_listed(table)])

    def merge(self, tables: Sequence[Table]) -> Table:
        return Table(concat_tables(tables).frame.unique(), tuple(SCHEMA))

    def finish(self, merged: Table) -> Table:
        return merged


def shows(table: Table, column: Column) -> bool:
    return table.own is not None and table.own.shows(column.field)


def list_listed(table: Table) -> Iterator[Row]:
    """Yield the fields without a column."""
    if LISTED not in table.frame.columns:
        return
    texts = table.frame.select(INDEX.name, LISTED).drop_nulls()
    for (index,), frame in texts.group_by(INDEX.name):
        counts, _ = count_listed(frame[LISTED])
        yield from (describe(str(index), column) for column in counts if shows(table, column))


def describe(index: str, column: Column) -> Row:
    return index, column.field, column.kind.element.value


def make_partial(rows: list[Row]) -> Table:
    return Table(pl.DataFrame(rows, schema=SCHEMA, orient="row"), tuple(SCHEMA))


def list_types(finder: Finder) -> Mapping[str, FieldTypes]:
    """Return the fields of each index in the request's scope; some may belong to events that do not match."""
    request = finder.prepare(finder.request)
    check_rowwise(finder, request, "a list of fields")
    scope = SearchScope.of_request(request)
    types: defaultdict[str, defaultdict[str, set[Kind]]] = defaultdict(lambda: defaultdict(set))
    left = []
    for info in finder.list_blocks(request):
        block = finder.try_open(info)
        if block is None or not scope.touches(block):
            continue
        held = {
            index: list_held(block.index, index)
            for index in filter(scope.covers_index, block.index.indexes)
        }
        if block.has_overflow or None in held.values():
            # Values without a column are in no index.
            left.append(info)
            continue
        for index, names in held.items():
            add_types(types[index], names or [])
    if left:
        table = finder.start(request, KindsByIndex()).reduce(left)
        for index, field, kind in table.frame.select(*SCHEMA).iter_rows():
            types[index][field].add(Kind(kind))
    check_complete(finder)
    return {index: freeze(found) for index, found in types.items()}


def freeze(types: Mapping[str, set[Kind]]) -> FieldTypes:
    return {field: frozenset(kinds) for field, kinds in types.items() if field not in OWN}


def add_types(types: defaultdict[str, set[Kind]], columns: Iterable[str]) -> None:
    for name in columns:
        column = parse_column(name)
        types[expose_name(column.field)].add(column.kind.element)
