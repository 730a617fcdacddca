"""Tables and variables of Kusto, and the operators that combine tables."""

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    Eval,
    Everything,
    Field,
    Filter,
    Pattern,
    Query,
    ScopeFilter,
    Union,
    Wildcard,
)
from logboom.lang.dialects.kusto.calls import called
from logboom.lang.dialects.kusto.reader import Reader
from logboom.lang.dialects.kusto.scanner import KustoScanner, decode_text
from logboom.lang.dialects.kusto.search import read_search, skip_kind
from logboom.lang.dialects.kusto.tokens import GRAMMAR
from logboom.lang.dialects.matching import join_or
from logboom.lang.dialects.scanner import show
from logboom.lang.dialects.textual import read_wildcards
from logboom.lang.dialects.tree import Constant, Name, Table

WILD_TABLE = compile_later(r"[A-Za-z_][\w*]*|\*")
OPTION = compile_later(
    r"(?P<name>kind|isfuzzy|withsource|with_source|hint\.\w+)\s*=\s*(?P<value>[\w.]+)\s*"
)
REFUSED_SOURCES = {
    "print": "a query starts from a table",
    "range": "a query starts from a table",
    "datatable": "a query starts from a table",
    "externaldata": "external data cannot be read",
    "cluster": "other clusters cannot be reached",
    "find": "use search, or where with has",
    "evaluate": "plugins are not supported",
    "declare": "queries have no parameters",
    "set": "queries have no settings",
    "alias": "aliases of databases are not supported",
    "restrict": "access is set by permissions",
    "pattern": "patterns are not supported",
}
PLACES = ("database", "workspace", "app", "adx", "arg", "table")


def make_scope(name: str) -> Filter:
    if name == "*":
        return Everything()
    return ScopeFilter("index", Pattern(read_wildcards(name, "*", "\0") or (Wildcard.ANY,)))


def read_source(reader: Reader) -> None:
    """Read where the events come from: a table, a variable, several of them, or a query in parentheses."""
    scanner = reader.scanner
    token = scanner.peek()
    if scanner.take_sign("("):
        reader.pipeline.begin(scanner.read_query(scanner))
        scanner.expect_sign(")")
    elif scanner.take_word("union"):
        read_first_union(reader)
    elif scanner.take_word("search"):
        read_first_search(reader)
    elif token.text in REFUSED_SOURCES:
        scanner.take()
        raise reader.refuse(
            f"{token.text} is not supported: {REFUSED_SOURCES[token.text]}", token.start
        )
    else:
        begin_with_table(reader)


def begin_with_table(reader: Reader) -> None:
    query = read_table(reader)
    reader.pipeline.begin(query)


def read_table(reader: Reader) -> Query:
    """`Table`, `['table']`, `database("x").Table`, or the value of a variable."""
    scanner = reader.scanner
    token = scanner.peek()
    name = reader.take_name()
    if name is None:
        raise scanner.unexpected("the name of a table")
    while name in PLACES and scanner.take_sign("("):
        place = read_place(scanner)
        scanner.expect_sign(")")
        if not scanner.take_sign("."):
            return Query(make_scope(place))
        name = reader.read_name()
    if name in ("materialize", "view") and scanner.take_sign("("):
        query = scanner.read_query(scanner)
        scanner.expect_sign(")")
        return query
    if function := scanner.functions.get(name):
        with called(GRAMMAR, scanner, function):
            return scanner.read_query(scanner)
    if scanner.sees_sign("("):
        raise reader.refuse(
            f"function {show(name)} is not supported, expected a table", token.start
        )
    return find_variable(scanner, name)


def read_place(scanner: KustoScanner) -> str:
    """Return the name in `table("name")`, which may be a variable."""
    token = scanner.take()
    bound = scanner.variables.get(token.text)
    if isinstance(bound, Constant) and isinstance(bound.value, str):
        return bound.value
    return decode_text(token.text) if token.kind == "text" else token.text


def find_variable(scanner: KustoScanner, name: str) -> Query:
    bound = scanner.variables.get(name)
    if isinstance(bound, Table):
        return bound.query
    if isinstance(bound, Name):
        return find_variable(scanner, bound.text) if bound.text != name else Query(make_scope(name))
    if bound is not None:
        message = f"{show(name)} is not a table"
        raise scanner.error(message, scanner.peek().start, scanner.peek().end)
    return Query(make_scope(name))


def read_union_options(reader: Reader) -> str | None:
    """Return the column of `withsource`, which gets the names of the tables; other options change nothing."""
    column = None
    while option := reader.scanner.take_match(OPTION):
        if option["name"] in ("withsource", "with_source"):
            column = option["value"]
    return column


def read_first_union(reader: Reader) -> None:
    """Read several tables, which are several indexes; queries among them are joined by union."""
    start = reader.scanner.peek().start
    column = read_union_options(reader)
    scopes: list[Filter] = []
    queries: list[Query] = []
    while True:
        if reader.scanner.take_sign("("):
            queries.append(reader.scanner.read_query(reader.scanner))
            reader.scanner.expect_sign(")")
        elif wild := reader.scanner.take_match(WILD_TABLE):
            add_table(reader, wild[0], scopes, queries)
        else:
            queries.append(read_table(reader))
        if not reader.scanner.take_sign(","):
            break
    if scopes and not any(isinstance(scope, Everything) for scope in scopes):
        reader.pipeline.head.append(join_or(scopes))
    elif not scopes:
        reader.pipeline.begin(queries.pop(0))
    for query in queries:
        reader.pipeline.add(Union(query))
    if column is None:
        return
    if queries:
        raise reader.refuse("withsource is supported for tables only, without queries", start)
    reader.pipeline.add(Eval(((column, Field("_index")),)))
    reader.lowering.own.add(column.lower())


def add_table(reader: Reader, name: str, scopes: list[Filter], queries: list[Query]) -> None:
    if isinstance(reader.scanner.variables.get(name), Table):
        queries.append(find_variable(reader.scanner, name))
    elif reader.scanner.sees_sign("(") or name in reader.scanner.functions:
        reader.scanner.go_to(reader.scanner.position - len(name))
        queries.append(read_table(reader))
    else:
        scopes.append(make_scope(name))


def read_first_search(reader: Reader) -> None:
    """`search [kind=case_insensitive] [in (A, B)] "text"`."""
    skip_kind(reader)
    if reader.scanner.take_word("in"):
        reader.scanner.expect_sign("(")
        scopes = [make_scope(name) for name in reader.read_wild_names()]
        reader.scanner.expect_sign(")")
        reader.pipeline.head.append(join_or(scopes))
    read_search(reader)


def read_union(reader: Reader) -> None:
    """Add the rows of other tables."""
    start = reader.scanner.peek().start
    if read_union_options(reader):
        raise reader.refuse("withsource is supported at the start of a query only", start)
    while True:
        reader.pipeline.add(Union(read_query(reader)))
        if not reader.scanner.take_sign(","):
            return


def read_query(reader: Reader) -> Query:
    """Read a table, or a query in parentheses."""
    if not reader.scanner.take_sign("("):
        return read_table(reader)
    query = reader.scanner.read_query(reader.scanner)
    reader.scanner.expect_sign(")")
    return query
