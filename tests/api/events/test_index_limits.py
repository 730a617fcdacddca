"""What those who may see some indexes are told: nothing that depends on the events of others in the same block."""

from typing import Any

import pytest
from tests.api.signing_in import Headers, make_key, open_session
from tests.running import RunningService, encode_lines

from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role

START = 1_700_000_000
OPEN = [{"timestamp": START + 5, "message": "hello", "amount": 50, "n": 1}]
HIDDEN: dict[str, list[dict[str, Any]]] = {
    "limits-low": [
        {"timestamp": START + 4, "amount": 10, "card": "4111", "only_low": 1, "message": "a" * 900},
        {"timestamp": START + 9, "amount": 10},
    ],
    "limits-high": [
        {"timestamp": START, "amount": 90, "card": "4999", "only_high": 1, "message": "large"}
    ],
}
"""Environments that differ in nothing but what the hidden index holds, in the same block as the open one."""
QUERIES = [
    "amount>80", "amount<20", "card:4111", "card:4*", 'card=~"^41"', "only_low:*", "aaa", "*:4999", "NOT amount:*",
    "amount:[80 TO 100]", "hello amount>40", "crad:4111", "only_lwo:*", "*", "nothing", "_index:hidden",
]  # fmt: skip
PIPES = [
    "", "| explain", "| stats count by amount", "| stats avg(card)", "| top card", "| sort amount",
]  # fmt: skip
TOLD = {"blocks_skipped", "rows_scanned", "bytes_read"}
VARYING = {"took_ms", "_id", "_env", "cursor"}


@pytest.fixture(scope="module", autouse=True)
def filled(service: RunningService) -> None:
    for env, events in HIDDEN.items():
        service.control.environments.create(env)
        service.ingest(encode_lines(OPEN), {"env": env, "index": "open"})
        service.keep(encode_lines(events), {"env": env, "index": "hidden"})


@pytest.fixture
def limited(service: RunningService) -> Headers:
    return open_session(service, Role.VIEWER, indexes=("open",))


def strip(answer: Any, env: str) -> Any:
    """The answer without what differs from one environment to another in any case."""
    match answer:
        case dict():
            return {key: strip(each, env) for key, each in answer.items() if key not in VARYING}
        case list():
            return [strip(each, env) for each in answer]
        case str():
            return answer.replace(env, "ENV")
        case _:
            return answer


def ask_both(service: RunningService, headers: Headers, path: str, **params: Any) -> list[Any]:
    answers = []
    for env in HIDDEN:
        answer = service.anonymous.get(path, params={**params, "env": env}, headers=headers)
        answers.append(
            (answer.status_code, strip(answer.json(), env), answer.headers.get("X-Next-Offset"))
        )
    return answers


@pytest.mark.parametrize("pipe", PIPES)
def test_a_search_tells_nothing_of_hidden_events(
    service: RunningService, limited: Headers, pipe: str
) -> None:
    for query in QUERIES:
        low, high = ask_both(service, limited, "/api/search", query=f"{query} {pipe}", count="true")
        assert low == high, query
        assert low[0] == 200
        assert low[1]["stats"] == {"blocks": 1}


def test_context_tells_nothing_of_hidden_events(service: RunningService, limited: Headers) -> None:
    low, high = ask_both(service, limited, "/api/search", query="hello | context before=1 after=1")
    assert low == high
    assert low[1]["stats"].keys() == {"blocks"}


def test_times_of_hidden_events_are_not_told(service: RunningService, limited: Headers) -> None:
    for second in range(-1, 11):
        for bounds in ({"from": START + second}, {"to": START + second}):
            for query in ("*", "* | explain"):
                low, high = ask_both(service, limited, "/api/search", query=query, **bounds)
                assert low == high, bounds


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("/api/indexes", {}),
        ("/api/fields", {}),
        ("/api/fields", {"counts": "false"}),
        ("/api/fields/card/values", {}),
        ("/api/histogram", {"by": "card"}),
        ("/api/query/complete", {"q": "ca"}),
        ("/api/query/complete", {"q": "card:"}),
        ("/api/export", {"format": "csv"}),
    ],
)
def test_other_answers_tell_nothing_either(
    service: RunningService, limited: Headers, path: str, params: dict[str, str]
) -> None:
    queries = [""] if path in ("/api/indexes", "/api/query/complete") else QUERIES
    for query in queries:
        asked = {**params, "query": query} if query else params
        if path == "/api/export":
            texts = [
                service.anonymous.get(
                    path, params={**asked, "env": env, "columns": "n,amount,card"}, headers=limited
                ).text
                for env in HIDDEN
            ]
            assert texts[0] == texts[1], query
        else:
            low, high = ask_both(service, limited, path, **asked)
            assert low == high, query


def test_a_hidden_value_cannot_be_bisected(service: RunningService, limited: Headers) -> None:
    told = set()
    for limit in range(0, 100, 10):
        for pipe in ("", "| explain"):
            answer = service.anonymous.get(
                "/api/search",
                params={"env": "limits-high", "query": f"amount>{limit} amount!=50 {pipe}"},
                headers=limited,
            ).json()
            shown = [row for row in answer["rows"] if row.get("step") != "filter"]
            told.add((pipe, str(shown), str(answer["stats"]), str(answer["warnings"])))
    assert len(told) == 2


def test_a_key_is_limited_like_a_session(service: RunningService) -> None:
    key = make_key(service, Scope.SEARCH, indexes=("open",))
    low, high = ask_both(service, key, "/api/search", query="amount>80")
    assert low == high
    assert low[1]["stats"] == {"blocks": 1}


def test_who_may_see_every_index_is_told_the_cost(service: RunningService) -> None:
    params = {"env": "limits-low", "query": "amount>80"}
    stats = service.client.get("/api/search", params=params).json()["stats"]
    assert stats.keys() > TOLD
    assert stats["blocks_skipped"] == 1
    steps = service.client.get(
        "/api/search", params={**params, "query": "amount>80 | explain"}
    ).json()
    assert "1 skipped" in str(steps["rows"])
