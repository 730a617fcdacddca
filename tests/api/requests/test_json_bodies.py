"""JSON bodies of native and raw ingest that are not one object a line."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.running import RunningService

PATHS = [
    "/api/ingest",
    "/api/ingest/raw?format=ndjson",
    "/api/ingest/raw?format=json",
    "/api/ingest/raw",
]
EVENTS = [{"timestamp": "2024-05-06T07:08:09Z", "n": n, "message": f"event {n}"} for n in range(3)]
LAYOUTS = {
    "array": json.dumps(EVENTS),
    "pretty array": json.dumps(EVENTS, indent=2),
    "stream": "".join(map(json.dumps, EVENTS)),
    "pretty objects": "\n".join(json.dumps(event, indent=1) for event in EVENTS),
    "arrays per line": "\n".join(json.dumps([event]) for event in EVENTS),
    "mixture": json.dumps(EVENTS[:1]) + "\n" + "".join(map(json.dumps, EVENTS[1:])),
}


def post(service: RunningService, env: str, path: str, body: Any) -> dict[str, Any]:
    answer = service.anonymous.post(path, content=body, params={"env": env})
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


def list_numbers(service: RunningService, env: str) -> list[int]:
    service.flush()
    rows = service.search(env=env, limit=1000)["rows"]
    return sorted(row["n"] for row in rows if "n" in row)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_object_is_an_event(
    service: RunningService, env: str, path: str, layout: str
) -> None:
    env_path = path + ("&" if "?" in path else "?") + f"env={env}"
    answer = service.anonymous.post(env_path, content=LAYOUTS[layout].encode())
    assert (answer.json()["ingested"], answer.json()["errors"]) == (3, 0)
    assert list_numbers(service, env) == [0, 1, 2]


def test_of_a_truncated_array_what_is_whole_is_stored(service: RunningService, env: str) -> None:
    answer = post(service, env, "/api/ingest", json.dumps(EVENTS)[:-20].encode())
    assert (answer["ingested"], answer["errors"]) == (2, 1)
    service.flush()
    rows = service.search(env=env, limit=10)["rows"]
    assert [row["message"] for row in rows if "n" not in row] == [json.dumps(EVENTS[2])[:-19]]


@pytest.mark.parametrize("opening", [b"[", b""])
def test_a_long_body_without_a_line_feed_is_stored_whole(
    service: RunningService, env: str, opening: bytes
) -> None:
    """More than one batch holds, and more than the longest line."""
    padding = "x" * 20_000

    def write() -> Iterator[bytes]:
        yield opening
        for n in range(1000):
            yield json.dumps({"n": n, "padding": padding}).encode() + (b"," if opening else b"")
        yield b"{}]" if opening else b""

    answer = service.anonymous.post(
        "/api/ingest", content=write(), params={"env": env, "index": "long"}
    ).json()
    assert (answer["ingested"], answer["errors"]) == (1001 if opening else 1000, 0)
    service.flush()
    assert service.count("n>=0", env=env, index="long") == 1000


def test_a_wrapper_is_opened_where_the_format_is_json(service: RunningService, env: str) -> None:
    body = json.dumps({"owner": "me", "Records": EVENTS}).encode()
    params = {"env": env, "format": "json"}
    answer = service.anonymous.post("/api/ingest/raw", content=body, params=params).json()
    assert (answer["ingested"], answer["errors"], answer["format"]) == (3, 0, "json")
    service.flush()
    assert service.count("owner:me", env=env) == 3
