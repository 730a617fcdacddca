"""All clauses in one table."""

from msgspec.structs import replace

from logboom.lang import ast
from logboom.readers.search_engine.dsl import compound, intervals, matches, strings, terms
from logboom.readers.search_engine.dsl.context import (
    EVERYTHING,
    MOST_LEVELS,
    Context,
    Names,
    Read,
    malformed,
)
from logboom.readers.search_engine.dsl.members import read_object
from logboom.readers.search_engine.dsl.ranges import read_range

CLAUSES: dict[str, Read] = {
    "match_all": compound.read_match_all,
    "match_none": compound.read_match_none,
    "bool": compound.read_bool,
    "constant_score": compound.read_filter_inside,
    "dis_max": compound.read_dis_max,
    "nested": compound.read_query_inside,
    "script_score": compound.read_query_inside,
    "function_score": compound.read_query_inside,
    "boosting": compound.read_boosting,
    "term": terms.read_term,
    "terms": terms.read_terms,
    "exists": terms.read_exists,
    "prefix": terms.read_prefix,
    "wildcard": terms.read_wildcard,
    "regexp": terms.read_regexp,
    "ids": terms.read_ids,
    "range": read_range,
    "match": matches.read_match,
    "match_phrase": matches.read_match_phrase,
    "match_phrase_prefix": matches.read_match_phrase_prefix,
    "match_bool_prefix": matches.read_match_bool_prefix,
    "fuzzy": matches.read_fuzzy,
    "intervals": intervals.read_intervals,
    "combined_fields": matches.read_multi_match,
    "multi_match": matches.read_multi_match,
    "query_string": strings.read_query_string,
    "simple_query_string": strings.read_simple_query_string,
}


def make_context(now_ns: int, names: Names) -> Context:
    return Context(now_ns, names, read_clause)


def read_filter(content: object, context: Context) -> ast.Filter:
    """Return the filter of a query; without a query everything matches."""
    return EVERYTHING if content in (None, {}) else read_clause(content, context)


def read_clause(content: object, context: Context) -> ast.Filter:
    members = read_object(content, "query")
    if len(members) != 1:
        raise malformed(f"query with {len(members)} clauses, expected one")
    [(name, inner)] = members.items()
    read = CLAUSES.get(name)
    if read is None:
        raise malformed(f"unknown query [{name[:80]}], expected one of {', '.join(CLAUSES)}")
    if context.levels >= MOST_LEVELS:
        raise malformed(f"query nested deeper than {MOST_LEVELS} levels")
    context.allowance.spend(1)
    return read(inner, replace(context, levels=context.levels + 1))
