"""What sets some events apart from the rest, against counts made by hand."""

from typing import Any

import pytest
from tests.running import RunningService, encode_lines

from logboom.base.errors import Invalid
from logboom.base.process.deadline import Deadline
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
    return service.searching.difference(who, Question(env=env, query=query), selection)


def test_values_that_only_the_selected_events_have_come_first(
    service: RunningService, env: str
) -> None:
    service.keep(encode_lines(make_events(1000)), {"env": env})
    found = compare(service, env, "level:error")
    assert (found.selected, found.rest) == (100, 900)
    first, second = found.fields[:2]
    assert first.field == "version"
    assert first.score > 0.9
    assert first.values == [
        ValueShare(2, 100, 0, 1.0, 0.0, "version:=2"),
        ValueShare(1, 0, 900, 0.0, 1.0, "version:=1"),
    ]
    assert second.field == "retry"
    assert second.values == [
        ValueShare(True, 50, 0, 0.5, 0.0, "retry:=true"),
        ValueShare(None, 50, 900, 0.5, 1.0, "NOT retry:*"),
    ]


def test_what_says_nothing_is_left_out(service: RunningService, env: str) -> None:
    """Fields that are alike in both groups, that the selection tests, and ids that only one event has."""
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


@pytest.mark.parametrize("count", [2, 3, 10])
def test_what_all_events_have_is_no_difference_however_few_they_are(
    service: RunningService, env: str, count: int
) -> None:
    events = [{"level": "info" if n else "error", "zone": "a"} for n in range(count)]
    service.keep(encode_lines(events), {"env": env})
    found = compare(service, env, "level:error")
    assert (found.selected, found.rest) == (1, count - 1)
    assert not {"zone", "_index"} & {each.field for each in found.fields}


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


def test_a_selection_may_be_a_time_range_or_events_one_by_one(
    service: RunningService, env: str
) -> None:
    events = [
        {"timestamp": 1_700_000_000 + n, "host": "ab"[500 <= n < 600], "id": f"i{n}"}
        for n in range(1000)
    ]
    service.keep(encode_lines(events), {"env": env})
    span = "_time:[2023-11-14T22:21:40Z TO 2023-11-14T22:23:20Z}"
    (host,) = compare(service, env, span).fields
    assert (host.field, host.values[0].value, host.values[0].selected) == ("host", "b", 100)
    rows = service.search("host:b", env=env, limit=3)["rows"]
    ids = ", ".join(f'"{row["_id"]}"' for row in rows)
    found = compare(service, env, f"_id IN ({ids})")
    assert (found.selected, [each.field for each in found.fields]) == (3, ["host"])


def test_many_numbers_are_compared_by_ranges(service: RunningService, env: str) -> None:
    events = [
        {"n": n, "took": 6000 + n if n % 10 == 0 else n % 90, "signed": -30 if n % 10 == 0 else 0.5}
        for n in range(1000)
    ]
    service.keep(encode_lines(events), {"env": env})
    found = compare(service, env, "signed<0")
    (took,) = found.fields
    assert took.field == "took"
    slow, *_ = took.values
    assert slow == ValueShare(
        "5000 to 10000", 100, 0, 1.0, 0.0, "took:[5000 TO 10000}", 5000.0, 10000.0
    )
    counted = service.search(slow.filter, env=env, count=True)["total"]
    assert counted == slow.selected + slow.rest


def test_frequent_values_of_a_field_with_very_many_are_found(
    service: RunningService, env: str
) -> None:
    """One address sends half of what fails, among thousands that send one event each."""
    events = [
        {
            "level": "error" if n % 10 == 0 else "info",
            "client": "10.0.0.1" if n % 20 == 0 else f"10.1.{n // 250}.{n % 250}",
            "tags": ["web", "slow"] if n % 10 == 0 else ["web"],
            "mixed": "x" if n % 3 else n,
        }
        for n in range(4000)
    ]
    service.keep(encode_lines(events), {"env": env})
    tags, client = compare(service, env, "level:error").fields
    assert (tags.field, client.field) == ("tags", "client")
    assert tags.values[0] == ValueShare("slow", 400, 0, 1.0, 0.0, "tags:=slow")
    assert client.values == [ValueShare("10.0.0.1", 200, 0, 0.5, 0.0, "client:=10.0.0.1")]


def test_of_very_many_fields_those_of_most_events_are_compared(
    service: RunningService, env: str
) -> None:
    wide: list[dict[str, Any]] = [
        {"level": "info", "zone": "a", **{f"f{n}": n for n in range(1500)}}
    ]
    few: list[dict[str, Any]] = [
        {"level": "error" if n % 2 else "info", "zone": "ab"[n % 2]} for n in range(100)
    ]
    service.keep(encode_lines(wide + few), {"env": env})
    found = compare(service, env, "level:error")
    assert found.fields[0].field == "zone"
    assert [each["code"] for each in found.warnings] == ["many_fields"]
    assert found.complete


def test_what_takes_too_long_is_said_to_be_incomplete(service: RunningService, env: str) -> None:
    service.keep(encode_lines(make_events(100)), {"env": env})
    cancelled = Deadline()
    cancelled.set()
    found = service.searching.difference(UNLIMITED, Question(env=env), "level:error", cancelled)
    assert (found.complete, found.fields) == (False, [])
    assert found.warnings[0]["code"] == "cancelled"


def test_a_table_cannot_be_compared(service: RunningService, env: str) -> None:
    with pytest.raises(Invalid, match="a difference works on events"):
        compare(service, env, "level:error", query="| stats count by level")


def test_the_endpoint_answers_as_documented(service: RunningService, env: str) -> None:
    service.keep(encode_lines(make_events(100)), {"env": env})
    wanted = {"query": "zone:a", "filter": "level:error", "env": env}
    answer = service.client.post("/api/difference", json=wanted)
    assert answer.status_code == 200, answer.text
    (first, *_) = answer.json()["fields"]
    assert first["field"] == "version"
    assert first["values"][0].keys() == {
        *("value", "selected", "rest", "selected_share", "rest_share", "filter"),
    }
    members = {name: answer.json()[name] for name in ("selected", "rest", "complete", "warnings")}
    assert members == {"selected": 5, "rest": 45, "complete": True, "warnings": []}
