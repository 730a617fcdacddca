"""Queries copied with the fence of a code block around them, or with its first line, which names their language."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.dialects import find_dialect

NAME = r"(?:sql|es\|?ql|kql|kuery|kusto|eql|spl2?|splunk|logql|logsql|lucene)"
FENCED = compile_later(
    rf"\s*+`{{3,}}+[ \t]*+{NAME}?+[ \t\r]*+\n(?P<body>.*\S)\s*+(?<!`)`{{3,}}+\s*+",
    re.DOTALL | re.IGNORECASE,
)
NAMED = compile_later(rf"\s*+{NAME}[ \t\r]*+\n(?P<body>.*)", re.DOTALL | re.IGNORECASE)


def blank_fence(text: str) -> str:
    """Return the query with blanks in place of its fence, so that positions stay the same.

    A name alone could be a searched word, so a query that is certainly of another language must follow it.
    """
    if found := FENCED.fullmatch(text):
        return blank_around(text, found)
    found = NAMED.fullmatch(text)
    if found is None:
        return text
    blanked = blank_around(text, found)
    return text if find_dialect(blanked) is None else blanked


def blank_around(text: str, found: re.Match[str]) -> str:
    start, end = found.span("body")
    return " " * start + found["body"] + " " * (len(text) - end)
