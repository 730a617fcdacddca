"""The lexical rules of Kusto, and its operands."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.ast import Aggregate, Field, Fields, Query, Stats
from logboom.lang.dialects.expressions import (
    ADDED,
    AND,
    COMPARED,
    MULTIPLIED,
    OR,
    Grammar,
    read_expression,
    read_group,
    read_members,
)
from logboom.lang.dialects.kusto.calls import called
from logboom.lang.dialects.kusto.scanner import TEXT_WORDS, UNITS, KustoScanner, decode_text
from logboom.lang.dialects.scanner import Scanner, Token
from logboom.lang.dialects.times import fold_span, make_span, read_clock, write_date
from logboom.lang.dialects.tree import (
    Constant,
    Invocation,
    Minus,
    Moment,
    Name,
    Node,
    Operation,
    Opposite,
    Sequence,
    Span,
    Star,
    Table,
)
from logboom.lang.tokens import decode_number

CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
INSIDE = compile_later(r"\(\s*(?P<inside>[^()'\"]*?)\s*\)")
LITERALS = frozenset({"datetime", "date", "time", "timespan", "int", "long", "real", "double"})
LITERALS |= {"decimal", "bool", "boolean", "guid"}
WORD_TEST = compile_later(rf"(?:{TEXT_WORDS}|in|between|matches|like|notlike)", re.ASCII)
QUERY_AHEAD = compile_later(r"\(\s*+\(?\s*+[A-Za-z_]\w*+\s*+\|")
JSON_FUNCTIONS = ("parse_json", "todynamic", "parsejson")
TABLE_FUNCTIONS = frozenset({"datatable", "externaldata", "external_data"})
LISTED = frozenset({"in", "in~", "has_any", "has_all"})
TESTS = {
    "isnull": ("is null", True),
    "isnotnull": ("is null", False),
    "isempty": ("is empty", True),
    "isnotempty": ("is empty", False),
    "notempty": ("is empty", False),
    "notnull": ("is null", False),
}


def read_leaf(grammar: Grammar, scanner: Scanner) -> Node:
    node = read_value(grammar, scanner)
    while scanner.sees_sign(".", "["):
        node = read_access(grammar, scanner, node)
    return node


def read_value(grammar: Grammar, scanner: Scanner) -> Node:
    if scanner.sees_sign("("):
        return read_group(grammar, scanner)
    if scanner.sees_sign("["):
        return read_bracketed(grammar, scanner)
    if star := scanner.take_sign("*"):
        return Star(star.start, star.end)
    token = scanner.take()
    if token.kind == "name":
        return read_named(grammar, scanner, token)
    return read_constant(scanner, token)


def read_constant(scanner: Scanner, token: Token) -> Node:
    match token.kind:
        case "text":
            return Constant(decode_text(token.text), token.start, token.end)
        case "number":
            return read_number(scanner, token)
        case "span":
            return read_span(token)
        case _:
            scanner.go_to(token.start)
            raise scanner.unexpected("a value")


def read_bracketed(grammar: Grammar, scanner: Scanner) -> Node:
    """`['odd name']`, or the members of an array."""
    assert isinstance(scanner, KustoScanner)
    found = read_members(grammar, scanner, "[", "]")
    match found.members:
        case (Constant(value=str(name)),) if not scanner.is_in_array:
            return Name(name, found.start, found.end)
        case _:
            return found


def read_dynamic(grammar: Grammar, scanner: Scanner) -> Node:
    """`dynamic(["a", "b"])`: a list; objects have no counterpart."""
    assert isinstance(scanner, KustoScanner)
    scanner.expect_sign("(")
    if scanner.sees_sign("{"):
        brace = scanner.peek()
        raise scanner.error("objects are not supported as values", brace.start, brace.end)
    scanner.is_in_array = True
    found = read_expression(grammar, scanner)
    scanner.is_in_array = False
    scanner.expect_sign(")")
    return found


def read_data_table(grammar: Grammar, scanner: Scanner) -> Node:
    """`datatable(name: string) ["a", "b"]`: a table of one column is a list."""
    assert isinstance(scanner, KustoScanner)
    scanner.expect_sign("(")
    column = scanner.take()
    scanner.expect_sign(":")
    scanner.take()
    if scanner.sees_sign(","):
        message = "datatable of several columns is not supported, expected one"
        raise scanner.error(message, column.start, column.end)
    scanner.expect_sign(")")
    scanner.is_in_array = True
    found = read_leaf(grammar, scanner)
    scanner.is_in_array = False
    return found


def read_number(scanner: Scanner, token: Token) -> Constant:
    if token.text[:2] in ("0x", "0X"):
        return Constant(int(token.text, 16), token.start, token.end)
    number = decode_number(token.text)
    if number is None:
        raise scanner.error("a number that is too large", token.start, token.end)
    return Constant(number, token.start, token.end)


def read_span(token: Token) -> Span:
    unit = token.text.lstrip("0123456789.")
    number = decode_number(token.text.removesuffix(unit))
    span = make_span(number or 0, unit, token.start, token.end)
    assert span is not None, "the pattern has units that exist"
    return span


def read_named(grammar: Grammar, scanner: Scanner, token: Token) -> Node:
    if scanner.sees_sign("("):
        return read_call(grammar, scanner, token)
    if token.text in CONSTANTS:
        return Constant(CONSTANTS[token.text], token.start, token.end)
    assert isinstance(scanner, KustoScanner)
    bound = scanner.variables.get(token.text)
    return Name(token.text, token.start, token.end) if bound is None else bound


def read_call(grammar: Grammar, scanner: Scanner, token: Token) -> Node:
    literal = read_literal(scanner, token) if token.text in LITERALS else None
    if literal is not None:
        return literal
    if token.text == "toscalar":
        return read_scalar_query(scanner, token)
    if token.text == "datatable":
        return read_data_table(grammar, scanner)
    if token.text in TABLE_FUNCTIONS:
        raise scanner.error(f"{token.text} is not supported", token.start, token.end)
    if token.text == "dynamic":
        return read_dynamic(grammar, scanner)
    assert isinstance(scanner, KustoScanner)
    if function := scanner.functions.get(token.text):
        with called(grammar, scanner, function):
            return read_expression(grammar, scanner)
    arguments = read_members(grammar, scanner)
    return rewrite(token.text, arguments.members, token.start, arguments.end)


def rewrite(name: str, arguments: tuple[Node, ...], start: int, end: int) -> Node:
    """Return a call; functions that are tests get the common form of tests."""
    if name == "not" and len(arguments) == 1:
        return Opposite(arguments[0], start)
    if name in TESTS and len(arguments) == 1:
        test, is_true = TESTS[name]
        found = Invocation(test, arguments, start, end)
        return found if is_true else Opposite(found, start)
    if (
        name in ("ipv4_is_in_range", "ipv6_is_in_range", "ipv4_is_in_any_range")
        and len(arguments) > 1
    ):
        return Invocation("is in network", flatten(arguments), start, end)
    if name in ("pack_array", "array_concat") and all(map(is_constant, arguments)):
        return Sequence(flatten(arguments), start, end)
    if name == "strcat" and (texts := list_texts(arguments)):
        return Constant("".join(texts), start, end)
    return Invocation(name, arguments, start, end)


def read_scalar_query(scanner: Scanner, token: Token) -> Table:
    """`toscalar(T | summarize make_set(a))`: the list of values of a column; of another aggregate the only value.

    Only equality with them can be tested.
    """
    assert isinstance(scanner, KustoScanner)
    scanner.expect_sign("(")
    query = scanner.read_query(scanner)
    end = scanner.expect_sign(")").end
    match query.pipes:
        case (*before, Stats(aggregates=(Aggregate() as made,), keys=())) if is_list(made):
            assert isinstance(made.argument, Field), "is_list says so"
            column = Fields((made.argument.name,))
            return Table(Query(query.filter, (*before, column)), token.start, end)
        case (*_, Stats(aggregates=(Aggregate(),), keys=())):
            return Table(query, token.start, end)
        case _:
            message = "toscalar is not supported, except of one aggregate without by"
            raise scanner.error(message, token.start, token.end)


def is_list(made: Aggregate) -> bool:
    """Return whether the aggregate lists the values of a column."""
    is_plain = isinstance(made.argument, Field) and made.condition is None
    return is_plain and made.function in ("values", "list")


def is_constant(node: Node) -> bool:
    """Return whether the node is a constant, or a list of constants."""
    if isinstance(node, Sequence):
        return all(map(is_constant, node.members))
    return isinstance(node, Constant)


def list_texts(nodes: tuple[Node, ...]) -> list[str]:
    """Return the texts; none if anything else is among them."""
    values = [node.value if isinstance(node, Constant) else None for node in nodes]
    texts = [value for value in values if isinstance(value, str)]
    return texts if len(texts) == len(nodes) else []


def read_literal(scanner: Scanner, token: Token) -> Node | None:
    """`datetime(2026-09-01)`, `time(1.02:00:00)`, `int(null)`: the contents have no quotes."""
    start = scanner.position
    found = scanner.take_match(INSIDE)
    if found is None:
        return None
    node = decode_literal(token.text, found["inside"], token.start, found.end())
    if node is None:
        scanner.go_to(start)
    return node


def decode_literal(kind: str, inside: str, start: int, end: int) -> Node | None:
    if inside == "null":
        return Constant(None, start, end)
    if kind in ("datetime", "date"):
        date = write_date(inside)
        return Moment(date, start, end) if date else None
    if kind in ("time", "timespan"):
        return decode_timespan(inside, start, end)
    if kind in ("bool", "boolean"):
        return Constant(inside in ("true", "1"), start, end)
    if kind == "guid":
        return Constant(inside, start, end)
    number = decode_number(inside) if re.fullmatch(r"-?[0-9][0-9.eE+-]*", inside) else None
    return None if number is None else Constant(number, start, end)


def decode_timespan(inside: str, start: int, end: int) -> Span | None:
    length_ns = read_clock(inside)
    if length_ns is not None:
        return Span(length_ns, 0, start, end)
    found = re.fullmatch(rf"([0-9]+(?:\.[0-9]+)?)\s*({UNITS})?", inside)
    if found is None:
        return None
    return make_span(decode_number(found[1]) or 0, found[2] or "d", start, end)


def read_access(grammar: Grammar, scanner: Scanner, node: Node) -> Node:
    """`.name`, `["name"]` or `[0]` after a value."""
    if scanner.take_sign(".") and not scanner.sees_sign("["):
        token = scanner.take()
        if token.kind != "name":
            scanner.go_to(token.start)
            raise scanner.unexpected("a name")
        return access(node, token.text, token.end)
    member = read_members(grammar, scanner, "[", "]")
    match member.members:
        case (Constant(value=str(name)),):
            return access(node, name, member.end)
        case (Constant(value=int() as place),):
            return find_element(node, place, member.end)
        case (Minus(operand=Constant(value=int() as place)),):
            return find_element(node, -place, member.end)
        case _:
            raise scanner.error("expected a name or a number in brackets", member.start, member.end)


def find_element(node: Node, place: int, end: int) -> Node:
    """`list[0]`; inside JSON the number is a step of the path."""
    if isinstance(node, Invocation) and node.name in (".path", *JSON_FUNCTIONS):
        return access(node, str(place), end)
    return Invocation(".element", (node, Constant(place, node.start, end)), node.start, end)


def access(node: Node, name: str, end: int) -> Node:
    """Return a member of a value; for `list[0].a` that is the first element of `list.a`."""
    match node:
        case Invocation(name=".element", arguments=(inner, Constant(value=int() as place))):
            return find_element(access(inner, name, end), place, end)
        case Name(text=text):
            return Name(f"{text}.{name}", node.start, end)
        case Invocation(name=".path", arguments=(base, Constant(value=path))):
            return Invocation(
                ".path", (base, Constant(f"{path}.{name}", node.start, end)), node.start, end
            )
        case _:
            return Invocation(".path", (node, Constant(name, node.start, end)), node.start, end)


def read_test(grammar: Grammar, scanner: Scanner, left: Node) -> Node | None:
    """Read a test after its left side: a word, `!in (…)`, `between (a .. b)` or `matches regex "…"`."""
    token = scanner.peek()
    is_word = token.kind == "name" and WORD_TEST.fullmatch(token.text) is not None
    if token.kind != "test" and not is_word:
        return None
    scanner.take()
    word = token.text.removeprefix("!")
    is_negated = word != token.text or word == "notlike"
    found = Operation(*read_right(grammar, scanner, word, left))
    return Opposite(found, left.start) if is_negated else found


def read_right(grammar: Grammar, scanner: Scanner, word: str, left: Node) -> tuple[str, Node, Node]:
    if word == "matches":
        scanner.expect_word("regex")
        return "matches", left, read_leaf(grammar, scanner)
    if word in ("like", "notlike"):
        return "ilike", left, read_leaf(grammar, scanner)
    if word == "between":
        return "between", left, read_limits(grammar, scanner)
    if word in LISTED:
        return word, left, read_list(grammar, scanner)
    return word, left, read_leaf(grammar, scanner)


def read_limits(grammar: Grammar, scanner: Scanner) -> Sequence:
    """`(a .. b)`; a duration as the upper limit is relative to the lower one."""
    start = scanner.expect_sign("(").start
    low = read_expression(grammar, scanner)
    scanner.expect_sign("..")
    high = read_expression(grammar, scanner)
    if fold_span(high) and not fold_span(low):
        high = Operation("+", low, high)
    return Sequence((low, high), start, scanner.expect_sign(")").end)


def read_list(grammar: Grammar, scanner: Scanner) -> Node:
    """Read values, or a query, in parentheses."""
    if query := QUERY_AHEAD.match(scanner.text, scanner.peek().start):
        return read_subquery(scanner, query)
    if not scanner.sees_sign("("):
        members: tuple[Node, ...] = (read_leaf(grammar, scanner),)
        return Sequence(flatten(members), members[0].start, members[0].end)
    found = read_members(grammar, scanner)
    match found.members:
        case (Table() as table,):
            return table
        case _:
            return Sequence(flatten(found.members), found.start, found.end)


def read_subquery(scanner: Scanner, ahead: re.Match[str]) -> Table:
    assert isinstance(scanner, KustoScanner)
    scanner.expect_sign("(")
    query = scanner.read_query(scanner)
    return Table(query, ahead.start(), scanner.expect_sign(")").end)


def flatten(members: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the members, with nested arrays replaced by theirs."""
    return tuple(
        inner
        for member in members
        for inner in (member.members if isinstance(member, Sequence) else (member,))
    )


GRAMMAR = Grammar(
    operators={
        "or": ("or", OR),
        "and": ("and", AND),
        **{sign: (sign, COMPARED) for sign in ("==", "!=", "=~", "<", "<=", ">", ">=")},
        "!~": ("!~", COMPARED),
        "<>": ("!=", COMPARED),
        **{sign: (sign, ADDED) for sign in "+-"},
        **{sign: (sign, MULTIPLIED) for sign in "*/%"},
    },
    read_test=read_test,
    read_leaf=read_leaf,
)
