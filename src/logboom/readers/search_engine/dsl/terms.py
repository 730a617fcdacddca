"""Clauses about whole values: `term`, `terms`, `exists`, `prefix`, `wildcard`, `regexp`, `ids`."""

from logboom.lang import ast
from logboom.readers.search_engine.dsl.context import (
    NOTHING,
    TIME,
    Context,
    is_message,
    join_any,
    malformed,
)
from logboom.readers.search_engine.dsl.members import (
    list_scalars,
    read_field,
    read_flag,
    read_object,
    read_scalar,
    write_scalar,
)
from logboom.readers.search_engine.dsl.values import (
    match_exactly,
    match_pattern,
    match_prefix,
    match_value,
    read_wildcards,
)

ID = "_id"


def read_term(content: object, context: Context) -> ast.Filter:
    written, options = read_field(content, "term", "value")
    value = read_scalar(options, "value", "term")
    ignores_case = read_flag(options.get("case_insensitive", False), "case_insensitive")
    test = match_value if ignores_case else match_exactly
    return test(context.names.find(written), value, context)


def read_terms(content: object, context: Context) -> ast.Filter:
    members = read_object(content, "terms")
    fields = [name for name in members if name not in ("boost", "_name")]
    if len(fields) != 1 or not isinstance(members[fields[0]], list):
        raise malformed("[terms] query, expected one field with a list of values")
    field = context.names.find(fields[0])
    values = list(list_scalars(members[fields[0]], "terms"))
    context.allowance.spend(len(values))
    texts = [write_scalar(value) for value in values]
    is_plain = field not in (TIME, "_index") and "*" not in field and not is_message(field)
    # Without letters there is no case to tell apart, and one test of all values is much faster.
    if is_plain and len(texts) > 1 and all(text and text.lower() == text.upper() for text in texts):
        return ast.OneOf(field, tuple(map(ast.Pattern.literal, texts)))
    return join_any([match_exactly(field, value, context) for value in values])


def read_exists(content: object, context: Context) -> ast.Filter:
    return ast.Exists(context.names.find(read_object(content, "exists").get("field")))


def read_prefix(content: object, context: Context) -> ast.Filter:
    written, options = read_field(content, "prefix", "value")
    value = read_scalar(options, "value", "prefix")
    return match_prefix(context.names.find(written), value, context)


def read_wildcard(content: object, context: Context) -> ast.Filter:
    written, options = read_field(content, "wildcard", "value")
    name = "wildcard" if "wildcard" in options else "value"
    pattern = read_wildcards(write_scalar(read_scalar(options, name, "wildcard")))
    return match_pattern(context.names.find(written), pattern)


def read_regexp(content: object, context: Context) -> ast.Filter:
    written, options = read_field(content, "regexp", "value")
    expression = write_scalar(read_scalar(options, "value", "regexp"))
    ignores_case = read_flag(options.get("case_insensitive", False), "case_insensitive")
    return match_regex(context.names.find(written), expression, ignores_case=ignores_case)


def match_regex(field: str, expression: str, *, ignores_case: bool = False) -> ast.Filter:
    """Match an expression with the whole value; in messages it matches somewhere."""
    if "*" in field:
        raise malformed(f"regular expression for {field!r}, expected the name of one field")
    is_inside = is_message(field)
    whole = expression if is_inside else f"^(?:{expression})$"
    return ast.Regex(field, whole, ignores_case or is_inside)


def read_ids(content: object, context: Context) -> ast.Filter:
    values = read_object(content, "ids").get("values", [])
    ids = tuple(dict.fromkeys(write_scalar(value) for value in list_scalars(values, "ids")))
    context.allowance.spend(len(ids))
    known = tuple(ast.Pattern.literal(each) for each in ids if each)
    return ast.OneOf(ID, known) if known else NOTHING
