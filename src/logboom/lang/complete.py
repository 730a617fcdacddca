"""What is being typed: from a query that is not finished, what may come at the cursor."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from logboom.lang.tokens import ANY_QUOTE, NAME, QUOTED_TEXT

SiteKind: TypeAlias = Literal["filter", "value", "pipe", "aggregate", "expression", "field", "text"]

MAX_LENGTH = 64 * 1024
PIECE = re.compile(
    rf"(?P<quoted>{QUOTED_TEXT})|(?P<open>{ANY_QUOTE}.*\Z)|(?P<bar>\|)|(?P<mark>[()\[\]{{}},])"
    r"|(?P<run>[^\s|()\[\]{},\"`]+)|(?P<blank>\s+|.)",
    re.DOTALL,
)
TEST = re.compile(
    rf"[-!]?(?P<field>{NAME.pattern})(?P<operator>:=|==|!=|=~|!~|:|=)(?P<prefix>.*)", re.DOTALL
)
LIST_TEST = re.compile(
    rf"(?P<field>{NAME.pattern})(?:\s+(?:NOT\s+)?IN\s*|:)\((?:[^()|]*,|[^()|]*\sOR\s)?\s*\Z",
    re.IGNORECASE,
)
OPEN_MARKS = "([{,"
AGGREGATING = frozenset({"stats", "summarize", "timechart", "eventstats", "streamstats"})
FILTERING = frozenset({"where", "filter", "search"})
COMPUTING = frozenset({"eval", "extend", "math"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the text: its kind, one of PIECE's, and where it begins."""

    kind: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Site:
    """The place of the cursor: what may stand there, how it begins, and whose value it is if it is one."""

    kind: SiteKind
    prefix: str = ""
    field: str = ""


def find_site(text: str, position: int) -> Site:
    """Never fails, whatever the text."""
    before = text[: max(0, position)][-MAX_LENGTH:]
    pieces = [
        Piece(match.lastgroup or "", match[0], match.start()) for match in PIECE.finditer(before)
    ]
    bars = [place for place, piece in enumerate(pieces) if piece.kind == "bar"]
    segment = pieces[bars[-1] + 1 :] if bars else pieces
    start = segment[0].start if segment else len(before)
    last = segment[-1] if segment else None
    typed = last if last is not None and last.kind in ("run", "open", "quoted") else None
    written = before[start : typed.start if typed else len(before)]
    if not bars:
        return find_in_filter(written, typed)
    return find_in_pipe(segment, written, typed)


def find_in_filter(written: str, typed: Piece | None) -> Site:
    """`written` is what stands before what is being typed."""
    text = typed.text if typed else ""
    test = TEST.fullmatch(text)
    if test is not None:
        return Site("value", test["prefix"], test["field"])
    quoted_test = (
        TEST.search(written.split()[-1]) if written and not written[-1].isspace() else None
    )
    if typed is not None and typed.kind != "run":
        if quoted_test is not None and not quoted_test["prefix"] and typed.kind == "open":
            return Site("value", text[1:], quoted_test["field"])
        return Site("text")
    listed = LIST_TEST.search(written)
    if listed is not None:
        return Site("value", text, listed["field"])
    return Site("filter", text.lstrip("-!"))


def find_in_pipe(segment: list[Piece], written: str, typed: Piece | None) -> Site:
    words = [piece for piece in segment if piece.kind == "run"]
    if not words or (len(words) == 1 and typed is words[0]):
        return Site("pipe", typed.text if typed and typed.kind == "run" else "")
    name = words[0].text.lower()
    if typed is not None and typed.kind != "run" and name not in FILTERING:
        return Site("text")
    prefix = typed.text if typed else ""
    if name in FILTERING:
        site = find_in_filter(written.lstrip()[len(name) :], typed)
        return Site("expression", site.prefix) if site.kind == "filter" else site
    if name in COMPUTING:
        return Site("expression", re.split(r"[=+*/<>-]", prefix)[-1])
    if name in AGGREGATING and is_at_aggregate(segment, typed):
        return Site("aggregate", prefix)
    return Site("field", prefix.lstrip("-+"))


def is_at_aggregate(segment: list[Piece], typed: Piece | None) -> bool:
    """Outside of parentheses, and not behind `by`."""
    done = segment[:-1] if typed else segment
    depth = sum({"(": 1, ")": -1}.get(piece.text, 0) for piece in done if piece.kind == "mark")
    return depth <= 0 and all(piece.text.lower() != "by" for piece in done)
