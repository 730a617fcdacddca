"""Recognises EQL: `process where process.name == "x"`, and sequences of such queries."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.dialects.comments import skip_comments

CATEGORY = r"(?:\"[^\"\n]++\"|[A-Za-z_][\w-]*+)"
CALLED = (
    r"(?:startsWith|endsWith|stringContains|wildcard|match|cidrMatch|between|length|concat|indexOf"
    r"|substring|string|number|add|subtract|multiply|divide|modulo|_arraysearch)~?\s*+\("
    r"|(?:descendant|child|event)\s++of\s*+\["
)
COMPARED = (
    r"\??[\w.@`]++\s*+(?:(?:==|!=)\s*+[\"\w?-]|[<>]=?\s*+[\"\d-]|:\s*+[\"(]"
    r"|\b(?:not\s++)?(?:in~?\s*+\(\s*+[\"\d-]|(?:like|regex)~?\s*+[\"(]))"
)
COMMENT = r"/\*[\s\S]{0,1000}?\*/|//[^\n]*+\n"
EVENT = (
    rf"{CATEGORY}\s++where\s++(?:not\s|[(\s]|{COMMENT})*+(?:(?i:true|false)\b|{CALLED}|{COMPARED})"
)
QUERY = compile_later(
    rf"(?:{EVENT}|(?:sequence|sample)\b(?:{COMMENT}|[^\[\"])*+!?\[(?:\s|{COMMENT})*+{CATEGORY}\s++where\s)",
    re.IGNORECASE,
)
"""The first condition is a test: prose hardly has one after `where`."""


def recognises(text: str) -> bool:
    return QUERY.match(skip_comments(text.lstrip())) is not None
