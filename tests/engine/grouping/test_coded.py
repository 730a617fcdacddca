"""Counts by codes are those of the events, in every mixture of blocks."""

from collections import Counter

import pytest
from tests.engine.stored import NOW_NS, Stored

FEW = [
    {"id": at, "service": ("web", "Web", "worker")[at % 3], "level": ("info", "error")[at % 2]}
    for at in range(40)
]
GAPS = [{"id": 100 + at, **({"service": "web"} if at % 3 else {}), "note": ""} for at in range(20)]
MIXED = [{"id": 200 + at, "service": (1, "1", True, ["web", "x"])[at % 4]} for at in range(20)]
MANY = [{"id": 300 + at, "service": f"s{at}", "level": "info"} for at in range(400)]
EVENTS = [*FEW, *GAPS, *MIXED, *MANY]


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    env = wide.make_env()
    for events in (FEW, GAPS, MIXED, MANY):
        wide.keep(env, [{"timestamp": NOW_NS, **event} for event in events])
    return env


@pytest.mark.parametrize(
    "query", ["*", "id<35", "level:error", "NOT service:web", "note:*", "id>999"]
)
@pytest.mark.parametrize(
    "keys", [("service",), ("service", "level"), ("level", "service", "note"), ("level", "absent")]
)
def test_groups_have_the_counts_of_their_events(
    query: str, keys: tuple[str, ...], wide: Stored, env: str
) -> None:
    events = wide.search(env, f"{query} | fields id, service, level, note, absent", limit=10_000)
    expected = Counter(tuple(read(row, key) for key in keys) for row in events.rows)
    for name in ("n", "m"):
        answer = wide.search(env, f"{query} | stats count as {name} by {', '.join(keys)}")
        found = {tuple(repr(row[key]) for key in keys): row[name] for row in answer.rows}
        assert found == expected


def read(row: dict[str, object], key: str) -> str:
    """Of many values the first counts."""
    value = row.get(key)
    return repr(value[0] if isinstance(value, list) else value)


def test_other_pipes_that_count_agree(wide: Stored, env: str) -> None:
    top = wide.search(env, "id<40 | top 10 service").rows
    counted = wide.search(env, "id<40 | stats count by service").rows
    assert [(row["service"], row["count"]) for row in top] == [
        (row["service"], row["count"]) for row in counted
    ]
