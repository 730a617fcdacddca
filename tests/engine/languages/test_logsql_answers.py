"""Queries as LogsQL, KQL, Datadog and the shell write them, and what they answer about a few events; kept as data."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engine.answering import Unanswerable, find_rows
from tests.engine.oracle import make_row
from tests.engine.stored import Stored
from tests.together import together

from logboom.engine.terms.request import Request
from logboom.lang.parse import parse

CASES_FILE = Path(__file__).parents[2] / "cases" / "logsql_answers.txt"
INDENT = "    "
NS_PER_S = 10**9
EVENTS = [
    {"id": 1, "at": 1767605400, "message": "error: disk 12 full ip=10.0.0.1 ", "host": "web", "status": 500, "took": "1500ms", "x": ""},
    {"id": 2, "at": 1768075200, "message": "ok user=42", "host": "db", "status": "503", "took": 1.5, "ip": "10.1.2.3", "größe": 5},
    {"id": 3, "at": 1767827700, "message": '{"a":1,"b":"","host":"inner"}', "host": "web", "bytes": 1000, "took_ms": 1500},
    {"id": 4, "at": 1767859200, "message": "error open the open file x", "level": "warn", "bytes": "1KB", "tags": ["a", "b"], "@kind": "n"},
    {"id": 5, "at": 1767859201, "message": "ERROR again", "host": "web", "level": "error", "k8s": {"pod": {"name": "p1"}, "node": {"name": "n1"}}, "kind": "n"},
]  # fmt: skip


def list_cases() -> Iterator[tuple[str, list[object]]]:
    query = ""
    rows: list[object] = []
    for line in (*CASES_FILE.read_text().splitlines(), "end"):
        if line.startswith(INDENT):
            rows.append(json.loads(line))
        elif line and not line.startswith("# "):
            if query:
                yield query, rows
            query, rows = line, []


CASES = list(list_cases())


def make_events() -> list[dict[str, object]]:
    return [
        {
            **{k: v for k, v in event.items() if k != "at"},
            "timestamp": int(str(event["at"])) * NS_PER_S,
        }
        for event in EVENTS
    ]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stored]:
    stored = Stored(tmp_path_factory.mktemp("answers"))
    stored.keep("default", make_events())
    yield stored
    stored.close()


def answer(stored: Stored, query: str) -> list[object]:
    """The rows of a table, or the numbers of the events."""
    rows = stored.search("default", query, limit=100).rows
    return [row["id"] if "id" in row and "_id" in row else dict(row) for row in rows]


@together(("query", "rows"), CASES)
def test_the_answer_is_right(stored: Stored, query: str, rows: list[object]) -> None:
    assert json.loads(json.dumps(answer(stored, query))) == rows


def evaluate(query: str) -> list[object] | None:
    """The numbers of the events that the naive evaluator finds; None for tables, which only the engine computes."""
    known = [make_row(event, "default", "default") for event in make_events()]
    try:
        found = find_rows(Request(parse(query), ("default",)), known)
    except Unanswerable:
        return None
    return [row.event["id"] for row in found]


EVALUATED = {query: found for query, _ in CASES if (found := evaluate(query)) is not None}


def test_most_answers_are_checked_twice() -> None:
    assert len(EVALUATED) > len(CASES) // 2


@together("query", EVALUATED)
def test_the_naive_evaluator_finds_the_same_events(query: str) -> None:
    assert EVALUATED[query] == dict(CASES)[query]
