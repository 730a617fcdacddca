"""The log-aggregator push over HTTP: what is stored, what is answered, who may send."""

import gzip
import json
import zlib
from collections.abc import Callable
from typing import Any

import cramjam
import httpx
import pytest
from tests.api.signing_in import bearer, make_token
from tests.running import RunningService

from logboom.protocols.push.from_json import MAX_BODY_BYTES, MAX_COMMAS
from logboom.protocols.push.from_protobuf import PUSH

MakeService = Callable[..., RunningService]

PATH = "/logpush/api/v1/push"
PATHS = (PATH, "/loki/api/v1/push", "/api/prom/push")
JSON = {"Content-Type": "application/json"}
PROTOBUF = {"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy"}
TIME_NS = 1715000000123456789
TIME = "2024-05-06T12:53:20.123456789Z"

each_path = pytest.mark.parametrize("path", PATHS)


def encode_push(*lines: object, labels: object = None) -> bytes:
    values = [[str(TIME_NS), line] for line in lines]
    return json.dumps({"streams": [{"stream": labels or {}, "values": values}]}).encode()


def encode_protobuf(*lines: bytes, labels: bytes = b'{app="web"}') -> bytes:
    push: Any = PUSH()
    stream = push.streams.add(labels=labels)
    for line in lines:
        entry = stream.entries.add(line=line)
        entry.time.seconds, entry.time.nanos = divmod(TIME_NS, 10**9)
    packed: bytes = push.SerializeToString()
    return packed


def pack(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data))


def push(
    service: RunningService,
    body: bytes,
    params: dict[str, str],
    headers: dict[str, str] | None = None,
    path: str = PATH,
) -> httpx.Response:
    headers = JSON if headers is None else headers
    return service.anonymous.post(path, content=body, params=params, headers=headers)


def check_line(answer: httpx.Response, status: int, *words: str) -> None:
    """An error in the protocol's form: one short line of text."""
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.text.endswith("\n")
    assert "\n" not in answer.text[:-1]
    assert len(answer.content) <= 1024
    for word in words:
        assert word in answer.text


def find_rows(service: RunningService, env: str, query: str = "") -> list[dict[str, Any]]:
    service.flush()
    rows: list[dict[str, Any]] = service.search(query, env=env)["rows"]
    return rows


@each_path
def test_a_push_is_stored_with_its_time_labels_and_metadata(
    service: RunningService, env: str, path: str
) -> None:
    values = [
        [str(TIME_NS), "plain text", {"trace": "5b8e"}],
        [str(TIME_NS - 1), '{"level":"own","user":{"name":"ann"}}', {}],
    ]
    body = {"streams": [{"stream": {"app": "web", "level": "label"}, "values": values}]}
    answer = push(service, json.dumps(body).encode(), {"env": env, "index": "shop"}, path=path)
    assert (answer.status_code, answer.content) == (204, b"")
    text, shredded = find_rows(service, env)
    assert (text["_time"], shredded["_time"]) == (TIME, TIME[:-2] + "8Z")
    common = {"_index": "shop", "app": "web"}
    expected = common | {"message": "plain text", "trace": "5b8e", "level": "label"}
    assert text.items() >= expected.items()
    assert shredded.items() >= (common | {"level": "own", "user.name": "ann"}).items()
    assert "message" not in shredded


@each_path
def test_the_first_shape_is_read_everywhere(service: RunningService, env: str, path: str) -> None:
    entries = [{"ts": "2024-05-06T12:53:20.123456789Z", "line": "old"}]
    body = {"streams": [{"labels": '{app="web", n="1"}', "entries": entries}]}
    assert push(service, json.dumps(body).encode(), {"env": env}, path=path).status_code == 204
    (row,) = find_rows(service, env)
    assert row.items() >= {"_time": TIME, "message": "old", "app": "web", "n": "1"}.items()


@pytest.mark.parametrize(
    ("encoding", "encode"),
    [
        ("", bytes),
        ("none", bytes),
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("zlib", zlib.compress),
        ("snappy", pack),
    ],
)
@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "text/plain", None])
def test_json_is_read_in_every_encoding_and_under_any_type(
    service: RunningService,
    env: str,
    encoding: str,
    encode: Callable[[bytes], bytes],
    content_type: str | None,
) -> None:
    headers = {"Content-Encoding": encoding} | (
        {"Content-Type": content_type} if content_type else {}
    )
    answer = push(service, encode(encode_push("hello")), {"env": env}, headers)
    assert answer.status_code == 204, answer.text
    assert [row["message"] for row in find_rows(service, env)] == ["hello"]


def test_many_entries_all_arrive(service: RunningService, env: str) -> None:
    lines = [json.dumps({"n": n}) if n % 2 else f"text {n}" for n in range(4_000)]
    assert push(service, encode_push(*lines), {"env": env}).status_code == 204
    service.flush()
    assert service.count(env=env) == 4_000
    assert service.count("n:*", env=env) == 2_000


def test_an_index_may_depend_on_a_label(service: RunningService, env: str) -> None:
    body = encode_push("x", labels={"app": "Web"})
    assert push(service, body, {"env": env, "index": "app-{{app}}"}).status_code == 204
    assert [row["_index"] for row in find_rows(service, env)] == ["app-web"]


def test_a_source_label_counts_before_the_source_parameter(
    service: RunningService, env: str
) -> None:
    for labels in ({"source": "label"}, {}):
        params = {"env": env, "source": "parameter"}
        assert push(service, encode_push("x", labels=labels), params).status_code == 204
    assert sorted(row["source"] for row in find_rows(service, env)) == ["label", "parameter"]


@pytest.mark.parametrize("body", [b'{"streams":[]}', b'{"streams":[{"stream":{},"values":null}]}'])
def test_an_empty_push_is_a_success(service: RunningService, env: str, body: bytes) -> None:
    assert push(service, body, {"env": env}).status_code == 204


def test_a_wrong_entry_is_named_and_all_entries_are_stored(
    service: RunningService, env: str
) -> None:
    answer = push(service, encode_push("good", 5, '{"also":"good"}'), {"env": env})
    check_line(answer, 400, "1 of 3 entries were not understood", "expected [time, line]")
    rows = find_rows(service, env)
    assert {row.get("message") for row in rows} == {"good", None, f'["{TIME_NS}", 5]'}


@pytest.mark.parametrize("body", [b"", b"hello", b"[]", b'{"streams":[{"values"', b'{"a":1}'])
def test_what_is_no_push_is_a_400(service: RunningService, env: str, body: bytes) -> None:
    check_line(push(service, body, {"env": env}), 400, "the body is")
    assert find_rows(service, env) == []


def test_a_body_beyond_measure_is_a_413(service: RunningService, env: str) -> None:
    large = b'{"streams":[{"values":[["0","' + b"x" * MAX_BODY_BYTES + b'"]]}]}'
    headers = {**JSON, "Content-Encoding": "gzip"}
    check_line(push(service, gzip.compress(large, 1), {"env": env}, headers), 413)
    many = b'{"streams":[{"values":[' + b"0," * MAX_COMMAS + b"0,0]}]}"
    check_line(push(service, gzip.compress(many, 1), {"env": env}, headers), 413)


@pytest.mark.parametrize(
    ("params", "headers", "status"),
    [
        ({"env": "nowhere"}, {}, 400),
        ({"index": "_self"}, {}, 400),
        ({}, {"Authorization": "Bearer wrong"}, 401),
        ({}, {"Content-Encoding": "gzip"}, 400),
        ({}, {"Content-Encoding": "lzma"}, 415),
    ],
)
def test_every_refusal_is_one_line_of_text(
    service: RunningService,
    env: str,
    params: dict[str, str],
    headers: dict[str, str],
    status: int,
) -> None:
    answer = push(service, encode_push("x"), {"env": env} | params, JSON | headers)
    check_line(answer, status)
    assert find_rows(service, env) == []


@each_path
def test_another_method_is_a_405(service: RunningService, path: str) -> None:
    answer = service.anonymous.put(path, content=b"")
    check_line(answer, 405)
    assert answer.headers["Allow"] == "POST"


def test_the_class_can_be_switched_off(start_service: MakeService) -> None:
    service = start_service()
    service.control.settings.patch({"ingest": {"compat_enabled": False}})
    check_line(push(service, encode_push("x"), {}), 403, "switched off")
    check_line(service.anonymous.get("/loki/ready"), 403, "switched off")
    check_line(service.anonymous.get("/loki/api/v1/labels"), 403, "switched off")


def test_a_token_may_be_required(start_service: MakeService) -> None:
    service = start_service()
    service.control.settings.patch({"ingest": {"require_auth": True}})
    check_line(push(service, encode_push("x"), {}), 401)
    check_line(service.anonymous.get("/loki/ready"), 401)
    headers = JSON | bearer(make_token(service))
    assert push(service, encode_push("x"), {}, headers).status_code == 204


def test_entries_for_a_closed_index_are_stored_nowhere(service: RunningService, env: str) -> None:
    headers = JSON | bearer(make_token(service, env, ("web-*",)))
    params = {"index": "{{to}}"}
    closed, opened = '{"to":"db"}', '{"to":"web-1"}'
    check_line(
        push(service, encode_push(closed, closed), params, headers), 403, "nothing was stored"
    )
    mixed = push(service, encode_push(closed, opened, 5), params, headers)
    check_line(mixed, 400, "1 of 3 entries were not understood", "2 of 3 entries were refused")
    assert [row["_index"] for row in find_rows(service, env)] == ["web-1"]


def test_a_key_keeps_a_repeated_push_from_being_stored_twice(
    service: RunningService, env: str
) -> None:
    headers = JSON | {"Idempotency-Key": env}
    for _ in range(2):
        assert push(service, encode_push("once"), {"env": env}, headers).status_code == 204
    assert len(find_rows(service, env)) == 1


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (PROTOBUF, pack(encode_protobuf(b"x"))),
        ({"Content-Type": "application/x-protobuf"}, pack(encode_protobuf(b"x"))),
        ({"Content-Encoding": "snappy"}, pack(encode_protobuf(b"x"))),
        ({}, pack(encode_protobuf(b"x"))),
        ({}, encode_protobuf(b"x")),
    ],
)
def test_protobuf_is_refused_with_what_to_set(
    service: RunningService, env: str, headers: dict[str, str], body: bytes
) -> None:
    answer = push(service, body, {"env": env}, headers)
    check_line(answer, 415, 'unsupported content type "application/x-protobuf"', "json:true")
    assert find_rows(service, env) == []


def test_protobuf_is_read_when_an_admin_says_so(start_service: MakeService) -> None:
    service = start_service()
    service.control.settings.patch({"ingest": {"push_protobuf": True}})
    message = encode_protobuf(b"text", b'{"level":"own"}')
    for index, headers, body in (
        ("promtail", PROTOBUF, pack(message)),
        ("winston", {"Content-Type": "application/x-protobuf"}, pack(message)),
        ("bare", {}, pack(message)),
        ("plain", {"Content-Type": "application/x-protobuf"}, message),
        ("framed", PROTOBUF, bytes(cramjam.snappy.compress(message))),
    ):
        answer = push(service, body, {"index": index}, headers)
        assert (answer.status_code, answer.content) == (204, b""), answer.text
        service.flush()
        rows = service.search(index=index)["rows"]
        assert [(row["_time"], row["app"]) for row in rows] == [(TIME, "web")] * 2
        assert {(row.get("message"), row.get("level")) for row in rows} == {
            ("text", None),
            (None, "own"),
        }


def test_wrong_protobuf_is_one_line_too(start_service: MakeService) -> None:
    service = start_service()
    service.control.settings.patch({"ingest": {"push_protobuf": True}})
    check_line(push(service, pack(b"\x0a\x7f"), {}, PROTOBUF), 400, "not a valid protobuf push")
    check_line(push(service, b"garbage", {}, PROTOBUF), 400, "not valid snappy")
    labels = encode_protobuf(b"kept", labels=b"nonsense")
    check_line(push(service, pack(labels), {}, PROTOBUF), 400, "1 of 1 entries")
    assert find_rows(service, "default")[0]["labels"] == "nonsense"


def test_the_readiness_is_told(service: RunningService) -> None:
    assert service.anonymous.get("/loki/ready").text == "ready\n"
    assert service.anonymous.get("/ready").status_code == 200


def test_wrong_credentials_are_told_to_who_only_asks(service: RunningService) -> None:
    answer = service.anonymous.get("/loki/ready", headers=bearer("wrong"))
    check_line(answer, 401)
