"""A plain SELECT, translated for the suggestion."""

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    Eval,
    Fields,
    Limit,
    Offset,
    Pattern,
    Query,
    ScopeFilter,
    Sort,
    SortKey,
    Uniq,
)
from logboom.lang.dialects.conditions import make_filters
from logboom.lang.dialects.expressions import read_expression
from logboom.lang.dialects.grouping import Grouping, Result, has_aggregate
from logboom.lang.dialects.lowering import TIME, Language, Lowering
from logboom.lang.dialects.pipeline import Pipeline
from logboom.lang.dialects.scanner import Scanner
from logboom.lang.dialects.sql.functions import AGGREGATES, FUNCTIONS, read_rounding
from logboom.lang.dialects.sql.tokens import GRAMMAR, TOKENS, decode_name, with_texts
from logboom.lang.dialects.textual import read_wildcards
from logboom.lang.dialects.tree import Constant, Invocation, Name, Node, Star
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query

MESSAGE = "SQL is not supported, write a filter and pipes; to search for the text, put it in quotes"
TABLE = compile_later(r"[\w.*\"`-]+")
TIMES = frozenset({"timestamp", "ts", "time", "datetime", "eventTime"})
"""Names of the event's time; events have no such fields, because it was taken from these."""
LANGUAGE = Language("SQL", FUNCTIONS, TIMES, drops_missing=True)


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
        """The columns of aggregates by how these are written."""
        self.keys: dict[str, str] = {}
        """The columns of the keys of GROUP BY, likewise."""

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
        return with_texts(read_expression(GRAMMAR, self.scanner), self.scanner.text)

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
        if self.scanner.at_end or self.scanner.sees_sign(";"):
            return
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
        for key in keys:
            self.add_key(grouping, key, items)
        names = []
        for name, node in items:
            if has_aggregate(node, AGGREGATES):
                grouping.add_result(Result(name, node))
                column = grouping.after[-1][0] if grouping.after else grouping.found[-1].name
                self.columns[self.write(node)] = column
                names.append(column)
            else:
                names.append(self.keys.get(self.write(node), ""))
        if set(self.keys.values()) != set(names) - set(self.columns.values()):
            raise self.scanner.unexpected("the columns of GROUP BY among those selected")
        for pipe in grouping.finish(items[0][1]):
            self.pipeline.add(pipe)
        return tuple(names)

    def add_key(self, grouping: Grouping, key: Node, items: list[tuple[str | None, Node]]) -> None:
        """Add a key of GROUP BY: a column, an expression, the alias of one, or its place among what is selected."""
        match key:
            case Constant(value=int() as place) if 0 < place <= len(items):
                name, node = items[place - 1]
            case Constant():
                raise self.lowering.refuse("GROUP BY a number, expected a column", key)
            case _:
                written = self.write(key)
                meant = [
                    item
                    for item in items
                    if self.write(item[1]) == written or (item[0] or "").lower() == written
                ]
                name, node = meant[0] if meant else (None, key)
        rounding = read_rounding(node)
        if rounding is not None:
            time, bucket = rounding
            grouping.add_key(name, time, bucket)
            column = name or TIME
        else:
            column = name or self.name_key(node)
            grouping.add_key(name if isinstance(node, Name) else column, node)
        self.keys[self.write(node)] = column

    def name_key(self, node: Node) -> str:
        if isinstance(node, Name):
            return self.lowering.resolve(node.text)
        return "case" if isinstance(node, Invocation) and node.name == "case" else self.write(node)

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
        if (known := self.keys.get(self.write(node))) is not None:
            return known
        match self.rename(node):
            case Name(text=text):
                return self.lowering.resolve(text)
            case Constant(value=int() as place) if 1 <= place <= len(names):
                return names[place - 1]
        raise self.lowering.refuse("expected a column to order by", node)

    def read_limit(self) -> None:
        """`LIMIT 10 OFFSET 20`, in either order, and `LIMIT 20, 10`."""
        counts: dict[str, int] = {}
        while word := self.scanner.take_word("limit", "offset"):
            counts[word.text.lower()] = self.read_count()
            if word.text.lower() == "limit" and self.scanner.take_sign(","):
                counts = {"offset": counts["limit"], "limit": self.read_count()}
        if counts.get("offset"):
            self.pipeline.add(Offset(counts["offset"]))
        if "limit" in counts:
            self.pipeline.add(Limit(counts["limit"]))

    def read_count(self) -> int:
        token = self.scanner.take()
        if not token.text.isdigit():
            self.scanner.go_to(token.start)
            raise self.scanner.unexpected("a number")
        return int(token.text)
