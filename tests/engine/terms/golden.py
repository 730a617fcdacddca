"""The queries of the golden cases, to try on them what holds for every query."""

from collections.abc import Iterator
from pathlib import Path

from logboom.lang import ast
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse import parse

CASES = Path(__file__).parents[2] / "cases" / "lang"


def list_queries() -> Iterator[ast.Query]:
    """Every valid query of the golden cases."""
    for path in sorted(CASES.iterdir()):
        for line in path.read_text().splitlines():
            if line and not line[0].isspace():
                try:
                    yield parse(line)
                except InvalidQuery:
                    continue
