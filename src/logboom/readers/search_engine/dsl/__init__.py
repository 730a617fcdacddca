"""The search engine's query language in JSON, read into the filters of our own."""

from logboom.readers.search_engine.dsl.clauses import make_context, read_filter

__all__ = ["make_context", "read_filter"]
