"""Row pipes on stored events: what is answered, whichever blocks the events are in."""

import json
from typing import Any

import polars as pl
import pytest
from tests.engine.stored import NOW_NS, Stored
from tests.together import together

from logboom.base.errors import Invalid

EVENTS: list[dict[str, Any]] = [
    {"id": 1, "Level": "INFO", "ms": 5, "message": json.dumps({"level": "debug", "user": "bob"})},
    {"id": 2, "Level": "error", "ms": "70", "message": "user=eve took 70"},
    {"id": 3, "http": {"status": 500, "path": "/a"}, "message": "plain"},
]
QUERIES: list[tuple[str, list[dict[str, Any]]]] = [
    ("| where ms > 6 | fields id", [{"id": 2}]),
    ("| eval x = ms * 2, ms = null | fields id, x, ms", [{"id": 3}, {"id": 2, "x": 140}, {"id": 1, "x": 10}]),
    ('| rex "user=(?<user>[a-z]+)" | fields user, id', [{"id": 3}, {"user": "eve", "id": 2}, {"id": 1}]),
    ('| extract "took <ms>" | fields ms', [{}, {"ms": "70"}, {"ms": 5}]),
    ("| fields id, message | unpack json | drop message", [{"id": 3}, {"id": 2}, {"id": 1, "level": "debug", "user": "bob"}]),
    ("| unpack json | fields level", [{}, {"Level": "error"}, {"level": "debug"}]),
    ("| unpack json | where level:debug | fields id", [{"id": 1}]),
    ('| fields id, http.* | rename "http.*" as "web.*"', [{"id": 3, "web.status": 500, "web.path": "/a"}, {"id": 2}, {"id": 1}]),
    ("| rename level as severity | fields severity, level", [{}, {"severity": "error"}, {"severity": "INFO"}]),
    ('| fillnull 0 ms | replace "plain" with "fancy" | where id = 3 | fields ms, message', [{"ms": 0, "message": "fancy"}]),
    ("| lookup owners id as key output team | fields id, team", [{"id": 3}, {"id": 2, "team": "red"}, {"id": 1}]),
    ("| eval level = lower(level) | stats count by level", [{"level": "error", "count": 1}, {"level": "info", "count": 1}, {"level": None, "count": 1}]),
    ("| sample 1 | stats count", [{"count": 3}]),
    ("| sample 1 | fields id | limit 1", [{"id": 3}]),
    ("| fillnull 7 | where id = 3 | fields id, ms, level", [{"id": 3, "ms": 7, "level": 7}]),
    ("| stats count by id | eval double = id * 2 | where double > 2 | fields double", [{"double": 4}, {"double": 6}]),
    ("| eval day = bucket(_time, 1d), late = _time > \"2023-11-14\" | stats count by late", [{"late": True, "count": 3}]),
    ("| where now() - _time >= 0 | stats count", [{"count": 3}]),
]  # fmt: skip
OWNERS = pl.DataFrame({"key": ["2"], "team": ["red"]})


@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize(("query", "expected"), QUERIES, ids=[query for query, _ in QUERIES])
def test_events_are_answered_as_the_pipes_made_them(
    stored: Stored, query: str, expected: list[dict[str, Any]], blocks: int
) -> None:
    env = stored.make_env()
    events = [{**event, "timestamp": NOW_NS + place} for place, event in enumerate(EVENTS)]
    for first in range(blocks):
        stored.keep(env, events[first::blocks])
    answer = stored.search(env, query, now_ns=NOW_NS + 10, tables={"owners": OWNERS})
    assert answer.rows == expected


def test_a_lookup_names_the_tables_there_are(stored: Stored) -> None:
    with pytest.raises(Invalid, match="expected one of owners"):
        stored.search(stored.make_env(), "| lookup teams id", tables={"owners": OWNERS})


@together(
    ("pipes", "expected"),
    [
        ("drop message | where secret", 3),
        ("drop message, s | where secret", 0),
        ("drop s | where *:secret", 0),
        ('eval s = "x" | where *:secret', 0),
        ("rename s as t | where *:secret", 3),
        ("mvexpand tags | where *:aa", 3),
        ("sort id | drop message | where secret", 3),
        ("where *:secret | drop s | where *:secret", 0),
        ("fields id, tags | where secret", 0),
        ("fields id, s | where secret", 3),
    ],
)
def test_texts_are_searched_as_the_pipes_before_left_them(
    stored: Stored, pipes: str, expected: int
) -> None:
    env = stored.make_env()
    event = {"message": "hello", "a": 1, "b": 2, "s": "secret", "tags": ["aa", "bb"]}
    stored.keep(env, [{"id": number, **event} for number in range(3)])
    assert len(stored.search(env, f"* | {pipes}").rows) == expected
