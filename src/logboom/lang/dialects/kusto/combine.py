"""Tables and variables of Kusto, and the operators that combine tables."""

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    Dedup,
    Everything,
    Fields,
    Filter,
    InQuery,
    Join,
    Not,
    Pattern,
    Query,
    Rename,
    ScopeFilter,
    Stats,
    Union,
    Uniq,
    Wildcard,
)
from logboom.lang.dialects.kusto.columns import read_search
from logboom.lang.dialects.kusto.reader import Reader
from logboom.lang.dialects.kusto.tokens import KustoScanner, decode_text
from logboom.lang.dialects.matching import join_or
from logboom.lang.dialects.scanner import show
from logboom.lang.dialects.textual import read_wildcards
from logboom.lang.dialects.tree import Name, Table

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
SEMI_JOINS = {
    "leftsemi": (False, False),
    "leftanti": (False, True),
    "leftantisemi": (False, True),
    "anti": (False, True),
    "rightsemi": (True, False),
    "rightanti": (True, True),
    "rightantisemi": (True, True),
}
"""Join kinds that only test whether there is a partner: whether they keep the right side, and rows without one."""
TWO_SIDES = compile_later(r"\$left\.(?P<left>\w+)\s*==\s*\$right\.(?P<right>\w+)\s*")


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
        place = scanner.take()
        scanner.expect_sign(")")
        if not scanner.take_sign("."):
            return Query(make_scope(decode_text(place.text)))
        name = reader.read_name()
    if name in ("materialize", "view") and scanner.take_sign("("):
        query = scanner.read_query(scanner)
        scanner.expect_sign(")")
        return query
    if scanner.sees_sign("("):
        raise reader.refuse(
            f"function {show(name)} is not supported, expected a table", token.start
        )
    return find_variable(scanner, name)


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


def skip_union_options(reader: Reader) -> None:
    while option := reader.scanner.take_match(OPTION):
        if option["name"] in ("withsource", "with_source"):
            raise reader.refuse(
                f"{option['name']} is not supported, the index is in _index", option.start()
            )


def read_first_union(reader: Reader) -> None:
    """Read several tables, which are several indexes; queries among them are joined by union."""
    skip_union_options(reader)
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


def add_table(reader: Reader, name: str, scopes: list[Filter], queries: list[Query]) -> None:
    if isinstance(reader.scanner.variables.get(name), Table):
        queries.append(find_variable(reader.scanner, name))
    elif reader.scanner.sees_sign("("):
        reader.scanner.go_to(reader.scanner.position - len(name))
        queries.append(read_table(reader))
    else:
        scopes.append(make_scope(name))


def read_first_search(reader: Reader) -> None:
    """`search [in (A, B)] "text"`."""
    if reader.scanner.take_word("in"):
        reader.scanner.expect_sign("(")
        scopes = [make_scope(name) for name in reader.read_wild_names()]
        reader.scanner.expect_sign(")")
        reader.pipeline.head.append(join_or(scopes))
    read_search(reader)


def read_union(reader: Reader) -> None:
    """Add the rows of other tables."""
    skip_union_options(reader)
    while True:
        reader.pipeline.add(Union(read_query(reader)))
        if not reader.scanner.take_sign(","):
            return


def read_join(reader: Reader) -> None:
    """Read a join that adds at most one partner to each row, or only tests whether there is one."""
    start = reader.scanner.peek().start
    kind = "innerunique"
    while option := reader.scanner.take_match(OPTION):
        kind = option["value"] if option["name"] == "kind" else kind
    query = read_query(reader)
    reader.scanner.expect_word("on")
    lefts, rights = read_on(reader)
    side = SEMI_JOINS.get(kind)
    if side is not None and len(lefts) == 1:
        semi_join(reader, query, (lefts[0], rights[0]), *side)
    elif joins_once(reader, kind, lefts) and is_unique(query, rights):
        if lefts != rights:
            renamed = Rename(tuple(zip(rights, lefts, strict=True)))
            query = Query(query.filter, (*query.pipes, renamed))
        reader.pipeline.add(Join(lefts, query, "left" if kind == "leftouter" else "inner"))
    else:
        message = (
            f"join kind={kind} is not supported: our join adds only the first match of each row"
        )
        raise reader.refuse(message, start)


def joins_once(reader: Reader, kind: str, keys: tuple[str, ...]) -> bool:
    """Return whether every left row occurs at most once; the default kind drops all but one of a key."""
    is_default = kind == "innerunique" and is_unique(reader.pipeline.finish(), keys)
    return is_default or kind in ("inner", "leftouter")


def read_query(reader: Reader) -> Query:
    """Read a table, or a query in parentheses."""
    if not reader.scanner.take_sign("("):
        return read_table(reader)
    query = reader.scanner.read_query(reader.scanner)
    reader.scanner.expect_sign(")")
    return query


def semi_join(
    reader: Reader, query: Query, keys: tuple[str, str], keeps_right: bool, is_anti: bool
) -> None:
    """Keep the rows of one side that have a partner on the other, or those that have none."""
    kept, other = keys
    if keeps_right:
        kept, other = other, kept
        left = reader.pipeline.finish()
        reader.pipeline.begin(query)
        query = left
    found = InQuery(kept, Query(query.filter, (*query.pipes, Fields((other,)))))
    reader.pipeline.narrow([Not(found) if is_anti else found])


def read_on(reader: Reader) -> tuple[tuple[str, ...], tuple[str, ...]]:
    lefts: list[str] = []
    rights: list[str] = []
    while True:
        if found := reader.scanner.take_match(TWO_SIDES):
            lefts.append(reader.lowering.resolve(found["left"]))
            rights.append(reader.lowering.resolve(found["right"]))
        else:
            column = reader.read_column()
            lefts.append(column)
            rights.append(column)
        if not (reader.scanner.take_sign(",") or reader.scanner.take_word("and")):
            return tuple(lefts), tuple(rights)


def is_unique(query: Query, keys: tuple[str, ...]) -> bool:
    """Return whether the query has at most one row for each combination of the keys."""
    for pipe in reversed(query.pipes):
        match pipe:
            case Stats(keys=groups):
                return {group.field for group in groups} <= set(keys)
            case Uniq(fields=fields) | Dedup(fields=fields, keep=1):
                return set(fields) <= set(keys)
            case Union() | Rename():
                return False
            case _:
                pass
    return False
