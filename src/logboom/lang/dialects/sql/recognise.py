"""Recognises SQL: a SELECT of the length that people write."""

import re

from logboom.base.patterns import compile_later

SELECT = compile_later(
    r"SELECT\s.+?\sFROM\s++[\w.*\"`-]++(?:\s++AS\s++\w++)?\s*+"
    r"(?:;|\Z|(?:WHERE|GROUP|ORDER|LIMIT|HAVING|INNER|LEFT|JOIN)\b)",
    re.IGNORECASE | re.DOTALL,
)
COMMON = compile_later(r"WITH\s++\w++\s++AS\s*+\(\s*+SELECT\s", re.IGNORECASE)
"""A query that names others first."""
MAX_LENGTH = 2000


def recognises(text: str) -> bool:
    if len(text) > MAX_LENGTH:
        return False
    body = text.strip()
    pattern = {"sele": SELECT, "with": COMMON}.get(body[:4].lower())
    return pattern is not None and pattern.match(body) is not None
