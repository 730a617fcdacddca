"""Two environments that differ only in an index that a key must not see give it the same answers."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from tests.api.signing_in import make_key
from tests.readers.loki import FIRST_S, START_NS
from tests.running import RunningService, encode_lines

from logboom.control.access.scopes import Scope

Event = dict[str, Any]
ENVS = ("hidden-one", "hidden-two")
CHANGING = re.compile(
    r'"(?:took|execTime|\w+PerSecond|_scroll_id|pit_id|id|creation_time)":[^,}]+|[0-9a-f]{16}-[0-9a-f]{8}-[0-9a-f]+'
)
"""What is different in any two answers."""


class Reader(NamedTuple):
    """A key for one index of an environment."""

    client: httpx.Client
    env: str

    def ask(self, method: str, path: str, **options: Any) -> str:
        answer = self.client.request(method, path, **options)
        text = f"{answer.status_code} {answer.text}".replace(self.env, "the env")
        return CHANGING.sub("…", text)


def make_open(number: int) -> Event:
    return {
        "timestamp": START_NS + number * 10**9,
        "message": f"request {number} done",
        "level": ("info", "error")[number % 2],
        "took": number * 1.5,
        "host": {"name": f"web-{number % 3}"},
        "mixed": (number, f"text {number}", True)[number % 3],
    }


def make_closed(number: int, turn: int) -> Event:
    """Other values, types, fields and times in each environment, all of them telling."""
    times = START_NS + (number * (3, 11)[turn] - 40) * 10**9
    event = make_open(number) | {"timestamp": times, "level": f"secret{turn}{number % 4}"}
    event |= {"took": ("secret", 10**9)[turn], f"secret{turn}": number, "app": "secret"}
    event |= {"message": f"secret{turn} " * (turn + 1), "host": {f"secret{turn}": {"keyword": 1}}}
    return event | ({"user.keyword": "secret", "mixed": {"secret": 1}} if turn else {})


@pytest.fixture(scope="module")
def readers(service: RunningService) -> Iterator[list[Reader]]:
    found = []
    for turn, env in enumerate(ENVS):
        service.control.environments.create(env)
        lines = [make_open(number) | {"to": "open"} for number in range(60)]
        lines += [make_closed(number, turn) | {"to": "closed"} for number in range(30 + 40 * turn)]
        service.keep(encode_lines(lines), {"env": env, "index": "{{to}}"})
        headers = make_key(service, Scope.SEARCH, envs=(env,), indexes=("open",))
        headers = {**headers, "X-Scope-OrgID": env}
        address = f"http://127.0.0.1:{service.port}"
        client = httpx.Client(base_url=address, headers=headers, verify=False)
        found.append(Reader(client, env))
    yield found
    for reader in found:
        reader.client.close()


FIELDS = (
    "level",
    "took",
    "mixed",
    "host.name",
    "host.name.keyword",
    "user.keyword",
    "secret0",
    "app",
    "_index",
    "@timestamp",
)
QUERIES: list[Event] = [
    {"match_all": {}},
    {"query_string": {"query": "secret* OR closed"}},
    {"query_string": {"query": "_index:closed OR _index:c*"}},
    {"bool": {"must_not": [{"term": {"_index": "open"}}]}},
    {"exists": {"field": "secret1"}},
    {"range": {"took": {"gte": 50}}},
    {"range": {"@timestamp": {"lt": START_NS // 10**6}}},
    {"term": {"user": "secret"}},
    {"match": {"message": "secret0 request"}},
]
AGGREGATIONS: list[Event] = [
    *({"terms": {"field": field}} for field in FIELDS),
    *({kind: {"field": "took"}} for kind in ("stats", "percentiles", "cardinality", "max")),
    {"date_histogram": {"field": "@timestamp", "fixed_interval": "10s"}},
    {"composite": {"sources": [{"l": {"terms": {"field": "level", "missing_bucket": True}}}]}},
    {"missing": {"field": "secret0"}},
    {"global": {}},
    {"filters": {"filters": {"a": {"match_all": {}}, "b": {"term": {"_index": "closed"}}}}},
]
PLACES = ("", "/open", "/closed", "/open,closed", "/c*", "/*,-open", "/_all")
ASKED: list[tuple[str, str, Event]] = [
    *(("POST", "/_search", {"json": {"query": query, "size": 100}}) for query in QUERIES),
    *(("POST", "/_search", {"json": {"size": 0, "aggs": {"a": each}}}) for each in AGGREGATIONS),
    *(("POST", "/_search", {"json": {"sort": [field], "size": 3}}) for field in FIELDS),
    *(
        (method, place + path, {})
        for place in PLACES
        for method, path in (
            ("POST", "/_search"),
            ("GET", "/_count"),
            ("GET", "/_mapping"),
            ("GET", "/_settings"),
            ("GET", "/_stats"),
            ("GET", "/_field_caps?fields=*"),
            ("POST", "/_pit?keep_alive=1m"),
            ("POST", "/_search?scroll=1m"),
            ("GET", "/_mapping/field/*"),
        )
    ),
    *((method, place, {}) for place in PLACES[1:6] for method in ("HEAD", "GET")),
    *(("GET", f"/_cat/indices{place}?v=true", {}) for place in PLACES[:6]),
    *(("GET", f"/_cat/count{place}?h=count", {}) for place in PLACES[:6]),
    ("POST", "/_msearch", {"content": '{"index":["closed"]}\n{}\n{"index":"*"}\n{}\n{"index":"open,closed"}\n{}\n'}),
    ("POST", "/_mget", {"json": {"docs": [{"_index": "closed", "_id": "0"}]}}),
]  # fmt: skip
SELECTORS = (
    "{}",
    '{index="closed"}',
    '{index=~".+"}',
    '{level=~"secret.*"}',
    '{secret0!=""}',
    '{app="secret"}',
    '{took="1.5"}',
)
METRICS = (
    "count_over_time({}[1m])",
    "sum by (level, app, index) (count_over_time({}[1m]))",
    "sum(bytes_over_time({}[1m])) by (host_name)",
    "max_over_time({} | unwrap took [1m])",
    "rate_counter({} | unwrap took [1m])",
    'absent_over_time({index="closed"}[1m])',
    "topk(3, sum by (mixed) (rate({}[1m])))",
)
LOKI: tuple[tuple[str, Event], ...] = (
    *(("query_range", {"query": query}) for query in (*SELECTORS, *METRICS)),
    *(("query", {"query": query, "time": FIRST_S + 50}) for query in METRICS),
    *(
        (path, {"query": selector, "match[]": selector})
        for selector in SELECTORS
        for path in ("labels", "label/level/values", "label/index/values", "label/secret0/values", "series")
    ),
    *(
        (path, {"query": selector})
        for selector in SELECTORS
        for path in ("index/stats", "index/volume", "index/volume_range", "detected_fields", "detected_labels", "patterns")
    ),
    *(("query_range", {"query": "{}", "index": index}) for index in ("closed", "c*", "*", "open,closed")),
    ("detected_field/secret0/values", {}),
)  # fmt: skip


def check(readers: list[Reader], method: str, path: str, **options: Any) -> int:
    one, other = (reader.ask(method, path, **options) for reader in readers)
    assert one == other, (method, path, options)
    assert "secret" not in one.replace(str(options), "") or "secret" in f"{path}{options}"
    return int(one[:3])


def test_the_search_engine_tells_nothing_of_a_hidden_index(readers: list[Reader]) -> None:
    statuses = {check(readers, method, path, **options) for method, path, options in ASKED}
    assert statuses == {200, 404}


def test_loki_tells_nothing_of_a_hidden_index(readers: list[Reader]) -> None:
    times: Event = {"start": FIRST_S - 60, "end": FIRST_S + 60, "step": "10"}
    for path, parameters in LOKI:
        status = check(readers, "GET", f"/loki/api/v1/{path}", params=times | parameters)
        assert status == 200, path


def test_a_point_in_time_follows_the_limits_of_its_key(service: RunningService) -> None:
    """What the key may see is decided with every request."""
    env = ENVS[0]
    options = {"name": "wide", "scopes": ["search"], "envs": [env], "indexes": ["*"]}
    made = service.client.post("/api/keys", json=options).json()
    with httpx.Client(
        base_url=f"http://127.0.0.1:{service.port}",
        headers={"Authorization": f"Bearer {made['key']}"},
        verify=False,
    ) as client:
        point = client.post("/_pit?keep_alive=1m").json()["id"]
        scroll = client.post("/_search?scroll=1m", json={"size": 10}).json()["_scroll_id"]
        body = {"pit": {"id": point}, "size": 1000}
        assert len(client.post("/_search", json=body).json()["hits"]["hits"]) == 90
        changed = service.client.patch(f"/api/keys/{made['id']}", json={"indexes": ["open"]})
        assert changed.status_code == 200, changed.text
        hits = client.post("/_search", json=body).json()["hits"]["hits"]
        assert {hit["_index"] for hit in hits} == {"open"}
        while page := client.post("/_search/scroll", json={"scroll_id": scroll}).json()["hits"][
            "hits"
        ]:
            assert {hit["_index"] for hit in page} == {"open"}
