"""`eventstats`: adds to each row the aggregates of its group."""

import itertools

import polars as pl

from logboom.engine.grouping.groups import Groups, Lists
from logboom.engine.pipes.kinds import Finder, WholePipe
from logboom.engine.rows.internal import internal
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import Table
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs
from logboom.lang import ast
from logboom.model.columns import Column, Kind


class EventStats(WholePipe, frozen=True):
    """Rows that lack a key form a group of their own."""

    groups: Groups
    keeps_events = True

    def needs(self) -> Needs:
        return self.groups.needs()

    def bound_memory(self, table: Table) -> int:
        return self.groups.bound_memory(table)

    def apply(self, table: Table, finder: Finder) -> Table:  # noqa: ARG002
        # The rows are already in order, so the order of events does not matter.
        plain = Table(table.frame)
        keys = self.groups.read_keys(plain)
        named = [part.alias(internal(name)) for name, part in keys.items()]
        results = self.groups.finish(self.groups.compute(plain)).frame
        place = name_place(table)
        lists = [name for name, dtype in results.schema.items() if dtype == pl.List]
        short = results.drop(lists).with_row_index(place).with_columns(pl.col(place).cast(pl.Int64))
        reserve(measure(short) // max(short.height, 1) * table.height)
        rows = table.frame.select(named) if keys else pl.DataFrame(height=table.height)
        if keys:
            joined = rows.join(
                short,
                left_on=list(map(internal, keys)),
                right_on=list(keys),
                how="left",
                nulls_equal=True,
                maintain_order="left",
            )
        else:
            joined = rows.join(short, how="cross")
        return self.groups.add_results(table, joined, Lists(place, results.select(lists)))


def name_place(table: Table) -> str:
    """Return a column that the table does not have, for the index of a row's shared list."""
    names = (Column(internal(f"shared{number}"), Kind.INT).name for number in itertools.count())
    return next(name for name in names if name not in table.frame.columns)


def make_eventstats(pipe: ast.EventStats, conditions: Conditions) -> EventStats:
    return EventStats(Groups(pipe.keys, pipe.aggregates, conditions))
