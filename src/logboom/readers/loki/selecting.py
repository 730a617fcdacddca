"""Reads log queries: which events they select, and how their stages change them."""

from logboom.base.errors import Invalid
from logboom.base.structs import InternalStruct
from logboom.lang.ast import Query
from logboom.lang.dialects.logql.pipeline import Pipeline
from logboom.lang.dialects.logql.query import read_log_query
from logboom.lang.dialects.logql.tokens import TokenReader


class Selection(InternalStruct, frozen=True):
    """A log query: the labels of its selector, and those that its stages make."""

    query: Query
    selected: tuple[str, ...]
    made: tuple[str, ...]


def is_log_query(text: str) -> bool:
    """Return whether lines are asked for, and not numbers of them."""
    if not text:
        raise Invalid("parse error : syntax error: unexpected $end, the parameter query is empty")
    return TokenReader(text, has_variables=False).sees("{")


def read_selection(text: str) -> Selection:
    """Read a query; raise InvalidQuery with the position if it is wrong."""
    reader = TokenReader(text, has_variables=False)
    pipeline = Pipeline(as_streams=True)
    query = read_log_query(reader, pipeline)
    if not reader.sees_kind("end"):
        raise reader.unexpected(["|", "the end"])
    return Selection(query, tuple(pipeline.selected), tuple(pipeline.made))
