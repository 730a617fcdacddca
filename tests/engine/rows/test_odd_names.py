"""Fields whose names Polars would take for a choice of columns: `*`, and what looks like `^…$`."""

from typing import Any

import pytest
from tests.engine.stored import Stored

from logboom.engine.answers.export import FORMATS
from logboom.engine.answers.fields.listing import WantedFields, list_fields
from logboom.model import columns
from logboom.model.columns import Column, Kind, parse_column

EVENTS: list[dict[str, Any]] = [
    {"timestamp": 1_700_000_000, "id": 1, "a": "y", "^a$": "x", "*": "z", "^.*$": "w"},
    {"timestamp": 1_700_000_001, "id": 2, "a": "x", "message": "m"},
]
FOUND = {
    '"^a$":x': [1],
    '"^a$":y': [],
    '"*":=z': [1],
    '"^.*$":m': [],
    '* | dedup "^a$"': [1],
    '* | sort "^.*$"': [1, 2],
    '* | join "*" (*)': [1],
    '* | where eval(`^a$` == a OR `*` == "z")': [1],
    "*:w": [1],
}
TABLES = {
    '* | stats count by "^a$"': {("x", 1), (None, 1)},
    '* | stats max(a) as "*", count as "^.*$" by id': {(1, "y", 1), (2, "x", 1)},
    '* | uniq "*", "^.*$"': {("z", "w", 1)},
}


@pytest.fixture(params=["present", "older"])
def env(stored: Stored, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same events in a block as it is made now, and as it was made with these names unmarked."""
    name = stored.make_env()
    with monkeypatch.context() as patch:
        if request.param == "older":
            patch.setattr(columns, "SPECIAL_STARTS", "_")
        columns.list_kinds.cache_clear()
        stored.keep(name, EVENTS)
    columns.list_kinds.cache_clear()
    return name


def test_such_a_field_is_a_field_like_others(stored: Stored, env: str) -> None:
    for query, ids in FOUND.items():
        assert stored.find(env, query) == ids, query
    for query, rows in TABLES.items():
        assert {tuple(row.values()) for row in stored.search(env, query).rows} == rows, query
    (row,) = stored.search(env, "id:1").rows
    assert {name: row[name] for name in EVENTS[0] if name != "timestamp"}.items() <= EVENTS[
        0
    ].items()


def test_every_endpoint_takes_such_fields(stored: Stored, env: str) -> None:
    panel = list_fields(stored.make_finder(env), WantedFields()).fields
    assert {"^a$", "*", "^.*$", "a", "id"} <= {field.name for field in panel}
    for kind in FORMATS.values():
        assert b"".join(kind.write(stored.make_finder(env), None))


@pytest.mark.parametrize("field", ["*", "^a$", "^$", "a", "^a", "", "a:b", "_x"])
@pytest.mark.parametrize("kind", list(Kind))
def test_names_lead_back_to_their_columns(field: str, kind: Kind) -> None:
    column = Column(field, kind)
    assert parse_column(column.name) == column
    assert not column.name.startswith(("*", "^")) or column.name.endswith(f":{kind}")
