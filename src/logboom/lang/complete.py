"""Analyses an unfinished query: what can be typed at the cursor."""

import re
from typing import Literal, TypeAlias

from logboom.base.patterns import compile_later
from logboom.base.structs import InternalStruct
from logboom.lang.tokens import ANY_QUOTE, NAME, QUOTED, QUOTED_TEXT, decode_quoted

SiteKind: TypeAlias = Literal["filter", "value", "pipe", "aggregate", "expression", "field", "text"]

MAX_LENGTH = 64 * 1024
# A quoted name belongs to the test that it starts, a sign before a quote to neither.
PIECE = compile_later(
    rf"(?P<run>(?:(?:{QUOTED_TEXT})(?=[:=!])|(?!{ANY_QUOTE}|[-!]{ANY_QUOTE}))[^\s|()\[\]{{}},\"`]+)"
    rf"|(?P<quoted>{QUOTED_TEXT})|(?P<open>{ANY_QUOTE}.*\Z)|(?P<bar>\|)"
    rf"|(?P<mark>[()\[\]{{}},]|[-!](?={ANY_QUOTE}))|(?P<blank>\s+|.)",
    re.DOTALL,
)
FIELD = rf"(?P<field>{NAME.pattern}|{QUOTED_TEXT})"
TEST = compile_later(rf"[-!]?{FIELD}(?P<operator>:=|==|!=|=~|!~|:|=)(?P<prefix>.*)", re.DOTALL)
LISTED = compile_later(rf"[-!]?{FIELD}:?", re.DOTALL)
LIST_WORDS = frozenset({"IN", "NOT"})
AGGREGATING = frozenset({"stats", "summarize", "timechart", "eventstats", "streamstats"})
FILTERING = frozenset({"where", "filter", "search"})
COMPUTING = frozenset({"eval", "extend", "math"})


class Piece(InternalStruct, frozen=True):
    """A part of the text: its kind, one of PIECE's, and its start."""

    kind: str
    text: str
    start: int


class Site(InternalStruct, frozen=True):
    """The cursor: what is allowed there, the text typed so far, and the field if it is a value."""

    kind: SiteKind
    prefix: str = ""
    field: str = ""


def find_site(text: str, position: int) -> Site:
    """Return where the typed word is; never fails, whatever the text."""
    before = text[: max(0, position)][-MAX_LENGTH:]
    pieces = [
        Piece(match.lastgroup or "", match[0], match.start()) for match in PIECE.finditer(before)
    ]
    bars = [place for place, piece in enumerate(pieces) if piece.kind == "bar"]
    segment = pieces[bars[-1] + 1 :] if bars else pieces
    is_typed = bool(segment) and segment[-1].kind in ("run", "open", "quoted")
    written, typed = (segment[:-1], segment[-1]) if is_typed else (segment, None)
    return find_in_pipe(written, typed) if bars else find_in_filter(written, typed)


def find_in_filter(written: list[Piece], typed: Piece | None) -> Site:
    """Return where a word of a filter is; `written` is the text before it."""
    text = typed.text if typed else ""
    if typed is not None and typed.kind != "run":
        test = TEST.fullmatch(written[-1].text) if written and typed.kind == "open" else None
        if test is None or test["prefix"]:
            return Site("text")
        return Site("value", text[1:], read_field(test))
    test = TEST.fullmatch(text)
    if test is not None:
        return Site("value", test["prefix"], read_field(test))
    listed = find_listed(written)
    return Site("filter", text.lstrip("-!")) if listed is None else Site("value", text, listed)


def find_listed(written: list[Piece]) -> str | None:
    """Return the field whose list of values continues here, as in `level IN (error,` or `level:(error OR`."""
    texts = [piece.text for piece in written if piece.kind != "blank"]
    opened = max((place for place, text in enumerate(texts) if text == "("), default=None)
    if opened is None or ")" in texts[opened:] or texts[-1].upper() not in {"(", ",", "OR"}:
        return None
    head = texts[:opened]
    while head and head[-1].upper() in LIST_WORDS:
        head.pop()
    test = LISTED.fullmatch(head[-1]) if head else None
    # Without a colon only IN makes a list.
    if test is None or test[0].endswith(":") == (len(head) < opened):
        return None
    return read_field(test)


def read_field(test: re.Match[str]) -> str:
    quoted = QUOTED.fullmatch(test["field"])
    return test["field"] if quoted is None else decode_quoted(quoted)


def find_in_pipe(written: list[Piece], typed: Piece | None) -> Site:
    segment = [*written, typed] if typed else written
    words = [piece for piece in segment if piece.kind == "run"]
    if not words or (len(words) == 1 and typed is words[0]):
        return Site("pipe", typed.text if typed and typed.kind == "run" else "")
    name = words[0].text.lower()
    if typed is not None and typed.kind != "run" and name not in FILTERING:
        return Site("text")
    prefix = typed.text if typed else ""
    if name in FILTERING:
        site = find_in_filter(written[written.index(words[0]) + 1 :], typed)
        return Site("expression", site.prefix) if site.kind == "filter" else site
    if name in COMPUTING:
        return Site("expression", re.split(r"[=+*/<>-]", prefix)[-1])
    if name in AGGREGATING and is_at_aggregate(segment, typed):
        return Site("aggregate", prefix)
    return Site("field", prefix.lstrip("-+"))


def is_at_aggregate(segment: list[Piece], typed: Piece | None) -> bool:
    """Return whether an aggregate may follow: outside parentheses, and not after `by`."""
    done = segment[:-1] if typed else segment
    depth = sum({"(": 1, ")": -1}.get(piece.text, 0) for piece in done if piece.kind == "mark")
    return depth <= 0 and all(piece.text.lower() != "by" for piece in done)
