"""The lexical rules: blanks, names, words, numbers, operators and quoted text.

Repetitions in patterns are possessive, so that parsing is linear for any text.
"""

import math
import re
import string
from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.lang.ast import MESSAGE, Comparison, Wildcard

CURLY_DOUBLE = "\u201c\u201d\u201e\u201f"
CURLY_SINGLE = "\u2018\u2019\u201a\u201b"
INVISIBLE = "\u200b\u2060\ufeff"
"""Zero-width characters that pages put between words, or editors before them."""
DASHES = "\u2013\u2212"
"""What word processors make of a minus sign."""

# A run is unquoted text. An apostrophe opens a quote only at the start, so that "don't" is a word.
RUN_BREAKS = rf"\s{INVISIBLE}()|\"`{CURLY_DOUBLE}"
RUN_PIECE = rf"[^{RUN_BREAKS}\\]++|\\(?:.|\Z)"
RUN_PIECE_OF_LIST = rf"[^{RUN_BREAKS}\\,]++|\\(?:.|\Z)"

# A line that starts with # is a comment.
BLANKS = compile_later(rf"(?:[\s{INVISIBLE}]++|^#[^\n]*+)*+", re.MULTILINE)
OTHER_BLANKS = frozenset(f"#{INVISIBLE}")
"""What BLANKS may start with beside whitespace."""
# The punctuation, blanks and symbols of other scripts; the rest are letters and marks. Python compiles a class
# character by character, and slowly when it ignores case: listing the exclusions, case by case, keeps startup fast.
OTHER_SIGNS = (
    "\\u0080-\\u00b4\\u00b6-\\u00bf\\u00d7\\u00f7\\u1680\\u2000-\\u2bff\\u2e00-\\u3004\\u3008-\\u303f\\ud800-\\uf8ff"
    "\\ufe00-\\ufe6f\\ufeff-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65\\uffdd-\\uffff"
    "\\U0001d000-\\U0001dfff\\U0001ef00-\\U0001ffff\\U00040000-\\U0010ffff"
)


def letters_and(characters: str) -> str:
    """Return an expression for a letter of any script, or one of these ASCII characters."""
    allowed = frozenset(string.ascii_letters + characters)
    refused = "".join(sign for sign in map(chr, range(128)) if sign not in allowed)
    return rf"(?-i:[^{re.escape(refused)}{OTHER_SIGNS}])"


NAME_FIRST = letters_and("_@$")
NAME_CHARACTER = letters_and(string.digits + "_.@$/-")
# `tags{}` is how Splunk names a multi-valued field.
NAME = compile_later(rf"{NAME_FIRST}(?:{NAME_CHARACTER}++|\{{\}})*+")
LIST_MARK = "{}"
MESSAGE_NAMES = frozenset({"_raw", "_msg"})
"""Other languages' names for the message; in quotes it is a field of that name."""
NAME_END = rf"(?!{NAME_CHARACTER})"
NUMBER = compile_later(r"[-+]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?")
SIGN = compile_later(r"[-+]")
# Parentheses inside a word belong to it if they close before a blank: main(), Foo(Bar.java:12).
WORD = compile_later(
    rf"(?:{RUN_PIECE})(?:{RUN_PIECE}|\((?:{RUN_PIECE}|\((?:{RUN_PIECE})*+\))*+\))*+", re.DOTALL
)
RUN_SPECIAL = compile_later(rf"\\(?P<escaped>.?)|(?P<wild>[*?])|[{CURLY_SINGLE}]", re.DOTALL)
ESCAPED_PAIR = compile_later(r"\\(.)", re.DOTALL)
TOKEN = compile_later(rf"[^{RUN_BREAKS}]++|.", re.DOTALL)

QUOTES = frozenset(f"\"'`{CURLY_DOUBLE}{CURLY_SINGLE}")
QUOTED = compile_later(
    r'"(?P<double>(?:[^"\\]++|\\.)*+)"'
    rf'|[{CURLY_DOUBLE}](?P<curly_double>(?:[^"{CURLY_DOUBLE}\\]++|\\.)*+)["{CURLY_DOUBLE}]'
    r"|'(?P<single>[^']*+)'"
    rf"|[{CURLY_SINGLE}](?P<curly_single>[^'{CURLY_SINGLE}]*+)['{CURLY_SINGLE}]"
    r"|`(?P<backtick>[^`]*+)`",
    re.DOTALL,
)
QUOTED_TEXT = re.sub(r"\?P<\w+>", "?:", QUOTED.pattern)
ESCAPED_KINDS = ("double", "curly_double")
ESCAPE = compile_later(
    r'\\(?:(?P<character>["\\/bfnrt])'
    r"|u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u(?P<code>(?![dD][89a-fA-F])[0-9a-fA-F]{4}))"
)
CONTROL_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
QUOTE_SPECIAL = compile_later(r'["\\\x00-\x1f\x7f]')
CONTROL_NAMES = {character: name for name, character in CONTROL_ESCAPES.items()}

# How Splunk calls a macro; before an operator it is the name of a field.
MACRO = compile_later(
    r"`(?P<name>[A-Za-z][\w-]*+)(?P<arguments>\((?:[^`\"()]|\"[^\"]*+\"|\([^()`]*+\))*+\))?`(?!\s*+[:=<>!~])"
)
KEYWORD_END = rf"(?=[{RUN_BREAKS}'{CURLY_SINGLE}]|\Z)"
AND = compile_later(rf"AND{KEYWORD_END}")
OR = compile_later(rf"OR{KEYWORD_END}")
KEYWORD = compile_later(rf"(?:AND|OR|NOT){KEYWORD_END}")
LOWER_JOINT = compile_later(rf"(?:and|or){KEYWORD_END}")
LOWER_NOT = compile_later(rf"not{KEYWORD_END}")
LOWER_KEYWORDS = frozenset({"and", "or", "not"})
# A sign negates what it touches; alone or doubled (-, --verbose, ->, !=) it is text.
NEGATION = compile_later(rf"NOT{KEYWORD_END}|!(?=~[\"'`])|[-!{DASHES}](?![-!=<>~{DASHES}\s)|]|\Z)")
SYMBOL_JOINT = compile_later(r"&&(?=[\s(\"'!-])|\|\|")
# What these start with.
KEYWORD_STARTS = frozenset("AON")
NOT_STARTS = frozenset(f"Nn-!{DASHES}")
PIPE_ENDS = frozenset(("", "|", ")"))
JOINT_STARTS = PIPE_ENDS | frozenset("&AaOo")
DANGLING = compile_later(r"(?:(?<![^\s()])(?:AND|OR|NOT|and|or|not)|&&|\|\|)\s*\Z")
RESERVED_WORDS = frozenset({"and", "or", "not", "in", "to"})
# Words with which a query of another language may start, or a pipe whose bar was forgotten.
HABIT_WORDS = frozenset(
    (
        *("count", "rate", "sum", "topk", "bottomk", "grep", "egrep", "fgrep", "zgrep", "wc"),
        *("select", "from", "let", "last", "past", "where", "search", "filter", "rex", "dedup"),
        *(
            "stats",
            "timechart",
            "eventstats",
            "streamstats",
            "summarize",
            "fillnull",
            "top",
            "rare",
        ),
        *("head", "limit", "tail", "take", "order", "sort", "show", "ts", "row"),
        *(
            "has",
            "has_any",
            "has_all",
            "contains",
            "startswith",
            "endswith",
            "matches",
            "between",
            "starts_with",
            "ends_with",
            *("starts", "begins", "ends", "is", "null"),
            "ilike",
            "rlike",
        ),
    )
)

AS = compile_later(rf"as{NAME_END}", re.IGNORECASE | re.ASCII)
BY = compile_later(rf"by{NAME_END}", re.IGNORECASE | re.ASCII)
PIPE_KEYWORD = compile_later(rf"(?:as|by|if){NAME_END}", re.IGNORECASE | re.ASCII)

ANY_QUOTE = rf"[\"'`{CURLY_DOUBLE}{CURLY_SINGLE}]"
# "a::b" and "http://x" are text, "ip:::1" is a test.
NUMBER_AHEAD = rf"(?=\s*+(?:[-+]?\.?[0-9]|[\"{CURLY_DOUBLE}]))"
SLIPPED = rf"!==|===|<>(?=[^\s>])|=[<>]{NUMBER_AHEAD}"
GLUED_OPERATOR = compile_later(
    rf":(?!:(?!:)|//)(?:=|~(?={ANY_QUOTE})|[<>]=?)?|{SLIPPED}|==|!=|=~|!~|~=|~(?={ANY_QUOTE})|=|[<>]=?"
)
MOMENT_START = r"(?:now(?:[-+/@(]|\s*+(?:[)|]|\Z)|\s++(?i:and|or)\s)|ago\(|(?i:(?:to)?datetime)\()"
# After a blank a comparison needs a number, a quoted text or a time after it: "a <b>" is text.
SPACED_OPERATOR = compile_later(
    rf"\s++(?:!==|===|<>(?=\s++[\w\"'])|=[<>]{NUMBER_AHEAD}|~=(?=\s*+{ANY_QUOTE})|~(?=\s++{ANY_QUOTE})"
    rf"|(?:==|!=|=)(?![=<>~!])|=~|!~|[<>]=?(?:{NUMBER_AHEAD}|(?=\s++{MOMENT_START})))"
)
OPERATOR_SLIPS = {"=>": ">=", "=<": "<=", "<>": "!=", "!==": "!=", "===": "=="}
# Regular expressions have only one operator: for some "~=" means "differs".
NO_OPERATORS = frozenset({"~=", "~"})
SPACED_COLON = compile_later(r"\s++:(?=\s++[^\s|)]|[\"*(])")
SPACED_TIME_OPERATOR = compile_later(r"\s++[<>]=?(?=\s*+[\w+@-])")
# "Error: disk full" and "user= level=info" are text; "level:" before nothing is a mistake.
TEXT_OPERATOR = compile_later(rf"(?P<sign>[:=])\s++(?!(?:AND|OR){KEYWORD_END}|[)|]|\Z)")
# "C:\Users" is text.
DRIVE = compile_later(r":\\[A-Za-z]")
# "Map<String>" is text, not a comparison.
ANGLED = r"<[A-Za-z_?][^\s|]*+(?<=>)(?=[\s),;.|]|\Z)"
# "user=> nil" and "a=>b" are text.
ARROW = rf"=[<>](?!{NUMBER_AHEAD[3:-1]})"
ANGLED_OR_ARROW = compile_later(f"{ANGLED}|{ARROW}")
SIGN_BEFORE_BLANK = compile_later(r"[:=]\s")
# In lower case only before a list: "failed in (5 ms)" is text.
LIST_OPERATOR = compile_later(
    rf"\s++(?:(?P<upper_not>NOT\s++)?IN\s*+(?=\(|\$[A-Za-z_][\w.]*+\$)"
    rf"|(?P<lower_not>not\s++)?in\s*+(?=\(\s*+(?:{QUOTED_TEXT}|(?:{RUN_PIECE_OF_LIST})++)\s*+[,)]))",
    re.DOTALL,
)
LISTED_TEXT = rf"(?:{QUOTED_TEXT}|(?:{RUN_PIECE_OF_LIST})++)\*?\s*+"
BRACKETED_ITEM = rf"\s*+(?:{QUOTED_TEXT}|[^\s,\[\]()|\"]++)\s*+"
BRACKETED_LIST = compile_later(rf"\[{BRACKETED_ITEM}(?:,{BRACKETED_ITEM})*+\]", re.DOTALL)
# A list in brackets; "Exception in [main]" is text.
BRACKET_OPERATOR = compile_later(
    rf"\s++(?:(?P<upper_not>NOT\s++)?IN\s*+(?={BRACKETED_LIST.pattern})"
    rf"|(?P<lower_not>not\s++)?in\s*+(?=\[{BRACKETED_ITEM}(?:,{BRACKETED_ITEM})++\]))",
    re.DOTALL,
)

# Directly between a name and the start of a value, these can be nothing else.
CERTAIN_OPERATOR = compile_later(r"[:=](?=[A-Za-z0-9_\"*])|:?[<>]=?(?=[0-9])")
# One look that distinguishes names from most words: anything that can be between a name and its value.
OPERATOR_AHEAD = compile_later(
    rf"[:=<>!~]|\s++(?:[:=<>!~]|(?:not\s++)?(?:in\s*+[(\[$]|in\s++[0-9a-f:]|is\s"
    rf"|(?:[a-z_]++\s++with|[a-z_]++)\s*+(?:\(\s*+)?{ANY_QUOTE}|like\s++/|between\s))",
    re.IGNORECASE,
)

TIME = "_time"
TIME_NAMES = frozenset({TIME, "@timestamp"})
LIMIT_NAMES = frozenset({"earliest", "latest"})
# Before `=` only Splunk writes these.
SOURCE_NAMES = frozenset({"sourcetype", "eventtype"})
SPLUNK_NAMES = LIMIT_NAMES | SOURCE_NAMES | {"index"}
SPECIAL_NAMES = TIME_NAMES | {"env", "index"}

# A star that is the whole filter, or its last term: neither a part of a word nor the name of a field.
LONE_STAR = compile_later(r"\*(?=\s*+(?:\||\Z))")
# A text in quotes with stars around it: "prefix"*, *"part"*.
STAR_BEFORE_QUOTE = compile_later(rf"\*(?={ANY_QUOTE})")
STAR_AFTER_QUOTE = compile_later(r"\*(?=[\s),|]|\Z)")
# A value that can only be literal text; before a parenthesis it might be a call.
PLAIN_VALUE = compile_later(r"(?:[A-Za-z_][\w.-]*+|[0-9.]++)(?=\s*+(?:[|)]|\Z)|\s++[^\s(\[])")
NOT_VALUE = compile_later(r"!(?=[^\s)|!])")
# A name in backticks after an operator is a field in an expression; in a filter it would be a text.
NAMED_OPERAND = compile_later(rf"`(?!\s*+{NUMBER.pattern}\s*+`)")
EXACT_SIGN = compile_later(rf"=(?={ANY_QUOTE})")
# Forms that mean something other than their own text.
VALUE_STARTS_RESERVED = "([{<>=~!"
ALL_FIELDS = compile_later(r"\*:(?=[^\s)|])")
# KQL tests many fields at once: `kubernetes.*.name:web`.
WILD_NAME = rf"(?={NAME_CHARACTER}*+\*)(?:{NAME_FIRST}|\*(?=\.))(?:{NAME_CHARACTER}|\*)*+"
WILD_FIELD = compile_later(rf"(?P<names>{WILD_NAME})\s*+:(?!:|//|=|~)\s*+(?=[^\s|)\[{{<>!])")
# Tests of the objects of one field, as in KQL: `items:{{ name:a and price > 5 }}`.
NESTED = compile_later(
    rf"\{{\s*+(?:not\s++)?(?:{NAME.pattern}|{QUOTED_TEXT})\s*+(?::|[<>]=?\s*+[0-9\"])",
    re.IGNORECASE,
)
CIDR = compile_later(rf"CIDR\(\s*+(?P<name>{NAME.pattern})\s*+(?=,)")
SELECTOR = compile_later(
    rf"\{{\s*+(?:\}}|(?:{NAME.pattern}|{QUOTED_TEXT})\s*+(?:=~|!~|!=|==?|:=?|(?<=\s)(?:not_)?in\s*+\())"
)
SELECTOR_OPERATOR = compile_later(r"=~|!~|!=|==|:=|=|:|(?:not_)?in(?=\s*+\()")
SELECTOR_OR = compile_later(r"or(?=\s)")
CALL = compile_later(r"(?P<name>in|range)\s*+(?=[(\[])", re.IGNORECASE)
EXPRESSION_SIGN = compile_later(rf"~(?={ANY_QUOTE})")
LINE_FILTER = compile_later(rf"(?P<sign>!=|!~)\s++(?={ANY_QUOTE})")
AFTER_SLASHES = r"(?=[\s)|,}]|\Z)"
# Without blanks up to a slash that ends a value, or with blanks up to the very next slash.
SLASHED = compile_later(
    rf"/(?![\s/])(?:(?:[^\s\\/]++|\\\S|/(?!i?{AFTER_SLASHES})){{0,1024}}+"
    rf"|(?:[^\\/\n|]++|\\[^\n]|(?<!\s)\|){{0,1024}}+(?<!\s))/i?{AFTER_SLASHES}"
)
PATH = compile_later(r"(?!/[\w.%-]++/i\Z)/[\w./%-]*+")
FIRM_START = compile_later(
    rf"\(|~?{ANY_QUOTE}|{ALL_FIELDS.pattern}|{SELECTOR.pattern}"
    rf"|(?!{PATH.pattern}{AFTER_SLASHES}){SLASHED.pattern}"
)
SLASH_PAIR = compile_later(r"\\(.)|/", re.DOTALL)
ADDRESS = r"[0-9]++(?:\.[0-9]++){3}|[0-9a-fA-F]*+:[0-9a-fA-F]*+:[0-9a-fA-F:.]*+"
ADDRESS_RANGE = compile_later(rf"(?P<address>{ADDRESS})/[0-9]++")
NETWORK_AHEAD = rf"(?=(?:{ADDRESS})/[0-9]{{1,3}}+{AFTER_SLASHES})"


class Site(NamedTuple):
    """The position of a value decides what its unquoted text may contain and what may follow it."""

    run: re.Pattern[str]
    end: re.Pattern[str]


IN_FILTER = Site(
    compile_later(rf"(?:{RUN_PIECE})++", re.DOTALL), compile_later(rf"[\s{INVISIBLE})|]|\Z")
)
IN_LIST = Site(
    compile_later(rf"(?:{RUN_PIECE_OF_LIST})++", re.DOTALL),
    compile_later(rf"[\s{INVISIBLE}),|]|\Z"),
)
IN_SELECTOR = Site(
    compile_later(rf"(?:[^{RUN_BREAKS}\\,}}]++|\\(?:.|\Z))++", re.DOTALL),
    compile_later(rf"[\s{INVISIBLE},}}]|\Z"),
)
IN_RANGE = Site(
    compile_later(rf"(?:[^{RUN_BREAKS}\\,\[\]{{}}]++|\\(?:.|\Z))++", re.DOTALL),
    compile_later(rf"[\s{INVISIBLE},)\]}}]|\Z"),
)
# The placeholder of a dashboard for its reader's choice, alone or as the value of a field.
VARIABLE = compile_later(r"@?\$[A-Za-z_][\w.-]*+")
# `$name$`, whose value a dashboard of Splunk puts in.
SPLUNK_TOKEN = compile_later(r"\$[A-Za-z_][\w.]*+\$")
VARIABLE_VALUE = compile_later(r"\$[A-Za-z_][\w-]*+\.value")
# `#name` is how Datadog writes a field that it computes.
COMPUTED_FIELD = compile_later(r"#[A-Za-z_][\w.]*+(?=:[\w<>\"*\[(-])")
EXISTENCE_NAMES = frozenset({"_exists_", "_missing_"})
"""`_exists_:name` is how Lucene tests whether there is a value."""
# Notation for HTTP statuses: all of 5xx.
STATUS_CLASS = compile_later(r"[1-5](?:[xX]{2}|[0-9][xX])")
NUMBER_SPAN = compile_later(r"(?P<low>[0-9]{1,5})-(?P<high>[0-9]{1,5})")
STATUS_SPAN = compile_later(r"[1-5][0-9]{2}-[1-5][0-9]{2}")
TRAILING_SIGN = compile_later(r"[,;]++(?=\s|\Z)")
# At the end of unquoted text, unless escaped by a backslash.
SIGN_AT_END = compile_later(r"(?<!\\)[,;]++\Z")
LAST_SIGN = compile_later(r"[,;]++\s*+\Z")
JOINT_IN_VALUE = compile_later(r"&&(?=[\w.@$-]++[:=<>!])")
LAST_PERIOD = compile_later(
    r"(?:last|past)\s++(?P<number>[0-9]{1,5})\s*+"
    rf"(?P<unit>(?:s|m|h|d|w|sec|min|hr|second|minute|hour|day|week)s?){KEYWORD_END}",
    re.IGNORECASE,
)
PROSE = compile_later(
    r"\b(?:the|in|for|within|over|of|since|during|at|a|our|its)\s++\Z", re.IGNORECASE
)
# A whole filter of words with and, or between each two of them.
JOINED_WORD = r"(?!(?:and|or|not)\s)[\w.%-]++"
JOINED_WORDS = compile_later(
    rf"{JOINED_WORD}(?:\s++(?:and|or)\s++(?:not\s++)?{JOINED_WORD})++\s*+(?=[|)]|\Z)"
)
CLOCK_TIME = compile_later(
    r"\s++[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?(?=[\s)|]|\Z)"
)
DATE = compile_later(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
RANGE_JOINT = compile_later(r"\s*+,\s*+|\s++TO(?=[\s\])}]|\Z)\s*+", re.IGNORECASE)
NO_BOUND = compile_later(r"(?:\*|[-+]?inf(?:inity)?)(?=[\s,)\]}])", re.IGNORECASE)
LONE_TEST = compile_later(rf"\(\s*+{NAME.pattern}(?:{GLUED_OPERATOR.pattern})")
AND_OF_VALUES = compile_later(rf"AND{KEYWORD_END}", re.IGNORECASE)
OR_OF_VALUES = compile_later(rf"OR{KEYWORD_END}", re.IGNORECASE)
NOT_OF_VALUES = compile_later(rf"NOT{KEYWORD_END}", re.IGNORECASE)
# `f:(-a)`; before a digit it is the sign of a number.
MINUS_OF_VALUES = compile_later(rf"-(?=[A-Za-z_*]|{ANY_QUOTE})")
# `f:(+a +b)`: both are required.
PLUS_OF_VALUES = compile_later(rf"\+(?=[A-Za-z_*<>]|{ANY_QUOTE})")
VALUE_NEGATIONS = (NOT_OF_VALUES, NOT_VALUE)
COMPARISONS: dict[str, Comparison] = {">": ">", ">=": ">=", "<": "<", "<=": "<="}
COMPARISON = compile_later(r"[<>]=?")
RELATIVE_MOMENT = compile_later(
    r"now(?:\(\))?(?:[-+][0-9]++[A-Za-z]++|[/@][a-z]\w*+)*+(?=[\s,\])}|]|\Z)"
)


def settle_name(written: str) -> str:
    """Return the field of an unquoted name: the message in any language, and lists by their plain name."""
    name = written.replace(LIST_MARK, "")
    if name in TIME_NAMES:
        return TIME
    return MESSAGE if name in MESSAGE_NAMES else name


def settle_quoted_name(text: str, mark: str) -> str:
    """Return the field of a quoted name; in backticks it is taken literally."""
    is_exact = mark == "`" or "`" in text
    return text if is_exact else text.replace(LIST_MARK, "") or text


def decode_quoted(match: re.Match[str]) -> str:
    """Return the text of a match of QUOTED."""
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
    """Return the pieces of unquoted text; only the characters in `wildcards` are wildcards."""
    if RUN_SPECIAL.search(raw) is None:
        return (raw,) if raw else ()
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


def split_stars(text: str) -> tuple[str | Wildcard, ...]:
    """Return the pieces of a text in which only stars are wildcards."""
    parts: list[str | Wildcard] = []
    for place, piece in enumerate(text.split("*")):
        if place:
            append_piece(parts, Wildcard.ANY)
        append_piece(parts, piece)
    return tuple(parts)


def strip_signs(raw: str) -> str:
    """Return unquoted text without trailing commas and semicolons."""
    return SIGN_AT_END.sub("", raw) if raw[-1] in ",;" else raw


def keep_backslashes(raw: str) -> str:
    """Return a word in which a backslash before a letter or digit is literal, as in C:\\Users."""
    return ESCAPED_PAIR.sub(lambda pair: f"\\{pair[0]}" if pair[1].isalnum() else pair[0], raw)


def append_piece(parts: list[str | Wildcard], piece: str | Wildcard) -> None:
    """Append a piece by the pattern's rules: no empty piece, no two stars in a row."""
    if piece == "" or (piece is Wildcard.ANY and parts and parts[-1] is Wildcard.ANY):
        return
    parts.append(piece)


def decode_number(text: str) -> int | float | None:
    """Return the value of a match of NUMBER, or None if it is out of the range of a float."""
    try:
        number = int(text) if text.lstrip("+-").isdigit() else float(text)
        return number if math.isfinite(number) else None
    except (ValueError, OverflowError):
        return None


def has_own_meaning(raw: str) -> bool:
    """Return whether an unquoted value is a regular expression, a network or some statuses, not its own text."""
    if "/" not in raw and not raw[:1].isdigit():
        return False
    is_expression = SLASHED.fullmatch(raw) is not None and not PATH.fullmatch(raw)
    others = (ADDRESS_RANGE, STATUS_CLASS, STATUS_SPAN)
    return is_expression or any(pattern.fullmatch(raw) for pattern in others)


def escape_slashes(expression: str) -> str:
    """Return an expression as it is written between slashes."""
    return SLASH_PAIR.sub(lambda pair: "\\/" if pair[0] == "/" else pair[0], expression)


def unescape_slashes(written: str) -> str:
    r"""Return the only spelling of an expression: `\/` is `/`, and `\b` a border, not the backspace of a quoted text."""
    expression = written.replace("\b", "\\b")
    return SLASH_PAIR.sub(lambda pair: "/" if pair[0] == "\\/" else pair[0], expression)


def quote(text: str) -> str:
    """Return the text in double quotes, so that QUOTED parses it back."""
    return '"' + QUOTE_SPECIAL.sub(escape_character, text) + '"'


def escape_character(match: re.Match[str]) -> str:
    character = match[0]
    if character in '"\\':
        return "\\" + character
    name = CONTROL_NAMES.get(character)
    return f"\\{name}" if name else f"\\u{ord(character):04x}"
