"""`POST /api/ingest`: the answer, where events go, and who may send them."""

import gzip
import zlib
from collections.abc import Callable, Iterator

import brotli
import httpx
import pytest
import zstandard
from tests.running import RunningService, encode_lines

DAY = "2024-05-06"
EVENT = {"timestamp": f"{DAY}T07:08:09Z", "message": "hello"}
BODY = encode_lines([EVENT])


def test_the_answer_is_the_documented_object_in_its_order(
    service: RunningService, env: str
) -> None:
    body = encode_lines([EVENT, {**EVENT, "timestamp": "2024-05-07T00:00:00Z"}]) + b"not json\n"
    answer = service.ingest(body, {"env": env, "index": "{{nothing}}"})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    today = answer.json()["partitions"][2]
    assert answer.text == (
        f'{{"ingested":2,"errors":1,"partitions":["unknown/{DAY}","unknown/2024-05-07","{today}"],'
        '"write_errors":[],"throttled":false}'
    )


@pytest.mark.parametrize("body", [b"", b"\n", b"\r\n\r\n", b" \t \n\n"])
def test_a_body_without_lines_brings_nothing(
    service: RunningService, env: str, body: bytes
) -> None:
    answer = service.ingest(body, {"env": env})
    assert answer.json() == {
        "ingested": 0,
        "errors": 0,
        "partitions": [],
        "write_errors": [],
        "throttled": False,
    }


@pytest.mark.parametrize(
    ("index", "event", "expected"),
    [
        (None, {}, "default"),
        ("", {}, "default"),
        ("App Logs.v1", {}, "app-logs-v1"),
        ("app-{{service}}", {"service": "Web"}, "app-web"),
        ("app-{{ service }}", {"service": "Web"}, "app-web"),
        ("{{k8s.pod.name}}", {"k8s": {"pod": {"name": "Web/1"}}}, "web-1"),
        ("{{k8s.pod}}", {"k8s.pod": "literal", "k8s": {"pod": "nested"}}, "literal"),
        ("{{service}}", {}, "unknown"),
        ("{{service}}", {"service": None}, "unknown"),
        ("{{service}}", {"service": ""}, "unknown"),
        ("{{service}}", {"service": {"a": 1}}, "unknown"),
        ("x-{{n}}-{{b}}", {"n": 7, "b": True}, "x-7-true"),
        ("{{service}}", {"service": "ä" * 100}, "-" * 64),
        ("a" * 100, {}, "a" * 64),
        ("{{", {}, "--"),
        ("{{}}", {}, "unknown"),
    ],
)
def test_index_names_are_resolved_for_each_event(
    service: RunningService, env: str, index: str | None, event: dict[str, object], expected: str
) -> None:
    params = {"env": env} | ({} if index is None else {"index": index})
    answer = service.keep(encode_lines([{**EVENT, **event}]), params)
    assert answer["partitions"] == [f"{expected}/{DAY}"]
    assert [row["_index"] for row in service.search(env=env)["rows"]] == [expected]


def test_a_parameter_counts_before_a_header(service: RunningService, env: str) -> None:
    headers = {"X-Service-Env": env, "X-Service-Index": "By-Header"}
    assert service.ingest(BODY, headers=headers).json()["partitions"] == [f"by-header/{DAY}"]
    by_both = service.ingest(BODY, {"index": "by-query"}, headers)
    assert by_both.json()["partitions"] == [f"by-query/{DAY}"]
    service.flush()
    assert service.count(env=env) == 2
    wrong = service.ingest(BODY, {"env": env}, {"X-Service-Env": "nowhere"})
    assert wrong.status_code == 200
    assert service.ingest(BODY, headers={"X-Service-Env": "nowhere"}).status_code == 400


def test_the_source_parameter_counts_where_the_event_has_none(
    service: RunningService, env: str
) -> None:
    events = [{"id": 1}, {"id": 2, "source": "own"}, {"id": 3, "_source": "alias"}]
    service.keep(encode_lines(events) + b"no json", {"env": env, "source": "given"})
    rows = service.search(env=env)["rows"]
    assert {row.get("id"): row["source"] for row in rows} == {
        1: "given",
        2: "own",
        3: "alias",
        None: "given",
    }


@pytest.mark.parametrize("name", ["nowhere", "x" * 10_000, "DEFAULT", "a/b", "é"])
def test_an_unknown_environment_is_a_400_that_says_so(service: RunningService, name: str) -> None:
    answer = service.ingest(BODY, {"env": name})
    assert answer.status_code == 400
    assert "unknown environment" in answer.json()["error"]["message"]


def test_an_unknown_environment_is_told_before_a_large_body_is_in(service: RunningService) -> None:
    answer = service.ingest((b"x" * 99_999 + b"\n" for _ in range(200)), {"env": "nowhere"})
    assert answer.status_code == 400
    assert service.ingest(BODY).status_code == 200


@pytest.mark.parametrize("name", ["_system", "_mine"])
def test_reserved_environments_are_refused(service: RunningService, name: str) -> None:
    for answer in (
        service.ingest(BODY, {"env": name}),
        service.ingest(BODY, headers={"X-Service-Env": name}),
    ):
        assert answer.status_code == 400
        assert "reserved" in answer.json()["error"]["message"]


@pytest.mark.parametrize("index", ["_self", "_", "_{{nothing}}x"])
def test_a_reserved_index_is_refused(service: RunningService, env: str, index: str) -> None:
    answer = service.ingest(BODY, {"env": env, "index": index})
    if "{{" in index:
        assert answer.json() == {
            **answer.json(),
            "ingested": 0,
            "errors": 1,
            "partitions": [],
        }
    else:
        assert answer.status_code == 400
        assert "reserved" in answer.json()["error"]["message"]
    service.flush()
    assert service.count(env=env) == 0


def test_rows_that_ask_for_a_reserved_index_are_counted_and_stored_nowhere(
    service: RunningService, env: str
) -> None:
    names = ["web", "_self", "db", "_", "_x"]
    body = encode_lines({**EVENT, "to": name} for name in names) + b"not json\n"
    answer = service.keep(body, {"env": env, "index": "{{to}}"})
    assert (answer["ingested"], answer["errors"]) == (2, 4)
    rows = service.search(env=env)["rows"]
    assert sorted(row["_index"] for row in rows) == ["db", "unknown", "web"]


@pytest.mark.parametrize(
    "params",
    [
        {"index": "x" * 513},
        {"source": "x" * 1025},
    ],
)
def test_parameters_beyond_measure_are_refused(
    service: RunningService, params: dict[str, str]
) -> None:
    assert service.ingest(BODY, params).status_code == 400


@pytest.mark.parametrize("query", ["index=a&index=b", "env=default&env=default", "source=%ff"])
def test_a_query_string_that_cannot_be_meant_is_refused(
    service: RunningService, query: str
) -> None:
    answer = service.anonymous.post(f"/api/ingest?{query}", content=BODY)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid"


@pytest.mark.parametrize(
    ("encoding", "encode"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("zstd", zstandard.compress),
        ("br", brotli.compress),
        ("identity", bytes),
    ],
)
def test_every_encoding_is_read(
    service: RunningService, env: str, encoding: str, encode: Callable[[bytes], bytes]
) -> None:
    lines = encode_lines({"id": number, "message": f"line {number}"} for number in range(5_000))
    answer = service.ingest(encode(lines), {"env": env}, {"Content-Encoding": encoding})
    assert answer.json()["ingested"] == 5_000
    service.flush()
    assert service.count(env=env) == 5_000


def send(body: bytes, size: int) -> Iterator[bytes]:
    return (body[start : start + size] for start in range(0, len(body), size))


def test_a_body_may_come_in_tiny_chunks(service: RunningService, env: str) -> None:
    lines = encode_lines({"id": number} for number in range(100))
    answer = service.ingest(
        send(gzip.compress(lines, mtime=0), 3), {"env": env}, {"Content-Encoding": "gzip"}
    )
    assert answer.json()["ingested"] == 100


@pytest.mark.parametrize(
    ("encoding", "body", "status"),
    [
        ("gzip", gzip.compress(BODY, mtime=0)[:-5], 400),
        ("gzip", BODY, 400),
        ("deflate", zlib.compress(BODY)[:-1], 400),
        ("zstd", zstandard.compress(BODY)[:-1], 400),
        ("br", brotli.compress(BODY)[:-1], 400),
        ("gzip", gzip.compress(bytes(1_000_000)) * 150, 413),
        ("zstd", zstandard.compress(bytes(1 << 20)) * 256, 413),
        ("compress", BODY, 415),
        ("gzip, gzip", gzip.compress(gzip.compress(BODY, mtime=0), mtime=0), 415),
    ],
)
def test_a_body_that_cannot_be_decoded_is_refused_and_leaves_nothing(
    service: RunningService, env: str, encoding: str, body: bytes, status: int
) -> None:
    answer = service.ingest(body, {"env": env}, {"Content-Encoding": encoding})
    assert answer.status_code == status
    assert answer.json()["error"]["message"]
    service.flush()
    assert service.count(env=env) == 0


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_only_post_is_allowed(service: RunningService, method: str) -> None:
    answer = service.anonymous.request(method, "/api/ingest")
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"
    assert answer.json()["error"]["message"] == f"method {method}, expected POST"


@pytest.mark.parametrize(
    "authorization", ["Bearer wrong", "Bearer a.b.c", "Bearer", "Basic YTpi", "x" * 5_000]
)
def test_wrong_credentials_are_refused_though_none_are_needed(
    service: RunningService, env: str, authorization: str
) -> None:
    answer = service.ingest(BODY, {"env": env}, {"Authorization": authorization})
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    service.flush()
    assert service.count(env=env) == 0


def test_an_admin_may_ingest(service: RunningService, env: str) -> None:
    answer = service.client.post("/api/ingest", params={"env": env}, content=BODY)
    assert answer.status_code == 200


def test_events_are_kept_as_they_are_whatever_the_content_type(
    service: RunningService, env: str
) -> None:
    for content_type in ("application/x-ndjson", "application/json", "text/plain", "nonsense"):
        answer = service.ingest(BODY, {"env": env}, {"Content-Type": content_type})
        assert answer.json()["ingested"] == 1


def test_while_it_starts_everything_but_health_and_metrics_is_unavailable(
    service: RunningService,
) -> None:
    service.application.is_ready = False
    try:
        for path in ("/api/ingest", "/api/search", "/ready", "/docs"):
            answer: httpx.Response = service.anonymous.post(path)
            assert answer.status_code == 503
            assert answer.headers["Retry-After"]
            assert answer.json()["error"]["code"] == "unavailable"
        for path in ("/health", "/metrics"):
            assert service.anonymous.get(path).status_code == 200
    finally:
        service.application.is_ready = True
