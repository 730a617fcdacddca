"""The order of the buckets of `terms`: by count, key, or a metric inside each bucket, also through filters."""

from collections.abc import Mapping

from msgspec.structs import replace

from logboom.base.errors import Invalid
from logboom.base.structs import InternalStruct
from logboom.lang import ast
from logboom.readers.search_engine.aggs.nodes import COUNT, OWN, Metric, Node, Split, name_column
from logboom.readers.search_engine.dsl.context import EVERYTHING, join_all, unsupported
from logboom.readers.search_engine.dsl.members import read_list, read_object, show

BY_COUNT = ("_count",)
BY_KEY = ("_key", "_term")


class SortBy(InternalStruct, frozen=True):
    """One thing that terms are sorted by: a column, or the key itself if it is None."""

    column: str | None
    descending: bool


def read_order(
    written: object, inner: dict[str, Node]
) -> tuple[tuple[SortBy, ...], tuple[ast.Aggregate, ...]]:
    """Return what buckets are sorted by, and the aggregates that only their order needs."""
    found: list[SortBy] = []
    needed: list[ast.Aggregate] = []
    for each in read_list(written):
        for path, direction in read_object(each, "order").items():
            if direction not in ("asc", "desc"):
                raise unsupported(f"[order] is {show(direction)}, expected asc or desc")
            column, aggregates = find_column(path, inner, f"{OWN}order.{len(found)}.")
            found.append(SortBy(column, direction == "desc"))
            needed += aggregates
    return tuple(found), tuple(needed)


def find_column(
    path: str, inner: Mapping[str, Node], start: str
) -> tuple[str | None, list[ast.Aggregate]]:
    """Return the column that a path such as `_count`, `1`, `1.avg`, `1[95.0]` or `a>1` leads to; None for the key.

    Names of columns that are only for this path begin with `start`; they are returned too.
    """
    if path in BY_COUNT:
        return COUNT, []
    if path in BY_KEY:
        return None, []
    *outer, last = path.split(">")
    conditions: list[ast.Filter] = []
    for name in outer:
        inner = enter(inner, name, path, conditions)
    name, value = (last, "") if last in inner or last in BY_COUNT else split_path(last, inner)
    node = inner.get(name)
    if last in BY_COUNT or (isinstance(node, Split) and value in ("", *BY_COUNT)):
        if node is not None:
            enter(inner, name, path, conditions)
        return f"{start}{COUNT}", [
            ast.Aggregate("count", condition=join_all(conditions), name=f"{start}{COUNT}")
        ]
    column = node.find_column(value) if isinstance(node, Metric) else None
    if column is None or not isinstance(node, Metric):
        raise refuse_path(path)
    if not outer:
        return name_column(inner, name, column), []
    return f"{start}{column}", [
        replace(
            each,
            name=f"{start}{each.name}",
            condition=join_all([*conditions, each.condition or EVERYTHING]),
        )
        for each in node.list_aggregates()
    ]


def enter(
    nodes: Mapping[str, Node], name: str, path: str, conditions: list[ast.Filter]
) -> Mapping[str, Node]:
    """Return the aggregations inside one with a single bucket, and add what its events match to the conditions."""
    node = nodes.get(name)
    if not isinstance(node, Split) or not node.is_single:
        raise refuse_path(path)
    [(_, condition)] = node.conditions
    conditions.append(condition)
    return node.inner


def refuse_path(path: str) -> Invalid:
    return unsupported(f"Invalid aggregator order path [{path[:80]}]")


def split_path(path: str, inner: Mapping[str, Node]) -> tuple[str, str]:
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
