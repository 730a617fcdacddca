"""What an aggregate is: rows are read, reduced to a partial result, merged, concluded and finished.

Every step but the last returns columns by role. In a frame they are internal columns named by the position of the
aggregate and the role, so that all aggregates of a pipe are grouped at once.
"""

from abc import abstractmethod
from collections.abc import Collection, Mapping
from typing import ClassVar, TypeAlias

import polars as pl

from logboom.base.structs import InternalStruct
from logboom.engine.rows.internal import internal
from logboom.engine.rows.table import TIME, Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast
from logboom.model.columns import Kind

Roles: TypeAlias = dict[str, pl.Expr]
KINDS = (Kind.INT, Kind.FLOAT, Kind.TIME, Kind.STR, Kind.BOOL)
"""The kinds of single values; a column with one has the kind as its role."""


class Rows(InternalStruct, frozen=True):
    """The first values of the argument where the condition is true; `keep` is None without a condition."""

    table: Table
    value: Value
    keep: pl.Expr | None = None

    def exists(self) -> pl.Expr:
        return self.value.exists()

    @property
    def order(self) -> tuple[str, ...]:
        """Columns whose descending order is that of the rows; none if they are already in order."""
        return self.table.order if self.table.has_events else ()

    @property
    def time(self) -> pl.Expr:
        known = TIME.name in self.table.frame.columns
        return pl.col(TIME.name) if known else pl.lit(None, pl.Int64)


class Reducer(InternalStruct, frozen=True):
    """One aggregate of a pipe; `span_ns` is the duration of a group, if groups are time spans."""

    place: int
    aggregate: ast.Aggregate
    conditions: Conditions
    span_ns: int | None = None

    is_ordered: ClassVar[bool] = False
    """Whether the order of rows matters: then they come in order, with its columns."""
    is_numeric: ClassVar[bool] = False
    """Whether only numbers count: then other values are counted for a remark."""
    keeps_values: ClassVar[bool] = False
    """Whether a partial result grows with its rows."""
    ignores_repeats: ClassVar[bool] = False
    """Whether repeated values make no difference."""
    row_bytes: ClassVar[int] = 32
    """The memory per row while rows are reduced, beside the values."""
    reads: ClassVar[tuple[str, ...]] = ()
    """Fields that it needs beside its argument."""
    empty: ClassVar[int | float | None] = None
    """The result without rows."""

    def name(self, role: str) -> str:
        return internal(f"{self.place}.{role}")

    def col(self, role: str) -> pl.Expr:
        return pl.col(self.name(role))

    def list_roles(self, columns: Collection[str]) -> list[str]:
        start = self.name("")
        return [name.removeprefix(start) for name in columns if name.startswith(start)]

    def list_kinds(self, roles: Collection[str]) -> list[Kind]:
        return [kind for kind in KINDS if kind.value in roles]

    @abstractmethod
    def read(self, rows: Rows) -> Roles:
        """Return what it needs of each row."""

    @abstractmethod
    def reduce(self, roles: Collection[str]) -> Roles:
        """Return the partial result of a group of rows that were read."""

    @abstractmethod
    def merge(self, roles: Collection[str]) -> Roles:
        """Merge several partial results."""

    def conclude(self, roles: Collection[str]) -> Roles:
        """Do the last merge, whose result is only finished, never merged again."""
        return self.merge(roles)

    @abstractmethod
    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:
        """Return the result by kinds, from a frame with one concluded row per group."""
