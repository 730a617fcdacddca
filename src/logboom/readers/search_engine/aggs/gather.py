"""Asks the engine for aggregations: one query for each level of buckets, whatever their number."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from msgspec import field
from msgspec.structs import replace

from logboom.base.structs import InternalStruct, MutableStruct
from logboom.lang import ast
from logboom.lang.format import format_query
from logboom.lang.parse import MAX_QUERY_BYTES
from logboom.readers.search_engine.aggs.nodes import (
    COUNT,
    MOST_BUCKETS,
    OWN,
    Bucket,
    Hits,
    Keyed,
    Metric,
    Node,
    Row,
    Split,
    Whole,
    name_column,
    too_many_buckets,
    write_key,
)
from logboom.readers.search_engine.dsl.context import (
    EVERYTHING,
    MOST_TESTS,
    count_tests,
    join_all,
    join_any,
    too_many_tests,
    unsupported,
)
from logboom.readers.search_engine.dsl.members import Members
from logboom.readers.search_engine.hits.page import MOST_HITS

MOST_ROWS = MOST_BUCKETS + 1
"""How many groups are answered at most, which is too many."""
MOST_BRANCHES = 200
MOST_COLUMNS = 1000
UTC = "UTC"

Place = tuple[int, tuple[Any, ...]]
"""A bucket among all of its level: its branch, and the values of its keys."""
Ask = Callable[[ast.Filter, tuple[ast.Pipe, ...], Mapping[str, Any]], list[dict[str, Any]]]
"""Runs a query with options for its question, and returns its rows."""


class Scope(InternalStruct, frozen=True):
    """The buckets of a level: those of each branch, which is a condition, by the values of some keys."""

    base: ast.Filter
    branches: tuple[ast.Filter, ...] = (EVERYTHING,)
    keys: tuple[Keyed, ...] = ()
    node: Keyed | None = None
    """The aggregation of the last keys, if these are its buckets and are yet to be chosen."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the keys."""
        return tuple(name_key(place, key, self.keys) for place, key in enumerate(self.keys))

    @property
    def filter(self) -> ast.Filter:
        """What events are in any of the buckets."""
        return join_all(
            [self.base, join_any(list(self.branches)), *(key.filter for key in self.keys)]
        )

    @property
    def zone(self) -> str:
        """The time zone of the days of all keys."""
        zones = {key.zone for key in self.keys if key.type == "date_histogram"} or {UTC}
        if len(zones) > 1:
            raise unsupported(
                "date histograms inside each other with several time zones, expected one"
            )
        return zones.pop()

    def group(self) -> tuple[list[ast.Pipe], tuple[ast.Key, ...]]:
        """Return the keys to group by, and the pipe that computes those that are not fields."""
        computed = [
            (name, write_key(keyed.key))
            for name, keyed in zip(self.names, self.keys, strict=True)
            if name.startswith(OWN)
        ]
        keys = tuple(
            ast.Key(name, None if name.startswith(OWN) else keyed.key.bucket)
            for name, keyed in zip(self.names, self.keys, strict=True)
        )
        return [ast.Eval(tuple(computed))] if computed else [], keys

    def mark(self) -> tuple[ast.Pipe, tuple[str, ...]]:
        """Return a pipe that adds all keys to events, and their names."""
        names = tuple(f"{OWN}key.{place}" for place in range(len(self.keys)))
        values = (write_key(keyed.key) for keyed in self.keys)
        return ast.Eval(tuple(zip(names, values, strict=True))), names


def name_key(place: int, keyed: Keyed, keys: tuple[Keyed, ...]) -> str:
    """Return the name of a key's column: the field itself if possible, because indexes may then have the answer."""
    field_name = keyed.key.field
    is_only = sum(other.key.field.lower() == field_name.lower() for other in keys) == 1
    is_free = is_only and not field_name.startswith(OWN)
    return field_name if keyed.key.expression is None and is_free else f"{OWN}key.{place}"


class Level(MutableStruct):
    """The results of a level: the row of every bucket, and the levels inside by aggregation."""

    rows: dict[Place, Row] = field(default_factory=dict)
    children: dict[Place, list[Bucket]] = field(default_factory=dict)
    """The buckets that are shown inside each bucket of the level above."""
    inner: dict[str, "Level"] = field(default_factory=dict)
    hits: dict[str, dict[Place, list[Members]]] = field(default_factory=dict)


class Gatherer:
    """Gathers the results of aggregations over the events that match a filter."""

    def __init__(self, ask: Ask, filter_: ast.Filter) -> None:
        self._ask = ask
        self._filter = filter_

    def gather(self, nodes: Mapping[str, Node]) -> Level:
        """Return the results of the outermost level."""
        return self._gather(nodes, Scope(self._filter))

    def _gather(self, nodes: Mapping[str, Node], scope: Scope) -> Level:
        level = Level(self._find_rows(nodes, scope))
        if scope.node is not None:
            self._choose(level, scope.node)
            scope = narrow(scope, scope.node, level)
        for name, node in nodes.items():
            if scope.keys and not level.rows:
                level.inner[name] = Level()
            elif isinstance(node, Keyed):
                if node.is_paged and scope.keys:
                    raise unsupported(
                        "[composite] aggregation cannot be used inside buckets of other keys"
                    )
                keys = (*scope.keys, *node.parts)
                level.inner[name] = self._gather(node.inner, replace(scope, keys=keys, node=node))
            elif isinstance(node, Split):
                level.inner[name] = self._gather(node.inner, split(scope, node))
            elif isinstance(node, Whole):
                if scope != Scope(self._filter):
                    raise unsupported("[global] aggregation, expected it at the top level")
                level.inner[name] = self._gather(node.inner, Scope(EVERYTHING))
            elif isinstance(node, Hits):
                level.hits[name] = self._find_hits(node, scope, max(1, len(level.rows)))
        return level

    @staticmethod
    def _choose(level: Level, node: Keyed) -> None:
        """Keep only the buckets that a node shows of each parent."""
        width = len(node.parts)
        parents: defaultdict[Place, list[Bucket]] = defaultdict(list)
        for (branch, values), row in level.rows.items():
            shown = show_keys(values[-width:])
            value = shown if node.is_composite else shown[0]
            parents[branch, values[:-width]].append(Bucket(value, row, values))
        level.children = {place: node.choose(buckets) for place, buckets in parents.items()}
        level.rows = {
            (branch, bucket.prefix): bucket.row
            for (branch, _), buckets in level.children.items()
            for bucket in buckets
        }
        if len(level.rows) > MOST_BUCKETS:
            raise too_many_buckets(len(level.rows))

    def _find_rows(self, nodes: Mapping[str, Node], scope: Scope) -> dict[Place, Row]:
        """Return the rows of all buckets of a level: one query for all branches, unless each shows other buckets."""
        if len(scope.branches) == 1 or scope.node is None or not scope.node.is_cut:
            return self._find_level(nodes, scope)
        return {
            (branch, values): row
            for branch, condition in enumerate(scope.branches)
            for (_, values), row in self._find_level(
                nodes, replace(scope, branches=(condition,))
            ).items()
        }

    def _find_level(self, nodes: Mapping[str, Node], scope: Scope) -> dict[Place, Row]:
        ordering = scope.node.ordering if scope.node else ()
        counted = [ast.Aggregate("count", name=COUNT), *ordering, *list_columns(nodes)]
        if len(counted) * len(scope.branches) > MOST_COLUMNS:
            raise unsupported(
                f"aggregations with more than {MOST_COLUMNS} numbers in each bucket, expected fewer"
            )
        is_single = len(scope.branches) == 1
        if not is_single:
            check_size(scope.branches, len(counted))
        aggregates = tuple(
            each if is_single else limit_to(each, branch, condition)
            for branch, condition in enumerate(scope.branches)
            for each in counted
        )
        before, keys = scope.group()
        pipes: list[ast.Pipe] = [*before, ast.Stats(aggregates, keys)]
        if is_single and scope.node is not None:
            first = len(scope.keys) - len(scope.node.parts)
            pipes += scope.node.reduce(scope.names[:first], scope.names[first:])
        pipes.append(ast.Limit(MOST_ROWS))
        rows = self._ask(scope.filter, tuple(pipes), {"timezone": scope.zone})
        if len(rows) == MOST_ROWS:
            raise too_many_buckets(MOST_ROWS)
        return dict(place_rows(rows, scope))

    def _find_hits(self, node: Hits, scope: Scope, buckets: int) -> dict[Place, list[Members]]:
        """Return the events of every bucket: one query for each branch, because an event may be in several."""
        if node.size * buckets > MOST_HITS:
            raise unsupported(
                f"{node.size} hits in each of {buckets} buckets, expected at most {MOST_HITS} together"
            )
        found: defaultdict[Place, list[Members]] = defaultdict(list)
        for branch, condition in enumerate(scope.branches):
            alone = replace(scope, branches=(condition,))
            mark, names = alone.mark()
            pipes: tuple[ast.Pipe, ...] = (ast.Sort(node.keys, node.size),) if node.keys else ()
            if names:
                pipes = (mark, ast.Dedup(names, node.size, node.keys))
            options = {
                "timezone": alone.zone,
                "limit": MOST_HITS if names else node.size,
                "raw": True,
            }
            for row in self._ask(alone.filter, pipes, options):
                found[branch, tuple(hide_key(row[name]) for name in names)].append(row)
        return found


def place_rows(rows: list[dict[str, Any]], scope: Scope) -> Iterator[tuple[Place, Row]]:
    """Yield each row with its place; a row has the numbers of all branches."""
    for row in rows:
        values = tuple(hide_key(row[name]) for name in scope.names)
        pairs = zip(scope.keys, values, strict=True)
        if any(value is None and not key.takes_missing for key, (_, value) in pairs):
            continue
        if len(scope.branches) == 1:
            yield (0, values), row
            continue
        for branch in range(len(scope.branches)):
            start = f"{branch}:"
            own = {
                name.removeprefix(start): value
                for name, value in row.items()
                if name.startswith(start)
            }
            if own[COUNT] or not values:
                yield (branch, values), own


def list_columns(nodes: Mapping[str, Node]) -> list[ast.Aggregate]:
    """Return the aggregates that the metrics of a bucket need."""
    return [
        replace(aggregate, name=name_column(nodes, name, aggregate.name))
        for name, node in nodes.items()
        if isinstance(node, Metric)
        for aggregate in node.list_aggregates()
    ]


def limit_to(aggregate: ast.Aggregate, branch: int, condition: ast.Filter) -> ast.Aggregate:
    """Return the same aggregate for the events of one branch only."""
    own = EVERYTHING if aggregate.condition is None else aggregate.condition
    both = join_all([condition, own])
    return replace(
        aggregate, name=f"{branch}:{aggregate.name}", condition=None if both == EVERYTHING else both
    )


def narrow(scope: Scope, node: Keyed, level: Level) -> Scope:
    """Return the scope of the buckets that were chosen."""
    width = len(node.parts)
    shown = list({keys[-width:]: show_keys(keys[-width:]) for _, keys in level.rows}.values())
    narrowed = node.narrow(shown if node.is_composite else [each for (each,) in shown])
    return replace(scope, base=join_all([scope.base, narrowed]), node=None)


def check_size(branches: tuple[ast.Filter, ...], columns: int) -> None:
    """Raise Invalid if the branches, each written once for every column, would be more than a query may have."""
    written = sum(len(format_query(ast.Query(branch))) for branch in branches)
    if columns * written > MAX_QUERY_BYTES:
        raise unsupported(
            f"{columns} numbers in each of {len(branches)} filters with {written} bytes, expected fewer or shorter ones"
        )


def split(scope: Scope, node: Split) -> Scope:
    """Return each branch divided by the conditions of a node."""
    conditions = [condition for _, condition in node.conditions]
    outer, inner = len(scope.branches), len(conditions)
    if outer * inner > MOST_BRANCHES:
        raise unsupported(f"{outer * inner} filters at once, expected at most {MOST_BRANCHES}")
    if inner * count_tests(scope.branches) + outer * count_tests(conditions) > MOST_TESTS:
        raise too_many_tests()
    pairs = product(scope.branches, conditions)
    return replace(scope, branches=tuple(join_all(list(pair)) for pair in pairs))


def hide_key(value: Any) -> tuple[bool, Any]:
    """Return a key as part of a place: True equals 1 in Python, but they are two keys."""
    return isinstance(value, bool), value


def show_keys(hidden: tuple[tuple[bool, Any], ...]) -> tuple[Any, ...]:
    return tuple(value for _, value in hidden)
