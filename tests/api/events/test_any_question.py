"""No question is answered with a failure: generated queries through every endpoint, against the oracle where it can."""

import io
import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import polars as pl
import pytest
from tests.engine.answering import Unanswerable, find_rows
from tests.engine.oracle import Row, make_row
from tests.engine.questions import PIPES as WRITERS
from tests.engine.questions import Questions, make_events
from tests.properties import every_third
from tests.running import RunningService, encode_lines

from logboom.api.events import tail
from logboom.engine.answers.tail import START
from logboom.engine.pipes import PIPES
from logboom.engine.terms.request import Request
from logboom.lang.parse import parse

ENV = "any-question"
QUERIES, LOTS = 520, 20
FORMATS = ("ndjson", "csv", "parquet")
PARTS = {"odd": slice(0, 9), "even": slice(9, 20), "third": slice(20, None)}
"""The events of each index; each is a block of its own."""


@pytest.fixture(scope="module")
def rows(service: RunningService) -> list[Row]:
    """What the oracle knows of the events that are stored."""
    service.control.environments.create(ENV)
    service.client.put("/api/lookups/owners", json={"csv": "key,owner\na,x\n1,y\n"})
    known = []
    for index, part in PARTS.items():
        events = make_events()[part]
        service.keep(encode_lines(events), {"env": ENV, "index": index})
        known += [make_row(event, ENV, index) for event in events]
    return known


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail, "POLL_S", 0.01)


def write_query(number: int) -> str:
    """Every other one only chooses events, so that the oracle can choose them too."""
    questions = Questions(number)
    return questions.write_choice() if number % 2 else questions.write_query()


def test_every_pipe_is_asked(service: RunningService, rows: list[Row]) -> None:
    assert set(WRITERS) == set(PIPES)
    for number, write in enumerate(WRITERS.values()):
        ask_everywhere(service, rows, f"* | {write(Questions(number), 1)}", number)


@pytest.mark.parametrize("lot", every_third(range(LOTS)))
def test_no_question_makes_the_service_fail(
    service: RunningService, rows: list[Row], lot: int
) -> None:
    for number in range(lot, QUERIES, LOTS):
        ask_everywhere(service, rows, write_query(number), number)


def ask_everywhere(service: RunningService, rows: list[Row], query: str, number: int) -> None:
    answer = search(service, query)
    ask_elsewhere(service, query, answer)
    # Each format by a third of the queries: a file takes longer than all else.
    download(service, query, answer, FORMATS[number % len(FORMATS)])
    if answer is not None:
        check_answer(query, answer, rows)


def search(service: RunningService, query: str) -> dict[str, Any] | None:
    """The answer; None if the query is refused with a reason."""
    body = {"query": query, "env": ENV, "limit": 1000, "count": True}
    answer = service.client.post("/api/search", json=body)
    assert answer.status_code in (200, 400), (query, answer.text[:300])
    content: dict[str, Any] = answer.json()
    if answer.status_code == 400:
        assert content["error"]["code"] == "invalid"
        assert content["error"]["message"]
        return None
    assert content["complete"], query
    assert content["rows"] or content["explanation"]["hint"], query
    return content


def check_answer(query: str, answer: dict[str, Any], rows: list[Row]) -> None:
    try:
        expected = find_rows(Request(parse(query), (ENV,)), rows)
    except Unanswerable:
        return
    assert [row["id"] for row in answer["rows"]] == [row.event["id"] for row in expected], query
    assert answer["total"] == len(expected), query


def ask_elsewhere(service: RunningService, query: str, answer: dict[str, Any] | None) -> None:
    assert search(service, f"{query} | explain") or answer is None, query
    params = {"query": query, "env": ENV}
    for path in ("/api/histogram", "/api/fields"):
        found = service.client.get(path, params=params)
        assert found.status_code in (200, 400), (path, query, found.text[:300])
        if path == "/api/histogram" and found.status_code == 200 and answer is not None:
            counts = [bucket["count"] for bucket in found.json()["buckets"]]
            assert sum(counts) == answer["total"], query
    follow(service, params, answer)


def download(service: RunningService, query: str, answer: dict[str, Any] | None, kind: str) -> None:
    params = {"query": query, "env": ENV, "format": kind}
    found = service.client.get("/api/export", params=params)
    expected = 400 if answer is None else 200
    assert found.status_code == expected, (kind, query, found.text[:300])
    if answer is not None:
        check_file(kind, found.content, answer, query)


def check_file(kind: str, content: bytes, answer: dict[str, Any], query: str) -> None:
    if kind == "parquet":
        assert pl.read_parquet(io.BytesIO(content)).height in (answer["total"], 0), query
    elif kind == "ndjson":
        lines = [json.loads(line) for line in content.splitlines()]
        assert len(lines) == answer["total"], query
        assert all("error" not in line for line in lines), query


def follow(service: RunningService, params: dict[str, str], answer: dict[str, Any] | None) -> None:
    """A tail from the first block on sends as many events as a search finds."""
    with service.client.stream("GET", "/api/tail", params={**params, "after": START}) as stream:
        assert stream.status_code in (200, 400), (params, stream.read()[:300])
        if stream.status_code == 200 and answer is not None:
            sent = list(islice(list_sent(stream.iter_lines()), answer["total"]))
            assert len(sent) == answer["total"], params


def list_sent(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))
