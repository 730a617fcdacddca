"""Queries of other languages on a small data set: what each one answers, kept as data and computed by hand."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.engine.stored import Stored

from logboom.base.clock import NS_PER_S
from logboom.engine.answers.search import SearchAnswer
from logboom.engine.terms.request import Request
from logboom.lang.parse import read

CASES = Path(__file__).parents[2] / "cases" / "answers"
INDENT = "    "
IDS = "ids:"
START_NS = 1_699_999_200 * NS_PER_S
"""2023-11-14 22:00; the queries look at ten minutes."""
END_NS = START_NS + 600 * NS_PER_S
EVENTS: tuple[tuple[int, dict[str, Any]], ...] = (
    (10, {"app": "web", "host": "a", "message": "GET /home 200 12ms"}),
    (70, {"app": "web", "host": "a", "message": "GET /login 500 250ms error"}),
    (
        130,
        {
            "app": "web",
            "host": "b",
            "message": 'level=error msg="Disk full" duration=1.5s bytes=2KB',
        },
    ),
    (200, {"app": "web", "host": "b", "message": "level=info msg=ok duration=20ms bytes=500B"}),
    (
        290,
        {
            "app": "api",
            "host": "a",
            "message": '{"status":200,"request":{"method":"GET"},"took":5}',
        },
    ),
    (
        310,
        {
            "app": "api",
            "host": "a",
            "message": '{"status":503,"request":{"method":"POST"},"took":120}',
        },
    ),
    (400, {"app": "api", "host": "c", "status": 404, "request": {"method": "GET"}, "took": 30}),
    (450, {"app": "Web", "host": "c", "message": "Error in Upper"}),
    (500, {"host": "c", "message": "error from 10.1.2.3 port 22"}),
    (590, {"app": "web", "host": "a", "message": "retry error"}),
)
"""Seconds after the start and the event; the seventh is a line of JSON that was taken apart when it came in."""


def read_cases(path: Path) -> Iterator[tuple[str, list[str]]]:
    """A query in column one, then the indented lines of its answer."""
    cases: list[tuple[str, list[str]]] = []
    for line in path.read_text().splitlines():
        if line.startswith(INDENT):
            cases[-1][1].append(line.strip())
        elif line and not line.startswith("# "):
            cases.append((line, []))
    yield from cases


ALL = [
    pytest.param(query, expected, id=f"{path.stem}: {query}")
    for path in sorted(CASES.glob("*.txt"))
    for query, expected in read_cases(path)
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stored]:
    """Two blocks of five events each."""
    stored = Stored(tmp_path_factory.mktemp("dialects"))
    events = [
        {**event, "id": number, "timestamp": START_NS + second * NS_PER_S}
        for number, (second, event) in enumerate(EVENTS, 1)
    ]
    stored.keep("default", events[:5])
    stored.keep("default", events[5:])
    yield stored
    stored.close()


def ask(stored: Stored, query: str) -> SearchAnswer:
    reading = read(query)
    request = Request(
        reading.query, ("default",), from_ns=START_NS, to_ns=END_NS, now_ns=END_NS, limit=100
    )
    return stored.engine.search(request)


def show(row: dict[str, Any]) -> dict[str, Any]:
    """The row with its time as hours and minutes and without what is missing."""
    shown = {name: value for name, value in row.items() if value is not None}
    return {**shown, "_time": shown["_time"][11:16]} if "_time" in shown else shown


@pytest.mark.parametrize(("query", "expected"), ALL)
def test_a_query_of_another_language_has_its_answer(
    small: Stored, query: str, expected: list[str]
) -> None:
    answer = ask(small, query)
    if expected and expected[0].startswith(IDS):
        ids = expected[0].removeprefix(IDS).split()
        assert [str(row["id"]) for row in answer.rows] == ids
    else:
        assert list(map(show, answer.rows)) == [json.loads(line) for line in expected]


@pytest.mark.parametrize(("query", "expected"), ALL)
def test_its_canonical_form_has_the_same_answer(
    small: Stored,
    query: str,
    expected: list[str],
) -> None:
    answer = ask(small, query)
    assert ask(small, answer.query).rows == answer.rows
