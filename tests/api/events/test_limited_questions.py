"""Whoever may see some indexes or environments only sees nothing of the others, whatever is asked and wherever."""

import io
from itertools import islice
from typing import Any

import httpx
import polars as pl
import pytest
from tests.api.signing_in import Headers, make_key, open_session
from tests.engine.questions import PIPES, Questions, make_events
from tests.running import RunningService, encode_lines

from logboom.api.events import tail
from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role
from logboom.engine.answers.tail import START
from logboom.lang import ast

OPEN, CLOSED = "limited-open", "limited-closed"
"""Environments; the first has indexes of both kinds too."""
SECRET = "classified"
"""Is in every value of what may not be seen, and in no query."""
LOTS = 5
"""The two queries of a pipe fall into different lots."""
OTHER_PLACES: tuple[tuple[str, dict[str, str]], ...] = (
    ("/api/histogram", {"by": "text"}),
    ("/api/fields", {}),
    ("/api/fields/text/values", {}),
    ("/api/export", {"format": "ndjson"}),
    ("/api/export", {"format": "csv"}),
    ("/api/export", {"format": "parquet"}),
)
PROBES = (
    "*",
    "* | union (*)",
    "* | union (index:closed OR env:limited-*)",
    "index:closed OR env:limited-closed",
    "env:limited-* | stats count by _env, _index",
    "* | stats values(text) as v, list(message) as m, count by _index",
    "* | join n (index:closed | rename text as t)",
    "* | join type=left message (env:limited-closed)",
    "id:in(index:closed | fields id)",
    "text:in(*) | top 100 text",
    "id:3 | context before 100 after 100",
    "* | context before 5 after 5 same n",
    "* | lookup owners text as key",
    "* | transaction n",
    "* | eventstats values(mixed) as all | streamstats list(text) as some",
    "* | patterns | union (env:limited-closed | patterns)",
    "* | diff (previous 1000w) by text",
    "zzzz",
    "text:clas",
    "clas | explain",
)


@pytest.fixture(scope="module")
def limited(service: RunningService) -> list[Headers]:
    """Principals that are limited in different ways; what each may see is in the same blocks as what it may not."""
    service.client.put("/api/lookups/owners", json={"csv": "key,owner\na,x\n1,y\n"})
    for env in (OPEN, CLOSED):
        service.control.environments.create(env)
    events = make_events()
    hidden = [{**dict.fromkeys(event, SECRET), SECRET: 1, "id": event["id"], "n": event["n"],
               "timestamp": event["timestamp"]} for event in events]  # fmt: skip
    for part in (slice(0, 15), slice(15, None)):
        for env, index, lines in (
            (OPEN, "open-1", events),
            (OPEN, "closed", hidden),
            (CLOSED, "open-1", hidden),
        ):
            service.client.post(
                "/api/ingest",
                params={"env": env, "index": index},
                content=encode_lines(lines[part]),
            )
        service.client.post("/api/admin/flush")
    of_index = {"envs": (OPEN,), "indexes": ("open-*",)}
    return [
        open_session(service, Role.VIEWER, **of_index),
        open_session(service, Role.EDITOR, envs=("*-open",), indexes=("open-?",)),
        make_key(service, Scope.SEARCH, **of_index),
        open_session(service, Role.VIEWER, envs=(OPEN,), indexes=("nothing",)),
    ]


def list_queries() -> list[str]:
    """Some queries with each of the pipes."""
    return [
        f"{filter_} | {write(Questions(seed), 1)}"
        for write in PIPES.values()
        for seed, filter_ in enumerate(("*", "n:1"))
    ]


def ask_search(service: RunningService, headers: Headers, query: str) -> httpx.Response:
    body = {"query": query, "env": OPEN, "count": True, "raw": True, "limit": 1000}
    return service.anonymous.post("/api/search", json=body, headers=headers)


def ask_elsewhere(
    service: RunningService, headers: Headers, query: str, place: int
) -> httpx.Response:
    """The same question in another place that answers it."""
    path, more = OTHER_PLACES[place]
    params = {"query": query, "env": OPEN, **more}
    return service.anonymous.get(path, params=params, headers=headers)


def test_every_pipe_is_asked() -> None:
    assert ast.Context in PIPES
    assert len(list_queries()) == 2 * len(PIPES)


@pytest.mark.parametrize("who", range(4))
def test_probes_find_nothing_of_other_indexes_and_environments(
    service: RunningService, limited: list[Headers], who: int
) -> None:
    for query in PROBES:
        check_secret(ask_search(service, limited[who], query), query)
        for place in range(len(OTHER_PLACES)):
            check_secret(ask_elsewhere(service, limited[who], query, place), query)


@pytest.mark.parametrize("lot", range(LOTS))
def test_no_pipe_answers_anything_of_other_indexes_and_environments(
    service: RunningService, limited: list[Headers], lot: int
) -> None:
    """The other places take turns: they differ only in what they make of the rows that a pipe gives."""
    for number, query in enumerate(list_queries()[lot::LOTS]):
        headers = limited[number % 3]
        check_secret(ask_search(service, headers, query), query)
        place = number % len(OTHER_PLACES)
        check_secret(ask_elsewhere(service, headers, query, place), query)


def check_secret(answer: httpx.Response, query: str) -> None:
    assert answer.status_code in (200, 400), (query, answer.url, answer.text[:300])
    assert SECRET not in read_text(answer), (query, answer.url)


def read_text(answer: httpx.Response) -> str:
    """All that an answer says, also in a compressed file."""
    if "parquet" not in answer.headers["Content-Type"]:
        return answer.text
    frame = pl.read_parquet(io.BytesIO(answer.content))
    return f"{frame.columns} {frame.rows()}"


def test_what_may_be_seen_is_answered_in_full(
    service: RunningService, limited: list[Headers]
) -> None:
    params = {"query": "* | context before 1", "env": OPEN, "limit": 1000}
    expected = sorted(event["id"] for event in make_events())
    for headers in limited[:3]:
        rows = service.anonymous.post("/api/search", json=params, headers=headers).json()["rows"]
        assert sorted(row["id"] for row in rows) == expected
    assert (
        service.anonymous.post("/api/search", json=params, headers=limited[3]).json()["rows"] == []
    )


def test_other_environments_are_refused(service: RunningService, limited: list[Headers]) -> None:
    for headers in limited:
        for path in ("/api/search", "/api/histogram", "/api/fields", "/api/export", "/api/tail"):
            answer = service.anonymous.get(path, params={"env": CLOSED}, headers=headers)
            assert answer.status_code in (400, 403), path


def test_hidden_events_have_no_surroundings(
    service: RunningService, limited: list[Headers]
) -> None:
    for env, index in ((OPEN, "closed"), (CLOSED, "open-1")):
        body = {"query": f"_index:{index}", "env": env, "limit": 1}
        (row,) = service.client.post("/api/search", json=body).json()["rows"]
        for headers in limited:
            params = {"env": env, "id": row["_id"]}
            answer = service.anonymous.get("/api/context", params=params, headers=headers)
            assert answer.status_code in (400, 403, 404)


def test_a_tail_sends_nothing_of_other_indexes(
    service: RunningService, limited: list[Headers], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "POLL_S", 0.01)
    count = len(make_events())
    for query in ("*", "* | eval x = text", "index:* | where text:*"):
        params: dict[str, Any] = {"query": query, "env": OPEN, "after": START}
        with service.anonymous.stream(
            "GET", "/api/tail", params=params, headers=limited[0]
        ) as stream:
            assert stream.status_code == 200
            lines = (line for line in stream.iter_lines() if line.startswith("data: "))
            sent = list(islice(lines, count))
        assert len(sent) == count
        assert all(SECRET not in line for line in sent)
