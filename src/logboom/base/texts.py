"""Texts and values: which texts read as a number, and what stands for a value in a CSV file."""

import re

import msgspec

NUMBER = r"^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$"
"""Texts that read as a number; "inf" and "nan" are words."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
IS_NUMBER = re.compile(NUMBER)


def write_cell(value: object) -> str:
    """Texts as they are unless a spreadsheet would run them as a formula, nothing for null, all else as JSON."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return msgspec.json.encode(value).decode()
    is_formula = value.startswith(FORMULA_STARTS) and not IS_NUMBER.match(value)
    return f"'{value}" if is_formula else value
