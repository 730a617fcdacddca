"""The keys of `composite` aggregations: how each is grouped, shown, and continued after.

Values are in the order of sorting: numbers, then texts ignoring case, then booleans. Texts that differ only in case, or
spell the same number, are told apart by their characters, so that every value has a place of its own.
"""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from logboom.base.clock import NS_PER_S
from logboom.base.structs import InternalStruct
from logboom.lang import ast
from logboom.lang.times import find_zone, parse_moment
from logboom.readers.search_engine.aggs.histograms import DateHistogram, Histogram
from logboom.readers.search_engine.aggs.metrics import read_number
from logboom.readers.search_engine.aggs.nodes import OWN, Keyed, write_key
from logboom.readers.search_engine.aggs.terms import describe_time
from logboom.readers.search_engine.dsl.context import (
    NOTHING,
    TIME,
    join_all,
    join_any,
    negate,
    unsupported,
)
from logboom.readers.search_engine.dsl.members import show
from logboom.readers.search_engine.dsl.times import read_period
from logboom.readers.search_engine.hits.sorting import LATER, Key, compare_alike, list_later_ranks

MISSING, SPELLING = f"{OWN}missing.", f"{OWN}spelling."
"""Columns beside a key: whether there is none, and what tells equal texts apart."""
OTHER = "n"
"""The spelling of what is not a text."""


class Follower(NamedTuple):
    """Which rows have the same key as another one, and which have a later one."""

    same: ast.Filter
    later: ast.Filter


class Source(InternalStruct, frozen=True):
    """One of the keys, and its order."""

    name: str
    part: Keyed
    descending: bool
    is_missing_first: bool

    @abstractmethod
    def show(self, value: Any) -> Any:
        """Return a value of the key as it is answered."""

    @abstractmethod
    def compare(self, column: str, place: int, value: Any) -> Follower:
        """Return the rows after those with an answered value."""

    def follow(self, column: str, place: int, value: Any) -> Follower:
        """Return the same, including rows without a value."""
        if value is None:
            return Follower(
                negate(ast.Exists(column)),
                ast.Exists(column) if self.is_missing_first else NOTHING,
            )
        same, later = self.compare(column, place, value)
        missing = NOTHING if self.is_missing_first else negate(ast.Exists(column))
        return Follower(same, join_any([later, missing]))

    def compute(self, column: str, place: int) -> Iterator[tuple[str, ast.Expression]]:
        """Yield the columns beside the key that its order needs."""
        if self.part.takes_missing:
            is_missing = ast.Call("isnull", (ast.Field(column),))
            yield f"{MISSING}{place}", choose(is_missing, ast.Literal(1), ast.Literal(0))

    def list_keys(self, column: str, place: int) -> Iterator[ast.SortKey]:
        if self.part.takes_missing:
            yield ast.SortKey(f"{MISSING}{place}", self.is_missing_first)
        yield ast.SortKey(column, self.descending)

    def refuse(self, value: object) -> Exception:
        return unsupported(
            f"[after] has {show(value)} for [{self.name[:80]}], expected a value of an [after_key]"
        )


class TermsSource(Source, frozen=True):
    """The values of a field."""

    def show(self, value: Any) -> Any:
        return value

    def compare(self, column: str, place: int, value: Any) -> Follower:
        if not isinstance(value, str | int | float):
            raise self.refuse(value)
        key, operator = Key(column, self.descending), LATER[self.descending]
        alike, later = compare_alike(key, value)
        spelling, written = f"{SPELLING}{place}", spell(value)
        respelt = join_all([alike, ast.Compare(spelling, operator, written)])
        return Follower(
            join_all([alike, ast.Exact(spelling, written)]),
            join_any([later, *list_later_ranks(key, value), respelt]),
        )

    def compute(self, column: str, place: int) -> Iterator[tuple[str, ast.Expression]]:
        yield from super().compute(column, place)
        value = ast.Field(column)
        text = ast.Call("concat", (ast.Literal("s"), ast.Call("hexencode", (value,))))
        yield f"{SPELLING}{place}", choose(ast.Call("isstr", (value,)), text, ast.Literal(OTHER))

    def list_keys(self, column: str, place: int) -> Iterator[ast.SortKey]:
        yield from super().list_keys(column, place)
        yield ast.SortKey(f"{SPELLING}{place}", self.descending)


class StepSource(Source, frozen=True):
    """The steps of a histogram, compared between them, so that the error of a product does not matter."""

    histogram: Histogram

    def show(self, value: Any) -> Any:
        return self.histogram.describe(self.histogram.find_step(value))["key"]

    def compare(self, column: str, place: int, value: Any) -> Follower:  # noqa: ARG002
        interval = self.histogram.interval
        start = read_number(value, "after") - self.histogram.offset
        low, high = (ast.Quantity(start + side * interval / 2) for side in (-1, 1))
        return Follower(
            ast.Range(column, low, high),
            ast.Compare(column, LATER[self.descending], low if self.descending else high),
        )


class TimeSource(Source, frozen=True):
    """The intervals of a date histogram; without one, times themselves."""

    histogram: DateHistogram | None
    now_ns: int

    def show(self, value: Any) -> Any:
        if self.histogram is None:
            return describe_time(value)["key"]
        begin = self.histogram.describe(parse_moment(value, 0))
        return begin["key_as_string"] if self.histogram.format else begin["key"]

    def compare(self, column: str, place: int, value: Any) -> Follower:  # noqa: ARG002
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self.refuse(value)
        format_ = self.histogram.format if self.histogram else ""
        start_ns, end_ns = read_period(value, self.now_ns, find_zone(self.part.zone), format_)
        low, high = (ast.Quantity(each / NS_PER_S) for each in (start_ns, end_ns))
        operator: ast.Comparison = "<" if self.descending else ">="
        return Follower(
            join_all([ast.Compare(column, ">=", low), ast.Compare(column, "<", high)]),
            ast.Compare(column, operator, low if self.descending else high),
        )


def choose(test: ast.Expression, yes: ast.Expression, no: ast.Expression) -> ast.Expression:
    return ast.Call("if", (test, yes, no))


def spell(value: object) -> str:
    """Return what the column of spellings has for a value: the bytes of a text, as `hexencode` writes them."""
    return f"s{value.encode().hex().upper()}" if isinstance(value, str) else OTHER


def make_source(
    name: str, part: Keyed, *, descending: bool, is_missing_first: bool, now_ns: int
) -> Source:
    """Return the source of a kind of key; times are computed, because as fields they are compared in another way."""
    order = (descending, is_missing_first)
    match part:
        case Histogram():
            return StepSource(name, part, *order, part)
        case DateHistogram():
            return TimeSource(name, compute_key(part), *order, part, now_ns)
        case _ if part.key.field == TIME:
            return TimeSource(name, compute_key(part), *order, None, now_ns)
        case _:
            return TermsSource(name, part, *order)


def compute_key(part: Keyed) -> Keyed:
    return replace(part, key=replace(part.key, expression=write_key(part.key)))
