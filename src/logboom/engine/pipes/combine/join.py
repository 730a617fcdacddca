"""`join`: adds to each row the fields of another query's first row with the same values."""

from typing import Literal

import polars as pl
from msgspec import field

from logboom.base.errors import TooLarge
from logboom.engine.grouping.keys import has_all, name_tags, with_tags
from logboom.engine.pipes.kinds import Finder, WholePipe
from logboom.engine.rows.computed import drop_columns
from logboom.engine.rows.internal import internal
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.shown import list_shown
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import EVERYTHING, Needs
from logboom.lang import ast
from logboom.model.columns import Column, Kind
from logboom.model.names import CORE_FIELDS, fold_name

OTHER = internal("other.")
"""Prefix of the other table's columns while both are side by side."""
FOUND = internal("found")


class Join(WholePipe, frozen=True):
    """A row keeps its own values; without a partner it is left out, unless all left rows are kept."""

    fields: tuple[str, ...]
    query: ast.Query
    kind: Literal["inner", "left"] = "inner"
    most: int = 1
    conditions: Conditions = field(default_factory=Conditions)
    keeps_events = True

    def needs(self) -> Needs:
        return EVERYTHING

    def bound_memory(self, table: Table) -> int:
        return 2 * measure(table.frame)

    def apply(self, table: Table, finder: Finder) -> Table:
        other = finder.table(self.query)
        reserve(2 * measure(other.frame))
        added = self._list_added(other)
        tags = name_tags(self.fields)
        tagged, partners = with_tags(table, self.fields), self._list_partners(other, added)
        self._check_size(tagged, partners, tags)
        frame = tagged.join(
            partners,
            on=tags,
            how="inner" if self.kind == "inner" else "left",
            maintain_order="left",
        )
        joined = table.with_frame(frame)
        for name in added:
            if not has_everywhere(joined, name):
                joined = fill_field(joined, name, other)
        return joined.with_frame(
            drop_columns(joined.frame, [*tags, FOUND, *list_others(joined.frame)])
        )

    def _list_added(self, other: Table) -> list[str]:
        """Return the fields that come from the other table; for events without the service's own."""
        known = {fold_name(field) for field in self.fields}
        hidden = set(CORE_FIELDS) if other.has_events else set()
        return [name for name in list_shown(other) if fold_name(name) not in known | hidden]

    def _list_partners(self, other: Table, added: list[str]) -> pl.DataFrame:
        """Return at most this many rows per combination of values, with the columns to add under other names."""
        tags = name_tags(self.fields)
        held = [column.name for name in added for column in other.find_columns(name)]
        known = with_tags(other, self.fields).filter(has_all(self.fields))
        if self.most == 1:
            known = known.unique(tags, keep="first", maintain_order=True)
        elif self.most:
            known = known.filter(pl.int_range(pl.len()).over(tags) < self.most)
        return known.select(*tags, pl.lit(value=True).alias(FOUND), pl.col(held).name.prefix(OTHER))

    def _check_size(self, rows: pl.DataFrame, partners: pl.DataFrame, tags: list[str]) -> None:
        """Reserve memory for the rows before they are created; raise TooLarge if there are too many."""
        made = rows.height if self.most == 1 else count_pairs(rows, partners, tags)
        reserve(2 * made * (measure_row(rows) + measure_row(partners)))
        if made > self.conditions.limits.max_rows:
            raise TooLarge(
                f"join would make {made} rows, expected at most {self.conditions.limits.max_rows}"
            )


def count_pairs(rows: pl.DataFrame, partners: pl.DataFrame, tags: list[str]) -> int:
    """Return the rows with each of their partners, or alone if they have none."""
    counts = partners.group_by(tags).len("partners")
    return int(rows.select(tags).join(counts, on=tags, how="left")["partners"].fill_null(1).sum())


def measure_row(frame: pl.DataFrame) -> int:
    """Return the average size of a row."""
    return measure(frame) // max(frame.height, 1) + 1


def has_everywhere(table: Table, name: str) -> bool:
    """Return whether every row has a value of the field."""
    exists = Value.of_field(table, name).exists()
    return table.height > 0 and bool(table.frame.select(exists.all()).item())


def fill_field(table: Table, name: str, other: Table) -> Table:
    """Return the table with the other's values of a field where its rows have none."""
    own = Value.of_field(table, name)
    theirs = [column.kind for column in other.find_columns(name)]
    parts: dict[Kind, pl.Expr] = dict(own.parts)
    for kind in theirs:
        found = pl.when(~own.exists()).then(pl.col(OTHER + Column(fold_name(name), kind).name))
        parts[kind] = pl.coalesce(parts[kind], found) if kind in parts else found
    return table.with_field(name, parts)


def list_others(frame: pl.DataFrame) -> list[str]:
    return [name for name in frame.columns if name.startswith(OTHER)]


def make_join(pipe: ast.Join, conditions: Conditions) -> Join:
    return Join(pipe.fields, pipe.query, pipe.kind, pipe.most, conditions)
