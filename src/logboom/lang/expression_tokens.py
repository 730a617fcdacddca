"""The lexical rules of expressions, where `-` and `/` are operators and no part of a name."""

import re

NAME_CHARACTER = r"[A-Za-z0-9_@$]"
WORD_END = rf"(?!{NAME_CHARACTER})"

FIELD = re.compile(rf"(?![0-9]){NAME_CHARACTER}++(?:\.{NAME_CHARACTER}++)*+")
# A backtick inside is written twice.
BACKTICKED = re.compile(r"`(?P<name>(?:[^`]++|``)++)`")
FUNCTION = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+\(")
SPACED_PARENTHESIS = re.compile(r"\s++\(")
DIGIT = re.compile(r"\.?[0-9]")

OPERATOR = re.compile(
    rf"\|\||&&|==|!=|<>|<=|>=|=~|!~|[-+*/%^<>=&.]|(?:AND|OR){WORD_END}", re.IGNORECASE
)
OPERATOR_ALIASES: dict[str, str] = {
    "||": "OR",
    "&&": "AND",
    "=": "==",
    "<>": "!=",
    ".": "&",
}
NOT = re.compile(rf"NOT{WORD_END}|!(?![=~])", re.IGNORECASE)
WORD_TEST = re.compile(
    rf"(?P<not>NOT\s++)?(?P<test>IN|LIKE){WORD_END}"
    rf"|IS\s++(?P<not_null>NOT\s++)?NULL{WORD_END}",
    re.IGNORECASE,
)
CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
KEYWORDS = frozenset({*CONSTANTS, "and", "or", "not", "in", "like", "is"})


def decode_backticked(match: re.Match[str]) -> str:
    return match["name"].replace("``", "`")


def quote_field(name: str) -> str:
    """The name of a field as expressions write it."""
    if FIELD.fullmatch(name) and name.lower() not in KEYWORDS:
        return name
    return "`" + name.replace("`", "``") + "`"
