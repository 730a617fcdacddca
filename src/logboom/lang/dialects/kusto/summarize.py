"""Kusto's `summarize`, and the newest row of each group, which its `arg_max` stands for."""

from typing import NamedTuple

from logboom.lang.ast import Aggregate, Dedup, Eval, Field, Fields, Quantity, Sort, SortKey
from logboom.lang.dialects.grouping import Grouping, Result, read_bucket
from logboom.lang.dialects.kusto.functions import AGGREGATES, name_result
from logboom.lang.dialects.kusto.reader import Reader
from logboom.lang.dialects.lowering import TIME
from logboom.lang.dialects.tree import Constant, Invocation, Name, Node, Star

LARGEST = ("arg_max", "argmax")
EXTREMES = (*LARGEST, "arg_min", "argmin")


class Extreme(NamedTuple):
    """`name = arg_max(by, wanted, …)`; None stands for all columns."""

    name: str | None
    node: Invocation
    by: str
    wanted: list[str] | None

    @property
    def is_largest(self) -> bool:
        return self.node.name in LARGEST


def read_summarize(reader: Reader) -> None:
    """`[name =] aggregate, … [by [name =] key, …]`."""
    reader.skip_options()
    place = reader.scanner.peek()
    grouping = Grouping(reader.lowering, AGGREGATES, name_result)
    extremes: list[Extreme] = []
    while not reader.scanner.sees_word("by"):
        read_result(reader, grouping, extremes)
        if not reader.scanner.take_sign(","):
            break
    if reader.scanner.take_word("by"):
        read_keys(reader, grouping)
    node = Name(place.text, place.start, place.end)
    if extremes:
        find_extreme(reader, grouping, extremes, node)
    else:
        for pipe in grouping.finish(node):
            reader.pipeline.add(pipe)


def read_result(reader: Reader, grouping: Grouping, extremes: list[Extreme]) -> None:
    start = reader.scanner.peek().start
    if reader.scanner.take_sign("("):
        raise reader.refuse("several names in parentheses are not supported", start)
    name = reader.read_assigned()
    node = reader.read_node()
    match node:
        case Invocation(name=function) if function in EXTREMES:
            extremes.append(read_extreme(reader, name, node))
        case Invocation(name="percentiles", arguments=(field, *percents)):
            for percent in percents:
                add_percentile(grouping, node, field, percent)
        case _:
            grouping.add_result(Result(name, node))


def add_percentile(grouping: Grouping, node: Node, field: Node, percent: Node) -> None:
    one = Invocation("percentile", (field, percent), node.start, node.end)
    grouping.add_result(Result(None, one))


def read_keys(reader: Reader, grouping: Grouping) -> None:
    while True:
        name = reader.read_assigned()
        add_key(reader, grouping, name, reader.read_node())
        if not reader.scanner.take_sign(","):
            return


def add_key(reader: Reader, grouping: Grouping, name: str | None, node: Node) -> None:
    match node:
        case Invocation(name="bin" | "floor", arguments=(Name() as field, width)):
            grouping.add_key(name, field, read_bucket(reader.lowering, width))
        case Invocation(name="startofday", arguments=(Name() as field,)):
            grouping.add_key(name, field, Quantity(1, "d"))
        case Invocation(name="tostring", arguments=(Name() as field,)):
            grouping.add_key(name, field)
        case Constant() | Star():
            raise reader.lowering.refuse("expected a column to group by", node)
        case _:
            grouping.add_key(name, node)


def read_extreme(reader: Reader, name: str | None, node: Invocation) -> Extreme:
    match node.arguments:
        case (Name(text=by), Star()):
            return Extreme(name, node, reader.lowering.resolve(by), None)
        case (Name(text=by), *further):
            wanted = [name_column(reader, node, each) for each in further]
            return Extreme(name, node, reader.lowering.resolve(by), wanted)
        case _:
            raise reader.lowering.refuse(f"{node.name} takes a column", node)


def name_column(reader: Reader, node: Invocation, argument: Node) -> str:
    if not isinstance(argument, Name):
        raise reader.lowering.refuse(f"{node.name} takes columns here", argument)
    return argument.text


def find_extreme(reader: Reader, grouping: Grouping, extremes: list[Extreme], node: Node) -> None:
    """Translate `arg_max`: the row with the largest value, or columns of the newest event."""
    if len(extremes) == 1 and can_dedup(grouping) and not is_latest(grouping, extremes[0]):
        dedup_rows(reader, grouping, extremes[0], node)
        return
    for extreme in extremes:
        add_latest(reader, grouping, extreme)
    for pipe in grouping.finish(node):
        reader.pipeline.add(pipe)


def can_dedup(grouping: Grouping) -> bool:
    has_buckets = any(key.bucket for key in grouping.keys)
    return not (grouping.before or grouping.renamed or has_buckets)


def is_latest(grouping: Grouping, extreme: Extreme) -> bool:
    """Return whether aggregates of the newest event are enough: there are others beside, or no groups."""
    is_beside = bool(grouping.found) or not grouping.keys
    return is_beside and extreme.by == TIME and extreme.wanted is not None


def dedup_rows(reader: Reader, grouping: Grouping, extreme: Extreme, node: Node) -> None:
    """Keep one row of each group, with the other aggregates added to it."""
    keys = tuple(key.field for key in grouping.keys)
    own = reader.lowering.own
    made = [each.name for each in grouping.found if each.name not in grouping.helpers]
    made += [name for name, _ in grouping.after]
    if made:
        for pipe in grouping.finish(node, adds_to_rows=True):
            reader.pipeline.add(pipe)
    by = SortKey(extreme.by, descending=extreme.is_largest)
    reader.pipeline.add(Dedup(keys, 1, (by,)) if keys else Sort((by,), 1))
    if extreme.name:
        reader.pipeline.add(Eval(((extreme.name, Field(extreme.by)),)))
        made.append(extreme.name)
    if extreme.wanted is not None:
        wanted = map(reader.lowering.resolve, extreme.wanted)
        bound = () if extreme.name else (extreme.by,)
        reader.pipeline.add(Fields(tuple(dict.fromkeys((*keys, *bound, *wanted, *made)))))
    reader.lowering.own = own | {name.lower() for name in made}


def add_latest(reader: Reader, grouping: Grouping, extreme: Extreme) -> None:
    """Add aggregates of the newest or oldest event, which exist for the time only."""
    if extreme.by != TIME or extreme.wanted is None:
        message = (
            f"{extreme.node.name} beside other aggregates is supported only for the time, without *"
        )
        raise reader.lowering.refuse(message, extreme.node)
    for name in extreme.wanted:
        field = grouping.argument(Name(name, extreme.node.start, extreme.node.end))
        function = "latest" if extreme.is_largest else "earliest"
        grouping.found.append(Aggregate(function, field, name=name))
    bound = "max" if extreme.is_largest else "min"
    by = extreme.node.arguments[0]
    assert isinstance(by, Name), "arguments were checked"
    grouping.found.append(Aggregate(bound, grouping.argument(by), name=extreme.name or by.text))
