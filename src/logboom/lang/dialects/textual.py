"""Text tests of other languages that we write as patterns or regular expressions."""

from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.lang.ast import MESSAGE, Filter, Match, Pattern, Regex, Wildcard
from logboom.lang.tokens import append_piece

WORD_START = "(?:^|[^[:alnum:]])"
WORD_END = "(?:[^[:alnum:]]|$)"
SPECIAL = compile_later(r"[.^$*+?()\[\]{}|\\]")


class TextTest(NamedTuple):
    """Where the text is in the value: `*` any text, `^` and `$` the ends, `w` a word boundary.

    `function` is our case-insensitive equivalent.
    """

    before: str
    after: str
    counts_case: bool = False
    function: str = ""


TEXT_TESTS: dict[str, TextTest] = {
    "=~": TextTest("^", "$"),
    "contains": TextTest("*", "*", function="contains"),
    "contains_cs": TextTest("*", "*", counts_case=True),
    "startswith": TextTest("^", "*", function="startswith"),
    "startswith_cs": TextTest("^", "*", counts_case=True),
    "endswith": TextTest("*", "$", function="endswith"),
    "endswith_cs": TextTest("*", "$", counts_case=True),
    "has": TextTest("w", "w"),
    "has_cs": TextTest("w", "w", counts_case=True),
    "hasprefix": TextTest("w", "*"),
    "hasprefix_cs": TextTest("w", "*", counts_case=True),
    "hassuffix": TextTest("*", "w"),
    "hassuffix_cs": TextTest("*", "w", counts_case=True),
}


def make_text_filter(test: TextTest, field: str, texts: tuple[str, ...]) -> Filter:
    """Return the filter for one of the texts at that place; anchors on the message need a regular expression."""
    is_message = field.lower() == MESSAGE
    is_pattern = "w" not in test[:2] and not test.counts_case and len(texts) == 1
    if is_pattern and not is_message:
        return Match(field, make_pattern(test, texts[0]))
    if is_pattern and test.before == test.after == "*":
        return Match(field, Pattern.literal(texts[0]))
    return Regex(field, make_expression(test, texts), ignores_case=not test.counts_case)


def make_pattern(test: TextTest, text: str) -> Pattern:
    star: tuple[str | Wildcard, ...] = (Wildcard.ANY,)
    return Pattern(star * (test.before == "*") + (text,) + star * (test.after == "*"))


def make_expression(test: TextTest, texts: tuple[str, ...]) -> str:
    """Return a regular expression for any of the texts; boundaries that all share are written once around them."""
    bordered = [(find_start(test, text), escape(text), find_end(test, text)) for text in texts]
    if len({(start, end) for start, _, end in bordered}) > 1:
        return f"(?:{'|'.join(''.join(pieces) for pieces in bordered)})"
    start, body, end = bordered[0]
    if len(texts) > 1:
        body = f"(?:{'|'.join(piece for _, piece, _ in bordered)})"
    return f"{start}{body}{end}"


def find_start(test: TextTest, text: str) -> str:
    """Return the anchors before the text; a word boundary is needed only before a letter or digit."""
    return {"*": "", "^": "^", "w": WORD_START if text[:1].isalnum() else ""}[test.before]


def find_end(test: TextTest, text: str) -> str:
    return {"*": "", "$": "$", "w": WORD_END if text[-1:].isalnum() else ""}[test.after]


def escape(text: str) -> str:
    """Return the text as a regular expression; control characters are written as escapes."""
    escaped = SPECIAL.sub(r"\\\g<0>", text)
    return escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


def read_wildcards(text: str, any_sign: str, one_sign: str) -> tuple[str | Wildcard, ...]:
    r"""Return the pieces of a pattern; a backslash escapes the next sign."""
    parts: list[str | Wildcard] = []
    literal = ""
    escaped = False
    for character in text:
        is_wild = not escaped and character in (any_sign, one_sign)
        if is_wild:
            append_piece(parts, literal)
            append_piece(parts, Wildcard.ANY if character == any_sign else Wildcard.ONE)
            literal = ""
        elif character == "\\" and not escaped:
            escaped = True
            continue
        else:
            literal += character
        escaped = False
    append_piece(parts, literal + "\\" * escaped)
    return tuple(parts)


def wildcards_to_expression(parts: tuple[str | Wildcard, ...]) -> str:
    """Return a case-sensitive regular expression for the whole value."""
    signs = {Wildcard.ANY: ".*", Wildcard.ONE: "."}
    inner = parts[parts[0] is Wildcard.ANY : len(parts) - (parts[-1] is Wildcard.ANY)]
    body = "".join(escape(part) if isinstance(part, str) else signs[part] for part in inner)
    start = "" if parts[0] is Wildcard.ANY else "^"
    end = "" if parts[-1] is Wildcard.ANY else "$"
    flag = "(?s)" if any(isinstance(part, Wildcard) for part in inner) else ""
    return f"{flag}{start}{body}{end}"
