"""Names, texts, patterns and numbers as canonical text: unquoted where that is safe."""

import re

from logboom.base.patterns import compile_later
from logboom.lang import tokens
from logboom.lang.ast import Pattern, Quantity, Wildcard
from logboom.lang.functions import settle_quoted_column

PLAIN_VALUE = compile_later(r"[\w-][\w.%@+/-]*|(?:/[\w.%-]+)+/?")
PLAIN_PATH = compile_later(r"(?:/[\w.%@+*?-]+){2,}(?<!/i)")
PATTERN_SPECIAL = compile_later(rf"[{tokens.RUN_BREAKS}{tokens.CURLY_SINGLE}\\*?]")
MEMBER_SPECIAL = compile_later(rf"[{tokens.RUN_BREAKS}{tokens.CURLY_SINGLE}\\*?,]")
SIGNS_AT_END = compile_later(r"(?<!\\)[,;]+\Z")
STAR_AND_APOSTROPHE = compile_later(r"\A\*'")
PATTERN_START_SPECIAL = compile_later(rf"[{re.escape(tokens.VALUE_STARTS_RESERVED)}:'/]")


def format_name(name: str) -> str:
    is_keyword = tokens.PIPE_KEYWORD.fullmatch(name) or name.lower() in tokens.RESERVED_WORDS
    is_plain = tokens.NAME.fullmatch(name) and tokens.settle_name(name) == name
    is_token = tokens.SPLUNK_TOKEN.fullmatch(name)
    return name if is_plain and not is_keyword and not is_token else quote_name(name)


def quote_name(name: str) -> str:
    """Return a name in quotes: in backticks if double quotes would change it."""
    is_exact = settle_quoted_column(name, '"') == name
    return tokens.quote(name) if is_exact else f"`{name}`"


def format_field(name: str) -> str:
    """Return the name of a field in a test; a quoted name is never a special one."""
    return quote_name(name) if name in tokens.SPECIAL_NAMES else format_name(name)


def format_value(text: str) -> str:
    is_plain = PLAIN_VALUE.fullmatch(text) and not is_lone_segment(text)
    return text if is_plain and not tokens.has_own_meaning(text) else tokens.quote(text)


def is_lone_segment(text: str) -> bool:
    """Return whether a text is like `/a`, which a later slash could turn into a regular expression."""
    return text.startswith("/") and text.count("/") == 1


def format_pattern(pattern: Pattern, special: re.Pattern[str] = PATTERN_SPECIAL) -> str:
    """Print a pattern; wildcards work only outside quotes, so the text around them is escaped, not quoted."""
    if pattern.text is not None:
        return format_value(pattern.text)
    return escape_pattern(pattern, special)


def escape_pattern(pattern: Pattern, special: re.Pattern[str]) -> str:
    """Return a pattern without quotes."""
    raw = "".join(
        part.value if isinstance(part, Wildcard) else special.sub(r"\\\g<0>", part)
        for part in pattern.parts
    )
    raw = SIGNS_AT_END.sub(lambda signs: "".join(f"\\{sign}" for sign in signs[0]), raw)
    if PLAIN_PATH.fullmatch(raw):
        return raw
    # After a star an apostrophe would open quotes.
    raw = STAR_AND_APOSTROPHE.sub(r"*\\'", raw)
    is_special = PATTERN_START_SPECIAL.match(raw) or tokens.has_own_meaning(raw)
    return f"\\{raw}" if is_special else raw


def format_member(pattern: Pattern) -> str:
    """Return a pattern inside a list, where commas separate and the operators are words."""
    text = pattern.text
    if text is not None and text.lower() in tokens.RESERVED_WORDS:
        return tokens.quote(text)
    if text is not None and ("*" in text or tokens.SPLUNK_TOKEN.search(text)):
        # In double quotes the star would be a wildcard, and `$name$` a placeholder.
        return f"'{text}'" if "'" not in text else escape_pattern(pattern, MEMBER_SPECIAL)
    return format_pattern(pattern, MEMBER_SPECIAL)


def format_quantity(quantity: Quantity) -> str:
    return f"{quantity.number!r}{quantity.unit}"


def format_limit(limit: Quantity | str | None) -> str:
    if limit is None:
        return "*"
    if not isinstance(limit, str):
        return format_quantity(limit)
    # In other quotes it would be the number.
    return f"`{limit}`" if tokens.NUMBER.fullmatch(limit.strip()) else tokens.quote(limit)
