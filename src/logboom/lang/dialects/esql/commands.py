"""The commands of ES|QL, each as our pipes. All are in COMMANDS, those that are refused in REFUSED."""

import re
from collections.abc import Callable
from typing import TypeAlias

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    Call,
    Drop,
    Eval,
    Expression,
    Extract,
    Field,
    Fields,
    Limit,
    Lookup,
    MvExpand,
    Rename,
    Rex,
    Sample,
    Sort,
    SortKey,
)
from logboom.lang.dialects.conditions import make_filters
from logboom.lang.dialects.esql.functions import AGGREGATES, LANGUAGE
from logboom.lang.dialects.esql.grok import UnknownPattern, list_numbers, translate_grok
from logboom.lang.dialects.esql.tokens import GRAMMAR, REQUEST_RANGE, decode_name, decode_text
from logboom.lang.dialects.expressions import read_expression
from logboom.lang.dialects.grouping import Grouping, Result, read_bucket
from logboom.lang.dialects.lowering import TIME, Lowering
from logboom.lang.dialects.pipeline import Pipeline
from logboom.lang.dialects.scanner import Scanner, show
from logboom.lang.dialects.tree import Constant, Invocation, Name, Node, Operation, Span

WILD_NAME = compile_later(r"(?:[\w@.*-]|`[^`]+`)+", re.ASCII)
ASSIGNMENT = compile_later(r"(?:[\w@.]|`[^`]*`)+\s*=(?![=~])")
TABLE = compile_later(r"[\w.*:-]+", re.ASCII)
PLACE = compile_later(r"%\{(?P<sign>[+?*&]?)(?P<name>[^{}]*?)(?P<pad>->)?\}")
MARKUP = compile_later(r"<[^<>\s]+>")
ALONE = compile_later(r"\s*(?:,|\||\Z|by\b)", re.IGNORECASE)


class Reader:
    """One ES|QL query being read."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.pipeline = Pipeline()
        self.lowering = Lowering(LANGUAGE)

    def read_node(self) -> Node:
        return read_expression(GRAMMAR, self.scanner)

    def read_name(self) -> str:
        token = self.scanner.take()
        if token.kind != "name":
            self.scanner.go_to(token.start)
            raise self.scanner.unexpected("the name of a field")
        return decode_name(token.text)

    def read_table(self) -> str:
        found = self.scanner.take_match(TABLE)
        if found is None:
            raise self.scanner.unexpected("the name of a table")
        return found[0]

    def read_text(self) -> str:
        token = self.scanner.take()
        if token.kind != "text":
            self.scanner.go_to(token.start)
            raise self.scanner.unexpected("a text in quotes")
        return decode_text(token.text)

    def read_count(self) -> int:
        token = self.scanner.take()
        if token.kind != "number" or not token.text.isdigit():
            self.scanner.go_to(token.start)
            raise self.scanner.unexpected("a whole number")
        return int(token.text)

    def read_wild_names(self) -> tuple[str, ...]:
        names = []
        while True:
            found = self.scanner.take_match(WILD_NAME)
            if found is None:
                raise self.scanner.unexpected("the name of a field")
            names.append(self.lowering.resolve(found[0].replace("`", "")))
            if not self.scanner.take_sign(","):
                return tuple(names)

    def read_assigned(self) -> str | None:
        """Return the name before `=`, if there is one."""
        if not ASSIGNMENT.match(self.scanner.text, self.scanner.peek().start):
            return None
        name = self.read_name()
        self.scanner.expect_sign("=")
        return name


Command: TypeAlias = Callable[[Reader], None]


def read_where(reader: Reader) -> None:
    nodes = split_conditions(reader.read_node())
    asked = [node for node in nodes if not is_request_range(reader, node)]
    filters = [each for node in asked for each in make_filters(reader.lowering, node)]
    if filters:
        reader.pipeline.narrow(filters)


def split_conditions(node: Node) -> list[Node]:
    """Return the parts that must all be true."""
    if isinstance(node, Operation) and node.operator == "and":
        return [*split_conditions(node.left), *split_conditions(node.right)]
    return [node]


def is_request_range(reader: Reader, node: Node) -> bool:
    """Return whether it restricts events to the chosen time range, which applies anyway: `@timestamp >= ?_tstart`."""
    match node:
        case Operation(operator=operator, left=Name(text=name), right=Invocation(name=limit)):
            is_time = reader.lowering.resolve(name) == TIME
            return is_time and operator in REQUEST_RANGE.get(limit, ())
        case _:
            return False


def read_eval(reader: Reader) -> None:
    assignments = []
    while True:
        name = reader.read_assigned()
        start = reader.scanner.peek().start
        node = reader.read_node()
        column = name or reader.scanner.text[start : node.end]
        assignments.append((column, reader.lowering.express(node)))
        reader.lowering.own.add(column.lower())
        if not reader.scanner.take_sign(","):
            break
    reader.pipeline.add(Eval(tuple(assignments)))


def read_stats(reader: Reader) -> None:
    read_grouping(reader, adds_to_rows=False)


def read_inline_stats(reader: Reader) -> None:
    reader.scanner.take_word("stats")
    read_grouping(reader, adds_to_rows=True)


def read_grouping(reader: Reader, *, adds_to_rows: bool) -> None:
    scanner, text = reader.scanner, reader.scanner.text
    place = scanner.peek()
    grouping = Grouping(reader.lowering, AGGREGATES, lambda node: text[node.start : node.end])
    while not scanner.sees_word("by"):
        read_result(reader, grouping)
        if not scanner.take_sign(","):
            break
    if scanner.take_word("by"):
        read_keys(reader, grouping)
    node = Name(place.text, place.start, place.end)
    for pipe in grouping.finish(node, adds_to_rows=adds_to_rows):
        reader.pipeline.add(pipe)


def read_result(reader: Reader, grouping: Grouping) -> None:
    """`name = AVG(x) [WHERE condition]`; `count` without parentheses counts rows."""
    name = reader.read_assigned()
    token = reader.scanner.peek()
    if reader.scanner.sees_word("count") and ALONE.match(reader.scanner.text, token.end):
        reader.scanner.take()
        node: Node = Invocation("count", (), token.start, token.end)
    else:
        node = reader.read_node()
    condition = reader.read_node() if reader.scanner.take_word("where") else None
    grouping.add_result(Result(name, node, condition))


def read_keys(reader: Reader, grouping: Grouping) -> None:
    while True:
        name = reader.read_assigned()
        add_key(reader, grouping, name, reader.read_node())
        if not reader.scanner.take_sign(","):
            return


def add_key(reader: Reader, grouping: Grouping, name: str | None, node: Node) -> None:
    match node:
        case Invocation(name="bucket" | "bin", arguments=(Name() as field, width)):
            grouping.add_key(name, field, read_bucket(reader.lowering, width))
        case Invocation(name="date_trunc", arguments=(Span(months=0) as width, Name() as field)):
            grouping.add_key(name, field, read_bucket(reader.lowering, width))
        case Invocation(name="tbucket", arguments=(Span(months=0) as width,)):
            time = Name("@timestamp", node.start, node.end)
            grouping.add_key(name, time, read_bucket(reader.lowering, width))
        case Invocation(name="bucket" | "bin", arguments=(_, _, _, _)):
            message = "BUCKET with a number of buckets is not supported, use a width such as 1 hour"
            raise reader.lowering.refuse(message, node)
        case Invocation(name="categorize"):
            raise reader.lowering.refuse("CATEGORIZE is not supported, use the pipe patterns", node)
        case _:
            grouping.add_key(name, node)


def read_sort(reader: Reader) -> None:
    keys = []
    while True:
        node = reader.read_node()
        if not isinstance(node, Name):
            node = add_column(reader, node)
        is_descending = bool(reader.scanner.take_word("desc"))
        reader.scanner.take_word("asc")
        if reader.scanner.take_word("nulls") and (first := reader.scanner.take_word("first")):
            message = "NULLS FIRST is not supported: rows without a value come last"
            raise reader.scanner.error(message, first.start, first.end)
        reader.scanner.take_word("last")
        keys.append(SortKey(reader.lowering.resolve(node.text), is_descending))
        if not reader.scanner.take_sign(","):
            break
    reader.pipeline.add(Sort(tuple(keys)))


def add_column(reader: Reader, node: Node) -> Name:
    """Return the column to sort by, which is added for an expression."""
    column = reader.scanner.text[node.start : node.end]
    reader.pipeline.add(Eval(((column, reader.lowering.express(node)),)))
    return Name(column, node.start, node.end)


def read_limit(reader: Reader) -> None:
    reader.pipeline.add(Limit(reader.read_count()))


def read_keep(reader: Reader) -> None:
    reader.pipeline.add(Fields(reader.read_wild_names()))


def read_drop(reader: Reader) -> None:
    reader.pipeline.add(Drop(reader.read_wild_names()))


def read_rename(reader: Reader) -> None:
    """`old AS new`, or `new = old`."""
    pairs = []
    while True:
        first = reader.read_name()
        if reader.scanner.take_sign("="):
            old, new = reader.read_name(), first
        else:
            reader.scanner.expect_word("as")
            old, new = first, reader.read_name()
        pairs.append((reader.lowering.resolve(old), new))
        if not reader.scanner.take_sign(","):
            break
    reader.lowering.own.update(new.lower() for _, new in pairs)
    reader.pipeline.add(Rename(tuple(pairs)))


def read_dissect(reader: Reader) -> None:
    field = reader.lowering.resolve(reader.read_name())
    start = reader.scanner.peek().start
    template = reader.read_text()
    if reader.scanner.take_word("append_separator"):
        raise reader.scanner.error(
            "APPEND_SEPARATOR is not supported", start, reader.scanner.position
        )
    written, position = "", 0
    for place in PLACE.finditer(template):
        literal = template[position : place.start()]
        if place["sign"] in ("+", "*", "&") or MARKUP.search(literal) or place["pad"]:
            message = f"{show(place[0])} of DISSECT is not supported, use rex"
            raise reader.scanner.error(message, start, reader.scanner.position)
        written += f"{literal}<{'_' if place['sign'] or not place['name'] else place['name']}>"
        position = place.end()
    check_template(reader, start, written + template[position:])
    reader.pipeline.add(Extract(written + template[position:], field))


def check_template(reader: Reader, start: int, template: str) -> None:
    names = [name for name in MARKUP.findall(template) if name != "<_>"]
    if not names or "><" in template:
        message = "expected fields such as %{user} with text between them"
        raise reader.scanner.error(message, start, reader.scanner.position)


def read_grok(reader: Reader) -> None:
    field = reader.lowering.resolve(reader.read_name())
    start = reader.scanner.peek().start
    while True:
        text = reader.read_text()
        place = Constant(text, start, reader.scanner.position)
        try:
            expression = reader.lowering.check_regex(translate_grok(text), place)
        except UnknownPattern as error:
            message = f"{show(str(error))} of GROK is not supported, use rex"
            raise reader.scanner.error(message, start, reader.scanner.position) from error
        if "(?<" not in expression:
            message = "GROK without a field, expected one such as %{IP:client}"
            raise reader.scanner.error(message, start, reader.scanner.position)
        reader.pipeline.add(Rex(expression, field))
        if numbers := list_numbers(text):
            reader.pipeline.add(Eval(tuple(map(convert, numbers))))
        if not reader.scanner.take_sign(","):
            return


def convert(name: str) -> tuple[str, Expression]:
    return name, Call("tonumber", (Field(name),))


def read_sample(reader: Reader) -> None:
    token = reader.scanner.take()
    share = float(token.text) if token.kind == "number" else 0.0
    one_in = round(1 / share) if 0 < share <= 1 else 0
    if not one_in or abs(one_in * share - 1) > 1e-9:
        message = "SAMPLE takes a share of one in a whole number, such as 0.1"
        raise reader.scanner.error(message, token.start, token.end)
    reader.pipeline.add(Sample(one_in))


def refuse_lookup_join(reader: Reader) -> None:
    """Raise InvalidQuery; it suggests our `lookup`, which adds the first row that matches."""
    start = reader.scanner.peek().start
    reader.scanner.expect_word("join")
    table = reader.read_table()
    reader.scanner.expect_word("on")
    field = reader.read_name()
    reader.pipeline.add(Lookup(table, ((field, field),)))
    message = "LOOKUP JOIN is not supported: lookup adds columns of a stored table, from the first row that matches"
    raise reader.scanner.error(message, start, reader.scanner.position)


def refuse_enrich(reader: Reader) -> None:
    start = reader.scanner.peek().start
    policy = reader.read_table()
    field = reader.read_name() if reader.scanner.take_word("on") else ""
    outputs = []
    while field and (reader.scanner.take_word("with") or reader.scanner.take_sign(",")):
        outputs.append(reader.read_name())
    if field:
        reader.pipeline.add(
            Lookup(policy, ((field, field),), tuple((name, name) for name in outputs))
        )
    message = "ENRICH is not supported: lookup adds columns of a stored table"
    raise reader.scanner.error(message, start, reader.scanner.position)


def read_mv_expand(reader: Reader) -> None:
    reader.pipeline.add(MvExpand(reader.lowering.resolve(reader.read_name())))


COMMANDS: dict[str, Command] = {
    "where": read_where,
    "eval": read_eval,
    "stats": read_stats,
    "inlinestats": read_inline_stats,
    "inline": read_inline_stats,
    "sort": read_sort,
    "limit": read_limit,
    "keep": read_keep,
    "project": read_keep,
    "drop": read_drop,
    "rename": read_rename,
    "dissect": read_dissect,
    "grok": read_grok,
    "sample": read_sample,
    "mv_expand": read_mv_expand,
    "lookup": refuse_lookup_join,
    "enrich": refuse_enrich,
}
REFUSED: dict[str, str] = {
    "fork": "a query has one branch",
    "fuse": "results have no scores",
    "rrf": "results have no scores",
    "rerank": "results have no scores",
    "completion": "there are no inference models",
    "change_point": "change points are not detected",
    "row": "a query starts from an index",
    "show": "the status page shows the version",
    "ts": "there are no time series indexes, use FROM",
    "explain": "use | explain at the end of the query",
    "set": "queries have no settings",
    "join": "use lookup for stored tables",
}
"""Commands without a counterpart, and the message about each."""
