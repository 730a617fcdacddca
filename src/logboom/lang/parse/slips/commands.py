"""Queries of CloudWatch, whose first command has no bar: `fields @timestamp, @message | filter status = 500`."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.tokens import NAME

FLAGS = re.IGNORECASE | re.DOTALL
FIELD = rf"@?{NAME.pattern}"
COLUMNS = compile_later(
    rf"\A(?:fields|display)\s++(?P<names>@{NAME.pattern}|{FIELD}(?:\s*+,\s*+{FIELD})++)\Z", FLAGS
)
FILTER = compile_later(
    rf"\Afilter\s++(?:not\s++)?{FIELD}\s*+"
    r"(?:=~|==?|!=|[<>]=?|(?<=\s)(?:not\s++)?like\s|(?<=\s)in\s*+[\[(]).*\Z",
    FLAGS,
)
AGGREGATED = compile_later(r"\|\s*+(?:stats|fields|display)\s", re.IGNORECASE)


def read_columns(match: re.Match[str]) -> str:
    return f"| fields {match['names']}"


def put_last(fields: str, rest: str) -> str:
    """Move the choice of columns to the end, so that other fields can be tested after it."""
    return rest if AGGREGATED.search(rest) else f"{rest.strip()} {fields}".strip()
