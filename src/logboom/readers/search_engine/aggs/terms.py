"""`terms`: one bucket for each value of a field, the largest ones."""

from typing import Any

from logboom.base.structs import InternalStruct
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
    Metric,
    Node,
    name_column,
)
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
BY_COUNT = ("_count",)
BY_KEY = ("_key", "_term")
TOTAL = f"{OWN}total"
RANKS = {bool: 2, str: 1}


class SortBy(InternalStruct, frozen=True):
    """One thing that terms are sorted by: a column, or the key itself if it is None."""

    column: str | None
    descending: bool


class Terms(Keyed, frozen=True, kw_only=True):
    """`fallback` stands for the values of events that have none."""

    size: int
    least: int
    order: tuple[SortBy, ...]
    fallback: Any = None
    is_cut = True

    def reduce(self, before: tuple[str, ...], own: tuple[str, ...]) -> tuple[ast.Pipe, ...]:
        [key] = own
        count = ast.Field(COUNT)
        total = ast.Aggregate("sum", count, name=TOTAL)
        keys = tuple(ast.SortKey(by.column or key, by.descending) for by in self.order)
        keys = tuple({each.field: each for each in reversed((*keys, ast.SortKey(key)))}.values())[
            ::-1
        ]
        enough = ast.Compare(COUNT, ">=", ast.Quantity(self.least))
        cut: ast.Pipe = ast.Dedup(before, self.size, keys) if before else ast.Sort(keys, self.size)
        return (
            ast.EventStats((total,), tuple(ast.Key(each) for each in before)),
            *([ast.Where(enough)] if self.least > 1 else []),
            cut,
        )

    def choose(self, buckets: list[Bucket]) -> list[Bucket]:
        chosen = [bucket for bucket in buckets if bucket.row.get(COUNT, 0) >= self.least]
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
        describe = describe_time if self.key.field == TIME else describe_key
        return [(describe(bucket.value), bucket) for bucket in buckets]

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


def sort_buckets(buckets: list[Bucket], by: SortBy) -> list[Bucket]:
    """Return the buckets sorted by a column; those without a value come last either way, ties keep their order."""

    def rank(bucket: Bucket) -> tuple[int, Any]:
        value = bucket.value if by.column is None else bucket.row[by.column]
        return (RANKS.get(type(value), 0), value.lower() if isinstance(value, str) else value)

    known = [each for each in buckets if by.column is None or each.row.get(by.column) is not None]
    missing = [
        each for each in buckets if by.column is not None and each.row.get(by.column) is None
    ]
    return sorted(known, key=rank, reverse=by.descending) + missing


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
    argument = read_argument(options, context, "terms")
    least = read_whole(options.get("min_doc_count", 1), "min_doc_count", 0, 2**31)
    return Terms(
        type="sterms",
        inner=inner,
        key=Key(argument.field, None if argument.missing is None else argument.any),
        filter=read_terms_filter(options, argument, context),
        size=read_whole(options.get("size", DEFAULT_SIZE), "size", 1, 2**31)
        if options.get("size") != 0
        else MOST_TERMS,
        least=max(least, 1),
        order=read_order(options.get("order", {"_count": "desc"}), inner),
        fallback=argument.missing,
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


def read_order(written: object, inner: dict[str, Node]) -> tuple[SortBy, ...]:
    found = []
    for each in read_list(written):
        for path, direction in read_object(each, "order").items():
            if direction not in ("asc", "desc"):
                raise unsupported(f"[order] is {show(direction)}, expected asc or desc")
            found.append(SortBy(find_column(path, inner), direction == "desc"))
    return tuple(found)


def find_column(path: str, inner: dict[str, Node]) -> str | None:
    """Return the column that a path such as `_count`, `1`, `1.avg` or `1[95.0]` leads to; None for the key."""
    if path in BY_COUNT:
        return COUNT
    if path in BY_KEY:
        return None
    name, value = split_path(path, inner)
    metric = inner.get(name)
    column = metric.find_column(value) if isinstance(metric, Metric) else None
    if column is None:
        raise unsupported(f"Invalid aggregator order path [{path[:80]}]")
    return name_column(inner, name, column)


def split_path(path: str, inner: Members) -> tuple[str, str]:
    """Return the name of an aggregation, and which of its numbers is meant."""
    if path in inner:
        return path, ""
    if path.endswith("]"):
        name, _, value = path[:-1].partition("[")
        return name, value
    name, _, value = (
        path.rpartition(".") if path.rpartition(".")[0] in inner else path.partition(".")
    )
    return name, value
