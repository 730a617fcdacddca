"""Kusto's `make-series`, as a table with one row for each step of time."""

from collections.abc import Iterator

from logboom.lang.ast import Aggregate, FillNull, Key, Timechart
from logboom.lang.dialects.conditions import make_filters
from logboom.lang.dialects.expressions import read_members
from logboom.lang.dialects.grouping import Grouping, Result, read_bucket
from logboom.lang.dialects.kusto.functions import AGGREGATES, name_result
from logboom.lang.dialects.kusto.reader import Reader
from logboom.lang.dialects.kusto.tokens import GRAMMAR
from logboom.lang.dialects.lowering import TIME
from logboom.lang.dialects.tree import Constant, Name, Node, Operation

DEFAULT_LIMIT, MOST_SERIES = 10, 1000
COUNTS = frozenset({"count", "count_uniq"})
"""Aggregates that are 0 without rows."""
Default = int | float | None


def read_make_series(reader: Reader) -> None:
    """`[name =] aggregate [default = 0], … on time [from a to b] step span [by column]`, or `on time in range(a, b, span)`."""
    place = reader.scanner.peek()
    grouping = Grouping(reader.lowering, AGGREGATES, name_result)
    defaults: list[Default] = []
    while True:
        grouping.add_result(Result(reader.read_assigned(), reader.read_node()))
        defaults.append(read_default(reader))
        if not reader.scanner.take_sign(","):
            break
    if grouping.after:
        raise reader.refuse(
            "make-series of several aggregates in one is not supported", place.start
        )
    time = read_time(reader)
    step = read_range(reader, time) if reader.scanner.take_word("in") else read_step(reader, time)
    span = read_bucket(reader.lowering, step)
    if not span.is_duration:
        raise reader.refuse("expected a step of time such as 1h", time.start)
    by = read_column(reader) if reader.scanner.take_word("by") else None
    limit = MOST_SERIES if by else DEFAULT_LIMIT
    reader.pipeline.add(Timechart(tuple(grouping.found), span, by, limit))
    for fill in list_fills(
        reader, grouping.found, defaults, place.start, has_series=by is not None
    ):
        reader.pipeline.add(fill)


def read_default(reader: Reader) -> Default:
    """Return what stands for a value that is missing: 0 unless the query says something else."""
    if not reader.scanner.take_word("default"):
        return 0
    reader.scanner.expect_sign("=")
    match reader.read_node():
        case Constant(value=int() | float() as value):
            return value
        case _:
            # `double(null)` and the like: nothing.
            return None


def read_time(reader: Reader) -> Name:
    reader.scanner.expect_word("on")
    token = reader.scanner.peek()
    time = Name(reader.read_name(), token.start, token.end)
    if reader.lowering.resolve(time.text) != TIME:
        raise reader.refuse("make-series of another time, expected the time of events", token.start)
    return time


def read_step(reader: Reader, time: Name) -> Node:
    """Read `from a to b step span`, limit the events to that range, and return the step."""
    limits: list[tuple[str, Node]] = []
    for word, operator in (("from", ">="), ("to", "<")):
        if reader.scanner.take_word(word):
            limits.append((operator, reader.read_node()))
    limit_events(reader, time, limits)
    reader.scanner.expect_word("step")
    return reader.read_node()


def read_range(reader: Reader, time: Name) -> Node:
    """Read `range(a, b, span)`, limit the events to it with both ends, and return the step."""
    start = reader.scanner.peek().start
    reader.scanner.expect_word("range")
    members = read_members(GRAMMAR, reader.scanner).members
    if len(members) != 3:
        raise reader.refuse("expected range(start, stop, step)", start)
    first, last, step = members
    limit_events(reader, time, [(">=", first), ("<=", last)])
    return step


def limit_events(reader: Reader, time: Name, limits: list[tuple[str, Node]]) -> None:
    for operator, limit in limits:
        reader.pipeline.narrow(make_filters(reader.lowering, Operation(operator, time, limit)))


def read_column(reader: Reader) -> Key:
    start = reader.scanner.peek().start
    name = reader.read_name()
    if reader.scanner.sees_sign(",", "("):
        raise reader.refuse("make-series by several columns, expected one", start)
    return Key(reader.lowering.resolve(name))


def list_fills(
    reader: Reader, found: list[Aggregate], defaults: list[Default], start: int, *, has_series: bool
) -> Iterator[FillNull]:
    """Yield what fills the gaps of aggregates that are not 0 without rows; the columns of series have no names yet."""
    pairs = [
        (each.name, default)
        for each, default in zip(found, defaults, strict=True)
        if each.function not in COUNTS or default != 0
    ]
    if not has_series:
        yield from (FillNull(default, (name,)) for name, default in pairs if default is not None)
    elif pairs:
        [default, *others] = {default for _, default in pairs}
        if others or (default is not None and default != 0 and len(pairs) < len(found)):
            raise reader.refuse("make-series with several defaults and by, expected one", start)
        if default is not None:
            yield FillNull(default)
