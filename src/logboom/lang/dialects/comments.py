"""Comments before a query, in languages that write them as C does."""

import re

from logboom.base.patterns import compile_later

COMMENTS = compile_later(r"(?:\s++|//[^\n]*+(?:\n|\Z)|/\*.*?\*/)*+", re.DOTALL)


def skip_comments(text: str) -> str:
    """Return the text from its first word on."""
    if text[:1].isalnum():
        return text
    found = COMMENTS.match(text)
    return text[found.end() :] if found else text
