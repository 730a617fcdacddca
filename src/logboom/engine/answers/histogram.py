"""The histogram: the number of events in each time span, including empty spans."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import tzinfo
from itertools import islice

import msgspec

from logboom.base.clock import format_time
from logboom.base.errors import Invalid
from logboom.base.structs import InternalStruct
from logboom.base.texts import write_value
from logboom.engine.answers.fields.tally import count_groups, name_count
from logboom.engine.answers.rowwise import check_rowwise
from logboom.engine.answers.warnings import list_warnings
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.execution.find import Finder
from logboom.engine.rows.distinct import OBJECT_BYTES
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.table import TIME, Table
from logboom.engine.terms.request import END_NS, MIN_NS, Request
from logboom.engine.terms.spans import begin_span, next_span
from logboom.lang import ast
from logboom.lang.format.values import format_quantity
from logboom.model.columns import Scalar
from logboom.model.names import fold_name

INTERVALS = tuple(
    ast.Quantity(number, unit)
    for unit, numbers in {
        "ms": (1, 5, 10, 50, 100, 500),
        "s": (1, 5, 10, 30),
        "m": (1, 5, 10, 30),
        "h": (1, 3, 6, 12),
        "d": (1, 7, 30, 365),
    }.items()
    for number in numbers
)
"""The intervals to choose from, the shortest first."""
MAX_BUCKETS = 10_000
TOP = 10
OTHER, MISSING = "other", "null"
RESERVED = frozenset({OTHER, MISSING})


class Bucket(msgspec.Struct, omit_defaults=True):
    """A time span from `time` on; `by` has the values that occur in it, named as texts."""

    time: str
    count: int
    by: dict[str, int] | None = None


class Histogram(msgspec.Struct):
    """The answer; see the HTTP API."""

    interval: str
    buckets: list[Bucket]
    complete: bool
    warnings: list[dict[str, object]]


class Bars(InternalStruct, frozen=True):
    """The wanted spans: of a fixed length, or at most a number of them; split by the values of a field."""

    buckets: int = 60
    interval: ast.Quantity | None = None
    by: str | None = None


def compute_histogram(finder: Finder, bars: Bars) -> Histogram:
    """Return the histogram of the events that the request's row pipes leave."""
    request = finder.prepare(finder.request)
    check_rowwise(finder, request, "a histogram")
    first_ns, end_ns = find_range(finder, request)
    interval = bars.interval or choose_interval(first_ns, end_ns, bars.buckets, request.zone)
    starts = list_starts(first_ns, end_ns, interval, request.zone)
    counts = count_buckets(finder, request, interval, bars.by)
    return Histogram(
        interval=format_quantity(interval),
        buckets=list(make_buckets(starts, counts, bars)),
        complete=finder.is_complete,
        warnings=list_warnings(finder, request),
    )


def find_range(finder: Finder, request: Request) -> tuple[int, int]:
    """Return the request's range; open ends are those of the data in its scope. Without either it is empty."""
    first_ns, last_ns = request.from_ns, request.to_ns - 1
    if first_ns > MIN_NS and request.to_ns < END_NS:
        return first_ns, last_ns + 1
    scope = SearchScope.of_request(request)
    parts = [
        part
        for info in finder.list_blocks(request)
        if (block := finder.try_open(info))
        for index, part in block.index.indexes.items()
        if scope.covers_index(index)
    ]
    if not parts:
        return 0, 0
    first_ns = max(first_ns, min(part.first_ns for part in parts))
    last_ns = min(last_ns, max(part.last_ns for part in parts))
    return first_ns, last_ns + 1


def choose_interval(first_ns: int, end_ns: int, most: int, zone: tzinfo) -> ast.Quantity:
    """Return the shortest interval that gives at most the wanted number of buckets, or the longest there is."""
    for interval in INTERVALS:
        if (end_ns - first_ns) // int(interval.scaled) > most:
            continue
        walk = walk_starts(first_ns, end_ns, interval, zone)
        if sum(1 for _ in islice(walk, most + 1)) <= most:
            return interval
    return INTERVALS[-1]


def walk_starts(first_ns: int, end_ns: int, interval: ast.Quantity, zone: tzinfo) -> Iterator[int]:
    if first_ns >= end_ns:
        return
    start_ns = begin_span(first_ns, interval, zone)
    while start_ns < end_ns:
        yield start_ns
        start_ns = next_span(start_ns, interval, zone)


def list_starts(first_ns: int, end_ns: int, interval: ast.Quantity, zone: tzinfo) -> list[int]:
    starts = list(islice(walk_starts(first_ns, end_ns, interval, zone), MAX_BUCKETS + 1))
    if len(starts) > MAX_BUCKETS:
        fitting = choose_interval(first_ns, end_ns, MAX_BUCKETS, zone)
        raise Invalid(
            f"interval {format_quantity(interval)} makes more than {MAX_BUCKETS} buckets, "
            f"expected {format_quantity(fitting)} or longer"
        )
    return starts


def count_buckets(
    finder: Finder, request: Request, interval: ast.Quantity, by: str | None
) -> dict[int, Counter[str]]:
    """Return the events in each bucket by the text of their value, which is empty without a field."""
    if by is not None and fold_name(by) == TIME.field:
        raise Invalid("by _time, expected another field: the buckets are already time spans")
    keys = [ast.Key(TIME.field, interval)] + ([ast.Key(by)] if by is not None else [])
    table = count_groups(finder, request, *keys)
    with finder.budget.working("a histogram"):
        reserve(OBJECT_BYTES * table.height)
        return read_counts(table, by, keys)


def read_counts(table: Table, by: str | None, keys: list[ast.Key]) -> dict[int, Counter[str]]:
    starts = table.frame[TIME.name].to_list()
    values = [None] * table.height if by is None else table.read_column(by)
    counts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    of_groups = table.read_column(name_count(*keys))
    for start_ns, value, count in zip(starts, values, of_groups, strict=True):
        counts[start_ns][name_value(value)] += count
    return counts


def name_value(value: Scalar | None) -> str:
    """Return the value as text, in quotes if it looks like the name of a missing value or of the rest."""
    text = write_value(value)
    is_reserved = value is not None and text.strip('"') in RESERVED
    return f'"{text}"' if is_reserved else text


def make_buckets(
    starts: list[int], counts: dict[int, Counter[str]], bars: Bars
) -> Iterator[Bucket]:
    totals: Counter[str] = Counter()
    for of_bucket in counts.values():
        totals.update(of_bucket)
    largest = sorted(totals, key=lambda value: (-totals[value], value))[:TOP]
    for start_ns in sorted({*starts, *counts}):
        of_bucket = counts.get(start_ns, Counter())
        bucket = Bucket(format_time(start_ns), of_bucket.total())
        if bars.by is not None:
            bucket.by = split(of_bucket, largest)
        yield bucket


def split(counts: Counter[str], largest: list[str]) -> dict[str, int]:
    """Return the largest values by name, the rest under one name."""
    shown = {value: counts[value] for value in largest if counts[value]}
    rest = counts.total() - sum(shown.values())
    return shown | ({OTHER: rest} if rest else {})
