"""Aggregation in other languages: named results that may combine several aggregates, and keys."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from msgspec import field
from msgspec.structs import replace

from logboom.base.structs import MutableStruct
from logboom.lang.ast import (
    Aggregate,
    Drop,
    Eval,
    EventStats,
    Expression,
    Fields,
    Filter,
    Key,
    Literal,
    Pipe,
    Quantity,
    Rename,
    Stats,
    Truth,
)
from logboom.lang.dialects.conditions import make_filters
from logboom.lang.dialects.lowering import TIME, Lowering
from logboom.lang.dialects.matching import join_and
from logboom.lang.dialects.scanner import show
from logboom.lang.dialects.times import fold_span, to_quantity
from logboom.lang.dialects.tree import (
    Constant,
    Invocation,
    Minus,
    Name,
    Node,
    Operation,
    Opposite,
    Span,
    Star,
)
from logboom.lang.errors import InvalidQuery
from logboom.lang.format.aggregates import name_aggregate


class Result(NamedTuple):
    """A column of the result: its name, or none for the language's default, and its expression."""

    name: str | None
    node: Node
    condition: Node | None = None


AggregateBuilder: TypeAlias = Callable[["Grouping", Invocation], Aggregate]


class Grouping(MutableStruct):
    """A command that aggregates. `aggregates` maps lower-case names to ours, or to builders.

    `name_result` returns the default name of a result. Results that combine several aggregates need helper columns,
    which are dropped at the end.
    """

    lowering: Lowering
    aggregates: Mapping[str, str | AggregateBuilder]
    name_result: Callable[[Node], str]
    before: list[tuple[str, Expression]] = field(default_factory=list)
    found: list[Aggregate] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    after: list[tuple[str, Expression]] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)

    def add_result(self, result: Result) -> None:
        name = result.name or self.name_result(result.node)
        condition = self.make_condition(result.condition)
        if isinstance(result.node, Invocation) and result.node.name in self.aggregates:
            self.add_aggregate(self.aggregate(result.node), name, condition)
            return
        if not has_aggregate(result.node, self.aggregates):
            raise self.refuse_result(result.node)
        replaced = self.replace_aggregates(result.node, name, condition)
        self.after.append((name, self.lowering.express(replaced)))

    def refuse_result(self, node: Node) -> InvalidQuery:
        if isinstance(node, Invocation) and node.name not in self.lowering.language.functions:
            return self.lowering.refuse(f"aggregate {show(node.name)} is not supported", node)
        return self.lowering.refuse("expected an aggregate such as count", node)

    def make_condition(self, node: Node | None) -> Filter | None:
        return None if node is None else make_condition(self.lowering, node)

    def add_aggregate(self, aggregate: Aggregate, name: str, condition: Filter | None) -> None:
        if condition is not None and aggregate.condition is not None:
            condition = join_and((condition, aggregate.condition))
        aggregate = replace(aggregate, condition=condition or aggregate.condition)
        self.found.append(replace(aggregate, name=name or name_aggregate(aggregate)))

    def replace_aggregates(self, node: Node, name: str, condition: Filter | None) -> Node:
        """Return the expression with a helper column in place of each aggregate."""

        def replace_one(aggregate: Invocation) -> Node:
            helper = f"{name}_{len(self.helpers) + 1}"
            self.add_aggregate(self.aggregate(aggregate), helper, condition)
            self.helpers.append(helper)
            return Name(helper, aggregate.start, aggregate.end)

        return self.map_aggregates(node, replace_one)

    def map_aggregates(self, node: Node, change: Callable[[Invocation], Node]) -> Node:
        """Return the expression with something else in place of each aggregate."""
        match node:
            case Invocation() if node.name in self.aggregates:
                return change(node)
            case Invocation():
                arguments = (self.map_aggregates(each, change) for each in node.arguments)
                return replace(node, arguments=tuple(arguments))
            case Operation():
                left = self.map_aggregates(node.left, change)
                return replace(node, left=left, right=self.map_aggregates(node.right, change))
            case Minus() | Opposite():
                return replace(node, operand=self.map_aggregates(node.operand, change))
            case _:
                return node

    def aggregate(self, node: Invocation) -> Aggregate:
        """Return our aggregate for a call, named after its function until it gets another name."""
        builder = self.aggregates[node.name]
        if not isinstance(builder, str):
            return builder(self, node)
        if len(node.arguments) != 1:
            raise self.lowering.refuse(f"{node.name} takes one argument", node)
        return make_aggregate(builder, self.argument(node.arguments[0]))

    def argument(self, node: Node) -> Expression:
        found = self.lowering.express(node)
        if isinstance(found, Literal):
            raise self.lowering.refuse("aggregating a constant, expected a field", node)
        return found

    def add_key(self, name: str | None, node: Node, bucket: Quantity | None = None) -> None:
        """Add a key: a field, a bucket of one, or an expression, which becomes a column first."""
        if isinstance(node, Name) and bucket is not None and not bucket.is_duration:
            self.check_number(node)
        elif isinstance(node, Name) and bucket is not None:
            node, bucket = self.round_time(node, bucket)
        if isinstance(node, Name) and not self.lowering.find_json(node.text):
            column = self.lowering.resolve(node.text)
            self.keys.append(Key(column, bucket))
            if name is not None and self.lowering.resolve(name) != column:
                self.renamed.append((column, name))
            return
        column = name or self.name_result(node)
        self.before.append((column, self.lowering.express(node)))
        self.keys.append(Key(column, bucket))

    def check_number(self, node: Name) -> None:
        if self.lowering.resolve(node.text) == TIME:
            raise self.lowering.refuse("expected a length of time such as 1 hour", node)

    def round_time(self, node: Name, bucket: Quantity) -> tuple[Node, Quantity | None]:
        """Return the key and its span; only the event's time can have a span, any other time is rounded before."""
        if self.lowering.resolve(node.text) == TIME:
            return node, bucket
        width = Span(int(bucket.scaled), 0, node.start, node.end)
        return Invocation("bin", (node, width), node.start, node.end), None

    def finish(self, node: Node, *, adds_to_rows: bool = False) -> list[Pipe]:
        """Return the pipes; `node` is the position for errors about them."""
        columns = [key.field for key in self.keys] + [each.name for each in self.found]
        twice = {column for column in columns if columns.count(column) > 1}
        if twice:
            raise self.lowering.refuse(f"two columns are named {show(min(twice))}", node)
        if not self.found and (adds_to_rows or not self.keys):
            raise self.lowering.refuse("expected an aggregate such as count", node)
        kind = EventStats if adds_to_rows else Stats
        pipes: list[Pipe] = (
            [kind(tuple(self.found), tuple(self.keys))] if self.found else list_groups(self.keys)
        )
        if self.before:
            pipes.insert(0, Eval(tuple(self.before)))
        if self.after:
            pipes.append(Eval(tuple(self.after)))
        if self.helpers:
            pipes.append(Drop(tuple(self.helpers)))
        if self.renamed:
            pipes.append(Rename(tuple(self.renamed)))
        made = [*columns, *(name for name, _ in self.after), *(new for _, new in self.renamed)]
        self.lowering.own = {column.lower() for column in made if column != TIME}
        return pipes


def list_groups(keys: list[Key]) -> list[Pipe]:
    """Return pipes that list each combination of values once, including rows without a value."""
    columns = tuple(dict.fromkeys(key.field for key in keys))
    name = "count" if "count" not in columns else "count_"
    return [Stats((Aggregate("count", name=name),), tuple(keys)), Fields(columns)]


def make_condition(lowering: Lowering, node: Node) -> Filter:
    """Return one filter for a whole condition; it becomes an expression if a part of it must be one."""
    filters = make_filters(lowering, node)
    if any(isinstance(each, Truth) for each in filters):
        return Truth(lowering.express(node))
    return join_and(filters)


def make_aggregate(
    function: str, argument: Expression | None = None, parameter: int | float | None = None
) -> Aggregate:
    return Aggregate(function, argument, parameter, None, function)


def has_aggregate(node: Node, known: Mapping[str, object]) -> bool:
    match node:
        case Invocation():
            return node.name in known or any(has_aggregate(each, known) for each in node.arguments)
        case Operation():
            return has_aggregate(node.left, known) or has_aggregate(node.right, known)
        case Minus() | Opposite():
            return has_aggregate(node.operand, known)
        case _:
            return False


def build_count(grouping: Grouping, node: Invocation) -> Aggregate:
    """`count()`, `count(*)`, `count(1)` and `count(field)`."""
    match node.arguments:
        case () | (Star(),) | (Constant(),):
            return make_aggregate("count")
        case (argument,):
            return make_aggregate("count", grouping.argument(argument))
        case _:
            raise grouping.lowering.refuse(f"{node.name} takes one argument", node)


def build_distinct(grouping: Grouping, node: Invocation) -> Aggregate:
    """Return an exact count of distinct values; a precision may follow the field and is ignored."""
    if not node.arguments:
        raise grouping.lowering.refuse(f"{node.name} takes a field", node)
    return make_aggregate("count_uniq", grouping.argument(node.arguments[0]))


def build_percentile(grouping: Grouping, node: Invocation) -> Aggregate:
    match node.arguments:
        case (argument, Constant(value=int() | float() as percent)) if 0 <= percent <= 100:
            whole = int(percent) if percent == int(percent) else percent
            return make_aggregate("percentile", grouping.argument(argument), whole)
    raise grouping.lowering.refuse(f"{node.name} takes a field and a percentage", node)


def build_if(function: str) -> AggregateBuilder:
    """`sumif(x, condition)`; `countif` has only the condition."""

    def build(grouping: Grouping, node: Invocation) -> Aggregate:
        least = 1 if function == "count" else 2
        if not least <= len(node.arguments) <= least + 1:
            raise grouping.lowering.refuse(f"{node.name} takes a condition", node)
        condition = make_condition(grouping.lowering, node.arguments[least - 1])
        value = None if function == "count" else grouping.argument(node.arguments[0])
        return replace(make_aggregate(function, value), condition=condition)

    return build


def read_bucket(lowering: Lowering, node: Node) -> Quantity:
    """Return the width of a bucket."""
    span = fold_span(node)
    match node:
        case _ if span is not None and span.months == 0 and span.length_ns > 0:
            return to_quantity(span, "w")
        case Constant(value=int() | float() as number) if number > 0 and not isinstance(
            number, bool
        ):
            return Quantity(number)
    if span is not None and span.months:
        raise lowering.refuse("buckets of months are not supported, use days or weeks", node)
    raise lowering.refuse("expected the width of a bucket", node)
