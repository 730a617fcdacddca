"""Fields that events have under the names of the service's own: found as `event._id` and so on."""

import json
from typing import Any

import polars as pl
import pytest
from tests.engine.stored import Stored

from logboom.engine.answers.context import find_surroundings
from logboom.engine.answers.export import FORMATS
from logboom.engine.answers.fields.panel import Panel, read_panel
from logboom.lang import ast
from logboom.model import columns
from logboom.model.names import CORE_FIELDS

OWN: dict[str, Any] = {"_id": "abc", "_time": "noon", "_env": "moon", "_index": 5}
EVENTS: list[dict[str, Any]] = [
    {"timestamp": 1_700_000_001, "message": "first", "id": 1, **OWN},
    {"timestamp": 1_700_000_002, "message": "second", "id": 2, "_ID": 7},
    {"timestamp": 1_700_000_003, "message": "third", "id": 3},
]
BOTH: list[dict[str, Any]] = [
    {"timestamp": 1_700_000_004, "id": 4, "_id": "x", "event": {"_id": "y"}},
    {"timestamp": 1_700_000_005, "id": 5, "_id": 1, "event": {"_id": "z"}},
    {"timestamp": 1_700_000_006, "id": 6, "event": {"_id": ["v", "w"]}},
    {"timestamp": 1_700_000_007, "id": 7},
]


def keep(stored: Stored, events: list[dict[str, Any]]) -> str:
    env = stored.make_env()
    stored.keep(env, events)
    return env


def test_the_service_s_own_value_has_the_name(stored: Stored) -> None:
    env = keep(stored, EVENTS)
    third, second, first = stored.search(env).rows
    assert (first["_env"], first["_index"]) == (env, "default")
    assert str(first["_time"]).startswith("2023-11-14T")
    assert stored.find(env, f"_id:{first['_id']}") == [1]
    assert {name: first[f"event.{name}"] for name in OWN} == OWN
    assert second["event._ID"] == 7
    assert not any(name.startswith("event.") for name in third)


def test_the_event_s_own_value_is_searched_by_another_name(stored: Stored) -> None:
    env = keep(stored, EVENTS)
    for name, value in OWN.items():
        assert stored.find(env, f"event.{name}:{value}") == [1]
    for name in ("_id", "_env", "_index"):
        assert stored.find(env, f"{name}:{OWN[name]}") == []
    assert stored.find(env, "event._id>5") == [2]
    assert stored.find(env, "NOT event._id:*") == [3]
    assert stored.find(env, "*:abc") == [1]


def test_the_other_name_works_in_pipes(stored: Stored) -> None:
    env = keep(stored, EVENTS)
    assert stored.search(env, "event._id:* | stats count by event._id").rows == [
        {"event._id": 7, "count": 1},
        {"event._id": "abc", "count": 1},
    ]
    assert stored.search(env, "id=1 | eval y=event._index+1 | fields y").rows == [{"y": 6}]
    assert stored.search(env, "id=1 | fields event._id").rows == [{"event._id": "abc"}]
    assert stored.search(env, "* | stats count by _index").rows == [
        {"_index": "default", "count": 3}
    ]
    assert stored.search(env, "* | dedup _env").rows[0]["id"] == 3


def test_both_names_at_once_make_many_values(stored: Stored) -> None:
    env = keep(stored, BOTH)
    rows = {row["id"]: row.get("event._id") for row in stored.search(env).rows}
    assert rows == {4: ["x", "y"], 5: [1, "z"], 6: ["v", "w"], 7: None}
    for text, found in {"x": [4], "y": [4], "z": [5], "1": [5], "w": [6]}.items():
        assert stored.find(env, f"event._id:{text}") == found
    assert stored.find(env, "NOT event._id:*") == [7]
    assert stored.find(env, "*:z") == [5]
    assert stored.search(env, "* | stats count(event._id) as n").rows == [{"n": 3}]
    finder = stored.make_finder(env)
    panel = {each.name: each for each in read_panel(finder.find(finder.request, Panel()))}
    assert panel["event._id"].count == 3


def test_raw_is_the_event_as_it_came(stored: Stored) -> None:
    events: list[dict[str, Any]] = [*EVENTS, *BOTH, {"id": 8, "_raw": "mine"}]
    env = keep(stored, events)
    rows = stored.search(env, raw=True).rows
    assert (
        sorted((json.loads(str(row["_raw"])) for row in rows), key=lambda each: each["id"])
        == events
    )
    assert next(row["event._raw"] for row in rows if row["id"] == 8) == "mine"


def test_an_own_field_raw_is_like_any_other_in_quotes(stored: Stored) -> None:
    """Without quotes it is the message, as in Splunk."""
    env = keep(stored, [{"id": 1, "_raw": "mine"}, {"id": 2, "message": "mine"}])
    assert stored.find(env, '"_raw":mine') == [1]
    assert stored.find(env, "_raw:mine") == [2]
    assert stored.search(env, '"_raw":mine | fields id').rows == [{"id": 1}]
    assert stored.search(env, 'id=1 | fields "_raw"').rows == [{"_raw": "mine"}]


def test_the_panel_and_exports_show_both(wide: Stored) -> None:
    env = keep(wide, EVENTS)
    finder = wide.make_finder(env)
    names = {each.name for each in read_panel(finder.find(finder.request, Panel()))}
    assert {"_index", *(f"event.{name}" for name in OWN)} <= names
    assert not names & {"_id", "_time", "_env"}
    for format_ in ("ndjson", "csv"):
        text = b"".join(FORMATS[format_].write(wide.make_finder(env, "id=1"), None)).decode()
        assert "event._id" in text
        assert "abc" in text
    frame = pl.read_parquet(b"".join(FORMATS["parquet"].write(wide.make_finder(env), None)))
    assert set(frame.columns) >= {*CORE_FIELDS, "event._id", "event._id:int", "event._index:int"}


def test_context_is_found_by_the_service_s_own_id(wide: Stored) -> None:
    env = keep(wide, EVENTS)
    anchor = str(wide.search(env, "id=1").rows[0]["_id"])
    found = find_surroundings(wide.make_finder(env), anchor, ast.Context(1, 1))
    assert [row["id"] for row in found.rows] == [1, 2]


@pytest.mark.parametrize("name", ["*", "^plain$", "^.*$"])
def test_blocks_of_an_earlier_release_name_some_columns_plainly(
    wide: Stored, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = wide.make_env()
    events = [{"id": 1, "plain": "a", name: "b"}, {"id": 2, "plain": "b"}]
    with monkeypatch.context() as patch:
        patch.setattr(columns, "SPECIAL_STARTS", "_")
        wide.keep(env, events)
    assert name in wide.open_blocks(env)[0].index.columns
    wide.keep(env, [{"id": 3, name: "b"}])
    assert sorted(map(str, wide.find(env, f'"{name}":b'))) == ["1", "3"]
    assert {row["id"]: row.get(name) for row in wide.search(env).rows} == {1: "b", 2: None, 3: "b"}
    assert wide.search(env, f"* | stats count by `{name}`").rows[0]["count"] == 2
