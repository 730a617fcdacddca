"""Comma-separated values: one line, the columns named or numbered."""

import csv
from typing import Any


def parse_row(text: str, columns: tuple[str, ...] = ()) -> dict[str, Any] | None:
    """Cells beyond the named columns are `column4` and so on; missing ones have no value."""
    try:
        rows = list(csv.reader([text.strip("\r\n")], strict=True))
    except csv.Error:
        return None
    if len(rows) != 1:
        return None
    names = [*columns, *(f"column{place + 1}" for place in range(len(columns), len(rows[0])))]
    return dict(zip(names, rows[0], strict=False))
