"""Unpacking: the fields inside a text, one parser for each format; all are in FORMATS.

A parser returns names and values in order, or None if a text does not match its format.
"""

from collections.abc import Callable
from typing import Any

from logboom.engine.pipes.compute.formats.json import parse_json
from logboom.formats.csv import parse_row
from logboom.formats.logfmt import parse_logfmt, parse_pairs
from logboom.formats.syslog import parse_syslog
from logboom.lang import ast

Parser = Callable[[str], dict[str, Any] | None]

FORMATS: dict[str, Parser] = {
    "json": parse_json,
    "logfmt": parse_logfmt,
    "kv": parse_pairs,
    "syslog": parse_syslog,
    "csv": parse_row,
}


def find_parser(pipe: ast.Unpack) -> Parser:
    if pipe.format == "csv":
        return lambda text: parse_row(text, pipe.columns)
    return FORMATS[pipe.format]
