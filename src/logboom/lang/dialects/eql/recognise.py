"""Recognises EQL: `process where process.name == "x"`, and sequences of such queries."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.dialects.comments import skip_comments

CATEGORY = r"(?:\"[^\"\n]++\"|[A-Za-z_][\w-]*+)"
CALLED = (
    r"(?:startsWith|endsWith|stringContains|wildcard|match|cidrMatch|between|length|concat|indexOf"
    r"|substring|string|number|add|subtract|multiply|divide|modulo)~?\s*+\("
)
COMPARED = (
    r"\??[\w.@`]++\s*+(?:(?:==|!=)\s*+[\"\w?-]|[<>]=?\s*+[\"\d-]|:\s*+[\"(]"
    r"|\b(?:not\s++)?(?:in~?\s*+\(\s*+[\"\d-]|(?:like|regex)~?\s*+[\"(]))"
)
EVENT = rf"{CATEGORY}\s++where\s++(?:not\s|[(\s])*+(?:(?i:true|false)\b|{CALLED}|{COMPARED})"
QUERY = compile_later(
    rf"(?:{EVENT}|(?:sequence|sample)\b[^\[\"]*+!?\[\s*+{CATEGORY}\s++where\s)", re.IGNORECASE
)
"""The first condition is a test: prose hardly has one after `where`."""


def recognises(text: str) -> bool:
    return QUERY.match(skip_comments(text.lstrip())) is not None
