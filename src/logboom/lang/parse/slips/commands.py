"""Queries whose first command has no bar: `fields @timestamp | filter status = 500`, and `FROM main WHERE …` of SPL2."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.tokens import NAME, quote

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
FROM = compile_later(
    r"\A(?:\$\w++\s*+=\s*+)?FROM\s++(?P<index>[\w.*-]++)\s++WHERE\s++"
    r"(?P<condition>(?:NOT\s|[(\s])*+(?:'[^']++'|[\w.]++)(?:\s*+[=<>!(]|\s++(?:NOT|LIKE|IN|IS|BETWEEN)\s).+)\Z",
    re.DOTALL,
)
EXPRESSION = compile_later(r"(?<=[,(\s])/((?:[^/\\\n]++|\\.)++)/(?=\s*+[,)])")
AGGREGATED = compile_later(r"\|\s*+(?:stats|fields|display)\s", re.IGNORECASE)


def read_columns(match: re.Match[str]) -> str:
    return f"| fields {match['names']}"


def read_from(match: re.Match[str]) -> str:
    """Return the query of a command, with regular expressions in quotes instead of slashes."""
    condition = EXPRESSION.sub(lambda found: quote(found[1]), match["condition"])
    return f"index:{match['index']} | where {condition}"


def put_last(fields: str, rest: str) -> str:
    """Move the choice of columns to the end, so that other fields can be tested after it."""
    return rest if AGGREGATED.search(rest) else f"{rest.strip()} {fields}".strip()
