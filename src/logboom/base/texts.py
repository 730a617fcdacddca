"""Which texts are numbers, and how values are written into CSV files."""

import re

import msgspec

NUMBER = r"^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$"
"""Texts that are numbers; "inf" and "nan" are not."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
IS_NUMBER = re.compile(NUMBER)


def write_cell(value: object) -> str:
    """A CSV cell: text, escaped if a spreadsheet would run it as a formula; empty for null; JSON for anything else."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return msgspec.json.encode(value).decode()
    is_formula = value.startswith(FORMULA_STARTS) and not IS_NUMBER.match(value)
    return f"'{value}" if is_formula else value
