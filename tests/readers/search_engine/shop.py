"""Events of a fictional shop in their own environment, and clients that search them."""

import uuid
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from elasticsearch import Elasticsearch
from tests.running import RunningService, encode_lines

Event = dict[str, Any]

START_S = 1_767_323_040
COUNT = 240
LEVELS = ("info", "warn", "error")


class Shop(NamedTuple):
    """`events` are in the order in which they happened."""

    service: RunningService
    env: str
    client: Elasticsearch
    events: list[Event]

    def search(self, **body: Any) -> Event:
        answer: Event = self.client.search(**body).body
        return answer

    def find(self, query: Event, **options: Any) -> list[int]:
        """Return the numbers of the events that match, in order."""
        answer = self.search(query=query, size=1000, source=["n"], **options)
        hits = answer["hits"]
        assert hits["total"]["value"] == len(hits["hits"])
        return sorted(hit["_source"]["n"] for hit in hits["hits"])

    def choose(self, test: Callable[[Event], object]) -> list[int]:
        return [event["n"] for event in self.events if test(event)]


def make_event(number: int) -> Event:
    """Return an event with fields that others lack, of mixed types, nested, and with several values."""
    event: Event = {
        "n": number,
        "@timestamp": f"2026-01-02T03:{4 + number // 60:02}:{number % 60:02}Z",
        "message": f"Request {number} to {'/cart' if number % 2 else '/home page'} done",
        "level": LEVELS[number % 3],
        "host": {"name": f"web-{number % 4}"},
        "took": number % 7 * 1.5,
        "ok": number % 5 != 0,
        "tags": ["a", "b"] if number % 2 else ["b", "c"],
        "mixed": [number, str(number), f"Text {number % 9}"][number % 3],
    }
    if number % 6 == 0:
        event["user"] = f"User-{number % 4}"
    return event


def open_shop(service: RunningService) -> Iterator[Shop]:
    env = f"shop-{uuid.uuid4().hex}"
    service.control.environments.create(env)
    events = [make_event(number) for number in range(COUNT)]
    for index, part in (("app", events[0::2]), ("web-1", events[1::2])):
        service.keep(encode_lines(part), {"env": env, "index": index})
    key = service.client.post("/api/keys", json={"name": env, "scopes": ["search"], "envs": [env]})
    with Elasticsearch(f"http://127.0.0.1:{service.port}", api_key=key.json()["key"]) as client:
        yield Shop(service, env, client, events)
