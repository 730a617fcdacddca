"""Query languages of their own that are read into the same tree; all of them are in DIALECTS."""

from collections.abc import Callable
from typing import NamedTuple

from logboom.lang.ast import Query
from logboom.lang.dialects import logql


class Dialect(NamedTuple):
    """A query language of its own: how its queries are recognised, and the function that reads them."""

    name: str
    recognises: Callable[[str], bool]
    read: Callable[[str], Query]


DIALECTS: tuple[Dialect, ...] = (Dialect("LogQL", logql.recognises, logql.read),)


def find_dialect(text: str) -> Dialect | None:
    """The dialect that a query is certainly written in, if it is one."""
    for dialect in DIALECTS:
        if dialect.recognises(text):
            return dialect
    return None
