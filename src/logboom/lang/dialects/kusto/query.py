"""Whole queries: a table, and the operators after it."""

from logboom.base.patterns import compile_later
from logboom.lang.ast import Query
from logboom.lang.dialects.kusto import columns
from logboom.lang.dialects.kusto.calls import read_function, sees_function
from logboom.lang.dialects.kusto.combine import (
    read_source,
    read_union,
)
from logboom.lang.dialects.kusto.expand import read_mv_expand
from logboom.lang.dialects.kusto.joins import read_join, read_lookup
from logboom.lang.dialects.kusto.parsing import read_parse, read_parse_where
from logboom.lang.dialects.kusto.reader import OPTION, Reader
from logboom.lang.dialects.kusto.scanner import KustoScanner
from logboom.lang.dialects.kusto.search import read_search
from logboom.lang.dialects.kusto.series import read_make_series
from logboom.lang.dialects.kusto.summarize import read_summarize
from logboom.lang.dialects.kusto.tokens import GRAMMAR
from logboom.lang.dialects.reading import blame, continue_with
from logboom.lang.dialects.scanner import show
from logboom.lang.dialects.tree import Node, Table
from logboom.lang.errors import InvalidQuery

QUERY_LEVELS = 3
OPERATOR = compile_later(r"[A-Za-z][\w-]*")
TABLE_AHEAD = compile_later(
    r"\(|(?:materialize|view|union|search)\b|[A-Za-z_]\w*\s*\||_?[A-Z]\w*\s*\("
)
BLANK_LINE = compile_later(r"\n[ \t\r]*\n")
MANAGEMENT = compile_later(r"\.[a-z-]+")


def skip_render(reader: Reader) -> None:
    """`render kind [with (…)]`: ignored, because pages draw charts themselves."""
    reader.read_name()
    while reader.scanner.take_match(OPTION):
        pass
    if reader.scanner.take_word("with"):
        skip_parentheses(reader)


def skip_parentheses(reader: Reader) -> None:
    reader.scanner.expect_sign("(")
    while not (reader.scanner.at_end or reader.scanner.take_sign(")")):
        if reader.scanner.sees_sign("("):
            skip_parentheses(reader)
        else:
            reader.scanner.take()


def skip_name(reader: Reader) -> None:
    """`as name` names a result that no other query can see."""
    reader.read_name()


def read_serialize(reader: Reader) -> None:
    """Read `serialize`, which may add columns; rows always have an order here."""
    if not (reader.scanner.at_end or reader.scanner.sees_sign("|", ";", ")")):
        columns.read_extend(reader)


OPERATORS = {
    "where": columns.read_where,
    "filter": columns.read_where,
    "search": read_search,
    "extend": columns.read_extend,
    "project": columns.read_project,
    "project-away": columns.read_project_away,
    "project-keep": columns.read_project_keep,
    "project-rename": columns.read_project_rename,
    "project-reorder": columns.read_project_reorder,
    "distinct": columns.read_distinct,
    "take": columns.read_take,
    "limit": columns.read_take,
    "count": columns.read_count,
    "sort": columns.read_sort,
    "order": columns.read_sort,
    "top": columns.read_top,
    "mv-expand": read_mv_expand,
    "mvexpand": read_mv_expand,
    "summarize": read_summarize,
    "make-series": read_make_series,
    "parse": read_parse,
    "parse-where": read_parse_where,
    "join": read_join,
    "lookup": read_lookup,
    "union": read_union,
    "render": skip_render,
    "as": skip_name,
    "serialize": read_serialize,
}
REFUSED: dict[str, str] = {
    "mv-apply": "use mv-expand",
    "evaluate": "plugins are not supported",
    "invoke": "there are no stored functions",
    "parse-kv": "use unpack kv",
    "sample": "our sample takes one in so many rows",
    "sample-distinct": "use uniq",
    "getschema": "the field panel lists the fields",
    "facet": "a query has one result",
    "fork": "a query has one result",
    "partition": "a query has one branch",
    "scan": "use transaction",
    "top-nested": "use top with by",
    "top-hitters": "use top",
    "reduce": "use patterns",
    "consume": "a query has one result",
    "externaldata": "external data cannot be read",
    "graph-match": "graphs are not supported",
    "make-graph": "graphs are not supported",
    "macro-expand": "macros are not supported",
}
"""Operators without a counterpart, and the message about each."""


def read(text: str) -> Query:
    """Raise InvalidQuery for what cannot be translated; it suggests the operators before that."""
    scanner = KustoScanner(text, read_inner)
    if found := MANAGEMENT.match(text.lstrip()):
        raise scanner.error("management commands are not queries", 0, found.end())
    read_lets(scanner)
    query = read_tabular(scanner, is_outermost=True)
    scanner.take_sign(";")
    if not scanner.at_end:
        raise refuse_rest(scanner)
    return query


def read_lets(scanner: KustoScanner) -> None:
    while scanner.sees_word("let"):
        read_let(scanner)


def read_inner(scanner: KustoScanner) -> Query:
    """Read a query in parentheses, or the body of a function, which may have variables of its own."""
    scanner.enter(QUERY_LEVELS)
    read_lets(scanner)
    query = read_tabular(scanner)
    scanner.depth -= QUERY_LEVELS
    return query


def read_tabular(scanner: KustoScanner, *, is_outermost: bool = False) -> Query:
    reader = Reader(scanner)
    if not is_outermost:
        read_operators(reader)
        return reader.pipeline.finish()
    with blame(reader.pipeline):
        read_operators(reader)
        if not (scanner.at_end or scanner.sees_sign(";")):
            raise refuse_rest(scanner)
    return reader.pipeline.finish()


def refuse_rest(scanner: KustoScanner) -> InvalidQuery:
    """Return the error about what follows a query; a blank line separates queries in Kusto's editors."""
    token = scanner.peek()
    if token.kind == "name" and BLANK_LINE.search(scanner.text, scanner.position, token.start):
        message = "a second query starts here, run one after the other"
        return scanner.error(message, token.start, token.end)
    return scanner.unexpected('"|" or the end')


def read_operators(reader: Reader) -> None:
    read_source(reader)
    while reader.scanner.take_sign("|"):
        read_operator(reader)


def read_operator(reader: Reader) -> None:
    start = reader.scanner.peek().start
    found = reader.scanner.take_match(OPERATOR)
    if found is None:
        raise reader.scanner.unexpected("an operator such as where")
    name = found[0].lower()
    operator = OPERATORS.get(name)
    if operator is not None:
        operator(reader)
    elif name in REFUSED:
        raise reader.refuse(f"{name} is not supported: {REFUSED[name]}", start)
    else:
        error = reader.refuse(f"unknown operator {show(found[0])}", start)
        raise continue_with(reader.pipeline, error, reader.scanner.text[start:])


def read_let(scanner: KustoScanner) -> None:
    """`let name = value;`, where the value is a scalar, a list, a table or a function."""
    scanner.take()
    reader = Reader(scanner)
    name = reader.read_name()
    scanner.expect_sign("=")
    start = scanner.peek().start
    if sees_function(scanner):
        scanner.functions[name] = read_function(GRAMMAR, scanner)
    else:
        scanner.variables[name] = read_scalar(reader) or read_variable_table(scanner, start)
    scanner.expect_sign(";")


def read_variable_table(scanner: KustoScanner, start: int) -> Table:
    scanner.go_to(start)
    query = read_tabular(scanner)
    return Table(query, start, scanner.position)


def read_scalar(reader: Reader) -> Node | None:
    """Return the expression up to the semicolon; None if it is a table's query."""
    start, depth = reader.scanner.peek().start, reader.scanner.depth
    try:
        node = reader.read_node()
    except InvalidQuery:
        reader.scanner.depth = depth
        reader.scanner.go_to(start)
        is_called = reader.scanner.peek().text in reader.scanner.functions
        if not (is_called or TABLE_AHEAD.match(reader.scanner.text, start)):
            raise
        return None
    return node if reader.scanner.sees_sign(";") else None
