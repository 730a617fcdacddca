"""Small repairs that are tried on any invalid query: one character too many, or one missing."""

import re
from collections.abc import Iterator
from itertools import takewhile

from logboom.base.patterns import compile_later

FORGOTTEN_BAR = compile_later(
    r"(?<=[\w)\"'*])\s+(?=(?:sort|order\s+by|head|tail|limit|where|having|eval|stats)\s+[-\w(])",
    re.IGNORECASE,
)


def list_repairs(text: str, end: int) -> Iterator[str]:
    """Yield texts that may be queries; `end` is where parsing failed."""
    bare = text.rstrip(" \t\n,;")
    if bare != text.rstrip():
        yield bare
    first_bar = text.find("|")
    blanks = FORGOTTEN_BAR.finditer(text, max(first_bar, 0))
    for blank in takewhile(lambda found: found.start() < end, blanks):
        yield f"{text[: blank.start()]} | {text[blank.end() :]}"
    if text.count("(") > text.count(")"):
        yield text.rstrip() + ")"
