"""Queries as Splunk users write them, with the rows they give, kept as data: tests/cases/spl_answers.txt.

The rows are those of the six events below.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.engine.stored import Stored
from tests.together import together

CASES = Path(__file__).parents[2] / "cases" / "spl_answers.txt"
INDENT = "    "
START_S = 1_700_000_100
NOW_NS = (START_S + 3600) * 10**9
EVENTS: list[dict[str, Any]] = [
    {"id": 1, "host": "web-01", "status": 200, "bytes": 100, "message": "GET /a user=ann took 5ms"},
    {"id": 2, "host": "web-02", "status": 500, "bytes": 300, "message": "GET /b timeout user=bob"},
    {"id": 3, "host": "web-01", "status": 404, "tags": ["red", "blue"], "message": "GET /c"},
    {"id": 4, "host": "db-01", "note": "", "tags": ["red"], "message": "slow query timeout"},
    {"id": 5, "host": "web-02", "status": 200, "bytes": 200, "user": {"name": "ann"}, "note": "x"},
    {"id": 6, "bytes": 50, "message": "no host", "payload": '{"items":[{"n":1},{"n":2}]}'},
]
TABLES = {
    "owners": pl.DataFrame({"machine": ["web-01", "db-01"], "owner": ["ops", "dba"]}),
}


def read_cases() -> list[tuple[str, list[dict[str, Any]]]]:
    """A query in column one, its rows as JSON indented under it."""
    cases: list[tuple[str, list[dict[str, Any]]]] = []
    for line in CASES.read_text().splitlines():
        if line.startswith(INDENT):
            cases[-1][1].append(json.loads(line))
        elif line and not line.startswith("# "):
            cases.append((line, []))
    return cases


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stored]:
    """The events a minute apart, in two blocks."""
    stored = Stored(tmp_path_factory.mktemp("spl"))
    timed = [
        {"timestamp": (START_S + 60 * place) * 10**9, **event} for place, event in enumerate(EVENTS)
    ]
    stored.keep("shop", timed[:3], index="web")
    stored.keep("shop", timed[3:], index="web")
    yield stored
    stored.close()


@together(("query", "rows"), read_cases())
def test_a_query_of_splunk_has_its_answer(
    stored: Stored, query: str, rows: list[dict[str, Any]]
) -> None:
    answer = stored.search("shop", query, limit=100, tables=TABLES, now_ns=NOW_NS)
    assert answer.complete
    assert answer.rows == rows


def test_there_are_enough_cases() -> None:
    assert len(read_cases()) >= 40
