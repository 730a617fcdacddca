"""`auto_date_histogram`: the shortest intervals of time with at most so many buckets."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from logboom.lang import ast
from logboom.lang.times import find_zone, parse_moment
from logboom.readers.search_engine.aggs.gather import Ask
from logboom.readers.search_engine.aggs.histograms import (
    DateHistogram,
    StepOrder,
    make_time_key,
    require,
)
from logboom.readers.search_engine.aggs.intervals import Interval, read_interval
from logboom.readers.search_engine.aggs.metrics import Argument, read_argument
from logboom.readers.search_engine.aggs.nodes import Answer, Bucket, Keyed, Node
from logboom.readers.search_engine.dsl.context import TIME, Context, join_all
from logboom.readers.search_engine.dsl.members import Members, read_text, read_whole

DEFAULT_BUCKETS = 10
MOST_BUCKETS = 10_000
INTERVALS = (
    *("1s", "5s", "10s", "30s", "1m", "5m", "10m", "30m", "1h", "3h", "12h"),
    *("1d", "7d", "1M", "1q", "1y"),
)
QUARTER = "1q"
SHOWN = {QUARTER: "3M"}
FIRST, LAST = "first", "last"


class AutoDateHistogram(Node, frozen=True, kw_only=True):
    """Stands for a histogram until the times of the events are known."""

    argument: Argument
    filter: ast.Filter
    zone: str
    most: int
    format: str

    @property
    def time(self) -> ast.Expression:
        return (
            ast.Field(TIME)
            if self.argument.field == TIME
            else ast.Call("time", (self.argument.any,))
        )

    def settle(self, inner: dict[str, Node], first_ns: int, last_ns: int) -> Keyed:
        """Return the histogram for events between two times."""
        text, interval = self._choose(first_ns, last_ns)
        return SettledHistogram(
            type=self.type,
            meta=self.meta,
            inner=inner,
            key=make_time_key(self.argument, interval),
            filter=self.filter,
            zone=self.zone,
            interval=interval,
            least=0,
            format=self.format,
            keyed=False,
            order=StepOrder(),
            shown=SHOWN.get(text, text),
        )

    def _choose(self, first_ns: int, last_ns: int) -> tuple[str, Interval]:
        zone = find_zone(self.zone)
        found = [(text, read_interval(None, None, text, zone, None)) for text in INTERVALS]
        for text, interval in found:
            if is_enough(interval, first_ns, last_ns, self.most):
                return text, interval
        return found[-1]


class SettledHistogram(DateHistogram, frozen=True, kw_only=True):
    """A histogram that tells its interval."""

    shown: str

    def finish(self, buckets: list[Answer], found: list[Bucket]) -> Answer:
        return {**super().finish(buckets, found), "interval": self.shown}


def is_enough(interval: Interval, first_ns: int, last_ns: int, most: int) -> bool:
    """Return whether so many intervals reach from the first time to the last."""
    start_ns = interval.begin(first_ns)
    step_ns = interval.next(start_ns) - start_ns
    if (last_ns - start_ns) > 2 * most * step_ns:
        return False
    for _ in range(most):
        start_ns = interval.next(start_ns)
        if start_ns > last_ns:
            return True
    return False


def read_auto_date_histogram(
    options: Members, inner: dict[str, Node], context: Context
) -> AutoDateHistogram:
    argument = read_argument(options, context, "auto_date_histogram")
    zone = read_text(options, "time_zone", "UTC")
    find_zone(zone)
    return AutoDateHistogram(
        type="auto_date_histogram",
        inner=inner,
        filter=require(argument),
        zone=zone,
        argument=argument,
        most=read_whole(options.get("buckets", DEFAULT_BUCKETS), "buckets", 1, MOST_BUCKETS),
        format=read_text(options, "format", ""),
    )


def settle(nodes: Mapping[str, Node], ask: Ask, filter_: ast.Filter) -> dict[str, Node]:
    """Return aggregations with intervals for those that choose them by the events that match."""
    return {name: settle_one(node, ask, filter_) for name, node in nodes.items()}


def settle_one(node: Node, ask: Ask, filter_: ast.Filter) -> Node:
    inner = settle(node.inner, ask, filter_)
    if not isinstance(node, AutoDateHistogram):
        return replace(node, inner=inner) if inner else node
    ends = tuple(
        ast.Aggregate(function, node.time, name=name)
        for function, name in (("min", FIRST), ("max", LAST))
    )
    [row] = ask(join_all([filter_, node.filter]), (ast.Stats(ends),), {})
    first_ns, last_ns = (parse_end(row[name]) for name in (FIRST, LAST))
    return node.settle(inner, first_ns, last_ns)


def parse_end(value: Any) -> int:
    return 0 if value is None else parse_moment(value, 0)
