"""The examples of the user's page on the language: each runs on a small store of events of many shapes."""

import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from tests.engine.stored import NOW_NS, Stored
from tests.together import together

from logboom.base.clock import NS_PER_S
from logboom.engine.answers.search import SearchAnswer
from logboom.engine.terms.request import Request
from logboom.lang.parse import read

PAGE = (Path(__file__).parents[3] / "docs" / "query-language.md").read_text()
BLOCKS = re.findall(r"^```query\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
EXAMPLES = [query for block in BLOCKS for query in block.splitlines()]
HOSTS = pl.DataFrame({"host": ["web-01", "db-01"], "owner": ["ann", "otto"]})
EVENTS: tuple[dict[str, object], ...] = (
    {
        "message": "user alice logged in from 10.0.0.1",
        "level": "info", "service": "api", "host": "web-01", "status": 200, "duration_ms": 12.5,
        "size": 2048, "ip": "10.0.0.1", "user": "alice", "session": "s1", "tags": ["a", "c"],
        "path": "/api/v1/items", "title": "two words", "http": {"method": "GET"},
    },
    {
        "message": "timeout after 30 s",
        "level": "error", "service": "api", "host": "web-02", "status": 500, "duration_ms": 30000,
        "size": "10KB", "ip": "10.0.1.7", "user": "Admin", "session": "s1", "took": "300ms",
        "trace_id": "t1", "retries": 3, "owner": "admin",
    },
    {
        "message": "connection refused on eth0",
        "level": "Error", "service": "db", "host": "db-01", "status": "503", "duration_ms": "40",
        "ip": "fd00::9", "session": "s2", "temperature": -5, "name": "zoe",
    },
    {
        "message": '{"user": "carol", "n": 3, "deep": {"x": true}}',
        "level": "debug", "service": "web", "host": "web-01", "status": 404, "env": "blue",
    },
    {
        "message": "user=dave ip=10.0.0.2 took=1.5ms",
        "level": "warn", "service": "web", "status": True, "size": 700, "name": "bob",
    },
    {"level": "info", "service": "batch", "note": "a=1 b=2, no message but a timeout", "size": 5},
)  # fmt: skip
INDEXES = ("web", "api")


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stored]:
    """Two blocks, one of each index."""
    stored = Stored(tmp_path_factory.mktemp("examples"))
    for place, index in enumerate(INDEXES):
        timed = [
            {**event, "timestamp": NOW_NS - (len(EVENTS) - at) * 60 * NS_PER_S}
            for at, event in enumerate(EVENTS)
        ]
        stored.keep("prod", timed[place * 3 : place * 3 + 3], index)
    yield stored
    stored.close()


def ask(stored: Stored, query: str) -> SearchAnswer:
    reading = read(query)
    tables = {"hosts": HOSTS}
    return stored.engine.search(
        Request(reading.query, ("prod",), notices=reading.notices, now_ns=NOW_NS, tables=tables)
    )


@together("query", EXAMPLES)
def test_an_example_runs_to_its_end(examples: Stored, query: str) -> None:
    answer = ask(examples, query)
    assert answer.complete
    assert ask(examples, answer.query).rows == answer.rows


def test_most_examples_of_pipes_find_something(examples: Stored) -> None:
    """The sample events are made for them, so that they show more than that nothing fails."""
    of_pipes = [query for query in EXAMPLES if "|" in query]
    empty = [query for query in of_pipes if not ask(examples, query).rows]
    assert len(empty) * 5 < len(of_pipes), empty
