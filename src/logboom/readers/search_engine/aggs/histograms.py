"""`histogram` and `date_histogram`: buckets of equal steps, also those between others that have no events."""

from logboom.base.structs import InternalStruct
from logboom.lang import ast
from logboom.lang.times import find_zone, parse_moment
from logboom.readers.search_engine.aggs.intervals import Interval, read_interval
from logboom.readers.search_engine.aggs.metrics import Argument, read_argument, read_number
from logboom.readers.search_engine.aggs.nodes import (
    COUNT,
    MOST_BUCKETS,
    NO_ROW,
    Answer,
    Bucket,
    Key,
    Keyed,
    Node,
    too_many_buckets,
)
from logboom.readers.search_engine.aggs.orders import SortBy, read_order
from logboom.readers.search_engine.dsl.context import TIME, Context, unsupported
from logboom.readers.search_engine.dsl.members import (
    Members,
    read_flag,
    read_object,
    read_text,
    read_whole,
)
from logboom.readers.search_engine.dsl.times import read_period
from logboom.readers.search_engine.hits.moments import NS_PER_MS, format_moment


class StepOrder(InternalStruct, frozen=True):
    """The order of buckets: by their steps, or by columns of their rows."""

    descending: bool = False
    columns: tuple[SortBy, ...] = ()
    ordering: tuple[ast.Aggregate, ...] = ()

    def sort(self, found: list[tuple[Answer, Bucket]]) -> list[tuple[Answer, Bucket]]:
        """Return the buckets, which are sorted by their steps, in this order; those without a value come last."""
        found = found[::-1] if self.descending else found
        for by in reversed(self.columns):
            known = [each for each in found if each[1].row.get(by.column or "") is not None]
            missing = [each for each in found if each[1].row.get(by.column or "") is None]
            known.sort(key=lambda each: each[1].row[by.column or ""], reverse=by.descending)
            found = known + missing
        return found


class Histogram(Keyed, frozen=True, kw_only=True):
    """Buckets of a number; `bounds` are shown in any case, `limits` are all that is shown."""

    interval: float
    offset: float
    least: int
    keyed: bool
    order: StepOrder
    bounds: tuple[float | None, float | None] = (None, None)
    limits: tuple[float | None, float | None] = (None, None)

    def list_buckets(self, buckets: list[Bucket]) -> list[tuple[Answer, Bucket]]:
        by_step = {self.find_step(bucket.value): bucket for bucket in buckets}
        steps = sorted(by_step)
        if self.least == 0:
            ends = [self.count_step(each) for each in self.bounds if each is not None] + steps
            steps = list_steps(ends)
        low, high = (None if each is None else self.count_step(each) for each in self.limits)
        chosen = [
            step
            for step in steps
            if (low is None or step >= low) and (high is None or step <= high)
        ]
        found = [
            (self.describe(step), by_step.get(step, Bucket(None, NO_ROW, ()))) for step in chosen
        ]
        return self.order.sort([each for each in found if each[1].row.get(COUNT, 0) >= self.least])

    def find_step(self, value: float) -> int:
        """Return the number of a bucket, given the start of its events as they were grouped."""
        return round(value / self.interval)

    def count_step(self, value: float) -> int:
        return int((value - self.offset) // self.interval)

    def describe(self, step: int) -> Answer:
        return {"key": step * self.interval + self.offset}

    def finish(self, buckets: list[Answer], _found: list[Bucket]) -> Answer:
        if not self.keyed:
            return {"buckets": buckets}
        return {
            "buckets": {
                str(bucket.get("key_as_string", float(bucket["key"]))): bucket for bucket in buckets
            }
        }


def list_steps(ends: list[int]) -> list[int]:
    if not ends:
        return []
    count = max(ends) - min(ends) + 1
    if count > MOST_BUCKETS:
        raise too_many_buckets(count)
    return list(range(min(ends), max(ends) + 1))


class DateHistogram(Keyed, frozen=True, kw_only=True):
    """Buckets of time; `bounds` are shown in any case, `limits` are all that is shown."""

    interval: Interval
    least: int
    format: str
    keyed: bool
    order: StepOrder
    bounds: tuple[int | None, int | None] = (None, None)
    limits: tuple[int | None, int | None] = (None, None)

    def list_buckets(self, buckets: list[Bucket]) -> list[tuple[Answer, Bucket]]:
        by_start = {parse_moment(bucket.value, 0): bucket for bucket in buckets}
        starts = sorted(by_start)
        if self.least == 0:
            ends = [self.interval.begin(each) for each in self.bounds if each is not None] + starts
            starts = self._list_starts(ends)
        low, high = (None if each is None else self.interval.begin(each) for each in self.limits)
        chosen = [
            start
            for start in starts
            if (low is None or start >= low) and (high is None or start <= high)
        ]
        found = [
            (self.describe(start), by_start.get(start, Bucket(None, NO_ROW, ())))
            for start in chosen
        ]
        return self.order.sort([each for each in found if each[1].row.get(COUNT, 0) >= self.least])

    def _list_starts(self, ends: list[int]) -> list[int]:
        """Return the starts of all intervals from the first to the last."""
        if not ends:
            return []
        starts, last = [min(ends)], max(ends)
        while starts[-1] < last:
            if len(starts) >= MOST_BUCKETS:
                raise too_many_buckets(len(starts) + 1)
            starts.append(self.interval.next(starts[-1]))
        return starts

    def describe(self, start_ns: int) -> Answer:
        text = format_moment(start_ns, self.format, self.interval.zone)
        return {"key_as_string": text, "key": start_ns // NS_PER_MS}

    def finish(self, buckets: list[Answer], _found: list[Bucket]) -> Answer:
        if not self.keyed:
            return {"buckets": buckets}
        return {"buckets": {bucket["key_as_string"]: bucket for bucket in buckets}}


def read_histogram(options: Members, inner: dict[str, Node], context: Context) -> Histogram:
    argument = read_argument(options, context, "histogram")
    order = read_step_order(options, inner)
    interval = read_number(options.get("interval"), "interval")
    if interval <= 0:
        raise unsupported("[interval] must be >0 for histogram aggregation")
    offset = read_number(options.get("offset", 0), "offset") % interval
    return Histogram(
        type="histogram",
        inner=inner,
        key=make_number_key(argument, interval, offset),
        filter=require(argument),
        interval=interval,
        offset=offset,
        least=read_least(options),
        keyed=read_flag(options.get("keyed", False), "keyed"),
        order=order,
        ordering=order.ordering,
        bounds=read_bounds(options, "extended_bounds"),
        limits=read_bounds(options, "hard_bounds"),
    )


def make_number_key(argument: Argument, interval: float, offset: float) -> Key:
    size = ast.Quantity(interval)
    if argument.missing is None and not offset:
        return Key(argument.field, bucket=size)
    moved = ast.Binary("-", argument.number, ast.Literal(offset)) if offset else argument.number
    return Key(argument.field, ast.Call("bucket", (moved, ast.Literal(interval))))


def require(argument: Argument) -> ast.Filter:
    return ast.Everything() if argument.missing is not None else ast.Exists(argument.field)


def read_least(options: Members) -> int:
    return read_whole(options.get("min_doc_count", 0), "min_doc_count", 0, 2**31)


def read_step_order(options: Members, inner: dict[str, Node]) -> StepOrder:
    order = read_object(options.get("order", {}), "order")
    if not order:
        return StepOrder()
    if list(order) == ["_time"]:
        order = {"_key": order["_time"]}
    columns, ordering = read_order(order, inner)
    if columns[0].column is None:
        return StepOrder(columns[0].descending)
    return StepOrder(columns=columns, ordering=ordering)


def read_bounds(options: Members, name: str) -> tuple[float | None, float | None]:
    bounds = read_object(options.get(name) or {}, name)
    low, high = (bounds.get(side) for side in ("min", "max"))
    return (
        None if low is None else read_number(low, name),
        None if high is None else read_number(high, name),
    )


def read_date_histogram(
    options: Members, inner: dict[str, Node], context: Context
) -> DateHistogram:
    argument = read_argument(options, context, "date_histogram")
    order = read_step_order(options, inner)
    zone_name = read_text(options, "time_zone", "UTC")
    interval = read_interval(
        options.get("fixed_interval"),
        options.get("calendar_interval"),
        options.get("interval"),
        find_zone(zone_name),
        options.get("offset"),
    )
    format_ = read_text(options, "format", "")

    def read_times(name: str) -> tuple[int | None, int | None]:
        bounds = read_object(options.get(name) or {}, name)
        low, high = (
            None
            if bounds.get(side) is None
            else read_period(bounds[side], context.now_ns, interval.zone, format_)[0]
            for side in ("min", "max")
        )
        return low, high

    return DateHistogram(
        type="date_histogram",
        inner=inner,
        key=make_time_key(argument, interval),
        filter=require(argument),
        zone=zone_name,
        interval=interval,
        least=read_least(options),
        format=format_,
        keyed=read_flag(options.get("keyed", False), "keyed"),
        order=order,
        ordering=order.ordering,
        bounds=read_times("extended_bounds"),
        limits=read_times("hard_bounds"),
    )


def make_time_key(argument: Argument, interval: Interval) -> Key:
    if argument.field == TIME and not interval.offset_ns and interval.span is not None:
        return Key(TIME, bucket=interval.span)
    time = ast.Field(TIME) if argument.field == TIME else ast.Call("time", (argument.any,))
    return Key(argument.field, interval.bucket(time))
