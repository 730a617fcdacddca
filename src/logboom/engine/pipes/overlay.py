"""Overlays: new values of a field where a row has one, otherwise the existing ones."""

import polars as pl
from msgspec.structs import replace

from logboom.engine.expressions.conditionals import choose
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.model.columns import Column
from logboom.model.names import CORE_FIELDS, fold_name


def overlay(table: Table, name: str, value: Value, *, keeps: bool = False) -> Table:
    """Return the table with new values over a field, or under it if it `keeps` its own; the field must be loaded."""
    merged = lay(value, Value.of_field(table, name), keeps=keeps)
    return table.with_field(name, dict(merged.parts))


def lay(new: Value, own: Value, *, keeps: bool) -> Value:
    over, under = (own, new) if keeps else (new, own)
    return choose(over.exists(), over, under)


def overlay_loaded(table: Table, values: dict[str, Value], *, keeps: bool = False) -> Table:
    """Do what `overlay` does, for many loaded fields at once; elsewhere the events' own values show."""
    columns: list[pl.Expr] = []
    for name, value in values.items():
        merged = lay(value, Value.of_field(table, name), keeps=keeps)
        columns += [
            part.alias(Column(fold_name(name), kind).name) for kind, part in merged.parts.items()
        ]
    known = set(map(fold_name, table.columns))
    added = tuple(name for name in values if fold_name(name) not in known)
    frame = table.frame.with_columns(columns)
    return replace(table, frame=frame, columns=(*table.columns, *added))


def is_reserved(table: Table, name: str) -> bool:
    """Return whether a field identifies the event, so that it cannot be changed."""
    return table.has_events and fold_name(name) in CORE_FIELDS
