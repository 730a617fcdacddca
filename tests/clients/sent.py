"""The events that every client sends, and checks that all of them are found."""

from collections.abc import Mapping
from typing import Any

from tests.running import RunningService

COUNT = 1_000
PAGE_ROWS = 1_000

Fields = dict[str, Any]


def make_event(sequence: int) -> Fields:
    """Return the event of this number; `sending.js` makes the same."""
    return {
        "sequence": sequence,
        "ratio": sequence + 0.5,
        "even": sequence % 2 == 0,
        "http": {"status": 200 + sequence % 3, "request": {"path": f"/päth/{sequence}"}},
        "tags": ["all", f"tag-{sequence % 5}"],
    }


def make_text(sequence: int) -> str:
    return f'event {sequence} says "hello"'


def expect_event(sequence: int) -> Fields:
    """Return the fields of the event of this number as a search shows them."""
    return {
        "sequence": sequence,
        "ratio": sequence + 0.5,
        "even": sequence % 2 == 0,
        "http.status": 200 + sequence % 3,
        "http.request.path": f"/päth/{sequence}",
        "tags": ["all", f"tag-{sequence % 5}"],
        "message": make_text(sequence),
    }


def list_events(service: RunningService, env: str) -> list[Fields]:
    """Return all events that are in the environment now."""
    service.flush()
    return [row for page in service.list_pages(env=env, limit=PAGE_ROWS) for row in page]


def check_sequence(rows: list[Fields], field: str = "sequence") -> list[Fields]:
    """Check that each event is there exactly once; return the rows in the order they were sent."""
    ordered = sorted(rows, key=lambda row: int(row[field]))
    assert [int(row[field]) for row in ordered] == list(range(COUNT))
    return ordered


def check_events(rows: list[Fields], **others: object) -> list[Fields]:
    """Check that each row has all fields of its event and `others`; return them in the order they were sent."""
    ordered = check_sequence(rows)
    for sequence, row in enumerate(ordered):
        check_fields(row, {**expect_event(sequence), **others})
    return ordered


def check_fields(row: Fields, expected: Mapping[str, object]) -> None:
    """Check the fields of an event. Types matter: true is not 1, and 1 is not 1.0."""
    found = {name: row.get(name) for name in expected}
    assert {name: (type(value), value) for name, value in found.items()} == {
        name: (type(value), value) for name, value in expected.items()
    }
