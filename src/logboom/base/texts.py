"""Which texts are numbers, and how values are written as text and into CSV files."""

import re

import msgspec

NUMBER = r"^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$"
"""Texts that are numbers; "inf" and "nan" are not."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
IS_NUMBER = re.compile(NUMBER)


def write_value(value: object) -> str:
    """Return a text as it is, and the JSON of anything else."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def write_cell(value: object) -> str:
    """Return a CSV cell: a text, empty for null, and JSON for anything else.

    A text is escaped if a spreadsheet would run it as a formula.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        return write_value(value)
    is_formula = value.startswith(FORMULA_STARTS) and not IS_NUMBER.match(value)
    return f"'{value}" if is_formula else value
