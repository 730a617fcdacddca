"""Other query languages, each in its own folder. All of them are in DIALECTS."""

from collections.abc import Callable
from typing import NamedTuple

from logboom.lang.ast import Query
from logboom.lang.dialects.eql.recognise import recognises as recognises_eql
from logboom.lang.dialects.esql.recognise import recognises as recognises_esql
from logboom.lang.dialects.kusto.recognition import recognises as recognises_kusto
from logboom.lang.dialects.logql.recognise import recognises as recognises_logql
from logboom.lang.dialects.sql.recognise import recognises as recognises_sql

__all__ = ["DIALECTS", "Dialect", "find_dialect", "merge_expressions"]


class Dialect(NamedTuple):
    """A query language: how its queries are recognised, and the function that parses them.

    `read` raises InvalidQuery, with a translation of what could be translated as `suggestion`; with `has_repairs` small
    repairs of the text are tried if there is none.
    """

    name: str
    recognises: Callable[[str], bool]
    read: Callable[[str], Query]
    has_repairs: bool = True


# The parsers are loaded with the first query in their language: most processes never see one.


def read_logql(text: str) -> Query:
    from logboom.lang.dialects.logql.query import read  # noqa: PLC0415

    return read(text)


def read_esql(text: str) -> Query:
    from logboom.lang.dialects.esql.query import read  # noqa: PLC0415

    return read(text)


def read_kusto(text: str) -> Query:
    from logboom.lang.dialects.kusto.query import read  # noqa: PLC0415

    return read(text)


def read_sql(text: str) -> Query:
    from logboom.lang.dialects.sql.query import read  # noqa: PLC0415

    return read(text)


def read_eql(text: str) -> Query:
    from logboom.lang.dialects.eql.query import read  # noqa: PLC0415

    return read(text)


def merge_expressions(query: Query) -> Query:
    """Return the same query with fewer regular expressions."""
    from logboom.lang.dialects.merging import merge  # noqa: PLC0415

    return merge(query)


DIALECTS: tuple[Dialect, ...] = (
    Dialect("LogQL", recognises_logql, read_logql),
    Dialect("ES|QL", recognises_esql, read_esql),
    Dialect("Kusto", recognises_kusto, read_kusto),
    Dialect("SQL", recognises_sql, read_sql, has_repairs=False),
    Dialect("EQL", recognises_eql, read_eql, has_repairs=False),
)


def find_dialect(text: str) -> Dialect | None:
    """Return the language that a query is certainly written in, if any."""
    for dialect in DIALECTS:
        if dialect.recognises(text):
            return dialect
    return None
