"""Converts LogQL's regular expressions, which are Go's, for the engine; and Grafana variables in texts."""

import re
from functools import lru_cache

import polars as pl

from logboom.base.patterns import compile_later
from logboom.lang.ast import Everything, Exact, Filter, Or, Regex
from logboom.lang.dialects.logql.tokens import MAX_EXPRESSIONS, Token, TokenReader, show
from logboom.lang.regex import escape_braces, find_fault
from logboom.lang.tokens import unescape_slashes

META = compile_later(r"[\\.+*?()|\[\]{}^$]")
CONTROL = compile_later(r"[\x00-\x1f\x7f]")
# A Grafana dashboard variable; after a backslash a dollar sign is text.
VARIABLE = compile_later(
    r"(?<!\\)(?:\$\{[A-Za-z_]\w*(?::[^}]*)?\}|\$[A-Za-z_]\w*|\[\[[A-Za-z_]\w*(?::\w+)?\]\])"
)
PLAIN = compile_later(r"[^\\.+*?()|\[\]{}^$]*+")
ALTERNATIVES = compile_later(r"[^\\.+*?()|\[\]{}^$]++(?:\|[^\\.+*?()|\[\]{}^$]++)*+")
GROUP = compile_later(r"\((?:\?:)?(?P<inside>[^\\()\[\]]++)\)")
ESCAPED = compile_later(r"(?:[^\\.+*?()|\[\]{}^$]|\\[\\.+*?()|\[\]{}^$])++")
IGNORING_CASE = "(?i)"
ANY_TEXT = ".*"
# Go accepts a brace that is not a repetition, and `\<`, as the character itself.
ESCAPED_ANGLE = compile_later(r"(\\[^<>])|\\([<>])", re.DOTALL)
# A dollar sign at the end that is not escaped.
ENDING = compile_later(r"(?<!\\)(?:\\\\)*\$\Z")
MAX_ALTERNATIVES = 100
EMPTY = pl.Series([""])


def escape(text: str) -> str:
    """Return a regular expression that matches only the text, with minimal escaping."""
    if text.isalnum():
        return text
    escaped = META.sub(r"\\\g<0>", text)
    return CONTROL.sub(lambda sign: f"\\x{ord(sign[0]):02x}", escaped)


def list_literals(expression: str) -> list[str]:
    """Return the texts that an expression stands for; none if it stands for more than a few."""
    if ALTERNATIVES.fullmatch(expression) and expression.count("|") < MAX_ALTERNATIVES:
        return expression.split("|")
    if ESCAPED.fullmatch(expression):
        return [re.sub(r"\\(.)", r"\1", expression)]
    return []


def has_variable(text: str) -> bool:
    return ("$" in text or "[[" in text) and VARIABLE.search(text) is not None


def is_variable(text: str) -> bool:
    """Return whether it is only a variable, perhaps with text around it that matches anything."""
    bare = text.removeprefix(IGNORING_CASE)
    return (
        VARIABLE.fullmatch(bare.strip("()").removeprefix(ANY_TEXT).removesuffix(ANY_TEXT))
        is not None
    )


def open_variables(text: str) -> str:
    """Return a text as an expression in which each variable stands for any text."""
    pieces = VARIABLE.split(text)
    return ANY_TEXT.join(map(escape, pieces))


def open_expression(expression: str) -> str:
    return VARIABLE.sub(ANY_TEXT, expression)


def convert(reader: TokenReader, expression: str, token: Token) -> str:
    """Return a Go expression in the engine's syntax and canonical spelling, checked."""
    reader.expressions += 1
    if reader.expressions > MAX_EXPRESSIONS:
        message = f"more than {MAX_EXPRESSIONS} regular expressions, expected alternatives in one"
        raise reader.refuse(message, token)
    unescaped = ESCAPED_ANGLE.sub(r"\1\2", expression) if "\\" in expression else expression
    converted = escape_braces(unescape_slashes(unescaped))
    fault = find_fault(converted)
    if fault is not None:
        raise reader.refuse(f"bad regular expression {show(expression)}: {fault}", token)
    return converted


def find_in(reader: TokenReader, field: str, expression: str, token: Token) -> Filter:
    """Return the test that an expression matches somewhere in the field; one that matches every text is dropped."""
    is_open = reader.has_variables and has_variable(expression)
    opened = open_expression(expression) if is_open else expression
    body = opened.removeprefix(IGNORING_CASE)
    if body.replace(ANY_TEXT, "") == "":
        return Everything()
    return Regex(field, convert(reader, body, token), body != opened)


def match_whole(reader: TokenReader, field: str, expression: str, token: Token) -> Filter:
    """Return the test that an expression matches the whole value; literal alternatives become texts."""
    grouped = GROUP.fullmatch(expression)
    if grouped is not None:
        expression = grouped["inside"]
    if ALTERNATIVES.fullmatch(expression) and expression.count("|") < MAX_ALTERNATIVES:
        texts = tuple(Exact(field, text) for text in dict.fromkeys(expression.split("|")))
        return Or(texts) if len(texts) > 1 else texts[0]
    body = expression.removeprefix(IGNORING_CASE)
    return Regex(field, convert(reader, anchor(body), token), body != expression)


def anchor(expression: str) -> str:
    """Return the expression, anchored to whole texts; `.*` at an end needs no anchor."""
    if "|" in expression:
        return f"^(?:{expression})$"
    start = "" if expression.startswith("^") else "^"
    end = "" if ENDING.search(expression) else "$"
    if expression.startswith(ANY_TEXT) and len(expression) > len(ANY_TEXT):
        expression, start = expression.removeprefix(ANY_TEXT), ""
    if expression.endswith(ANY_TEXT) and not expression.endswith("\\" + ANY_TEXT):
        expression, end = expression.removesuffix(ANY_TEXT), ""
    return f"{start}{expression}{end}"


@lru_cache(maxsize=512)
def matches_nothing(expression: str) -> bool:
    """Return whether the expression matches a missing label, which counts as an empty text."""
    body = expression.removeprefix(IGNORING_CASE)
    return find_fault(body) is None and bool(EMPTY.str.contains(f"^(?:{body})$")[0])
