"""Replaces comments by blanks, so that positions do not change; comment lines are blanks to the parser."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.expression_tokens import BACKTICKED
from logboom.lang.tokens import QUOTED_TEXT

LINE_END = compile_later(rf"(?P<quoted>{QUOTED_TEXT})|(?<=\s)(?P<comment>#\s[^\n]*+)|.", re.DOTALL)
NEXT_PIPE = compile_later(r"\n\s*+\|")
# Quotes may contain what looks like a comment, and so may the names of fields in backticks.
SPLUNK = compile_later(
    r'(?P<quoted>"(?:[^"\\]++|\\.)*+")|```.*?```(?!`)|`comment\("[^`]*"\)`|(?P<opening>(?<!`)`(?!`))',
    re.DOTALL,
)
# Where an operand is expected, three backticks open the name of a field that starts with one.
OPERAND_AHEAD = compile_later(
    r"(?:[=(,+*/%&<>!^~-]|\b(?:where|eval|and|or|not|in|like|if|by|as|from))\Z", re.IGNORECASE
)
LONGEST_KEYWORD = 8
LOOK_BACK = 100
"""How many characters before a name are examined, so that no text takes long."""


def blank_comments(text: str) -> str:
    return blank_line_ends(blank_splunk(text))


def blank_line_ends(text: str) -> str:
    """Blank comments at the ends of lines; only for a query whose pipes are on separate lines."""
    if "# " not in text or NEXT_PIPE.search(text) is None:
        return text
    pieces = LINE_END.finditer(text)
    return "".join(" " * len(piece[0]) if piece["comment"] else piece[0] for piece in pieces)


def blank_splunk(text: str) -> str:
    """Blank comments in Splunk's syntax."""
    if "```" not in text and "`comment(" not in text:
        return text
    pieces, position = [], 0
    while found := SPLUNK.search(text, position):
        pieces.append(text[position : found.start()])
        kept = found if found["quoted"] else match_name(text, found.start())
        if kept is None and found["opening"]:
            kept = found
        pieces.append(kept[0] if kept else " " * len(found[0]))
        position = (kept or found).end()
    return "".join(pieces) + text[position:]


def match_name(text: str, start: int) -> re.Match[str] | None:
    """Return the name of a field in backticks, where one is expected."""
    before = text[max(0, start - LOOK_BACK) : start].rstrip()[-LONGEST_KEYWORD:]
    return BACKTICKED.match(text, start) if OPERAND_AHEAD.search(before) else None
