"""Event queries of Elastic, `process where process.name : "cmd.exe"`, as the filter that was meant."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.tokens import QUOTED_TEXT

FLAGS = re.IGNORECASE | re.DOTALL
EVENTS = compile_later(
    r"\A(?P<category>[a-z_]++)\s++where\s++(?P<condition>(?:not\s|[(\s])*+[\w.?@]++\s*+"
    r"(?:==|!=|:|[<>]=?|(?:in|like)~?)\s*+[\"(\d].*+)\Z",
    FLAGS,
)
"""The first condition is a test: prose hardly has one after `where`."""
PIECE = compile_later(rf"(?P<quoted>{QUOTED_TEXT})|[^\"'`]++|.", re.DOTALL)
BEFORE_LIST = compile_later(r"\s*+(?::|\b(?:in|like)~?)\s*+\(\s*+\Z", re.IGNORECASE)
BEFORE_TEXT = compile_later(r"\s*+(?::|\blike~?)\s*+\Z", re.IGNORECASE)
ANY = "any"


def read_events(match: re.Match[str]) -> str:
    """Texts are compared in any case and may have stars, as after `=` and `IN` here."""
    condition = "".join(map(read_piece, PIECE.finditer(match["condition"]))).strip()
    category = match["category"].lower()
    return condition if category == ANY else f"event.category:{category} ({condition})"


def read_piece(piece: re.Match[str]) -> str:
    if piece["quoted"]:
        return piece[0]
    return BEFORE_TEXT.sub("=", BEFORE_LIST.sub(" IN (", piece[0]))
