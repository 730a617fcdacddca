"""Recognises ES|QL: `FROM index` at the start, or another command that starts a query."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.dialects.comments import skip_comments

FIRST_LETTERS = frozenset("fFrRsStTmMeEpP/")
INDEX = r'(?:"[^"\n]+"|[\w.*:<>{}/@+-]+)'
INDEXES = rf"{INDEX}(?:\s*+,\s*+{INDEX})*+"
META = r"(?:\s++\[?\s*+METADATA\s++[\w.]+(?:\s*+,\s*+[\w.]+)*+\s*+\]?)?"
COMMENT = r"(?:\s|//[^\n]*+|/\*.*?\*/)*+"
FROM = compile_later(
    rf"FROM\s++(?:\(\s*+FROM\b|\?\w+|{INDEXES}{META}{COMMENT}(?:\|(?!\|)|\Z))",
    re.IGNORECASE | re.DOTALL,
)
ONLY_FROM = compile_later(rf"from\s++{INDEXES}\s*+\Z")
OTHERS = compile_later(
    r"ROW\s++[\w.@`]+\s*+=[^=]|SHOW\s++INFO\s*+(?:\||\Z)|TS\s++[\w.*-]+\s*+\|\s*+(?i:stats|where|eval|keep)\b"
    r"|EXPLAIN\s*+\[\s*+FROM\b|(?:SET\s++\w+\s*+=[^;]*+;\s*+)++(?:FROM|TS|ROW)\b"
)


def recognises(text: str) -> bool:
    """Return whether it starts like ES|QL. Lower-case `from` needs a command after it: `from cache` is text."""
    if text.lstrip()[:1] not in FIRST_LETTERS:
        return False
    body = skip_comments(text)
    if FROM.match(body):
        return not ONLY_FROM.fullmatch(body)
    return OTHERS.match(body) is not None
