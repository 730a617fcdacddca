"""LogQL, the language of Loki: log queries become filters and pipes, metric queries charts and tables."""

from logboom.lang.ast import Query
from logboom.lang.dialects.logql.query import read_whole
from logboom.lang.dialects.logql.recognise import recognises
from logboom.lang.dialects.logql.tokens import TokenReader
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query

__all__ = ["read", "recognises"]


def read(text: str) -> Query:
    """Raises InvalidQuery; its suggestion, if any, is the part of the query that could be translated."""
    reader = TokenReader(text)
    try:
        return read_whole(reader)
    except InvalidQuery as error:
        if error.suggestion is None and reader.translated is not None:
            error.replace_suggestion(format_query(reader.translated()))
        raise
