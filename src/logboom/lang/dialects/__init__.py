"""Query languages of their own, each with its room. All of them are in DIALECTS."""

from collections.abc import Callable
from typing import NamedTuple

from logboom.lang.ast import Query
from logboom.lang.dialects import esql, kusto, logql, sql

__all__ = ["DIALECTS", "Dialect", "find_dialect"]


class Dialect(NamedTuple):
    """A query language of its own: how its queries are recognised, and the function that reads them.

    `read` raises InvalidQuery, with a translation as `suggestion` of what could be translated.
    """

    name: str
    recognises: Callable[[str], bool]
    read: Callable[[str], Query]


DIALECTS: tuple[Dialect, ...] = (
    Dialect("LogQL", logql.recognises, logql.read),
    Dialect("ES|QL", esql.recognises, esql.read),
    Dialect("Kusto", kusto.recognises, kusto.read),
    Dialect("SQL", sql.recognises, sql.read),
)


def find_dialect(text: str) -> Dialect | None:
    """The language that a query is certainly written in, if it is one of these."""
    for dialect in DIALECTS:
        if dialect.recognises(text):
            return dialect
    return None
