"""What sets some events apart from the rest, against counts made by hand."""

from typing import Any

import pytest
from tests.running import RunningService, encode_lines

from logboom.base.errors import Invalid
from logboom.control.access.principal import UNLIMITED, Principal
from logboom.control.access.scopes import Scope
from logboom.search.answers import Difference, ValueShare
from logboom.search.question import Question


def make_events(count: int) -> list[dict[str, Any]]:
    """One event in ten fails; failures are of version 2, and of a zone like all others."""
    return [
        {
            "timestamp": 1_700_000_000 + n,
            "level": "error" if n % 10 == 0 else "info",
            "version": 2 if n % 10 == 0 else 1,
            "zone": "ab"[n // 10 % 2],
            "trace": f"t{n}",
            **({"retry": True} if n % 10 == 0 and n % 20 else {}),
        }
        for n in range(count)
    ]


def compare(
    service: RunningService, env: str, selection: str, who: Principal = UNLIMITED, query: str = ""
) -> Difference:
    return service.searching.difference(who, Question(env=env, query=query), selection).found


def test_values_that_only_the_selected_events_have_come_first(
    service: RunningService, env: str
) -> None:
    service.keep(encode_lines(make_events(1000)), {"env": env})
    found = compare(service, env, "level:error")
    assert (found.selected, found.rest) == (100, 900)
    first, second = found.fields[:2]
    assert first.field == "version"
    assert first.score > 0.9
    assert ValueShare(2, 100, 0, 1.0, 0.0) in first.values
    assert ValueShare(1, 0, 900, 0.0, 1.0) in first.values
    assert second.field == "retry"
    assert ValueShare(True, 50, 0, 0.5, 0.0) in second.values
    assert ValueShare(None, 50, 900, 0.5, 1.0) in second.values


def test_what_says_nothing_is_left_out(service: RunningService, env: str) -> None:
    """Fields that are alike in both groups, that the selection tests, and those with too many values."""
    service.keep(encode_lines(make_events(1000)), {"env": env})
    names = {each.field for each in compare(service, env, "level:error").fields}
    assert names == {"version", "retry"}


def test_a_handful_of_events_is_not_taken_for_a_difference(
    service: RunningService, env: str
) -> None:
    """Two events share a zone by chance; that proves little."""
    service.keep(encode_lines(make_events(1000)), {"env": env})
    zone = [
        each for each in compare(service, env, "trace:(t0 OR t1)").fields if each.field == "zone"
    ]
    assert all(each.score < 0.3 for each in zone)


@pytest.mark.parametrize("selection", ["level:nothing", "*"], ids=["nothing", "everything"])
def test_without_two_groups_there_is_no_difference(
    service: RunningService, env: str, selection: str
) -> None:
    service.keep(encode_lines(make_events(50)), {"env": env})
    assert compare(service, env, selection).fields == []


def test_indexes_out_of_reach_do_not_count(service: RunningService, env: str) -> None:
    service.keep(encode_lines(make_events(100)), {"env": env, "index": "open"})
    secret = [{**event, "secret": "x"} for event in make_events(100)]
    service.keep(encode_lines(secret), {"env": env, "index": "closed"})
    limited = Principal("key", "k", "k", frozenset({Scope.SEARCH}), indexes=("open",))
    found = compare(service, env, "level:error", limited)
    assert (found.selected, found.rest) == (10, 90)
    assert {each.field for each in found.fields} == {"version", "retry"}


def test_a_table_cannot_be_compared(service: RunningService, env: str) -> None:
    with pytest.raises(Invalid, match="a difference is of events"):
        compare(service, env, "level:error", query="| stats count by level")


def test_the_endpoint_answers_as_documented(service: RunningService, env: str) -> None:
    service.keep(encode_lines(make_events(100)), {"env": env})
    wanted = {"query": "zone:a", "filter": "level:error", "env": env}
    answer = service.client.post("/api/difference", json=wanted)
    assert answer.status_code == 200, answer.text
    (first, *_) = answer.json()["fields"]
    assert first["field"] == "version"
    assert first["values"][0].keys() == {
        *("value", "selected", "rest", "selected_share", "rest_share"),
    }
    assert "X-Complete" not in answer.headers
