"""Clauses about words: `match` and its relatives, on one field or several."""

from collections.abc import Callable

import re2

from logboom.lang import ast
from logboom.readers.search_engine.dsl.atleast import match_at_least
from logboom.readers.search_engine.dsl.context import (
    ANY_FIELD,
    NOTHING,
    Context,
    is_message,
    join_any,
    malformed,
    unsupported,
)
from logboom.readers.search_engine.dsl.fuzzy import match_fuzzy
from logboom.readers.search_engine.dsl.members import (
    Members,
    Scalar,
    read_field,
    read_list,
    read_object,
    read_scalar,
    read_text,
    read_whole,
    write_scalar,
)
from logboom.readers.search_engine.dsl.nearness import count_moves, match_any_regex, write_near
from logboom.readers.search_engine.dsl.values import (
    WORD,
    match_phrase,
    match_prefix,
    match_value,
    match_words,
)

Test = Callable[[str, Scalar, Context], ast.Filter]
MOST_FIELDS = 1024
MOST_PREFIX, MOST_SLOP = 100, 1000
OPERATORS = {"or": False, "and": True}


def read_match(content: object, context: Context) -> ast.Filter:
    written, options = read_field(content, "match", "query")
    value = read_scalar(options, "query", "match")
    return match_text(context.names.find(written), value, options, context)


def match_text(field: str, value: Scalar, options: Members, context: Context) -> ast.Filter:
    """Match any word, all words, or at least some of them, as the options say."""
    needs_all = read_operator(options, "operator")
    least = options.get("minimum_should_match")
    if options.get("fuzziness") is not None:
        return match_fuzzy_words(field, value, options, context)
    if least is None or needs_all or not (is_message(field) or field == ANY_FIELD):
        return match_words(field, value, context, needs_all=needs_all)
    words = WORD.findall(write_scalar(value))
    context.allowance.spend(len(words))
    tests = [match_value(field, word, context) for word in words]
    return match_at_least(tests, least) if tests else NOTHING


def match_fuzzy_words(field: str, value: Scalar, options: Members, context: Context) -> ast.Filter:
    """Match words in the message, or the whole value of another field, with as many edits as the options allow."""
    prefix = read_whole(options.get("prefix_length", 0), "prefix_length", 0, MOST_PREFIX)
    is_inside = is_message(field) or field == ANY_FIELD
    words: list[Scalar] = [*WORD.findall(write_scalar(value))] if is_inside else [value]
    tests = [match_fuzzy(field, word, options, context, prefix=prefix) for word in words]
    default = "100%" if read_operator(options, "operator") else 1
    return (
        match_at_least(tests, options.get("minimum_should_match") or default) if tests else NOTHING
    )


def read_fuzzy(content: object, context: Context) -> ast.Filter:
    written, options = read_field(content, "fuzzy", "value")
    value = read_scalar(options, "value", "fuzzy")
    prefix = read_whole(options.get("prefix_length", 0), "prefix_length", 0, MOST_PREFIX)
    return match_fuzzy(context.names.find(written), value, options, context, prefix=prefix)


def read_operator(options: Members, name: str) -> bool:
    """Return whether all words are needed."""
    operator = read_text(options, name, "or").lower()
    if operator not in OPERATORS:
        raise malformed(f"[{name}] is {operator[:80]!r}, expected and, or")
    return OPERATORS[operator]


def read_match_phrase(content: object, context: Context) -> ast.Filter:
    written, options = read_field(content, "match_phrase", "query")
    value = read_scalar(options, "query", "match_phrase")
    return match_near(context.names.find(written), value, options, context)


def match_near(field: str, value: Scalar, options: Members, context: Context) -> ast.Filter:
    """Match a phrase, of which `slop` says how far its words may be from their places."""
    slop = read_whole(options.get("slop", 0), "slop", 0, MOST_SLOP)
    words = WORD.findall(write_scalar(value))
    if not slop or len(words) < 2 or not (is_message(field) or field == ANY_FIELD):
        return match_phrase(field, value, context)
    near = write_near([*map(re2.escape, words)], slop, count_moves, in_order=False)
    return join_any([match_phrase(field, value, context), match_any_regex(field, near, context)])


def read_match_phrase_prefix(content: object, context: Context) -> ast.Filter:
    return read_single(content, context, "match_phrase_prefix", match_prefix)


def read_match_bool_prefix(content: object, context: Context) -> ast.Filter:
    return read_single(content, context, "match_bool_prefix", match_bool_prefix)


def read_single(content: object, context: Context, clause: str, test: Test) -> ast.Filter:
    written, options = read_field(content, clause, "query")
    value = read_scalar(options, "query", clause)
    return test(context.names.find(written), value, context)


def match_bool_prefix(field: str, value: Scalar, context: Context) -> ast.Filter:
    """Match any word, the last as a prefix; messages contain it either way."""
    if field == ANY_FIELD or is_message(field):
        return match_words(field, value, context)
    return match_prefix(field, value, context)


def read_multi_match(content: object, context: Context) -> ast.Filter:
    options = read_object(content, "multi_match")
    value = read_scalar(options, "query", "multi_match")
    kind = read_text(options, "type", "best_fields")
    tests: dict[str, Test] = {
        "phrase": lambda field, value, context: match_near(field, value, options, context),
        "phrase_prefix": match_prefix,
        "bool_prefix": match_bool_prefix,
    }

    def match(field: str, value: Scalar, context: Context) -> ast.Filter:
        return match_text(field, value, options, context)

    test = tests.get(kind, match)
    fields = read_fields(options.get("fields"), context)
    context.allowance.spend(len(fields))
    return join_any([test(field, value, context) for field in fields])


def read_fields(written: object, context: Context) -> tuple[str, ...]:
    """Return the fields of a clause, which may have a boost; those of the context if it names none."""
    names = [] if written is None else read_list(written)
    if len(names) > MOST_FIELDS:
        raise unsupported(f"{len(names)} fields, expected at most {MOST_FIELDS}")
    return (
        tuple(context.names.find(str(name).partition("^")[0]) for name in names)
        or context.default_fields
    )
