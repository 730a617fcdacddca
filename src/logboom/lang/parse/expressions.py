"""Expressions, parsed by precedence climbing; `ast.OPERATORS` has the precedences."""

from logboom.lang import expression_tokens as tokens
from logboom.lang.ast import (
    OPERATORS,
    Binary,
    Call,
    Expression,
    Field,
    Inverse,
    Literal,
    Negative,
)
from logboom.lang.ast.expressions import list_children
from logboom.lang.errors import InvalidQuery
from logboom.lang.functions import (
    FUNCTION_ALIASES,
    FUNCTIONS,
    REGEX_ARGUMENTS,
    Signature,
    find_function,
    name_column,
)
from logboom.lang.parse.cursor import MAX_DEPTH, Cursor, check_no_placeholder, show
from logboom.lang.parse.nearest import unknown_name
from logboom.lang.parse.quantities import measure, parse_quantity
from logboom.lang.parse.regexes import check_regex_operand
from logboom.lang.parse.searches import to_expression
from logboom.lang.tokens import quote, settle_quoted_name

MAX_BEFORE = 200
"""How many characters before a text in single quotes are examined."""
LOOSEST = min(OPERATORS.values())
COMPARISON = OPERATORS["=="]
POWER = OPERATORS["^"]
REGEX_OPERATORS = ("=~", "!~")
OPERAND_EXPECTED = ["a field", "a number", "a text", "a function", "("]


def parse_expression(cursor: Cursor) -> Expression:
    """Parse as much as possible as one expression, and the blanks around it."""
    cursor.skip_blanks()
    start = cursor.position
    expression = parse_binary(cursor, LOOSEST)
    if is_too_high(expression):
        message = f"an expression of more than {MAX_DEPTH} operators in a row, expected parentheses"
        raise cursor.error(message, start, cursor.position)
    return expression


def is_too_high(expression: Expression) -> bool:
    """Return whether recursive functions on the tree would go too deep; this one is not recursive."""
    level: list[Expression] = [expression]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in list_children(node)]
        if not level:
            return False
    return True


def parse_binary(cursor: Cursor, loosest: int) -> Expression:
    """Parse operands joined by operators of at least the precedence `loosest`."""
    left = parse_operand(cursor)
    while True:
        start = cursor.position
        if loosest <= COMPARISON and cursor.sees(tokens.WORD_TEST):
            left = parse_word_test(cursor, left)
        elif operator := take_operator(cursor, loosest):
            right = parse_right(cursor, operator)
            has_bars = cursor.text.startswith("||", start)
            if has_bars and (is_text(left) or is_text(right)):
                raise texts_joined_by_bars(cursor, start)
            left = Binary(operator, left, right)
        else:
            return left


def is_text(operand: Expression) -> bool:
    """Return whether it is certainly a text, which is neither true nor false."""
    if isinstance(operand, Call):
        return FUNCTIONS[operand.function].result == "text"
    return isinstance(operand, Literal) and isinstance(operand.value, str)


def texts_joined_by_bars(cursor: Cursor, start: int) -> InvalidQuery:
    message = 'a text beside "||", which is OR here, expected & to join texts'
    return cursor.error(message, start, start + 2, ["&"], cursor.replace(start, start + 2, "&"))


def take_operator(cursor: Cursor, loosest: int) -> str | None:
    mark = cursor.mark()
    written = (cursor.take(tokens.OPERATOR) or "").upper()
    operator = tokens.OPERATOR_ALIASES.get(written, written)
    if OPERATORS.get(operator, 0) < loosest:
        cursor.rewind(mark)
        return None
    cursor.skip_blanks()
    return operator


def parse_right(cursor: Cursor, operator: str) -> Expression:
    """Parse the operand after an operator; a power includes the powers after it."""
    start = cursor.position
    binding = OPERATORS[operator]
    with cursor.nested(start):
        right = parse_binary(cursor, binding if binding == POWER else binding + 1)
    if operator in REGEX_OPERATORS:
        return check_regex_operand(cursor, start, right)
    return right


def parse_word_test(cursor: Cursor, left: Expression) -> Expression:
    """`IN (a, b)`, `LIKE "a%"`, `IS NULL`, and their opposites, as calls."""
    match = cursor.take_match(tokens.WORD_TEST)
    assert match is not None
    cursor.skip_blanks()
    test = (match["test"] or "").lower()
    if test == "in":
        call = Call("in", (left, *parse_members(cursor)))
        cursor.skip_blanks()
    elif test == "like":
        call = Call("like", (left, parse_right(cursor, "==")))
    else:
        return Call("isnotnull" if match["not_null"] else "isnull", (left,))
    return Inverse(call) if match["not"] else call


def parse_members(cursor: Cursor) -> list[Expression]:
    start = cursor.position
    if not cursor.take_character("("):
        raise cursor.unexpected(["("])
    members = parse_arguments(cursor, start)
    if not members:
        raise cursor.error("an empty list, expected at least one value", start, cursor.position)
    return members


def parse_operand(cursor: Cursor) -> Expression:
    """Parse one operand with its signs, and the blanks after it."""
    start = cursor.position
    if cursor.take(tokens.NOT):
        cursor.skip_blanks()
        with cursor.nested(start):
            return Inverse(parse_binary(cursor, COMPARISON))
    if cursor.take_character("-"):
        with cursor.nested(start):
            return parse_negative(cursor)
    operand = parse_group(cursor) if cursor.sees_any("(") else parse_leaf(cursor)
    cursor.skip_blanks()
    return operand


def parse_negative(cursor: Cursor) -> Expression:
    """Parse an operand after a minus sign: a power binds before the sign; the sign of a number is part of it."""
    cursor.skip_blanks()
    is_number = cursor.sees(tokens.DIGIT)
    operand = parse_binary(cursor, POWER)
    if is_number and isinstance(operand, Literal):
        assert isinstance(operand.value, int | float)
        return Literal(-operand.value)
    return Negative(operand)


def parse_group(cursor: Cursor) -> Expression:
    start = cursor.position
    cursor.take_character("(")
    cursor.skip_blanks()
    with cursor.nested(start):
        inside = parse_binary(cursor, LOOSEST)
    close(cursor, start)
    return inside


def close(cursor: Cursor, start: int) -> None:
    """Consume the parenthesis that closes the one at `start`."""
    if cursor.take_character(")"):
        return
    if not cursor.at_end:
        raise cursor.unexpected(["an operator", ")"])
    raise cursor.error(
        'this parenthesis is never closed, expected ")"',
        start,
        expected=[")"],
        suggestion=cursor.text.rstrip() + ")",
    )


def parse_leaf(cursor: Cursor) -> Expression:
    """Parse a number, a text, a field, a constant or a call."""
    if cursor.sees(tokens.DIGIT):
        return Literal(measure(parse_quantity(cursor)))
    cursor.check_no_macro()
    if name := cursor.take_match(tokens.BACKTICKED):
        return Field(tokens.decode_backticked(name))
    start = cursor.position
    text = cursor.take_quoted()
    if text is not None:
        return read_quoted(cursor, start, text)
    if constant := cursor.take_match(tokens.CONSTANT_CALL):
        return Literal(tokens.CONSTANTS[constant["name"].lower()])
    return parse_call(cursor) if cursor.sees(tokens.FUNCTION) else parse_bare_word(cursor)


def parse_bare_word(cursor: Cursor) -> Expression:
    """Parse a constant or a field, or a call with a blank before its parenthesis."""
    start = cursor.position
    word = cursor.take(tokens.FIELD)
    if word is None:
        raise cursor.unexpected(OPERAND_EXPECTED)
    if word.lower() in tokens.CONSTANTS:
        return Literal(tokens.CONSTANTS[word.lower()])
    if take_spaced_call(cursor, start, word):
        return parse_call(cursor)
    if word.lower() in tokens.KEYWORDS:
        cursor.position = start
        raise cursor.unexpected(OPERAND_EXPECTED)
    check_no_placeholder(cursor, start, word)
    return Field(cursor.settle_name(word))


def read_quoted(cursor: Cursor, start: int, text: str) -> Expression:
    """Return a text; in single quotes a field as in Splunk, if the context shows that it is not a text."""
    if cursor.text[start] != "'" or not text or not names_field(cursor, start, text):
        return Literal(text)
    name = name_column(settle_quoted_name(text, "'"))
    message = f"{show(text)} in single quotes is read as a field, write double quotes for the text"
    alternative = cursor.replace(start, cursor.position, quote(text))
    cursor.notice("read_as_meant", message, alt=alternative)
    return Field(name)


def names_field(cursor: Cursor, start: int, text: str) -> bool:
    """Return whether it looks like a nested name, is computed or compared with, or occurs beside texts in double quotes.

    In a query of Splunk it always does.
    """
    if cursor.is_splunk or tokens.NESTED_NAME.fullmatch(text):
        return True
    if cursor.sees(tokens.COMPUTED_WITH):
        return True
    before = cursor.text[:start].rstrip()
    if before.endswith(tuple("+*/%")) or tokens.FIELD_BEFORE.search(before[-MAX_BEFORE:]):
        return True
    pipe = cursor.text[cursor.text.rfind("|", 0, start) + 1 :].partition("|")[0]
    return '"' in pipe.replace(cursor.text[start : cursor.position], "")


def take_spaced_call(cursor: Cursor, start: int, word: str) -> bool:
    """Return whether a function has a blank before its parenthesis, which is then ignored."""
    if not cursor.sees(tokens.SPACED_PARENTHESIS) or find_function(word) is None:
        return False
    cursor.skip_blanks()
    cursor.read_as_meant(start, f"{word}(")
    cursor.position = start
    return True


def parse_call(cursor: Cursor) -> Expression:
    start = cursor.position
    name = cursor.take(tokens.FIELD) or ""
    if name.lower() == "searchmatch":
        return parse_search_match(cursor)
    signature = find_function(name)
    if signature is None:
        raise unknown_name(cursor, start, "function", FUNCTIONS, FUNCTION_ALIASES)
    cursor.skip_blanks()
    opening = cursor.position
    cursor.take_character("(")
    arguments = parse_arguments(cursor, opening, REGEX_ARGUMENTS.get(signature.name))
    check_arity(cursor, start, signature, len(arguments))
    return Call(signature.name, tuple(arguments))


def parse_search_match(cursor: Cursor) -> Expression:
    """`searchmatch("timeout status=500")`: whether a filter in quotes matches, as an expression."""
    opening = cursor.position
    cursor.take_character("(")
    cursor.skip_blanks()
    start = cursor.position
    text = cursor.take_quoted()
    if text is None:
        raise cursor.unexpected(["a search in quotes"])
    cursor.skip_blanks()
    close(cursor, opening)
    found = to_expression(cursor.parse_text(text).filter)
    if found is None:
        message = "this search cannot be part of an expression, expected words and tests of fields"
        raise cursor.error(message, start, cursor.position)
    return found


def parse_arguments(
    cursor: Cursor, opening: int, regex_place: int | None = None
) -> list[Expression]:
    """Parse comma-separated expressions, including the parenthesis that closes the one at `opening`."""
    arguments: list[Expression] = []
    cursor.skip_blanks()
    if cursor.take_character(")"):
        return arguments
    while True:
        start = cursor.position
        with cursor.nested(opening):
            argument = parse_binary(cursor, LOOSEST)
        if len(arguments) == regex_place:
            argument = check_regex_operand(cursor, start, argument)
        arguments.append(argument)
        if not cursor.take_character(","):
            close(cursor, opening)
            return arguments
        cursor.skip_blanks()


def check_arity(cursor: Cursor, start: int, signature: Signature, count: int) -> None:
    if not signature.takes(count):
        message = f"{signature.name} got {count} arguments, expected {describe_arity(signature)}"
        raise cursor.error(message, start, cursor.position)


def describe_arity(signature: Signature) -> str:
    if signature.maximum is None:
        return f"at least {signature.minimum}"
    if signature.minimum == signature.maximum:
        return str(signature.minimum)
    return f"{signature.minimum} to {signature.maximum}"
