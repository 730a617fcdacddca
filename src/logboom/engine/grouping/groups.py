"""Groups: rows with the same keys are grouped and aggregated.

A partial result has a row for each group: the columns of its keys, and those of the aggregates' roles.
"""

import operator
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import NamedTuple

import polars as pl
from msgspec import field

from logboom.base.errors import Invalid
from logboom.base.structs import InternalStruct
from logboom.engine.aggregates import check_aggregate, make_reducer
from logboom.engine.aggregates.distinct import Values
from logboom.engine.aggregates.order import AllValues
from logboom.engine.aggregates.reducer import Reducer, Roles, Rows
from logboom.engine.blocks.codes import Codes
from logboom.engine.expressions import build_expression
from logboom.engine.expressions.numeric import as_real, read_numbers, unify_numbers
from logboom.engine.filters import build_filter
from logboom.engine.grouping.buckets import find_networks, floor_value
from logboom.engine.grouping.coded import count_codes
from logboom.engine.grouping.few import merge_counts
from logboom.engine.grouping.spans import count_spans
from logboom.engine.rows.internal import internal
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.ordering import order_by, order_few, sort_descending
from logboom.engine.rows.series import join_series
from logboom.engine.rows.size import measure, measure_fields
from logboom.engine.rows.table import TIME, Shared, Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need, need_node
from logboom.engine.terms.spans import measure_span
from logboom.lang import ast
from logboom.model.columns import DTYPES, Column, Kind, list_kinds
from logboom.model.names import fold_name

MAX_LOOSE_ROWS = 1_000_000
MAX_LOOSE_BYTES = 128 << 20
"""Up to these sizes partial results are only concatenated, and merged once later."""
STREAMED_ROWS = 50_000
"""From this size on the streaming engine is faster."""
PART_ROWS = 50_000
"""Partial results with lists that are merged at once."""
NUMERIC = (Kind.INT, Kind.FLOAT, Kind.TIME)
REMARK = internal("remark.")
ROWS = internal("rows")
"""Keeps the single row of a group without keys, whatever the aggregates return."""
Step = Callable[[Reducer], Callable[[Collection[str]], Roles]]
TO_PARTIAL: Step = operator.attrgetter("reduce")
TO_MERGED: Step = operator.attrgetter("merge")
TO_CONCLUSION: Step = operator.attrgetter("conclude")
SAMPLED = 2000
SAMPLE_ROWS = 8 * SAMPLED
"""The values of a sample are taken from this many rows, because some rows may have none."""
SCATTERED = 0.9
"""Above this share of distinct values in a sample, grouping the rows of one block gains nothing."""


class Lists(NamedTuple):
    """Results that are lists, a row for each group; `place` is the column with the index of a row's list."""

    place: str
    frame: pl.DataFrame


class Source(NamedTuple):
    """Rows to be reduced, not computed yet; `columns` has at least all that aggregates read."""

    lazy: pl.LazyFrame
    columns: list[str]
    height: int

    @classmethod
    def of(cls, frame: pl.DataFrame) -> "Source":
        return cls(frame.lazy(), frame.columns, frame.height)


class Groups(InternalStruct, frozen=True, dict=True):
    """The keys and aggregates of one pipe."""

    keys: tuple[ast.Key, ...]
    aggregates: tuple[ast.Aggregate, ...]
    conditions: Conditions = field(default_factory=Conditions)

    def __post_init__(self) -> None:
        check_distinct(self.columns)
        for aggregate in self.aggregates:
            check_aggregate(aggregate)
        for key in self.keys:
            if key.bucket is not None and key.bucket.number <= 0:
                raise Invalid(
                    f"buckets of {key.field} are {key.bucket.number} wide, expected more than 0"
                )

    @cached_property
    def reducers(self) -> list[Reducer]:
        spans = [key.bucket for key in self.keys if fold_name(key.field) == TIME.field]
        span_ns = next((measure_span(span) for span in spans if span is not None), None)
        return [
            make_reducer(place, aggregate, self.conditions, span_ns)
            for place, aggregate in enumerate(self.aggregates)
        ]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the result."""
        return (
            *[key.field for key in self.keys],
            *[aggregate.name for aggregate in self.aggregates],
        )

    @property
    def is_ordered(self) -> bool:
        return any(reducer.is_ordered for reducer in self.reducers)

    @property
    def keeps_values(self) -> bool:
        """Whether a partial result grows with its rows."""
        return any(reducer.keeps_values for reducer in self.reducers)

    def needs(self) -> Needs:
        extra = [name for reducer in self.reducers for name in reducer.reads]
        return need_node((self.keys, self.aggregates)) | need(*extra)

    def compute(self, table: Table) -> Table:
        """Return the partial result of some rows."""
        if self.is_ordered and table.has_events:
            table = table.with_frame(sort_descending(table.frame, table.order))
        if self.only_counts and not self.keys:
            return self.count_rows(table.height)
        if self.time_span is not None and TIME.name in table.frame.columns:
            counted = self.count_spans(table.frame[TIME.name])
            if counted is not None:
                return counted
        keys = self.read_keys(table)
        if self.only_counts and is_scattered(table, list(keys)):
            return self.list_singly(*(table.frame[key] for key in keys))
        roles = self._read_rows(table)
        lazy = table.frame.lazy().with_columns(name_parts(keys | roles))
        rows = Source(lazy, [*keys, *roles], table.height)
        return Table(self._with_remarks(self._reduce(rows, list(keys), TO_PARTIAL), table))

    @cached_property
    def only_counts(self) -> bool:
        """Whether only the number of rows of each group is wanted."""
        return all(
            (each.function, each.argument, each.condition) == ("count", None, None)
            for each in self.aggregates
        )

    def count_rows(self, rows: int) -> Table:
        """Return the partial result of this many rows that are only counted, without keys."""
        return Table(
            join_series([pl.Series(each.name("n"), [rows], pl.Int64) for each in self.reducers])
        )

    def finish_rows(self, rows: int) -> Table:
        """Return the result of this many rows that are only counted, without keys."""
        names = [Column(fold_name(each.name), Kind.INT).name for each in self.aggregates]
        counts = join_series([pl.Series(name, [rows], pl.Int64) for name in names])
        return Table(counts, self.columns)

    @cached_property
    def plain_keys(self) -> tuple[str, ...] | None:
        """The fields by which rows are only counted, unchanged; None if anything else is needed."""
        fields = tuple(fold_name(key.field) for key in self.keys)
        is_plain = all(key.bucket is None and key.prefix_bits is None for key in self.keys)
        return fields if self.only_counts and is_plain else None

    def count_coded(self, keys: Sequence[Codes], selection: pl.Series | None) -> Table | None:
        """Return the partial result of selected rows that are only counted, or None if there may be too many groups."""
        counted = count_codes(keys, selection)
        if counted is None:
            return None
        columns = [
            pl.Series(key.column.name, values, pl.String)
            for key, values in zip(keys, counted.keys, strict=True)
        ]
        return self.make_counted(columns, counted.rows)

    def make_counted(self, keys: Sequence[pl.Series], rows: Sequence[int]) -> Table:
        """Return the partial result of groups that are only counted: their keys, and the number of rows of each."""
        counts = pl.Series(rows, dtype=pl.Int64)
        return Table(
            join_series([*keys, *(counts.alias(each.name("n")) for each in self.reducers)])
        )

    @cached_property
    def time_span(self) -> ast.Quantity | None:
        """The time spans by which rows are only counted; None if anything else is needed."""
        match self.keys:
            case [ast.Key(field, ast.Quantity() as span, None)] if fold_name(field) == TIME.field:
                return span if self.only_counts else None
            case _:
                return None

    def count_spans(self, times: pl.Series, selection: pl.Series | None = None) -> Table | None:
        """Return the partial result of selected rows by their time span.

        Return None if their times are unsorted or far apart.
        """
        assert self.time_span is not None, "rows are only counted by their time"
        counts = count_spans(times, selection, self.time_span, self.conditions.zone)
        if counts is None:
            return None
        starts = pl.Series(TIME.name, list(counts), pl.Int64)
        return self.make_counted([starts], list(counts.values()))

    def _finish_counts(self, merged: Table) -> Table:
        """Return the same as `finish` for counts only, with as few query plans as possible."""
        frame, keys = merged.frame, self.list_keys(merged.frame)
        numbers = [reducer.name("n") for reducer in self.reducers]
        if self.keys:
            few = merge_counts(frame, keys, numbers) if keys else None
            frame = self.conclude(frame, keys) if few is None else few
        counts = [frame.get_column(name) for name in numbers]
        if not self.keys and frame.height > 1:
            counts = [pl.Series([each.sum()], dtype=pl.Int64) for each in counts]
        names = [Column(fold_name(each.name), Kind.INT).name for each in self.aggregates]
        named = [each.alias(name) for name, each in zip(names, counts, strict=True)]
        return Table(join_series([*map(frame.get_column, keys), *named]), self.columns)

    def list_singly(self, values: pl.Series) -> Table:
        """Return a partial result with one row for each text, for texts that are nearly all distinct."""
        missing = values.null_count()
        if not missing:
            return Table(self._count_each(values, 1))
        single = self._count_each(values.drop_nulls(), 1)
        return Table(single.vstack(self._count_each(values.clear(1), missing)))

    def _count_each(self, values: pl.Series, rows: int) -> pl.DataFrame:
        """Return groups of the same number of rows, which are only counted."""
        counts = (pl.Series(each.name("n"), [rows], pl.Int64) for each in self.reducers)
        return join_series([values, *(each.new_from_index(0, len(values)) for each in counts)])

    def read(self, table: Table) -> tuple[pl.DataFrame, list[str]]:
        """Return the table's frame with everything that is needed of each row, and the columns to group by."""
        keys = self.read_keys(table)
        return table.frame.with_columns(name_parts(keys | self._read_rows(table))), list(keys)

    def reduce_frame(self, frame: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
        """Return the partial results of rows that were read."""
        return self._reduce(Source.of(frame), keys, TO_PARTIAL)

    def read_keys(self, table: Table) -> Roles:
        """Return the columns to group by."""
        return {
            Column(fold_name(key.field), kind).name: part
            for key in self.keys
            for kind, part in self._read_key(key, table).parts.items()
        }

    def _read_key(self, key: ast.Key, table: Table) -> Value:
        value = Value.of_field(table, key.field).first()
        if key.bucket is not None:
            return floor_value(value, key.bucket, self.conditions.zone, table.frame)
        if key.prefix_bits is not None:
            return find_networks(value, key.prefix_bits, table.frame)
        return unify_numbers(value)

    def _read_rows(self, table: Table) -> Roles:
        """Return the columns that aggregates read of each row."""
        return {
            reducer.name(role): part
            for reducer in self.reducers
            for role, part in reducer.read(self._find_rows(reducer, table)).items()
        }

    def _find_rows(self, reducer: Reducer, table: Table) -> Rows:
        argument, condition = reducer.aggregate.argument, reducer.aggregate.condition
        value = Value()
        if argument is not None:
            value = build_expression(argument, table, self.conditions).first()
        if condition is None:
            return Rows(table, value)
        keep = build_filter(condition, table, self.conditions)
        kept = {kind: pl.when(keep).then(part) for kind, part in value.parts.items()}
        return Rows(table, Value(kept), keep)

    def list_keys(self, frame: pl.DataFrame) -> list[str]:
        """Return the columns of the keys that a frame has."""
        held = frozenset(frame.columns)
        kinds = [each for key in self.keys for each in list_kinds(fold_name(key.field))]
        return [name for name, _ in kinds if name in held]

    def merge(self, tables: Sequence[Table]) -> Table:
        frame = pl.concat([table.frame for table in tables], how="diagonal")
        is_small = self.is_small(frame)
        return Table(frame if is_small else self.merge_frame(frame, self.list_keys(frame)))

    def is_small(self, frame: pl.DataFrame) -> bool:
        """Return whether it is too early to merge partial results."""
        return frame.height < MAX_LOOSE_ROWS and frame.estimated_size() < MAX_LOOSE_BYTES

    def merge_frame(
        self, frame: pl.DataFrame, keys: list[str], beside: Sequence[pl.Expr] = ()
    ) -> pl.DataFrame:
        """Return one row for each group of partial results; `beside` merges columns of the caller's."""
        remarks = [pl.col(name).sum() for name in frame.columns if name.startswith(REMARK)]
        return self._bring_together(frame, keys, TO_MERGED, [*remarks, *beside])

    def finish(self, merged: Table) -> Table:
        """Return a row for each group, in no order."""
        if self.only_counts:
            return self._finish_counts(merged)
        if self.keeps_values:
            reserve(2 * measure(merged.frame))
        keys = self.list_keys(merged.frame)
        return Table(self.finish_frame(self.conclude(merged.frame, keys), keys), self.columns)

    def sort(self, table: Table, keys: Sequence[ast.SortKey]) -> Table:
        """Return finished groups in a deterministic order: equal numbers before texts that spell them."""
        if table.height < 2:
            return table
        few = order_few(table, keys[0]) if keys else None
        if few is not None:
            return few
        by, descending = order_by(table, keys)
        texts = [Column(fold_name(key.field), Kind.STR).name for key in self.keys]
        by += [pl.col(name).fill_null("") for name in texts if name in table.frame.columns]
        descending += [False] * (len(by) - len(descending))
        return table.with_frame(
            table.frame.sort(by, descending=descending, nulls_last=True) if by else table.frame
        )

    def measure_texts(self, table: Table) -> int:
        """Return the memory of the texts by which rows are grouped."""
        texts = [Column(fold_name(key.field), Kind.STR).name for key in self.keys]
        held = frozenset(texts).intersection(table.frame.columns)
        return sum([int(table.frame.get_column(name).estimated_size()) for name in held])

    def conclude(self, frame: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
        return self._bring_together(frame, keys, TO_CONCLUSION)

    def finish_frame(self, frame: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
        """Return the results of concluded groups beside the columns of their keys."""
        parts: Roles = {}
        for reducer in self.reducers:
            found = reducer.finish(frame) or {Kind.STR: pl.lit(None, DTYPES[Kind.STR])}
            folded = fold_name(reducer.aggregate.name)
            if Kind.FLOAT in found:
                # JSON has no infinity.
                real = found[Kind.FLOAT]
                found = {**found, Kind.FLOAT: pl.when(real.is_finite()).then(real)}
            parts |= {Column(folded, kind).name: part for kind, part in found.items()}
        named = frame.lazy().with_columns(name_parts(parts)).select(*keys, *parts)
        return named.collect()

    def add_results(
        self, table: Table, results: pl.DataFrame, lists: "Lists | None" = None
    ) -> Table:
        """Return a table with results of aggregates, row by row, as fields; lists may be shared by rows."""
        if lists and lists.frame.width:
            table = table.with_frame(table.frame.with_columns(results[lists.place]))
        for reducer in self.reducers:
            name = reducer.aggregate.name
            if lists and (held := Table(lists.frame).find_columns(name)):
                of_groups = {column.kind: lists.frame[column.name] for column in held}
                table = table.with_shared(name, Shared(lists.place, of_groups))
                continue
            columns = Table(results).find_columns(name)
            parts = {column.kind: pl.lit(results[column.name]) for column in columns}
            table = table.with_field(name, parts)
        return table

    def bound_memory(self, table: Table) -> int:
        """Return the memory for reading and reducing rows: their keys and arguments, and the roles of aggregates."""
        role_bytes = sum(reducer.row_bytes for reducer in self.reducers)
        return 2 * measure_fields(table, self.needs().fields) + table.height * role_bytes

    def _bring_together(
        self, frame: pl.DataFrame, keys: list[str], step: Step, extra: Sequence[pl.Expr] = ()
    ) -> pl.DataFrame:
        """Return one row for each group; groups are merged in portions if Polars would use much memory for each."""
        parts = frame.height // PART_ROWS + 1
        if parts == 1 or not keys or not self.keeps_values:
            return self._reduce(Source.of(frame), keys, step, extra)
        part = frame.select(pl.struct(keys).hash() % parts).to_series()
        return pl.concat(
            self._reduce(Source.of(frame.filter(part == number)), keys, step, extra)
            for number in range(parts)
        )

    def _reduce(
        self, rows: Source, keys: list[str], step: Step, extra: Sequence[pl.Expr] = ()
    ) -> pl.DataFrame:
        results = [
            part.alias(reducer.name(role))
            for reducer in self.reducers
            for role, part in step(reducer)(reducer.list_roles(rows.columns)).items()
        ]
        if not keys:
            reduced = rows.lazy.select(pl.len().alias(ROWS), *results, *extra).collect()
            return reduced if rows.height or not self.keys else reduced.clear()
        is_streamed = rows.height > STREAMED_ROWS and not self.is_ordered
        lazy = rows.lazy.group_by(keys).agg(*results, *extra)
        if not rows.height:
            # Polars loses the types of some aggregates when it groups no rows.
            return pl.DataFrame(schema=lazy.collect_schema())
        return lazy.collect(engine="streaming" if is_streamed else "in-memory")

    def _with_remarks(self, partial: pl.DataFrame, table: Table) -> pl.DataFrame:
        """Add to the first row how many of all rows an aggregate could not count."""
        if not partial.height:
            return partial
        counts: dict[str, int] = {}
        seen: set[tuple[str, ast.Filter | None]] = set()
        for reducer in self.reducers:
            argument, condition = reducer.aggregate.argument, reducer.aggregate.condition
            if not reducer.is_numeric or not isinstance(argument, ast.Field):
                continue
            if (argument.name, condition) not in seen:
                seen.add((argument.name, condition))
                for code, count in self._count_remarks(reducer, argument.name, table).items():
                    counts[f"{REMARK}{reducer.place}.{code}"] = count
        others = [0] * (partial.height - 1)
        return partial.hstack(
            [pl.Series(name, [count, *others], pl.Int64) for name, count in counts.items() if count]
        )

    def _count_remarks(self, reducer: Reducer, field: str, table: Table) -> dict[str, int]:
        columns = table.find_columns(field)
        if reducer.aggregate.condition is None and all(each.kind in NUMERIC for each in columns):
            # In the usual case the values need not be examined.
            held = sum(table.height - table.frame[each.name].null_count() for each in columns)
            return {"lacks_field": table.height - held}
        rows = self._find_rows(reducer, table)
        lacks = ~rows.exists() if rows.keep is None else ~rows.exists() & rows.keep
        fails = rows.exists() & as_real(read_numbers(rows.value)).is_null()
        tests = [lacks.alias("lacks_field"), fails.alias("not_numeric")]
        counted: dict[str, int] = (
            table.frame.with_columns(tests)
            .select(pl.col("lacks_field", "not_numeric").sum())
            .row(0, named=True)
        )
        return counted

    def read_remarks(self, merged: Table) -> Counter[tuple[str, str]]:
        """Return what the result leaves out: how many values, by the reason and the field."""
        frame = merged.frame
        remarks: Counter[tuple[str, str]] = Counter()
        counted = [name for name in frame.columns if name.startswith(REMARK)]
        crowded = [each for each in self.reducers if isinstance(each, Values | AllValues)]
        if not counted and not crowded:
            return remarks
        for name in counted:
            place, code = name.removeprefix(REMARK).split(".")
            remarks[code, self._name_argument(int(place))] = int(frame[name].sum())
        concluded = self.conclude(frame, self.list_keys(frame)) if crowded else frame
        for reducer in crowded:
            remarks["too_many_values", self._name_argument(reducer.place)] += (
                reducer.count_left_out(concluded)
            )
        return +remarks

    def _name_argument(self, place: int) -> str:
        aggregate = self.aggregates[place]
        return (
            aggregate.argument.name if isinstance(aggregate.argument, ast.Field) else aggregate.name
        )


def check_distinct(columns: Collection[str]) -> None:
    """Raise Invalid for the first name that occurs twice, in whatever case."""
    names = list(map(fold_name, columns))
    if len(set(names)) == len(names):
        return
    twice = next(name for name in columns if names.count(fold_name(name)) > 1)
    raise Invalid(f"column {twice!r} occurs twice, expected distinct names")


def is_scattered(table: Table, keys: list[str]) -> bool:
    """Return whether rows are grouped by one text that is nearly always different."""
    if table.height < SAMPLED or len(keys) != 1 or table.frame.schema.get(keys[0]) != pl.String:
        return False
    sample = table.frame[keys[0]].head(SAMPLE_ROWS).drop_nulls().head(SAMPLED)
    return len(sample) == SAMPLED and sample.n_unique() > SCATTERED * SAMPLED


def name_parts(parts: Roles) -> list[pl.Expr]:
    return [part.alias(name) for name, part in parts.items()]
