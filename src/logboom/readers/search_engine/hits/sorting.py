"""The order of hits: how it is asked for, the values that say where a hit is in it, and what comes after them."""

from collections.abc import Iterator

from logboom.base.structs import InternalStruct
from logboom.lang import ast
from logboom.readers.search_engine.dsl.context import (
    NOTHING,
    TIME,
    Names,
    join_all,
    join_any,
    malformed,
    negate,
    unsupported,
)
from logboom.readers.search_engine.dsl.members import (
    Members,
    Scalar,
    read_list,
    read_object,
    read_text,
    show,
    write_scalar,
)
from logboom.readers.search_engine.dsl.ranges import read_limit
from logboom.readers.search_engine.dsl.times import between, read_period
from logboom.readers.search_engine.hits.moments import NS_PER_MS, format_moment
from logboom.search.answers import EventId, EventKey, encode_cursor, parse_id

PLACES = ("_doc", "_shard_doc", "_id")
"""What a request calls the place of an event in the order of all: its value is the event's id."""
SCORE = "_score"
REFUSED = ("_script", "_geo_distance")
MOST_KEYS = 16
ZERO = ast.Quantity(0)


class Key(InternalStruct, frozen=True):
    """One of the values that hits are sorted by."""

    field: str
    descending: bool
    format: str = ""


class Order(InternalStruct, frozen=True):
    """Hits are sorted by all keys, then newest first, or oldest first if the time itself is sorted so."""

    keys: tuple[Key, ...] = ()

    @property
    def sorted_keys(self) -> tuple[Key, ...]:
        return tuple(key for key in self.keys if key.field not in (*PLACES, SCORE))

    @property
    def has_place(self) -> bool:
        """Whether the values of a hit include its id, so that they are never those of another."""
        return any(key.field in PLACES for key in self.keys)

    @property
    def is_newest_first(self) -> bool:
        """Whether this is the order in which events are found, so that few have to be looked at."""
        first = self.sorted_keys[:1]
        return not first or (first[0].field == TIME and first[0].descending and self._is_time_all)

    @property
    def _is_time_all(self) -> bool:
        return all(key.field == TIME for key in self.sorted_keys)

    @property
    def is_oldest_first(self) -> bool:
        first = self.sorted_keys[:1]
        return bool(first) and first[0].field == TIME and not first[0].descending

    def make_pipes(self, limit: int) -> tuple[ast.Pipe, ...]:
        """Return the pipes that sort."""
        keys = self.list_sort_keys()
        return (ast.Sort(keys, limit),) if keys else ()

    def list_sort_keys(self) -> tuple[ast.SortKey, ...]:
        """Return what events are sorted by, none for the order in which they are found.

        Ids make the order of ties the same every time.
        """
        if self.is_newest_first:
            return ()
        keys = [ast.SortKey(key.field, key.descending) for key in self.sorted_keys]
        place = ast.SortKey("_id", descending=not self.is_oldest_first)
        unique = {key.field: key for key in reversed([*keys, place])}
        return tuple(reversed(unique.values()))

    def list_values(self, row: Members) -> list[object]:
        """Return the values that say where a hit is in this order."""
        return [show_value(key, row) for key in self.keys]


def read_order(written: object, names: Names) -> Order:
    """`"field:desc"`, `{"field": "desc"}`, `{"field": {"order": "desc"}}`, or a list of such."""
    keys = [key for each in read_list(written) for key in read_keys(each, names)]
    if len(keys) > MOST_KEYS:
        raise unsupported(f"[sort] has {len(keys)} keys, expected at most {MOST_KEYS}")
    return Order(tuple(keys))


def read_keys(written: object, names: Names) -> Iterator[Key]:
    if isinstance(written, str):
        field, _, order = written.partition(":")
        yield read_key(field, {"order": order} if order else {}, names)
        return
    for field, options in read_object(written, "sort").items():
        yield read_key(field, {"order": options} if isinstance(options, str) else options, names)


def read_key(written: str, options: object, names: Names) -> Key:
    members = read_object(options, "sort")
    if written in REFUSED:
        raise unsupported(f"[sort] by [{written}] is not supported, expected the name of a field")
    order = read_text(members, "order", "desc" if written == SCORE else "asc")
    if order not in ("asc", "desc"):
        raise malformed(f"[sort] order is {show(order)}, expected asc or desc")
    if members.get("missing", "_last") != "_last":
        raise unsupported(f"[sort] missing is {show(members['missing'])}, expected _last")
    field = written if written in (*PLACES, SCORE) else names.find(written)
    return Key(field, order == "desc", read_text(members, "format", ""))


def show_value(key: Key, row: Members) -> object:
    identity = str(row["_id"])
    if key.field in PLACES:
        return identity
    if key.field == SCORE:
        return 1.0
    if key.field == TIME:
        time_ns = get_time(identity)
        return format_moment(time_ns, key.format) if key.format else time_ns // NS_PER_MS
    value = find_value(row, key.field)
    return value[0] if isinstance(value, list) and value else value


def find_value(row: Members, field: str) -> object:
    """Return the value of a field, whatever its case."""
    if field in row:
        return row[field]
    folded = field.lower()
    return next((value for name, value in row.items() if name.lower() == folded), None)


def get_time(identity: str) -> int:
    """Return the exact time of an event, which its id contains."""
    event = parse_id(identity)
    assert event is not None, "every event has an id"
    return event.time_ns


class After(InternalStruct, frozen=True):
    """What follows the values of a hit: events that match the filter, and those after the cursor."""

    filter: ast.Filter = ast.Everything()
    cursor: str | None = None


def read_after(order: Order, values: object, now_ns: int) -> After:
    """`search_after`: one value for each key of the order."""
    if values is None:
        return After()
    given = read_list(values)
    if len(given) != len(order.keys) or not given:
        raise unsupported(
            f"search_after has {len(given)} value(s) but sort has {len(order.keys)}, expected as many"
        )
    event = find_event(order, given)
    if order.is_newest_first and event:
        return After(cursor=encode_cursor(EventKey(*event)))
    pairs = list(zip(order.keys, given, strict=True))
    keys = [pair for pair in pairs if pair[0].field not in (*PLACES, SCORE)]
    tests = [match_key(key, value, event, now_ns) for key, value in keys]
    steps = [
        join_all([*(equal for equal, _ in tests[:place]), later])
        for place, (_, later) in enumerate(tests)
    ]
    if event:
        operator: ast.Comparison = ">" if order.is_oldest_first else "<"
        last = ast.Compare("_id", operator, str(event))
        steps.append(join_all([*(equal for equal, _ in tests), last]))
    return After(join_any(steps))


def find_event(order: Order, values: list[object]) -> EventId | None:
    """Return the event whose id is among the values."""
    for key, value in zip(order.keys, values, strict=True):
        if key.field in PLACES:
            event = parse_id(value) if isinstance(value, str) else None
            if event is None:
                raise unsupported(
                    f"search_after value {show(value)} for [{key.field}], expected an id"
                )
            return event
    return None


def match_key(
    key: Key, value: object, event: EventId | None, now_ns: int
) -> tuple[ast.Filter, ast.Filter]:
    """Return which events have an equal value, and which have a later one."""
    if key.field == TIME:
        return match_time(key, value, event, now_ns)
    if value is None:
        return negate(ast.Exists(key.field)), NOTHING
    if not isinstance(value, str | int | float):
        raise unsupported(f"search_after value {show(value)}, expected a text, number or boolean")
    equal, later = compare_alike(key, value)
    return equal, join_any([later, *list_later_ranks(key, value), negate(ast.Exists(key.field))])


def compare_alike(key: Key, value: Scalar) -> tuple[ast.Filter, ast.Filter]:
    """Return which events have an equal value, and which a later one of the same type."""
    field, operator = key.field, LATER[key.descending]
    if isinstance(value, bool):
        boolean = list_ranks(field)[-1]
        same, other = (ast.Exact(field, write_scalar(each)) for each in (value, not value))
        is_first = value is key.descending
        return join_all([boolean, same]), join_all([boolean, other]) if is_first else NOTHING
    limit = read_limit(value)
    equal, later = ast.Range(field, limit, limit), ast.Compare(field, operator, limit)
    if isinstance(limit, str):
        return equal, join_all([later, negate(list_ranks(field)[0])])
    return equal, later


def list_later_ranks(key: Key, value: Scalar) -> list[ast.Filter]:
    """Return filters for the types that come after that of a value: numbers, texts, booleans, or the reverse."""
    ranks = list_ranks(key.field)
    is_text = isinstance(value, str) and isinstance(read_limit(value), str)
    rank = 2 if isinstance(value, bool) else int(is_text)
    return ranks[:rank] if key.descending else ranks[rank + 1 :]


def list_ranks(field: str) -> list[ast.Filter]:
    """Return filters for a number, a text and a boolean; texts that spell numbers are numbers."""
    number = ast.Or((ast.Compare(field, ">=", ZERO), ast.Compare(field, "<", ZERO)))
    text = ast.Compare(field, ">=", "")
    return [
        number,
        join_all([text, negate(number)]),
        join_all([ast.Exists(field), negate(number), negate(text)]),
    ]


LATER: dict[bool, ast.Comparison] = {False: ">", True: "<"}


def match_time(
    key: Key, value: object, event: EventId | None, now_ns: int
) -> tuple[ast.Filter, ast.Filter]:
    """Return the time of the event if it is known, else the period that the value names."""
    if event is not None:
        from_ns, to_ns = event.time_ns, event.time_ns + 1
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        from_ns, to_ns = read_period(value, now_ns, format_=key.format)
    else:
        raise unsupported(f"search_after value {show(value)}, expected a time")
    later = between(None, from_ns) if key.descending else between(to_ns, None)
    return between(from_ns, to_ns), later
