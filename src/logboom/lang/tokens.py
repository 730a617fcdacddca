"""The lexical rules: what blanks, names, words, numbers, operators and quoted text look like.

Patterns are possessive where they repeat, so that reading is linear whatever the text.
"""

import math
import re

from logboom.lang.ast import Wildcard

CURLY_DOUBLE = "\u201c\u201d\u201e\u201f"
CURLY_SINGLE = "\u2018\u2019\u201a\u201b"

# A run is text without quotes around it. An apostrophe opens a quote only at the start, so that
# "don't" is a word.
RUN_BREAKS = rf"\s()|\"`{CURLY_DOUBLE}"
RUN_PIECE = rf"[^{RUN_BREAKS}\\]++|\\(?:.|\Z)"

BLANKS = re.compile(r"\s*+")
NAME = re.compile(r"[A-Za-z_@$][A-Za-z0-9_.@$/-]*+")
NAME_END = r"(?![A-Za-z0-9_.@$/-])"
NUMBER = re.compile(r"[-+]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?")
VALUE = re.compile(rf"(?:{RUN_PIECE})++", re.DOTALL)
# Parentheses inside a word belong to it when they close before a blank: main(), Foo(Bar.java:12).
WORD = re.compile(
    rf"(?:{RUN_PIECE})(?:{RUN_PIECE}|\((?:{RUN_PIECE}|\((?:{RUN_PIECE})*+\))*+\))*+", re.DOTALL
)
RUN_SPECIAL = re.compile(rf"\\(?P<escaped>.?)|(?P<wild>[*?])|[{CURLY_SINGLE}]", re.DOTALL)
END_OF_VALUE = re.compile(r"[\s)|]|\Z")
TOKEN = re.compile(rf"[^{RUN_BREAKS}]++|.", re.DOTALL)

QUOTE = re.compile(rf"[\"'`{CURLY_DOUBLE}{CURLY_SINGLE}]")
QUOTED = re.compile(
    r'"(?P<double>(?:[^"\\]++|\\.)*+)"'
    rf'|[{CURLY_DOUBLE}](?P<curly_double>(?:[^"{CURLY_DOUBLE}\\]++|\\.)*+)["{CURLY_DOUBLE}]'
    r"|'(?P<single>[^']*+)'"
    rf"|[{CURLY_SINGLE}](?P<curly_single>[^'{CURLY_SINGLE}]*+)['{CURLY_SINGLE}]"
    r"|`(?P<backtick>[^`]*+)`",
    re.DOTALL,
)
ESCAPED_KINDS = ("double", "curly_double")
ESCAPE = re.compile(
    r'\\(?:(?P<character>["\\/bfnrt])'
    r"|u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u(?P<code>(?![dD][89a-fA-F])[0-9a-fA-F]{4}))"
)
CONTROL_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
QUOTE_SPECIAL = re.compile(r'["\\\x00-\x1f\x7f]')
CONTROL_NAMES = {character: name for name, character in CONTROL_ESCAPES.items()}

KEYWORD_END = rf"(?=[{RUN_BREAKS}'{CURLY_SINGLE}]|\Z)"
AND = re.compile(rf"AND{KEYWORD_END}")
OR = re.compile(rf"OR{KEYWORD_END}")
KEYWORD = re.compile(rf"(?:AND|OR|NOT){KEYWORD_END}")
# A sign negates what it touches; alone or doubled (-, --verbose, ->, !=) it is text.
NEGATION = re.compile(rf"NOT{KEYWORD_END}|[-!](?![-!=<>~\s)|]|\Z)")
RESERVED_WORDS = frozenset({"and", "or", "not", "in", "to"})

AS = re.compile(rf"as{NAME_END}", re.IGNORECASE | re.ASCII)
BY = re.compile(rf"by{NAME_END}", re.IGNORECASE | re.ASCII)
PIPE_KEYWORD = re.compile(rf"(?:as|by|if){NAME_END}", re.IGNORECASE | re.ASCII)

GLUED_OPERATOR = re.compile(r":(?!:|//)(?:=|[<>]=?)?|==|!=|=~|!~|=|[<>]=?")
# After a blank a comparison needs a number behind it: "a <b>" is text.
SPACED_OPERATOR = re.compile(r"\s++(?:(?:==|!=|=)(?![=<>~!])|=~|!~|[<>]=?(?=\s*+[-+]?\.?[0-9]))")
# "Error: disk full" and "user= level=info" are text; "level:" before nothing is a mistake.
TEXT_OPERATOR = re.compile(rf"[:=]\s++(?!(?:AND|OR){KEYWORD_END}|[)|]|\Z)")
LIST_OPERATOR = re.compile(r"\s++(?:NOT\s++)?IN\s*+\(")

# Forms that mean something else than their own text.
VALUE_STARTS_RESERVED = "([{<>=~!"
ALL_FIELDS = re.compile(r"\*:")
REGULAR_EXPRESSION = re.compile(r"(?!/[\w./%-]*+\Z)/.*/i?", re.DOTALL)
ADDRESS_RANGE = re.compile(
    r"(?:[0-9]++(?:\.[0-9]++){3}|[0-9a-fA-F]*+:[0-9a-fA-F]*+:[0-9a-fA-F:.]*+)/[0-9]++"
)


def decode_quoted(match: re.Match[str]) -> str:
    """The text of a match of QUOTED."""
    kind = match.lastgroup
    assert kind is not None
    body = match[kind]
    return ESCAPE.sub(decode_escape, body) if kind in ESCAPED_KINDS else body


def decode_escape(match: re.Match[str]) -> str:
    if character := match["character"]:
        return CONTROL_ESCAPES.get(character, character)
    if code := match["code"]:
        return chr(int(code, 16))
    pair = bytes.fromhex(match["high"] + match["low"])
    return pair.decode("utf-16-be")


def decode_run(raw: str, wildcards: str) -> tuple[str | Wildcard, ...]:
    """The pieces of unquoted text; only the characters in `wildcards` are wild."""
    parts: list[str | Wildcard] = []
    literal: list[str] = []
    position = 0
    for special in RUN_SPECIAL.finditer(raw):
        literal.append(raw[position : special.start()])
        position = special.end()
        wild = special["wild"]
        if wild is None:
            escaped = special["escaped"]
            literal.append("'" if escaped is None else escaped or "\\")
        elif wild not in wildcards:
            literal.append(wild)
        else:
            append_piece(parts, "".join(literal))
            append_piece(parts, Wildcard(wild))
            literal.clear()
    append_piece(parts, "".join(literal) + raw[position:])
    return tuple(parts)


def append_piece(parts: list[str | Wildcard], piece: str | Wildcard) -> None:
    """Keep the pattern's rules: no empty piece, no two stars in a row."""
    if piece == "" or (piece is Wildcard.ANY and parts and parts[-1] is Wildcard.ANY):
        return
    parts.append(piece)


def decode_number(text: str) -> int | float | None:
    """The value of a match of NUMBER, or None beyond the range of a float."""
    try:
        number = int(text) if text.lstrip("+-").isdigit() else float(text)
        return number if math.isfinite(number) else None
    except (ValueError, OverflowError):
        return None


def name_reserved_form(raw: str) -> str | None:
    """What an unquoted value is, when it is not its own text."""
    if REGULAR_EXPRESSION.fullmatch(raw):
        return "a regular expression"
    if ADDRESS_RANGE.fullmatch(raw):
        return "an address range"
    return None


def quote(text: str) -> str:
    """The text in double quotes, so that QUOTED reads it back."""
    return '"' + QUOTE_SPECIAL.sub(escape_character, text) + '"'


def escape_character(match: re.Match[str]) -> str:
    character = match[0]
    if character in '"\\':
        return "\\" + character
    name = CONTROL_NAMES.get(character)
    return f"\\{name}" if name else f"\\u{ord(character):04x}"
