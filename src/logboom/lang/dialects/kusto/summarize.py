"""Kusto's `summarize`, and the newest row of each group, which its `arg_max` stands for."""

from logboom.lang.ast import Aggregate, Dedup, Fields, Quantity, SortKey
from logboom.lang.dialects.grouping import Grouping, Result, read_bucket
from logboom.lang.dialects.kusto.functions import AGGREGATES, name_result
from logboom.lang.dialects.kusto.reader import Reader
from logboom.lang.dialects.lowering import TIME
from logboom.lang.dialects.tree import Constant, Invocation, Name, Node, Star

EXTREMES = ("arg_max", "arg_min", "argmax", "argmin")


def read_summarize(reader: Reader) -> None:
    """`[name =] aggregate, … [by [name =] key, …]`."""
    reader.skip_options()
    place = reader.scanner.peek()
    grouping = Grouping(reader.lowering, AGGREGATES, name_result)
    extremes: list[Invocation] = []
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


def read_result(reader: Reader, grouping: Grouping, extremes: list[Invocation]) -> None:
    start = reader.scanner.peek().start
    if reader.scanner.take_sign("("):
        raise reader.refuse("several names in parentheses are not supported", start)
    name = reader.read_assigned()
    node = reader.read_node()
    match node:
        case Invocation(name=function) if function in EXTREMES:
            extremes.append(node)
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


def find_extreme(
    reader: Reader, grouping: Grouping, extremes: list[Invocation], node: Node
) -> None:
    """Translate `arg_max`: the row with the largest value; beside other aggregates, columns of the newest event."""
    if len(extremes) == 1 and not grouping.found and can_dedup(grouping):
        dedup_rows(reader, grouping, extremes[0])
        return
    for extreme in extremes:
        add_latest(reader, grouping, extreme)
    for pipe in grouping.finish(node):
        reader.pipeline.add(pipe)


def can_dedup(grouping: Grouping) -> bool:
    return bool(grouping.keys) and not (
        grouping.before or grouping.renamed or any(key.bucket for key in grouping.keys)
    )


def dedup_rows(reader: Reader, grouping: Grouping, extreme: Invocation) -> None:
    by, *wanted = read_extreme(reader, extreme)
    keys = tuple(key.field for key in grouping.keys)
    column = reader.lowering.resolve(by)
    is_largest = extreme.name in ("arg_max", "argmax")
    reader.pipeline.add(Dedup(keys, 1, (SortKey(column, descending=is_largest),)))
    if "*" not in wanted:
        names = [*keys, column, *map(reader.lowering.resolve, wanted)]
        reader.pipeline.add(Fields(tuple(dict.fromkeys(names))))


def read_extreme(reader: Reader, extreme: Invocation) -> list[str]:
    names = []
    for argument in extreme.arguments:
        match argument:
            case Name(text=text):
                names.append(text)
            case Star():
                names.append("*")
            case _:
                raise reader.lowering.refuse(f"{extreme.name} takes columns here", argument)
    if not names or names[0] == "*":
        raise reader.lowering.refuse(f"{extreme.name} takes a column", extreme)
    return names


def add_latest(reader: Reader, grouping: Grouping, extreme: Invocation) -> None:
    by, *wanted = read_extreme(reader, extreme)
    is_largest = extreme.name in ("arg_max", "argmax")
    if reader.lowering.resolve(by) != TIME or "*" in wanted:
        message = (
            f"{extreme.name} beside other aggregates is supported only for the time, without *"
        )
        raise reader.lowering.refuse(message, extreme)
    function = "latest" if is_largest else "earliest"
    for name in wanted:
        field = grouping.argument(Name(name, extreme.start, extreme.end))
        grouping.found.append(Aggregate(function, field, name=name))
    bound = "max" if is_largest else "min"
    time = grouping.argument(Name(by, extreme.start, extreme.end))
    grouping.found.append(Aggregate(bound, time, name=by))
