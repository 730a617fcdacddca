"""Converts conditions of other languages to filters, or to expressions if no filter is equivalent."""

from ipaddress import ip_network

from logboom.lang.ast import (
    And,
    AnyField,
    Between,
    Exists,
    Filter,
    Match,
    Network,
    Not,
    Pattern,
    Stats,
    Truth,
)
from logboom.lang.dialects.lowering import TIME, Lowering
from logboom.lang.dialects.matching import TESTS, fold, join_and, join_or, read_empty
from logboom.lang.dialects.times import fold_moment
from logboom.lang.dialects.tree import (
    Constant,
    Invocation,
    Moment,
    Name,
    Node,
    Operation,
    Opposite,
    Sequence,
    Star,
    Table,
    Test,
)

OPPOSITES = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "=~": "=~"}
SAME_VALUE = frozenset({"tostring", "to_string"})
FOLDED = frozenset({"tolower", "toupper", "to_lower", "to_upper", "lower", "upper"})
NEGATED = {"!=": "==", "!~": "=~"}
ANY_CASE = {
    "==": "=~",
    "in": "in~",
    "like": "ilike",
    "sql_like": "sql_ilike",
    "rlike": "irlike",
    "matches": "imatches",
}
"""The same tests ignoring case, for the lower-case form of a field."""


def make_filters(lowering: Lowering, node: Node) -> list[Filter]:
    """Return the filters that must all match for the condition to be true, with as few expressions as possible."""
    if isinstance(node, Operation) and node.operator == "and":
        return [*make_filters(lowering, node.left), *make_filters(lowering, node.right)]
    check_test(lowering, node)
    found = Conditions(lowering).read(node, is_true=True)
    if found is None:
        return [Truth(lowering.express(node))]
    return list(found.terms) if isinstance(found, And) else [found]


def check_test(lowering: Lowering, node: Node) -> None:
    """Raise InvalidQuery for a text or number in place of a test."""
    while isinstance(node, Opposite):
        node = node.operand
    if isinstance(node, Constant) and not isinstance(node.value, bool):
        raise lowering.refuse("expected a test, not only a value", node)


class Conditions:
    """None stands for a condition that no filter can express."""

    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering

    def read(self, node: Node, *, is_true: bool) -> Filter | None:
        """Return the filter that matches where the condition is true, or where it is false."""
        match node:
            case Test(filter=found):
                return found if is_true else Not(found)
            case Opposite(operand=operand):
                return self.read(operand, is_true=not is_true)
            case Operation():
                return self.operate(node, is_true=is_true)
            case Invocation(arguments=(Name() as name, *further)) if not self.is_json(name):
                return self.read_call(node.name, name, further, is_true=is_true)
            case Name() if not self.is_json(node):
                field = self.lowering.resolve(node.text)
                return self.settle(Match(field, Pattern.literal("true")), field, is_true=is_true)
            case _:
                return None

    def operate(self, node: Operation, *, is_true: bool) -> Filter | None:
        if node.operator in ("and", "or"):
            check_test(self.lowering, node.left)
            check_test(self.lowering, node.right)
            return self.join(node, is_true=is_true, is_and=(node.operator == "and") == is_true)
        return self.compare(node.operator, node.left, node.right, is_true=is_true)

    def join(self, node: Operation, *, is_true: bool, is_and: bool) -> Filter | None:
        sides = [self.read(side, is_true=is_true) for side in (node.left, node.right)]
        found = [side for side in sides if side is not None]
        if len(found) < len(sides):
            return None
        return join_and(found) if is_and else join_or(found)

    def is_json(self, name: Name) -> bool:
        return self.lowering.find_json(name.text) is not None

    def settle(self, found: Filter, field: str, *, is_true: bool) -> Filter:
        """Return the test, or its opposite for existing values."""
        if is_true:
            return found
        if not self.lowering.language.drops_missing or field == TIME:
            return Not(found)
        return And((Exists(field), Not(found)))

    def read_call(
        self, function: str, name: Name, further: list[Node], *, is_true: bool
    ) -> Filter | None:
        field = self.lowering.resolve(name.text)
        if function == "is null":
            return Not(Exists(field)) if is_true else Exists(field)
        if function == "is empty":
            return read_empty(field, is_true=is_true)
        if function == "is in network":
            networks = join_or(Network(field, self.read_network(each)) for each in further)
            return self.settle(networks, field, is_true=is_true)
        return None

    def read_network(self, node: Node) -> str:
        try:
            return str(ip_network(self.lowering.read_text(node), strict=False))
        except ValueError as error:
            raise self.lowering.refuse("expected a network such as 10.0.0.0/8", node) from error

    def compare(self, operator: str, left: Node, right: Node, *, is_true: bool) -> Filter | None:
        if operator in NEGATED:
            operator, is_true = NEGATED[operator], not is_true
        if operator in MIRRORED and not is_field(left) and is_field(right):
            operator, left, right = MIRRORED[operator], right, left
        if isinstance(left, Star):
            return self.search_all(operator, right, is_true=is_true)
        name = strip(left)
        if not isinstance(name, Name) or self.is_json(name):
            return None
        if is_folded(left):
            operator = ANY_CASE.get(operator, operator.removesuffix("_cs"))
        field = self.lowering.resolve(name.text)
        if field == TIME:
            return self.compare_time(operator, right, is_true=is_true)
        return self.test(field, operator, fold(right), is_true=is_true)

    def test(self, field: str, operator: str, right: Node, *, is_true: bool) -> Filter | None:
        language = self.lowering.language
        if operator == "==" and has_one_value(right):
            operator = "in"
        if is_empty_text(operator, right) and not (
            language.drops_missing or language.is_two_valued
        ):
            return read_empty(field, is_true=is_true)
        if operator in OPPOSITES and not is_true and not language.is_two_valued:
            operator, is_true = OPPOSITES[operator], True
        build = TESTS.get(operator)
        found = build(self.lowering, field, right) if build else None
        return None if found is None else self.settle(found, field, is_true=is_true)

    def search_all(self, operator: str, right: Node, *, is_true: bool) -> Filter:
        """`* has "x"` searches every field."""
        if operator not in ("has", "contains"):
            raise self.lowering.refuse('only has and contains can follow "*"', right)
        found = AnyField(Pattern.literal(self.lowering.read_text(right)))
        return found if is_true else Not(found)

    def compare_time(self, operator: str, right: Node, *, is_true: bool) -> Filter | None:
        limits = right.members if isinstance(right, Sequence) else (right,)
        moments = [moment for moment in map(self.read_moment, limits) if moment is not None]
        if len(moments) < len(limits):
            return None
        if operator in OPPOSITES:
            return limit_time(operator if is_true else OPPOSITES[operator], moments[0].text)
        if operator not in ("==", "between"):
            return None
        found = Between(moments[0].text, moments[-1].text, includes_start=True, includes_end=True)
        return found if is_true else Not(found)

    def read_moment(self, node: Node) -> Moment | None:
        """Return a time; raise InvalidQuery for anything else, because no event could have that time."""
        moment = fold_moment(node, takes_text=True)
        if moment is None and isinstance(node, Constant):
            raise self.lowering.refuse("expected a time such as 2026-09-01T12:00:00Z", node)
        return moment


def has_one_value(node: Node) -> bool:
    """Return whether a node is a query with a single result, an aggregate of all rows."""
    last = node.query.pipes[-1:] if isinstance(node, Table) else ()
    return any(isinstance(pipe, Stats) and not pipe.keys for pipe in last)


def limit_time(operator: str, moment: str) -> Filter:
    if operator in (">", ">="):
        return Between(moment, None, includes_start=operator == ">=")
    return Between(None, moment, includes_end=operator == "<=")


def is_empty_text(operator: str, right: Node) -> bool:
    return operator in ("==", "=~") and isinstance(right, Constant) and right.value == ""


def is_field(node: Node) -> bool:
    return isinstance(node, Star) or isinstance(strip(node), Name)


def is_folded(node: Node) -> bool:
    return isinstance(node, Invocation) and node.name in FOLDED and len(node.arguments) == 1


def strip(node: Node) -> Node:
    """Return the field inside functions that do not change the result of a case-insensitive test."""
    while isinstance(node, Invocation) and len(node.arguments) == 1:
        if node.name not in SAME_VALUE and node.name not in FOLDED:
            break
        node = node.arguments[0]
    return node
