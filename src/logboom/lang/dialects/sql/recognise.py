"""Recognises SQL: a SELECT of the length that people write."""

import re

from logboom.base.patterns import compile_later

SELECT = compile_later(
    r"SELECT\s.+?\sFROM\s++[\w.*\"`-]++(?:\s++AS\s++\w++)?\s*+"
    r"(?:;|\Z|(?:WHERE|GROUP|ORDER|LIMIT|HAVING|INNER|LEFT|JOIN)\b)",
    re.IGNORECASE | re.DOTALL,
)
MAX_LENGTH = 2000


def recognises(text: str) -> bool:
    begins = text.lstrip()[:6].lower() == "select"
    return begins and len(text) <= MAX_LENGTH and SELECT.match(text.strip()) is not None
