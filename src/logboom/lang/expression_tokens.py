"""The lexical rules of expressions, where `-` and `/` are operators and not part of a name."""

import re
import string

from logboom.base.patterns import compile_later
from logboom.lang.tokens import SPLUNK_TOKEN, letters_and, settle_name

NAME_CHARACTER = letters_and(string.digits + "_@$")
WORD_END = rf"(?!{NAME_CHARACTER})"

PART = rf"{NAME_CHARACTER}++(?:\{{\}})?+"
FIELD = compile_later(rf"(?![0-9]){PART}(?:\.{PART})*+")
# A backtick inside is doubled.
BACKTICKED = compile_later(r"`(?P<name>(?:[^`]++|``)++)`")
FUNCTION = compile_later(r"[A-Za-z_][A-Za-z0-9_]*+\(")
CONSTANT_CALL = compile_later(r"(?P<name>null|true|false)\(\s*+\)", re.IGNORECASE)
# Names of nested fields, which rarely occur as text.
NESTED_NAME = compile_later(
    r"[A-Za-z_][\w -]*+(?:(?:\{\})?\.[A-Za-z_][\w -]*+)++(?:\{\})?|[\w.-]++\{\}|\w++\([\w. ]++\)"
)
COMPUTED_WITH = compile_later(
    rf"\s*+(?:[-+*/%<>]|==?|!=|(?:NOT\s++)?(?:IN|LIKE){WORD_END})", re.IGNORECASE
)
# A difference, the other side of a comparison with such a name, or the first argument of a function of fields.
FIELD_BEFORE = compile_later(
    r"[\w)\"']\s*+-\Z|'[^']++'\s*+(?:==?|!=|[<>]=?)\Z"
    r"|\b(?:lower|upper|len|trim|ltrim|rtrim|substr|replace|split|match|like|tonumber|tostring|toint|is\w+|round|floor"
    r"|ceil|ceiling|abs|mv\w+|coalesce|strftime|max|min|typeof|urldecode)\(\Z",
    re.IGNORECASE,
)
SPACED_PARENTHESIS = compile_later(r"\s++\(")
DIGIT = compile_later(r"\.?[0-9]")

OPERATOR = compile_later(
    rf"\|\||&&|==|!=|<>|<=|>=|=~|!~|[-+*/%^<>=&.]|(?:AND|OR){WORD_END}", re.IGNORECASE
)
OPERATOR_ALIASES: dict[str, str] = {
    "||": "OR",
    "&&": "AND",
    "=": "==",
    "<>": "!=",
    ".": "&",
}
NOT = compile_later(rf"NOT{WORD_END}|!(?![=~])", re.IGNORECASE)
WORD_TEST = compile_later(
    rf"(?P<not>NOT\s++)?(?P<test>IN|LIKE){WORD_END}"
    rf"|IS\s++(?P<not_null>NOT\s++)?NULL{WORD_END}",
    re.IGNORECASE,
)
CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
KEYWORDS = frozenset({*CONSTANTS, "and", "or", "not", "in", "like", "is"})


def decode_backticked(match: re.Match[str]) -> str:
    return match["name"].replace("``", "`")


def quote_field(name: str) -> str:
    """Return the name of a field as expressions write it."""
    is_plain = FIELD.fullmatch(name) and settle_name(name) == name
    is_plain = is_plain and not SPLUNK_TOKEN.fullmatch(name)
    if is_plain and name.lower() not in KEYWORDS:
        return name
    return "`" + name.replace("`", "``") + "`"
