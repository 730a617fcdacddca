"""Filters as expressions, for `searchmatch`."""

from logboom.lang.ast import (
    MESSAGE,
    And,
    Binary,
    Call,
    Compare,
    Exact,
    Exists,
    Expression,
    Field,
    Filter,
    Inverse,
    Literal,
    Match,
    Not,
    OneOf,
    Or,
    Pattern,
    Quantity,
    Regex,
    Wildcard,
    Word,
)
from logboom.lang.parse.quantities import measure

LIKE_SPECIAL = ("%", "_", "\\")


def to_expression(node: Filter) -> Expression | None:
    """Return an expression that is true where the filter matches, or None if there is none."""
    match node:
        case Not(term):
            inner = to_expression(term)
            return inner and Inverse(Call("coalesce", (inner, Literal(value=False))))
        case And(terms):
            return join("AND", [to_expression(term) for term in terms])
        case Or(terms):
            return join("OR", [to_expression(term) for term in terms])
        case OneOf(field, patterns):
            return join("OR", [match_pattern(field, pattern) for pattern in patterns])
        case _:
            return translate_test(node)


def translate_test(node: Filter) -> Expression | None:
    """Translate a single test, or return None if there is no expression for it."""
    found: Expression | None = None
    match node:
        case Word(text):
            found = Call("contains", (Field(MESSAGE), Literal(text)))
        case Match(field, pattern):
            found = match_pattern(field, pattern)
        case Exact(field, text):
            found = Binary("==", Field(field), Literal(text))
        case Exists(field):
            found = Call("isnotnull", (Field(field),))
        case Regex(field, expression, ignores_case):
            flags = "(?i)" if ignores_case else ""
            found = Call("match", (Field(field), Literal(flags + expression)))
        case Compare(field, operator, Quantity() as limit):
            found = Binary(operator, Field(field), Literal(measure(limit)))
        case _:
            pass
    return found


def join(operator: str, parts: list[Expression | None]) -> Expression | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    joined = known[0]
    for part in known[1:]:
        joined = Binary(operator, joined, part)
    return joined


def match_pattern(field: str, pattern: Pattern) -> Expression | None:
    """Return a comparison of texts, or `like` with wildcards; the message contains them."""
    if pattern.text is not None:
        if field == MESSAGE:
            return Call("contains", (Field(field), Literal(pattern.text)))
        return Binary("==", Field(field), Literal(pattern.text))
    if any(
        sign in part for part in pattern.parts if isinstance(part, str) for sign in LIKE_SPECIAL
    ):
        return None
    signs = {Wildcard.ANY: "%", Wildcard.ONE: "_"}
    text = "".join(part if isinstance(part, str) else signs[part] for part in pattern.parts)
    whole = f"%{text}%" if field == MESSAGE else text
    return Call("like", (Field(field), Literal(whole)))
