"""Kusto operators that choose, compute and order columns and rows."""

from heapq import heappop, heappush
from typing import NamedTuple

from logboom.lang.ast import (
    Aggregate,
    Drop,
    Eval,
    Expression,
    Fields,
    Key,
    Limit,
    Rename,
    Sort,
    SortKey,
    Stats,
)
from logboom.lang.dialects.conditions import make_filters
from logboom.lang.dialects.grouping import list_groups
from logboom.lang.dialects.kusto.functions import find_source, name_result
from logboom.lang.dialects.kusto.reader import Reader
from logboom.lang.dialects.kusto.tokens import JSON_FUNCTIONS
from logboom.lang.dialects.lowering import TIME
from logboom.lang.dialects.scanner import show
from logboom.lang.dialects.tree import (
    Invocation,
    Minus,
    Name,
    Node,
    Operation,
    Opposite,
    Sequence,
)


def read_where(reader: Reader) -> None:
    reader.pipeline.narrow(make_filters(reader.lowering, reader.read_node()))


def read_items(reader: Reader) -> list[tuple[str | None, Node]]:
    items = []
    while True:
        name = reader.read_assigned()
        items.append((name, reader.read_node()))
        if not reader.scanner.take_sign(","):
            return items


def compute(reader: Reader, items: list[tuple[str | None, Node]]) -> tuple[str, ...]:
    """Add the computed columns; returns the names of all columns, in order."""
    names: list[str] = []
    computed: list[Computed] = []
    for name, node in items:
        if name is None and isinstance(node, Name) and not reader.lowering.find_json(node.text):
            names.append(reader.lowering.resolve(node.text))
            continue
        column = name or name_result(node)
        computed.append(Computed(column, node, reader.lowering.express(node)))
        names.append(column)
    if computed:
        assignments = [(each.column, each.value) for each in put_in_order(reader, computed)]
        reader.pipeline.add(Eval(tuple(assignments)))
        reader.lowering.own.update(each.column.lower() for each in computed)
    for each in computed:
        mark_json(reader, each.column, each.node)
    return tuple(dict.fromkeys(names))


class Computed(NamedTuple):
    """A column, as written and as an expression of ours."""

    column: str
    node: Node
    value: Expression


def put_in_order(reader: Reader, computed: list[Computed]) -> list[Computed]:
    """Return the columns so that each is computed after those that use its former value.

    Kusto computes all at once, we one after the other.
    """
    columns = [each.column.lower() for each in computed]
    used = [{name.lower() for name in list_names(each.node)} for each in computed]
    ordered = order_places(columns, used)
    if len(ordered) < len(computed):
        left = computed[min(set(range(len(computed))) - set(ordered))]
        message = f"{show(left.column)} is computed and used in the same operator, use two"
        raise reader.lowering.refuse(message, left.node)
    return [computed[place] for place in ordered]


def order_places(columns: list[str], used: list[set[str]]) -> list[int]:
    """Return the places of the columns in order; those that use each other are left out."""
    users: dict[str, set[int]] = {}
    for place, names in enumerate(used):
        for name in names:
            users.setdefault(name, set()).add(place)
    places: dict[str, list[int]] = {}
    for place, column in enumerate(columns):
        places.setdefault(column, []).append(place)
    ready = [place for place, column in enumerate(columns) if users.get(column, set()) <= {place}]
    ordered: list[int] = []
    while ready:
        place = heappop(ready)
        ordered.append(place)
        for name in used[place]:
            users[name].discard(place)
            others = (other for other in places.get(name, ()) if other != place)
            for other in (other for other in others if users[name] <= {other}):
                heappush(ready, other)
    return ordered


def mark_json(reader: Reader, column: str, node: Node) -> None:
    """Remember that members of a column may be used."""
    reader.lowering.json.pop(column.lower(), None)
    if isinstance(node, Invocation) and node.name in JSON_FUNCTIONS:
        field = find_source(reader.lowering, node)
        reader.lowering.json[column.lower()] = field or column


def list_names(node: Node) -> list[str]:
    match node:
        case Name(text=text):
            return [text]
        case Invocation(arguments=nodes) | Sequence(members=nodes):
            return [name for each in nodes for name in list_names(each)]
        case Operation(left=left, right=right):
            return list_names(left) + list_names(right)
        case Minus(operand=operand) | Opposite(operand=operand):
            return list_names(operand)
        case _:
            return []


def read_extend(reader: Reader) -> None:
    compute(reader, read_items(reader))


def read_project(reader: Reader) -> None:
    reader.pipeline.add(Fields(compute(reader, read_items(reader))))


def read_distinct(reader: Reader) -> None:
    start = reader.scanner.peek().start
    if reader.scanner.take_sign("*"):
        raise reader.refuse("distinct * is not supported, name the columns", start)
    names = compute(reader, read_items(reader))
    for pipe in list_groups([Key(name) for name in names]):
        reader.pipeline.add(pipe)
    reader.lowering.own.update(name.lower() for name in names if name != TIME)


def read_project_away(reader: Reader) -> None:
    reader.pipeline.add(Drop(reader.read_wild_names()))


def read_project_keep(reader: Reader) -> None:
    reader.pipeline.add(Fields(reader.read_wild_names()))


def read_project_reorder(reader: Reader) -> None:
    reader.pipeline.add(Fields((*reader.read_wild_names(), "*")))


def read_project_rename(reader: Reader) -> None:
    pairs = []
    while True:
        new = reader.read_name()
        reader.scanner.expect_sign("=")
        pairs.append((reader.read_column(), new))
        if not reader.scanner.take_sign(","):
            break
    reader.lowering.own.update(new.lower() for _, new in pairs)
    reader.pipeline.add(Rename(tuple(pairs)))


def read_take(reader: Reader) -> None:
    reader.pipeline.add(Limit(reader.read_count()))


def read_count(reader: Reader) -> None:
    reader.lowering.own = {"count"}
    reader.pipeline.add(Stats((Aggregate("count", name="Count"),)))


def read_sort(reader: Reader) -> None:
    reader.skip_options()
    reader.scanner.expect_word("by")
    reader.pipeline.add(Sort(read_sort_keys(reader)))


def read_top(reader: Reader) -> None:
    count = reader.read_count()
    reader.scanner.expect_word("by")
    reader.pipeline.add(Sort(read_sort_keys(reader), count))


def read_sort_keys(reader: Reader) -> tuple[SortKey, ...]:
    """Read the keys, which are descending unless `asc` follows."""
    keys = []
    while True:
        node = reader.read_node()
        is_ascending = bool(reader.scanner.take_word("asc"))
        reader.scanner.take_word("desc")
        skip_nulls(reader)
        keys.append(SortKey(name_sorted(reader, node), descending=not is_ascending))
        if not reader.scanner.take_sign(","):
            return tuple(keys)


def skip_nulls(reader: Reader) -> None:
    token = reader.scanner.take_word("nulls")
    if token and reader.scanner.take_word("first"):
        message = "nulls first is not supported: rows without a value come last"
        raise reader.refuse(message, token.start)
    if token:
        reader.scanner.expect_word("last")


def name_sorted(reader: Reader, node: Node) -> str:
    """Return the column to sort by, which is added for an expression."""
    if isinstance(node, Name):
        return reader.lowering.resolve(node.text)
    column = reader.scanner.text[node.start : node.end]
    reader.pipeline.add(Eval(((column, reader.lowering.express(node)),)))
    return column
