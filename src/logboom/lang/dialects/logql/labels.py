"""Label filters: `| status >= 500 and level="error"`, with numbers, durations, sizes and addresses."""

from collections.abc import Callable

from logboom.lang.ast import (
    Compare,
    Everything,
    Exists,
    Filter,
    Match,
    Network,
    Not,
    Pattern,
    Quantity,
    Range,
)
from logboom.lang.dialects.logql.addresses import read_networks
from logboom.lang.dialects.logql.errors import DETAILS, ERROR
from logboom.lang.dialects.logql.matchers import all_of, any_of, make_label_test, negate
from logboom.lang.dialects.logql.quantities import read_quantity
from logboom.lang.dialects.logql.tokens import Token, TokenReader, decode_string, show
from logboom.lang.tokens import COMPARISONS

TEXT_OPERATORS = ("=", "!=", "=~", "!~")
OPERATORS = (*TEXT_OPERATORS, "==", *COMPARISONS)
Name = Callable[[str], str]


def read_label_filter(reader: TokenReader, name: Name, *, has_errors: bool = False) -> Filter:
    """Read tests joined by `or`; `name` maps a label to its field."""
    terms = [read_conjunction(reader, name, has_errors=has_errors)]
    while reader.take_sign("or"):
        terms.append(read_conjunction(reader, name, has_errors=has_errors))
    return any_of(terms)


def read_conjunction(reader: TokenReader, name: Name, *, has_errors: bool) -> Filter:
    """Read tests joined by `and`, a comma or nothing."""
    terms = [read_test(reader, name, has_errors=has_errors)]
    while reader.take_sign("and", ",") or (
        reader.sees_kind("name") and not reader.sees("or", "by")
    ):
        terms.append(read_test(reader, name, has_errors=has_errors))
    return all_of(terms)


def read_test(reader: TokenReader, name: Name, *, has_errors: bool) -> Filter:
    if reader.take_sign("("):
        with reader.nested():
            inside = read_label_filter(reader, name, has_errors=has_errors)
        reader.expect(")")
        return inside
    label = reader.expect_kind("name", "a label")
    if not reader.sees(*OPERATORS):
        raise reader.unexpected(OPERATORS)
    operator = reader.take().text
    if label.text == DETAILS or (label.text == ERROR and not has_errors):
        return read_error_test(reader, label, operator, has_errors=has_errors)
    field = name(label.text)
    if reader.sees("ip") and reader.sees_after("("):
        return read_address_test(reader, field, operator)
    if reader.sees_kind("string") and operator in TEXT_OPERATORS:
        token = reader.take()
        return make_label_test(reader, field, operator, decode_string(token.text), token)
    return read_number_test(reader, field, operator)


def read_error_test(
    reader: TokenReader, label: Token, operator: str, *, has_errors: bool
) -> Filter:
    """`__error__=""` is always true unless a parser was asked for errors; of details only this is known."""
    text = reader.take_text()
    if not text and operator in ("=", "!=") and has_errors:
        is_fine = Not(Exists(ERROR))
        return is_fine if operator == "=" else Exists(ERROR)
    if (operator in ("=", "=~")) == (text == ""):
        return Everything()
    message = (
        f"{show(label.text)} is not kept here, lines that a parser cannot read stay as they are"
    )
    raise reader.refuse(message, label, reader.last)


def read_address_test(reader: TokenReader, field: str, operator: str) -> Filter:
    networks, _token = read_networks(reader)
    found = any_of([Network(field, str(network)) for network in networks])
    return negate(found) if operator == "!=" else found


def read_number_test(reader: TokenReader, field: str, operator: str) -> Filter:
    """Read a test of a number; a label that is missing or not a number fails it, even with `!=`."""
    quantity = read_quantity(reader)
    comparison = COMPARISONS.get(operator)
    if comparison is not None:
        return Compare(field, comparison, quantity)
    found = equal_number(field, quantity)
    return all_of([Exists(field), negate(found)]) if operator == "!=" else found


def equal_number(field: str, quantity: Quantity) -> Filter:
    """Return a test of equality: plain numbers in every spelling, those with a unit as durations or sizes."""
    if quantity.unit:
        return Range(field, quantity, quantity)
    return Match(field, Pattern.literal(repr(quantity.number)))
