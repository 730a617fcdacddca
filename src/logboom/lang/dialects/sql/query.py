"""A plain SELECT, translated for the suggestion."""

from collections.abc import Mapping

from logboom.base.patterns import compile_later
from logboom.lang.ast import Eval, Fields, Limit, Pattern, Query, ScopeFilter, Sort, SortKey, Uniq
from logboom.lang.dialects.conditions import make_filters
from logboom.lang.dialects.expressions import read_expression
from logboom.lang.dialects.grouping import (
    AggregateBuilder,
    Grouping,
    Result,
    build_count,
    build_distinct,
    has_aggregate,
)
from logboom.lang.dialects.lowering import Builder, Language, Lowering
from logboom.lang.dialects.pipeline import Pipeline
from logboom.lang.dialects.scanner import Scanner
from logboom.lang.dialects.sql.tokens import GRAMMAR, TOKENS, decode_name
from logboom.lang.dialects.textual import read_wildcards
from logboom.lang.dialects.tree import Constant, Invocation, Name, Node, Star
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query

MESSAGE = "SQL is not supported, write a filter and pipes; to search for the text, put it in quotes"
TABLE = compile_later(r"[\w.*\"`-]+")
FUNCTIONS: Mapping[str, str | Builder] = {
    **{name: name for name in ("abs", "ceil", "coalesce", "concat", "floor", "lower", "now")},
    **{name: name for name in ("nullif", "round", "trim", "upper")},
    "length": "len",
    "char_length": "len",
    "substr": "substr",
    "substring": "substr",
    "ifnull": "coalesce",
}
AGGREGATES: Mapping[str, str | AggregateBuilder] = {
    "count": build_count,
    "count_distinct": build_distinct,
    "sum": "sum",
    "avg": "avg",
    "min": "min",
    "max": "max",
}
LANGUAGE = Language("SQL", FUNCTIONS, frozenset(), drops_missing=True)


def read(text: str) -> Query:
    """Raise InvalidQuery, with a translation as the suggestion."""
    start = len(text) - len(text.lstrip())
    try:
        suggestion = format_query(Statement(text).translate())
    except InvalidQuery:
        suggestion = None
    raise InvalidQuery(MESSAGE, start, len(text.rstrip()), (), suggestion)


class Statement:
    """One SELECT being translated."""

    def __init__(self, text: str) -> None:
        self.scanner = Scanner(text, TOKENS, "SQL")
        self.lowering = Lowering(LANGUAGE)
        self.pipeline = Pipeline()
        self.columns: dict[str, str] = {}

    def translate(self) -> Query:
        self.scanner.expect_word("select")
        is_distinct = self.scanner.take_word("distinct") is not None
        items = self.read_items()
        self.read_from()
        if self.scanner.take_word("where"):
            self.pipeline.narrow(make_filters(self.lowering, self.read_node()))
        keys = self.read_keys()
        names = self.select(items, keys)
        if self.scanner.take_word("having"):
            self.pipeline.narrow(make_filters(self.lowering, self.rename(self.read_node())))
        self.read_order(names)
        if is_distinct and names:
            self.pipeline.add(Uniq(names))
        self.read_limit()
        if names and (is_distinct or not self.columns):
            self.pipeline.add(Fields(names))
        self.scanner.take_sign(";")
        if not self.scanner.at_end:
            raise self.scanner.unexpected("the end")
        return self.pipeline.finish()

    def read_node(self) -> Node:
        return read_expression(GRAMMAR, self.scanner)

    def read_items(self) -> list[tuple[str | None, Node]]:
        items = []
        while True:
            node = self.read_node()
            items.append((self.read_alias(), node))
            if not self.scanner.take_sign(","):
                return items

    def read_alias(self) -> str | None:
        has_as = self.scanner.take_word("as")
        if self.scanner.peek().kind == "name" and (has_as or not self.scanner.sees_word("from")):
            return decode_name(self.scanner.take().text)
        return None

    def read_from(self) -> None:
        self.scanner.expect_word("from")
        table = self.scanner.take_match(TABLE)
        if table is None:
            raise self.scanner.unexpected("the name of a table")
        parts = read_wildcards(decode_name(table[0]), "*", "\0")
        self.pipeline.head.append(ScopeFilter("index", Pattern(parts)))
        if self.scanner.take_word("as"):
            self.scanner.take()

    def read_keys(self) -> list[Node]:
        if not self.scanner.take_word("group"):
            return []
        self.scanner.expect_word("by")
        keys = [self.read_node()]
        while self.scanner.take_sign(","):
            keys.append(self.read_node())
        return keys

    def select(self, items: list[tuple[str | None, Node]], keys: list[Node]) -> tuple[str, ...]:
        """Compute what is selected, and return the names of its columns, none for all."""
        if keys or any(has_aggregate(node, AGGREGATES) for _, node in items):
            return self.aggregate(items, keys)
        if [type(node) for _, node in items] == [Star]:
            return ()
        names = []
        for name, node in items:
            if name is None and isinstance(node, Name):
                names.append(self.lowering.resolve(node.text))
                continue
            column = name or self.write(node)
            self.pipeline.add(Eval(((column, self.lowering.express(node)),)))
            names.append(column)
        return tuple(names)

    def aggregate(self, items: list[tuple[str | None, Node]], keys: list[Node]) -> tuple[str, ...]:
        grouping = Grouping(self.lowering, AGGREGATES, lambda _node: "")
        aliases = {name: node for name, node in items if name is not None}
        for key in keys:
            named = aliases.get(key.text) if isinstance(key, Name) else None
            if isinstance(key, Constant):
                raise self.lowering.refuse("GROUP BY a number, expected a column", key)
            grouping.add_key(key.text if named and isinstance(key, Name) else None, named or key)
        names = []
        for name, node in items:
            if has_aggregate(node, AGGREGATES):
                grouping.add_result(Result(name, node))
                column = grouping.after[-1][0] if grouping.after else grouping.found[-1].name
                self.columns[self.write(node)] = column
                names.append(column)
            else:
                names.append(name or self.write(node))
        if {key.field for key in grouping.keys} - set(names) or len(names) != len(
            grouping.keys
        ) + len(self.columns):
            raise self.scanner.unexpected("the columns of GROUP BY among those selected")
        for pipe in grouping.finish(items[0][1]):
            self.pipeline.add(pipe)
        return tuple(names)

    def write(self, node: Node) -> str:
        return "".join(self.scanner.text[node.start : node.end].lower().split())

    def rename(self, node: Node) -> Node:
        """Return an operand of HAVING or ORDER BY, with columns in place of aggregates."""
        grouping = Grouping(self.lowering, AGGREGATES, lambda _node: "")
        return grouping.map_aggregates(node, self.find_aggregate)

    def find_aggregate(self, node: Invocation) -> Node:
        column = self.columns.get(self.write(node))
        if column is None:
            raise self.lowering.refuse("expected an aggregate that is selected", node)
        return Name(column, node.start, node.end)

    def read_order(self, names: tuple[str, ...]) -> None:
        if not self.scanner.take_word("order"):
            return
        self.scanner.expect_word("by")
        keys = []
        while True:
            column = self.find_column(self.read_node(), names)
            is_descending = bool(self.scanner.take_word("desc"))
            self.scanner.take_word("asc")
            keys.append(SortKey(column, is_descending))
            if not self.scanner.take_sign(","):
                break
        self.pipeline.add(Sort(tuple(keys)))

    def find_column(self, node: Node, names: tuple[str, ...]) -> str:
        match self.rename(node):
            case Name(text=text):
                return text
            case Constant(value=int() as place) if 1 <= place <= len(names):
                return names[place - 1]
        raise self.lowering.refuse("expected a column to order by", node)

    def read_limit(self) -> None:
        if not self.scanner.take_word("limit"):
            return
        token = self.scanner.take()
        if not token.text.isdigit():
            self.scanner.go_to(token.start)
            raise self.scanner.unexpected("a number")
        self.pipeline.add(Limit(int(token.text)))
