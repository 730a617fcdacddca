"""`terms`, `multi_terms` and `rare_terms`: one bucket for each value of a field, or of several, the largest ones."""

import math
from typing import Any

from msgspec.structs import replace

from logboom.lang import ast
from logboom.lang.times import parse_moment
from logboom.readers.search_engine.aggs.metrics import Argument, read_argument
from logboom.readers.search_engine.aggs.nodes import (
    COUNT,
    OWN,
    Answer,
    Bucket,
    Key,
    Keyed,
    Node,
)
from logboom.readers.search_engine.aggs.orders import SortBy, read_order
from logboom.readers.search_engine.dsl.context import (
    EVERYTHING,
    TIME,
    Context,
    is_message,
    join_all,
    join_any,
    negate,
    unsupported,
)
from logboom.readers.search_engine.dsl.members import (
    Members,
    list_scalars,
    read_list,
    read_object,
    read_whole,
    show,
    write_scalar,
)
from logboom.readers.search_engine.dsl.terms import match_regex
from logboom.readers.search_engine.hits.moments import NS_PER_MS, format_moment

DEFAULT_SIZE = 10
MOST_TERMS = 65_535
MOST_NARROWED = 500
MOST_FIELDS = 16
MOST_RARE = 100
TOTAL = f"{OWN}total"
RANKS = {bool: 2, str: 1}


class Terms(Keyed, frozen=True, kw_only=True):
    """`fallback` stands for the values of events that have none; buckets have from `least` to `most` events."""

    size: int
    least: int
    order: tuple[SortBy, ...]
    fallback: Any = None
    most: int | None = None
    is_cut = True

    def reduce(self, before: tuple[str, ...], own: tuple[str, ...]) -> tuple[ast.Pipe, ...]:
        total = ast.Aggregate("sum", ast.Field(COUNT), name=TOTAL)
        keys = [
            ast.SortKey(name, by.descending)
            for by in self.order
            for name in ([by.column] if by.column else own)
        ]
        keys += map(ast.SortKey, own)
        unique = tuple({each.field: each for each in reversed(keys)}.values())[::-1]
        cut: ast.Pipe = (
            ast.Dedup(before, self.size, unique) if before else ast.Sort(unique, self.size)
        )
        return (
            ast.EventStats((total,), tuple(ast.Key(each) for each in before)),
            *([ast.Where(self._limit())] if self._limit() != EVERYTHING else []),
            cut,
        )

    def _limit(self) -> ast.Filter:
        """Return the filter for rows with neither too few nor too many events."""
        least, most = (
            None if each is None else ast.Quantity(each) for each in (self.least, self.most)
        )
        tests: list[ast.Filter] = (
            [ast.Compare(COUNT, ">=", least)] if least and self.least > 1 else []
        )
        return join_all([*tests, *([ast.Compare(COUNT, "<=", most)] if most else [])])

    def choose(self, buckets: list[Bucket]) -> list[Bucket]:
        chosen = [
            bucket
            for bucket in buckets
            if self.least <= bucket.row.get(COUNT, 0) <= (self.most or math.inf)
        ]
        for by in reversed((*self.order, SortBy(None, descending=False))):
            chosen = sort_buckets(chosen, by)
        return chosen[: self.size]

    def narrow(self, values: list[Any]) -> ast.Filter:
        field = self.key.field
        if (
            self.fallback is not None
            or len(values) > MOST_NARROWED
            or field == TIME
            or is_message(field)
        ):
            return EVERYTHING
        return join_any([match_key(field, value) for value in values])

    def list_buckets(self, buckets: list[Bucket]) -> list[tuple[Answer, Bucket]]:
        return [(self.describe(bucket.value), bucket) for bucket in buckets]

    def describe(self, value: Any) -> Answer:
        return describe_time(value) if self.key.field == TIME else describe_key(value)

    def finish(self, buckets: list[Answer], found: list[Bucket]) -> Answer:
        shown = sum(bucket["doc_count"] for bucket in buckets)
        total = found[0].row.get(TOTAL) if found else 0
        if total is None:
            total = sum(bucket.row.get(COUNT, 0) for bucket in found)
        return {
            "doc_count_error_upper_bound": 0,
            "sum_other_doc_count": total - shown,
            "buckets": buckets,
        }


class MultiTerms(Terms, frozen=True, kw_only=True):
    """One bucket for each combination of values of several fields."""

    fields: tuple[Terms, ...]
    is_composite = True

    @property
    def parts(self) -> tuple[Keyed, ...]:
        return self.fields

    def narrow(self, values: list[Any]) -> ast.Filter:
        columns = zip(*values, strict=True)
        return join_all(
            [
                field.narrow(list(dict.fromkeys(column)))
                for field, column in zip(self.fields, columns, strict=False)
            ]
        )

    def describe(self, value: Any) -> Answer:
        keys = [field.describe(each) for field, each in zip(self.fields, value, strict=True)]
        texts = [str(each.get("key_as_string", each["key"])) for each in keys]
        return {"key": [each["key"] for each in keys], "key_as_string": "|".join(texts)}


class RareTerms(Terms, frozen=True, kw_only=True):
    """The values that few events have."""

    def finish(self, buckets: list[Answer], _found: list[Bucket]) -> Answer:
        return {"buckets": buckets}


def sort_buckets(buckets: list[Bucket], by: SortBy) -> list[Bucket]:
    """Return the buckets sorted by a column; those without a value come last either way, ties keep their order."""

    def rank(bucket: Bucket) -> Any:
        value = bucket.value if by.column is None else bucket.row[by.column]
        return [*map(rank_value, value)] if isinstance(value, tuple) else rank_value(value)

    known = [each for each in buckets if by.column is None or each.row.get(by.column) is not None]
    missing = [
        each for each in buckets if by.column is not None and each.row.get(by.column) is None
    ]
    return sorted(known, key=rank, reverse=by.descending) + missing


def rank_value(value: Any) -> tuple[int, Any]:
    return (RANKS.get(type(value), 0), value.lower() if isinstance(value, str) else value)


def match_key(field: str, value: Any) -> ast.Filter:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return ast.Range(field, ast.Quantity(value), ast.Quantity(value))
    return ast.Exact(field, write_scalar(value))


def describe_key(value: Any) -> Answer:
    if isinstance(value, bool):
        return {"key": int(value), "key_as_string": write_scalar(value)}
    return {"key": value}


def describe_time(value: str) -> Answer:
    time_ns = parse_moment(value, 0)
    return {"key": time_ns // NS_PER_MS, "key_as_string": format_moment(time_ns)}


def read_terms(options: Members, inner: dict[str, Node], context: Context) -> Terms:
    field = read_field(options, context, "terms")
    order, ordering = read_order(options.get("order", {"_count": "desc"}), inner)
    least = read_whole(options.get("min_doc_count", 1), "min_doc_count", 0, 2**31)
    return replace(
        field,
        inner=inner,
        size=read_size(options),
        least=max(least, 1),
        order=order,
        ordering=ordering,
    )


def read_field(options: Members, context: Context, kind: str) -> Terms:
    """Return the buckets of a field, whatever their number and order."""
    argument = read_argument(options, context, kind)
    return Terms(
        type="sterms",
        key=Key(argument.field, None if argument.missing is None else argument.any),
        filter=read_terms_filter(options, argument, context),
        size=MOST_TERMS,
        least=1,
        order=(),
        fallback=argument.missing,
    )


def read_size(options: Members) -> int:
    if options.get("size") == 0:
        return MOST_TERMS
    return read_whole(options.get("size", DEFAULT_SIZE), "size", 1, 2**31)


def read_multi_terms(options: Members, inner: dict[str, Node], context: Context) -> Terms:
    written = [read_object(each, "terms") for each in read_list(options.get("terms", []))]
    if not 1 < len(written) <= MOST_FIELDS:
        raise unsupported(f"[multi_terms] has {len(written)} terms, expected 2 to {MOST_FIELDS}")
    fields = tuple(read_field(each, context, "multi_terms") for each in written)
    order, ordering = read_order(options.get("order", {"_count": "desc"}), inner)
    least = read_whole(options.get("min_doc_count", 1), "min_doc_count", 0, 2**31)
    return MultiTerms(
        type="multi_terms",
        inner=inner,
        key=fields[0].key,
        filter=EVERYTHING,
        fields=fields,
        size=read_size(options),
        least=max(least, 1),
        order=order,
        ordering=ordering,
    )


def read_rare_terms(options: Members, inner: dict[str, Node], context: Context) -> Terms:
    field = read_field(options, context, "rare_terms")
    most = read_whole(options.get("max_doc_count", 1), "max_doc_count", 1, MOST_RARE)
    return RareTerms(
        type="srareterms",
        inner=inner,
        key=field.key,
        filter=field.filter,
        size=MOST_TERMS,
        least=1,
        most=most,
        order=(SortBy(COUNT, descending=False),),
        fallback=field.fallback,
    )


def read_terms_filter(options: Members, argument: Argument, context: Context) -> ast.Filter:
    """Return the filter for events with a value that is included and not excluded."""
    field = argument.field
    tests: list[ast.Filter] = [] if argument.missing is not None else [ast.Exists(field)]
    for name in ("include", "exclude"):
        written = options.get(name)
        if written is None:
            continue
        chosen = read_choice(field, written, context)
        tests.append(chosen if name == "include" else negate(chosen))
    return join_all(tests)


def read_choice(field: str, written: object, context: Context) -> ast.Filter:
    if isinstance(written, str):
        return match_regex(field, written, ignores_case=False)
    if not isinstance(written, list):
        raise unsupported(
            f"[terms] includes {show(written)}, expected values or a regular expression"
        )
    values = list(list_scalars(written, "terms"))
    context.allowance.spend(len(values))
    return join_any([match_key(field, value) for value in values])
