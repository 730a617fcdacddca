"""OTLP/HTTP logs against a whole service: what is stored, and what is answered in which encoding."""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
import zstandard
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsPartialSuccess,
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from tests.api.signing_in import bearer, make_token
from tests.running import RunningService

from logboom.base.errors import Overloaded, Unavailable
from logboom.protocols.otlp.endpoint import MAX_BODY_BYTES, refuse
from logboom.web.asgi import RawRequest
from logboom.web.errors import describe_fault

MakeService = Callable[..., RunningService]

PROTOBUF = "application/x-protobuf"
JSON = "application/json"
TIME_NS = 1_714_979_289_123_456_789
PATHS = ("/v1/logs", "/api/otlp/v1/logs", "/otlp/v1/logs")
each_type = pytest.mark.parametrize("content_type", [PROTOBUF, JSON])


def make_protobuf(*messages: str, **attributes: str) -> bytes:
    """A record for each message, all with the same attributes."""
    request = ExportLogsServiceRequest()
    group = request.resource_logs.add()
    group.resource.attributes.add(key="service.name").value.string_value = "shop"
    for message in messages:
        record = group.scope_logs.add().log_records.add(time_unix_nano=TIME_NS, severity_number=9)
        record.body.string_value = message
        record.trace_id = bytes(range(16))
        for key, value in attributes.items():
            record.attributes.add(key=key).value.string_value = value
    return bytes(request.SerializeToString())


def make_json(*messages: str, **attributes: str) -> bytes:
    """The same in JSON."""
    records = [
        {
            "timeUnixNano": str(TIME_NS),
            "severityNumber": 9,
            "body": {"stringValue": message},
            "traceId": bytes(range(16)).hex().upper(),
            "attributes": list_pairs(attributes),
        }
        for message in messages
    ]
    group = {
        "resource": {"attributes": list_pairs({"service.name": "shop"})},
        "scopeLogs": [{"logRecords": records}],
    }
    return json.dumps({"resourceLogs": [group]}).encode()


def list_pairs(attributes: dict[str, str]) -> list[dict[str, Any]]:
    return [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]


MAKERS = {PROTOBUF: make_protobuf, JSON: make_json}
SUCCESSES = {PROTOBUF: b"", JSON: b"{}"}


def post(
    service: RunningService,
    content_type: str,
    body: bytes | Iterator[bytes],
    params: dict[str, str] | None = None,
    headers: dict[str, str] | None = None,
    path: str = "/v1/logs",
) -> httpx.Response:
    """A request without credentials."""
    all_headers = {"Content-Type": content_type, **(headers or {})}
    return service.anonymous.post(path, content=body, params=params, headers=all_headers)


def check_success(answer: httpx.Response, content_type: str) -> None:
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == content_type
    assert answer.content == SUCCESSES[content_type]


def read_status(answer: httpx.Response, content_type: str, status: int) -> tuple[int, str]:
    """The code and message of an error, which came in the encoding of the request."""
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == content_type
    return decode_status(answer.content, content_type)


def decode_status(content: bytes, content_type: str) -> tuple[int, str]:
    if content_type == JSON:
        fields = json.loads(content)
        return fields["code"], fields["message"]
    # The same on the wire as google.rpc.Status.
    status = ExportLogsPartialSuccess.FromString(content)
    return status.rejected_log_records, status.error_message


def read_partial(answer: httpx.Response, content_type: str) -> tuple[int, str]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == content_type
    if content_type == JSON:
        partial = answer.json()["partialSuccess"]
        assert isinstance(partial["rejectedLogRecords"], str)
        return int(partial["rejectedLogRecords"]), partial["errorMessage"]
    decoded = ExportLogsServiceResponse.FromString(answer.content).partial_success
    return decoded.rejected_log_records, decoded.error_message


def list_messages(service: RunningService, env: str) -> list[str]:
    service.flush()
    return sorted(row["message"] for row in service.search(env=env)["rows"])


@each_type
@pytest.mark.parametrize("path", [*PATHS, "/v1/logs/"])
def test_records_are_stored_and_the_answer_is_empty(
    service: RunningService, env: str, content_type: str, path: str
) -> None:
    body = MAKERS[content_type]("hello", **{"http.route": "/x"})
    check_success(post(service, content_type, body, {"env": env}, path=path), content_type)
    service.flush()
    (row,) = service.search(env=env)["rows"]
    assert row["_time"] == "2024-05-06T07:08:09.123456789Z"
    assert {name: value for name, value in row.items() if not name.startswith("_")} == {
        "message": "hello",
        "severity": "INFO",
        "severityNumber": 9,
        "traceId": "000102030405060708090a0b0c0d0e0f",
        "http.route": "/x",
        "service.name": "shop",
    }
    assert service.count("service.name:shop http.route:=/x", env=env) == 1


@each_type
def test_a_request_without_records_is_a_success(
    service: RunningService, env: str, content_type: str
) -> None:
    for body in (SUCCESSES[content_type], MAKERS[content_type]()):
        check_success(post(service, content_type, body, {"env": env}), content_type)
    assert list_messages(service, env) == []


@each_type
@pytest.mark.parametrize(
    ("encoding", "encode"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("zstd", zstandard.compress),
        ("identity", bytes),
    ],
)
def test_every_encoding_is_read(
    service: RunningService,
    env: str,
    content_type: str,
    encoding: str,
    encode: Callable[[bytes], bytes],
) -> None:
    body = encode(MAKERS[content_type]("packed"))
    answer = post(service, content_type, body, {"env": env}, {"Content-Encoding": encoding})
    check_success(answer, content_type)
    assert list_messages(service, env) == ["packed"]


@each_type
def test_a_body_may_come_in_chunks_and_its_type_with_parameters(
    service: RunningService, env: str, content_type: str
) -> None:
    body = MAKERS[content_type]("chunked")
    chunks = (body[start : start + 7] for start in range(0, len(body), 7))
    header = f"{content_type.upper()}; charset=utf-8"
    check_success(post(service, header, chunks, {"env": env}), content_type)
    assert list_messages(service, env) == ["chunked"]


def test_a_target_may_be_given_in_headers_and_by_template(
    service: RunningService, env: str
) -> None:
    headers = {"X-Service-Env": env, "X-Service-Index": "app-{{service.name}}"}
    check_success(post(service, PROTOBUF, make_protobuf("x"), headers=headers), PROTOBUF)
    service.flush()
    assert [row["_index"] for row in service.search(env=env)["rows"]] == ["app-shop"]


@each_type
def test_records_for_a_closed_index_are_counted_and_stored_nowhere(
    service: RunningService, env: str, content_type: str
) -> None:
    headers = bearer(make_token(service, env, ("open-*",)))
    make = MAKERS[content_type]
    for name in ("open", "closed"):
        body = make("one", "two", to=name)
        answer = post(service, content_type, body, {"index": "{{to}}-x"}, headers)
        if name == "open":
            check_success(answer, content_type)
        else:
            rejected, message = read_partial(answer, content_type)
            assert rejected == 2
            assert message == "2 records are for an index that you may not write to"
    assert list_messages(service, env) == ["one", "two"]


def test_a_damaged_record_is_counted_and_its_neighbours_are_stored(
    service: RunningService, env: str
) -> None:
    damaged = make_protobuf("one", "two").replace(b"\x0a\x03one", b"\x0a\x09one")
    rejected, message = read_partial(post(service, PROTOBUF, damaged, {"env": env}), PROTOBUF)
    assert rejected == 1
    assert message == "record 0 is rejected: it is not a protobuf LogRecord"
    assert list_messages(service, env) == ["two"]


def test_a_record_of_wrong_types_is_kept_as_text_with_a_warning(
    service: RunningService, env: str
) -> None:
    body = b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":7},{"body":{"stringValue":"x"}}]}]}]}'
    rejected, message = read_partial(post(service, JSON, body, {"env": env}), JSON)
    assert rejected == 0
    assert message.startswith("record 0 is kept as text: ")
    assert list_messages(service, env) == ["x", '{"body":7}']


def test_records_nested_too_deeply_are_kept_as_text_with_a_warning(
    service: RunningService, env: str
) -> None:
    value: dict[str, Any] = {"stringValue": "deep"}
    for _ in range(270):
        value = {"arrayValue": {"values": [value]}}
    record = {"attributes": [{"key": "a", "value": value}]}
    body = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}).encode()
    rejected, message = read_partial(post(service, JSON, body, {"env": env}), JSON)
    assert (rejected, message) == (0, "1 record is kept as text: nested too deeply")
    assert len(list_messages(service, env)) == 1


@each_type
@pytest.mark.parametrize("body", [b"{", b"\x0a\x7f", b"\xff\xff"])
def test_what_cannot_be_read_is_a_400_and_leaves_nothing(
    service: RunningService, env: str, content_type: str, body: bytes
) -> None:
    whole = MAKERS[content_type]("neighbour") if content_type == PROTOBUF else b""
    answer = post(service, content_type, whole + body, {"env": env})
    code, message = read_status(answer, content_type, 400)
    assert code == 3
    assert message
    assert list_messages(service, env) == []


@each_type
def test_a_body_beyond_the_limit_is_a_413(service: RunningService, content_type: str) -> None:
    body = gzip.compress(bytes(MAX_BODY_BYTES + 1))
    answer = post(service, content_type, body, headers={"Content-Encoding": "gzip"})
    assert read_status(answer, content_type, 413)[0] == 8


def test_a_small_body_that_makes_too_many_lines_is_a_413(service: RunningService, env: str) -> None:
    request = ExportLogsServiceRequest()
    group = request.resource_logs.add()
    group.resource.attributes.add(key="a").value.string_value = "x" * 2_000_000
    for _ in range(150):
        group.scope_logs.add().log_records.add()
    answer = post(service, PROTOBUF, request.SerializeToString(), {"env": env})
    assert "smaller batches" in read_status(answer, PROTOBUF, 413)[1]
    service.flush()
    assert service.count(env=env) == 0


@each_type
def test_a_request_larger_than_a_batch_is_stored_whole(
    service: RunningService, env: str, content_type: str
) -> None:
    body = MAKERS[content_type](*(f"{number} " + "x" * 9_000 for number in range(2_000)))
    check_success(post(service, content_type, body, {"env": env}), content_type)
    service.flush()
    assert service.count(env=env) == 2_000


@each_type
def test_an_unknown_content_encoding_is_a_415(service: RunningService, content_type: str) -> None:
    body = MAKERS[content_type]("x")
    answer = post(service, content_type, body, headers={"Content-Encoding": "lzma"})
    code, message = read_status(answer, content_type, 415)
    assert code == 12
    assert "lzma" in message


@pytest.mark.parametrize("content_type", ["", "text/plain", "application/grpc", "json"])
def test_another_content_type_is_a_415_in_plain_text(
    service: RunningService, content_type: str
) -> None:
    answer = post(service, content_type, b"{}")
    assert answer.status_code == 415
    assert answer.headers["Content-Type"] == "text/plain"
    assert answer.text == (
        "415 unsupported media type, supported: [application/json, application/x-protobuf]"
    )


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
@pytest.mark.parametrize("path", PATHS)
def test_another_method_is_a_405_in_plain_text(
    service: RunningService, method: str, path: str
) -> None:
    answer = service.anonymous.request(method, path, headers={"Content-Type": JSON})
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"
    assert answer.headers["Content-Type"] == "text/plain"
    assert answer.text == "405 method not allowed, supported: [POST]"


@each_type
@pytest.mark.parametrize("base", ["", "/api/otlp", "/otlp"])
@pytest.mark.parametrize("signal", ["traces", "metrics"])
def test_other_signals_are_a_404_that_says_so(
    service: RunningService, content_type: str, base: str, signal: str
) -> None:
    answer = post(service, content_type, b"", path=f"{base}/v1/{signal}")
    code, message = read_status(answer, content_type, 404)
    assert code == 5
    assert "only logs are accepted" in message


@each_type
def test_targets_and_credentials_that_are_wrong_are_refused(
    service: RunningService, env: str, content_type: str
) -> None:
    body = MAKERS[content_type]("x")
    unknown = post(service, content_type, body, {"env": "nowhere"})
    assert read_status(unknown, content_type, 400)[0] == 3
    reserved = post(service, content_type, body, {"env": env, "index": "_self"})
    assert read_status(reserved, content_type, 400)[0] == 3
    wrong = post(service, content_type, body, {"env": env}, bearer("wrong"))
    assert read_status(wrong, content_type, 401)[0] == 16
    assert wrong.headers["WWW-Authenticate"] == "Bearer"
    pinned = bearer(make_token(service, env))
    elsewhere = post(service, content_type, body, {"env": "default"}, pinned)
    assert read_status(elsewhere, content_type, 403)[0] == 7
    assert list_messages(service, env) == []


@each_type
def test_a_full_queue_is_a_429_and_nothing_is_stored(
    start_service: MakeService, content_type: str
) -> None:
    service = start_service(queue_cap=0)
    answer = post(service, content_type, MAKERS[content_type]("x"))
    assert read_status(answer, content_type, 429)[0] == 8
    assert int(answer.headers["Retry-After"]) >= 1
    assert list_messages(service, "default") == []


@each_type
def test_the_class_can_be_switched_off(start_service: MakeService, content_type: str) -> None:
    service = start_service()
    service.control.settings.patch({"ingest": {"compat_enabled": False}})
    answer = post(service, content_type, MAKERS[content_type]("x"))
    code, message = read_status(answer, content_type, 403)
    assert code == 7
    assert "switched off" in message


def test_the_same_idempotency_key_stores_once(service: RunningService, env: str) -> None:
    headers = {"Idempotency-Key": f"otlp-{env}"}
    for _ in range(2):
        answer = post(service, PROTOBUF, make_protobuf("once"), {"env": env}, headers)
        check_success(answer, PROTOBUF)
    assert list_messages(service, env) == ["once"]


def make_request(content_type: str) -> RawRequest:
    async def receive() -> Any:
        raise AssertionError("nobody reads the body")

    scope: Any = {
        "method": "POST",
        "path": "/v1/logs",
        "query_string": b"",
        "headers": [(b"content-type", content_type.encode())],
    }
    return RawRequest(scope, receive)


@each_type
def test_faults_of_our_own_are_told_as_ones_that_pass(content_type: str) -> None:
    for error, status, code in (
        (describe_fault(), 503, 14),
        (Unavailable("disk full"), 503, 14),
        (Overloaded("try again", retry_after_s=7), 429, 8),
    ):
        reply = refuse(error, make_request(content_type))
        assert (reply.status, reply.content_type) == (status, content_type)
        assert decode_status(reply.body, content_type) == (code, error.message)
        assert int(reply.headers["Retry-After"]) >= 1


def test_refused_records_are_reported_before_those_that_are_kept_as_text(
    service: RunningService, env: str
) -> None:
    record = {"timeUnixNano": "abc", "body": {"stringValue": "x"}}
    body = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record] * 4}]}]}).encode()
    headers = bearer(make_token(service, env, ("open-*",)))
    answer = post(service, JSON, body, {"index": "closed"}, headers)
    rejected, message = read_partial(answer, JSON)
    assert rejected == 4
    assert message.startswith("4 records are for an index that you may not write to; ")
    assert list_messages(service, env) == []
