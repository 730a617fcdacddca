"""Recognises SQL: a SELECT of the form that people write, perhaps after comments and named queries."""

import re

from logboom.base.patterns import compile_later

COMMENT = r"(?:\s++|--[^\n]*+(?:\n|\Z)|/\*.{0,2000}?\*/|\{%.{0,2000}?%\})"
"""Also a tag of the templates that make SQL."""
CLAUSE = (
    r"(?:WHERE|GROUP\s++BY|ORDER\s++BY|LIMIT|HAVING|QUALIFY|UNION"
    r"|(?:(?:INNER|CROSS|NATURAL|(?:LEFT|RIGHT|FULL)(?:\s++OUTER)?)\s++)?JOIN)\b"
)
TABLE = r"[\w.*\"`-]++(?:\s++AS\s++\w++)?"
ALIAS = rf"\s++(?!{CLAUSE})[A-Za-z_]\w*+"
SELECT = compile_later(
    rf"SELECT\s.+?[\s)*\"`]FROM{COMMENT}++(?:\({COMMENT}*+SELECT\s"
    rf"|{TABLE}{COMMENT}*+(?:;|\Z|{CLAUSE}|,\s*+(?:LATERAL|UNNEST|TABLE)\b)|[\w.\"`-]++{ALIAS}\s++{CLAUSE})",
    re.IGNORECASE | re.DOTALL,
)
COMMON = compile_later(
    rf"WITH\s++(?:RECURSIVE\s++)?\w++\s*+(?:\([^()]*+\)\s*+)?AS\s*+\({COMMENT}*+SELECT\s",
    re.IGNORECASE | re.DOTALL,
)
"""A query that names others first."""
ITEM = r"(?:\w++\s*+\([^()]{0,200}+\)|[A-Za-z_][\w.]*+|\*)(?:\s++AS\s++\w++)?"
WITHOUT_TABLE = compile_later(
    rf"(?:SELECT\s++{ITEM}|(?i:SELECT)\s++(?:\*|(?i:{ITEM})(?:\s*+,\s*+(?i:{ITEM}))++|\w++\s*+\([^()]{{0,200}}+\)))\s*+;?\s*+\Z"
)
"""A list of columns and nothing else. In lower case a single word after it could be a sentence."""
COMMENTS = compile_later(rf"{COMMENT}*+", re.DOTALL)


def recognises(text: str) -> bool:
    comments = COMMENTS.match(text)
    body = text[comments.end() :] if comments else text
    pattern = {"sele": SELECT, "with": COMMON}.get(body[:4].lower())
    if pattern is None:
        return False
    return bool(pattern.match(body) or WITHOUT_TABLE.match(body))
