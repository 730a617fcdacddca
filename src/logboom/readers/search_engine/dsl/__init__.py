"""The search engine's query language in JSON, read into the filters of our own."""

from logboom.readers.search_engine.dsl.clauses import read_filter

__all__ = ["read_filter"]
