"""Pivoting: groups of two keys become rows of one with columns for the values of the other."""

import polars as pl
from msgspec.structs import replace

from logboom.engine.aggregates.reducer import Reducer
from logboom.engine.grouping.cells import Cells
from logboom.engine.grouping.groups import Groups
from logboom.engine.rows.internal import internal
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.ordering import order_by, order_value
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.lang import ast
from logboom.model.columns import Column, Kind
from logboom.model.names import fold_name

OTHER, MISSING = "OTHER", "NULL"
"""Labels for all values but the largest ones, and for no value."""
RESERVED = frozenset({fold_name(OTHER), fold_name(MISSING)})
LABEL = internal("label")
LABEL_BYTES = 400
"""The memory of a label beside its text: as a value, as it is spelled, and as it is shown."""


def spread(
    groups: Groups,
    frame: pl.DataFrame,
    rows: Table,
    keys: list[str],
    pipe: ast.Timechart | ast.Chart,
) -> Table:
    """Return partial results, by row and perhaps by a value, as a table with these rows.

    `keys` are the columns that identify the rows.
    """
    if pipe.by is None:
        return add_results(rows, finish_groups(groups, frame, keys), keys, groups.reducers)
    labelled, labels = label_groups(groups, frame, pipe.by, pipe.limit)
    shown = {OTHER: pipe.has_other, MISSING: pipe.has_null}
    results = finish_groups(groups, labelled, [*keys, LABEL])
    wanted = [label for label in labels if shown.get(label, True)]
    return add_labelled(rows, results, keys, groups.reducers, wanted)


def finish_groups(groups: Groups, frame: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    return groups.finish_frame(groups.conclude(frame, keys), keys)


def add_results(
    table: Table, results: pl.DataFrame, keys: list[str], reducers: list[Reducer]
) -> Table:
    """Return the results of some rows as columns of a table that has them all."""
    rows = table.frame.select(keys)
    joined = rows.join(results, on=keys, how="left", nulls_equal=True, maintain_order="left")
    for reducer in reducers:
        name = reducer.aggregate.name
        parts = {column.kind: joined[column.name] for column in Table(joined).find_columns(name)}
        if reducer.empty is not None:
            parts = {kind: part.fill_null(reducer.empty) for kind, part in parts.items()}
        table = table.with_field(name, {kind: pl.lit(part) for kind, part in parts.items()})
    return table


def add_labelled(
    table: Table,
    results: pl.DataFrame,
    keys: list[str],
    reducers: list[Reducer],
    labels: list[str],
) -> Table:
    """Return the table with a column for each label; with several results each column names its own too."""
    cells = Cells.of(results, table.frame.select(keys), LABEL, labels)
    names: dict[str, str] = {}
    columns: dict[str, pl.Series] = {}
    for reducer in reducers:
        named = [name_column(reducer, label, table, len(reducers) == 1) for label in labels]
        names |= {fold_name(name): name for name in named}
        for column in Table(results).find_columns(reducer.aggregate.name):
            for name, values in zip(named, cells.spread(column.name, reducer.empty), strict=True):
                made = Column(fold_name(name), column.kind).name
                columns[made] = values.alias(made)
    frame = table.frame.hstack(list(columns.values()))
    return replace(table, frame=frame, columns=(*table.columns, *names.values()))


def name_column(reducer: Reducer, label: str, table: Table, is_alone: bool) -> str:
    is_name = is_alone and fold_name(label) != fold_name(table.columns[0])
    return label if is_name else f"{reducer.aggregate.name}: {label}"


def label_groups(
    groups: Groups, frame: pl.DataFrame, by: ast.Key, limit: int
) -> tuple[pl.DataFrame, list[str]]:
    """Return partial results with the labels of their values, and the labels in order, the largest first.

    Values that differ only in case share a label, because their columns would be the same.
    """
    text = Value.of_field(Table(frame), by.field).text()
    folded = frame.with_columns(text.str.to_lowercase().alias(LABEL))
    largest = rank_labels(groups, folded, limit)
    of_largest = folded.filter(pl.col(LABEL).is_in(largest))
    spelled = of_largest.select(LABEL, text.alias("text")).group_by(LABEL).min()
    spellings = dict(spelled.iter_rows())
    labels = {label: write_label(spellings[label]) for label in largest}
    label = pl.col(LABEL).replace_strict(
        list(labels), list(labels.values()), default=OTHER, return_dtype=pl.String
    )
    is_missing = pl.col(LABEL).is_null()
    named = folded.with_columns(
        pl.when(is_missing).then(pl.lit(MISSING)).otherwise(label).alias(LABEL)
    )
    used = set(named[LABEL].unique())
    return named, [label for label in (*labels.values(), OTHER, MISSING) if label in used]


def write_label(text: str) -> str:
    """Return the text, quoted if it would look like one of the special labels."""
    return f'"{text}"' if fold_name(text.strip('"')) in RESERVED else text


def rank_labels(groups: Groups, frame: pl.DataFrame, limit: int) -> list[str]:
    """Return the labels by their first aggregate over all time, the largest first."""
    first = groups.aggregates[0]
    alone = replace(groups, aggregates=(first,))
    totals = Table(finish_groups(alone, frame.drop_nulls(LABEL), [LABEL]))
    by, descending = order_by(totals, [ast.SortKey(first.name, descending=True)])
    by += order_value(Value({Kind.STR: pl.col(LABEL)}))
    descending += [False] * (len(by) - len(descending))
    ordered = totals.frame.sort(by, descending=descending, nulls_last=True)
    largest = ordered[LABEL].head(limit)
    reserve(3 * measure(largest.to_frame()) + largest.len() * LABEL_BYTES)
    return largest.to_list()
