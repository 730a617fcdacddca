"""`POST /api/admin/compact`: fewer blocks, the same events, and whoever reads meanwhile does not notice."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.running import RunningService, encode_lines

MakeService = Callable[..., RunningService]

ENVS = ("default", "shop-a", "shop-b")
FLUSHES = 4
EVENTS = 6


@pytest.fixture
def kept(start_service: MakeService) -> RunningService:
    """Some blocks of one day in three environments; events of the same time in different blocks."""
    service = start_service()
    for env in ENVS:
        if env != "default":
            service.control.environments.create(env)
        for flush in range(FLUSHES):
            events = [
                {
                    "timestamp": f"2026-03-01T10:00:{number % 3:02}Z",
                    "n": flush * EVENTS + number,
                    "message": f"event {number} of flush {flush}",
                    "level": "error" if number % 2 else "info",
                }
                for number in range(EVENTS)
            ]
            service.keep(encode_lines(events), {"env": env})
    return service


def compact(service: RunningService, **body: object) -> dict[str, Any]:
    answer = service.client.post("/api/admin/compact", json=body)
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


def count_blocks(service: RunningService) -> dict[str, int]:
    store = service.client.get("/api/admin/status").json()["store"]
    return {each["env"]: each["blocks"] for each in store["environments"]}


def test_the_answer_says_what_became_of_the_blocks(kept: RunningService) -> None:
    answer = compact(kept, env="*")
    assert list(answer) == [
        *("blocks_before", "blocks_after", "events", "bytes_before", "bytes_after")
    ]
    assert (answer["blocks_before"], answer["blocks_after"]) == (3 * FLUSHES, 3)
    assert answer["events"] == 3 * FLUSHES * EVENTS
    assert 0 < answer["bytes_after"] < answer["bytes_before"]
    assert count_blocks(kept) == dict.fromkeys(ENVS, 1)
    again = compact(kept, env="*")
    assert (again["blocks_before"], again["blocks_after"]) == (3, 3)
    assert again["bytes_before"] == again["bytes_after"] == answer["bytes_after"]


def test_globs_and_lists_choose_environments(kept: RunningService) -> None:
    assert compact(kept, env="nobody")["blocks_before"] == 0
    assert compact(kept, env="shop-*")["blocks_before"] == 2 * FLUSHES
    assert count_blocks(kept) == {"default": FLUSHES, "shop-a": 1, "shop-b": 1}
    assert compact(kept, env="shop-a, default")["blocks_after"] == 2


def test_no_body_means_every_environment(kept: RunningService) -> None:
    assert kept.client.post("/api/admin/compact").json()["blocks_after"] == 3


@pytest.mark.parametrize(
    ("body", "field"),
    [({"env": ""}, "env"), ({"env": "A B"}, "env"), ({"env": 5}, "env"), ({"envs": "*"}, "envs")],
)
def test_what_is_no_environment_is_refused(
    kept: RunningService, body: dict[str, object], field: str
) -> None:
    answer = kept.client.post("/api/admin/compact", json=body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["field"] == field


QUESTIONS = [
    "",
    "level:error",
    "* | stats count, sum(n), first(n), last(n), values(level) by level",
    "* | top n",
    "* | dedup level",
    "* | sort -n | head 5",
    "* | timechart span=1s count by level",
    "message:flush | stats dc(message)",
    "n>7 n<15 | eval half = n / 2 | fields n, half",
    "* | streamstats count | head 20",
    "* | patterns",
    "level:error n=9 | context before=2 after=2",
]


def ask(service: RunningService, query: str) -> tuple[object, object]:
    answer = service.search(query, limit=100)
    return answer["columns"], answer["rows"]


PANELS = ["/api/fields", "/api/fields/level/values", "/api/histogram?buckets=4"]


def read_panel(service: RunningService, path: str) -> object:
    answer = service.client.get(path)
    assert answer.status_code == 200, answer.text
    content = answer.json()
    if isinstance(content, dict):
        content.pop("took_ms", None)
    return content


def test_every_question_gets_the_same_answer_as_before(kept: RunningService) -> None:
    before = {query: ask(kept, query) for query in QUESTIONS}
    panels = [read_panel(kept, path) for path in PANELS]
    compact(kept)
    assert {query: ask(kept, query) for query in QUESTIONS} == before
    assert [read_panel(kept, path) for path in PANELS] == panels


def test_pages_go_on_where_they_were(kept: RunningService) -> None:
    whole = [row for page in kept.list_pages(limit=5) for row in page]
    pages = kept.list_pages(limit=5)
    found = next(pages)
    compact(kept)
    found += [row for page in pages for row in page]
    assert found == whole


def test_an_export_in_mid_stream_is_whole(kept: RunningService) -> None:
    whole = kept.client.get("/api/export").text
    with kept.client.stream("GET", "/api/export") as stream:
        pieces = stream.iter_text(64)
        found = next(pieces)
        compact(kept)
        found += "".join(pieces)
    assert found == whole


def test_a_keyed_bulk_load_is_not_stored_again_after_its_blocks_were_merged(
    kept: RunningService,
) -> None:
    line = {"timestamp": "2026-03-01T10:00:00Z", "message": "x" * 200_000}
    body = encode_lines([line] * 100)
    headers = {"Idempotency-Key": "the one"}
    first = kept.ingest(body, headers=headers)
    assert first.json()["ingested"] == 100
    compact(kept)
    assert kept.ingest(body, headers=headers).json() == first.json()
    kept.restart()
    assert kept.ingest(body, headers=headers).json() == first.json()
    assert kept.count() == FLUSHES * EVENTS + 100
