"""`query_string` and `simple_query_string`: queries as people type them."""

from msgspec.structs import replace

from logboom.lang import ast
from logboom.readers.search_engine.dsl.context import ANY_FIELD, Context
from logboom.readers.search_engine.dsl.lucene import parse_lucene
from logboom.readers.search_engine.dsl.matches import read_fields, read_operator
from logboom.readers.search_engine.dsl.members import (
    Members,
    read_object,
    read_scalar,
    write_scalar,
)
from logboom.readers.search_engine.dsl.simple import parse_simple


def read_query_string(content: object, context: Context) -> ast.Filter:
    options = read_object(content, "query_string")
    text = write_scalar(read_scalar(options, "query", "query_string"))
    needs_all = read_operator(options, "default_operator")
    return parse_lucene(text, with_fields(options, context), needs_all=needs_all)


def read_simple_query_string(content: object, context: Context) -> ast.Filter:
    options = read_object(content, "simple_query_string")
    text = write_scalar(read_scalar(options, "query", "simple_query_string"))
    needs_all = read_operator(options, "default_operator")
    return parse_simple(text, with_fields(options, context), needs_all=needs_all)


def with_fields(options: Members, context: Context) -> Context:
    """Return the context with the fields that are searched unless the query names others."""
    written = options.get("fields", options.get("default_field", ANY_FIELD))
    return replace(context, default_fields=read_fields(written, context))
