"""Clauses made of others: `bool`, `constant_score`, `dis_max` and those that only change the score."""

from logboom.lang import ast
from logboom.readers.search_engine.dsl.atleast import match_at_least
from logboom.readers.search_engine.dsl.context import (
    EVERYTHING,
    NOTHING,
    Context,
    join_all,
    join_any,
    malformed,
    negate,
)
from logboom.readers.search_engine.dsl.members import Members, read_list, read_object

OCCURRENCES = ("must", "filter", "should", "must_not")
MOST_CLAUSES = 1024
OPTIONS = ("minimum_should_match", "boost", "_name", "adjust_pure_negative")


def read_bool(content: object, context: Context) -> ast.Filter:
    members = read_object(content, "bool")
    for name in members:
        if name not in OCCURRENCES + OPTIONS:
            raise malformed(f"[bool] query does not support [{name[:80]}]")
    read = {name: read_clauses(members, name, context) for name in OCCURRENCES}
    needed = read["must"] + read["filter"] + [negate(each) for each in read["must_not"]]
    if read["should"]:
        is_optional = bool(read["must"] or read["filter"])
        least = members.get("minimum_should_match", 0 if is_optional else 1)
        needed.append(match_at_least(read["should"], least))
    return join_all(needed)


def read_clauses(members: Members, name: str, context: Context) -> list[ast.Filter]:
    written = read_list(members.get(name, []))
    if len(written) > MOST_CLAUSES:
        raise malformed(f"[{name}] has {len(written)} clauses, expected at most {MOST_CLAUSES}")
    return [context.read(each, context) for each in written]


def read_filter_inside(content: object, context: Context) -> ast.Filter:
    """`constant_score`."""
    return context.read(read_object(content, "constant_score").get("filter"), context)


def read_dis_max(content: object, context: Context) -> ast.Filter:
    return join_any(read_clauses(read_object(content, "dis_max"), "queries", context))


def read_query_inside(content: object, context: Context) -> ast.Filter:
    """`nested` and `function_score`: what events match, whatever their score."""
    members = read_object(content, "query")
    inner = members.get("query")
    return EVERYTHING if inner is None else context.read(inner, context)


def read_boosting(content: object, context: Context) -> ast.Filter:
    return context.read(read_object(content, "boosting").get("positive"), context)


def read_match_all(_content: object, _context: Context) -> ast.Filter:
    return EVERYTHING


def read_match_none(_content: object, _context: Context) -> ast.Filter:
    return NOTHING
