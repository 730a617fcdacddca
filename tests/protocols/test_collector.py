"""The event collector over HTTP: paths, codes, credentials, acknowledgements, and what is stored."""

import base64
import gzip
import json
import uuid
from collections.abc import Callable, Iterator
from typing import Any, cast

import httpx
import pytest
from tests.running import RunningService
from tests.together import together

from logboom.base.errors import (
    Code,
    DeadlineExceeded,
    LogboomError,
    Overloaded,
    TooLarge,
    Unavailable,
)
from logboom.protocols.collector.endpoint import ANSWERS, CODES, Refusal, refuse
from logboom.web.asgi import RawRequest
from logboom.web.reply import Reply

EVENT = "/services/collector/event"
RAW = "/services/collector/raw"
ACK = "/services/collector/ack"
HEALTH = "/services/collector/health"
CHANNEL = "0AEE95EC-7c75-4ba6-8a0c-d2a3e0f6d5c1"
TIME = "2026-11-15T00:20:09"
SUCCESS = '{"text":"Success","code":0}'
GOOD = b'{"event":"good"}'

StartService = Callable[..., RunningService]


def post(
    service: RunningService,
    body: bytes,
    path: str = EVENT,
    headers: dict[str, str] | None = None,
    **parameters: str,
) -> httpx.Response:
    """POST without credentials, unless the headers have some."""
    return service.anonymous.post(path, content=body, params=parameters, headers=headers)


def check(answer: httpx.Response, status: int, code: int) -> dict[str, Any]:
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert answer.headers["Content-Type"] == "application/json"
    content: dict[str, Any] = answer.json()
    return content


def list_events(service: RunningService, env: str) -> list[dict[str, Any]]:
    """Everything stored in an environment, by its message."""
    service.flush()
    rows: list[dict[str, Any]] = service.search(env=env)["rows"]
    return sorted(rows, key=lambda row: str(row.get("message")))


def list_messages(service: RunningService, env: str) -> list[str]:
    return [str(row.get("message")) for row in list_events(service, env)]


def make_token(service: RunningService, env: str, *indexes: str, enabled: bool = True) -> str:
    _, secret = service.control.tokens.create("shipper", env, indexes or ("*",), enabled)
    return secret


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that wants credentials."""
    running = RunningService(tmp_path_factory.mktemp("strict"))
    running.start()
    try:
        running.control.settings.patch({"ingest": {"require_auth": True}})
        yield running
    finally:
        running.stop()


@pytest.mark.parametrize("path", ["/services/collector", EVENT, f"{EVENT}/1.0", f"{EVENT}/"])
def test_envelopes_are_stored_with_all_they_say(
    service: RunningService, env: str, path: str
) -> None:
    envelope = {
        "time": "1794702009.639",
        "host": "web-1",
        "source": "app.log",
        "sourcetype": "app",
        "index": "Web",
        "event": {"message": "b }{", "status": 200, "user": {"id": 7}},
        "fields": {"region": "eu", "tags": ["x", "y"]},
    }
    body = b'{"event":"a","index":null,"fields":{}}' + json.dumps(envelope).encode()
    answer = post(service, body, path, env=env, index="fallback")
    assert (answer.status_code, answer.text) == (200, SUCCESS)
    first, second = list_events(service, env)
    assert (first["_index"], first["message"]) == ("fallback", "a")
    expected = {
        "_time": f"{TIME}.639Z",
        "_index": "web",
        "message": "b }{",
        "status": 200,
        "user.id": 7,
        "host": "web-1",
        "source": "app.log",
        "sourcetype": "app",
        "region": "eu",
        "tags": ["x", "y"],
    }
    assert expected.items() <= second.items()


@pytest.mark.parametrize("content_type", ["", "application/x-www-form-urlencoded", "text/plain"])
@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_the_content_type_does_not_matter(
    service: RunningService, env: str, content_type: str, encoding: str
) -> None:
    body = gzip.compress(GOOD) if encoding == "gzip" else GOOD
    headers = {"Content-Type": content_type, "Content-Encoding": encoding}
    check(post(service, body, headers=headers, env=env), 200, 0)
    assert list_messages(service, env) == ["good"]


def test_a_byte_order_mark_does_not_matter(service: RunningService, env: str) -> None:
    check(post(service, b"\xef\xbb\xbf" + GOOD, env=env), 200, 0)
    assert list_messages(service, env) == ["good"]


def test_query_parameters_are_defaults(service: RunningService, env: str) -> None:
    defaults = {"index": "i", "source": "s", "sourcetype": "t", "host": "h", "time": "1794702009.5"}
    body = b'{"event":"a"}{"event":"b","index":"own","source":"own","host":"own","time":1794702008}'
    check(service.anonymous.post(EVENT, content=body, params={"env": env, **defaults}), 200, 0)
    first, second = list_events(service, env)
    assert first["_time"] == f"{TIME}.5Z"
    assert {"_index": "i", "source": "s", "sourcetype": "t", "host": "h"}.items() <= first.items()
    assert second["_time"] == "2026-11-15T00:20:08Z"
    assert {"_index": "own", "source": "own", "host": "own"}.items() <= second.items()
    assert second["sourcetype"] == "t"


@pytest.mark.parametrize(
    ("path", "body"),
    [(EVENT, b""), (EVENT, b" \n"), (EVENT, b"[]"), (RAW, b""), (RAW, b" \n\r\n")],
)
def test_no_data(service: RunningService, env: str, path: str, body: bytes) -> None:
    answer = post(service, body, path, env=env)
    assert (answer.status_code, answer.text) == (400, '{"text":"No data","code":5}')


@pytest.mark.parametrize(
    ("bad", "code", "text"),
    [
        (b'{"host":"h"}', 12, "Event field is required"),
        (b'{"event":" "}', 13, "Event field cannot be blank"),
        (b'{"event":"x","index":"_self"}', 7, "Incorrect index"),
    ],
)
def test_a_bad_event_is_named_and_the_others_are_stored(
    service: RunningService, env: str, bad: bytes, code: int, text: str
) -> None:
    body = b'{"event":"a"}' + bad + b'{"event":"b"}' + bad
    answer = post(service, body, env=env, headers={"X-Splunk-Request-Channel": CHANNEL})
    assert answer.status_code == 400
    assert answer.text == f'{{"text":"{text}","code":{code},"invalid-event-number":1}}'
    assert list_messages(service, env) == ["a", "b"]


def test_broken_json_is_kept_and_named(service: RunningService, env: str) -> None:
    answer = post(service, b'{"event":"a"}\n{"event":oops}\n{"event":"b"}', env=env)
    assert check(answer, 400, 6)["invalid-event-number"] == 1
    assert list_messages(service, env) == ["a", "b", '{"event":oops}']


def test_the_first_bad_event_is_the_answer(service: RunningService, env: str) -> None:
    body = b'{"event":""}{"event":"a"}{"event":"b","index":"_x"}'
    assert check(post(service, body, env=env), 400, 13)["invalid-event-number"] == 0
    body = b'{"event":"c"}{"event":"d","index":"_x"}{}'
    assert check(post(service, body, env=env), 400, 7)["invalid-event-number"] == 1
    body = b'{}{"event":"e","index":"_x"}'
    assert check(post(service, body, env=env), 400, 12)["invalid-event-number"] == 0
    assert list_messages(service, env) == ["a", "c"]


def test_an_index_outside_the_tokens_list_is_incorrect(service: RunningService, env: str) -> None:
    headers = {"Authorization": f"Splunk {make_token(service, env, 'web-*')}"}
    body = b'{}{"event":"a","index":"web-1"}{"event":"b","index":"db"}'
    answer = post(service, b'{"event":"b","index":"db"}' + body, headers=headers)
    assert check(answer, 400, 7)["invalid-event-number"] == 0
    answer = post(service, b"text", RAW, headers, index="db")
    assert check(answer, 400, 7)["invalid-event-number"] == 0
    assert list_messages(service, env) == ["a"]


def test_events_in_every_index_are_stored_as_one_request(service: RunningService, env: str) -> None:
    body = b"".join(b'{"event":"e%d","index":"i%d"}' % (number, number % 7) for number in range(30))
    check(post(service, body, env=env), 200, 0)
    rows = list_events(service, env)
    assert {row["message"]: row["_index"] for row in rows} == {
        f"e{number}": f"i{number % 7}" for number in range(30)
    }


def test_a_large_body_is_stored_in_pieces(service: RunningService, env: str) -> None:
    padding = b"x" * 1_000
    body = b"".join(
        b'{"event":{"n":%d,"p":"%b"},"index":"%s"}'
        % (number, padding, b"a" if number % 2 else b"b")
        for number in range(25_000)
    )
    check(post(service, body, env=env), 200, 0)
    service.flush()
    assert service.count(env=env, index="a") == service.count(env=env, index="b") == 12_500


def test_a_body_over_the_limit(service: RunningService, env: str) -> None:
    body = gzip.compress(b'{"event":"%b"}' % (b"x" * (64 << 20)), 1)
    answer = post(service, body, headers={"Content-Encoding": "gzip"}, env=env)
    assert "expected a smaller one" in check(answer, 413, 6)["text"]


def test_raw_lines_are_messages(service: RunningService, env: str) -> None:
    text = b'one\r\n\n{"event":"two"}\n'
    answer = post(service, text, f"{RAW}/1.0", env=env, host="h", source="s", time="1794702009")
    assert (answer.status_code, answer.text) == (200, SUCCESS)
    rows = list_events(service, env)
    assert [row["message"] for row in rows] == ["one", '{"event":"two"}']
    expected = {"_time": f"{TIME}Z", "host": "h", "source": "s", "_index": "default"}
    assert all(expected.items() <= row.items() for row in rows)


@pytest.mark.parametrize("path", [HEALTH, f"{HEALTH}/1.0"])
def test_health_needs_no_token(strict: RunningService, path: str) -> None:
    answer = strict.anonymous.get(path)
    assert (answer.status_code, answer.text) == (200, '{"text":"HEC is healthy","code":17}')
    assert strict.anonymous.head(path).status_code == 200


def test_health_says_when_a_token_is_wrong(strict: RunningService) -> None:
    def ask(authorization: str) -> httpx.Response:
        return strict.anonymous.get(HEALTH, headers={"Authorization": authorization})

    check(ask(f"Splunk {make_token(strict, 'default')}"), 200, 17)
    check(ask(f"Splunk {make_token(strict, 'default', enabled=False)}"), 400, 22)
    check(ask("Splunk wrong"), 400, 21)


@pytest.mark.parametrize("path", [EVENT, f"{EVENT}/1.0", "/services/collector", RAW, f"{RAW}/1.0"])
def test_options_need_no_token(strict: RunningService, path: str) -> None:
    answer = strict.anonymous.options(path)
    assert (answer.status_code, answer.headers["Allow"]) == (200, "POST")


def test_other_methods_and_paths(service: RunningService) -> None:
    answer = service.anonymous.get(EVENT)
    check(answer, 405, 6)
    assert "POST" in answer.headers["Allow"]
    assert service.anonymous.post("/services/collector/s2s").status_code == 404


@pytest.mark.parametrize("path", [EVENT, RAW, ACK])
@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({}, 401, 2),
        ({"Authorization": "Splunk"}, 401, 3),
        ({"Authorization": "lbt_token"}, 401, 3),
        ({"Authorization": "Basic !!!"}, 401, 3),
        ({"Authorization": "Splunk wrong"}, 403, 4),
        ({"Authorization": "Bearer wrong"}, 403, 4),
    ],
)
def test_credentials_that_do_not_count(
    strict: RunningService, path: str, headers: dict[str, str], status: int, code: int
) -> None:
    check(post(strict, GOOD, path, headers), status, code)


@pytest.mark.parametrize("scheme", ["Splunk", "splunk", "Bearer", "Anything", "Basic"])
def test_any_scheme_may_come_before_a_token(strict: RunningService, scheme: str) -> None:
    token = make_token(strict, "default")
    if scheme == "Basic":
        token = base64.b64encode(f"x:{token}".encode()).decode()
    check(post(strict, GOOD, headers={"Authorization": f"{scheme} {token}"}), 200, 0)


def test_a_disabled_token(strict: RunningService) -> None:
    headers = {"Authorization": f"Splunk {make_token(strict, 'default', enabled=False)}"}
    answer = post(strict, GOOD, headers=headers)
    assert (answer.status_code, answer.text) == (403, '{"text":"Token disabled","code":1}')


def test_a_token_in_the_query_is_not_taken(strict: RunningService, service: RunningService) -> None:
    token = make_token(strict, "default")
    check(post(strict, GOOD, token=token), 400, 16)
    check(post(service, GOOD, token="x"), 400, 16)
    headers = {"Authorization": f"Splunk {token}"}
    check(post(strict, GOOD, headers=headers, token="x"), 200, 0)


def test_what_the_request_itself_has_wrong(service: RunningService, env: str) -> None:
    assert "nowhere" in check(post(service, GOOD, env="nowhere"), 400, 6)["text"]
    assert "reserved" in check(post(service, GOOD, env=env, index="_x"), 400, 6)["text"]
    assert "soon" in check(post(service, GOOD, env=env, time="soon"), 400, 6)["text"]
    check(post(service, GOOD, headers={"Content-Encoding": "odd"}, env=env), 415, 6)
    check(post(service, b"\x1f\x8b", headers={"Content-Encoding": "gzip"}, env=env), 400, 6)
    check(service.anonymous.post(f"{EVENT}?env=a&env=b", content=GOOD), 400, 6)
    token = make_token(service, env)
    answer = post(service, GOOD, headers={"Authorization": f"Splunk {token}"}, env="default")
    assert "pinned" in check(answer, 403, 4)["text"]
    assert list_messages(service, env) == []


def test_the_switch_closes_every_path(start_service: StartService) -> None:
    service = start_service()
    service.control.settings.patch({"ingest": {"compat_enabled": False}})
    for path in (EVENT, RAW, ACK):
        assert "switched off" in check(post(service, GOOD, path), 403, 4)["text"]
    check(service.anonymous.get(HEALTH), 403, 4)


def test_a_full_queue_is_said_before_anything_is_stored(start_service: StartService) -> None:
    service = start_service(queue_cap=0)
    for path in (EVENT, RAW):
        answer = post(service, GOOD, path)
        assert answer.status_code == 429
        assert answer.text == '{"text":"Server is busy","code":9}'
        assert int(answer.headers["Retry-After"]) >= 1
    answer = service.anonymous.get(HEALTH)
    check(answer, 503, 18)
    assert int(answer.headers["Retry-After"]) >= 1
    check(post(service, b'{"acks":[1]}', ACK), 400, 10)


@together(
    ("error", "status", "content", "headers"),
    [
        (Overloaded("full"), 429, '{"text":"Server is busy","code":9}', {"Retry-After": "1"}),
        (
            Unavailable("disk full", retry_after_s=7),
            503,
            '{"text":"Server is busy","code":9}',
            {"Retry-After": "7"},
        ),
        (DeadlineExceeded("late"), 504, '{"text":"Server is busy","code":9}', {}),
        (LogboomError("oops"), 500, '{"text":"Internal server error","code":8}', {}),
        (TooLarge("too long"), 413, '{"text":"too long","code":6}', {}),
        (Refusal(18), 503, f'{{"text":"{ANSWERS[18].text}","code":18}}', {"Retry-After": "1"}),
    ],
)
def test_errors_have_the_nearest_code(
    error: LogboomError, status: int, content: str, headers: dict[str, str]
) -> None:
    request = RawRequest(
        {"method": "POST", "path": EVENT, "headers": [], "query_string": b""},
        cast(Any, None),
    )
    assert refuse(error, request) == Reply(status, content.encode(), headers=headers)


def test_every_kind_of_error_has_a_code() -> None:
    assert set(CODES) == set(Code)
    assert set(CODES.values()) <= set(ANSWERS)


def test_a_request_with_an_idempotency_key_is_stored_once(
    service: RunningService, env: str
) -> None:
    headers = {"Idempotency-Key": uuid.uuid4().hex}
    for _ in range(2):
        check(post(service, GOOD + b"{}", headers=headers, env=env), 400, 12)
    assert list_messages(service, env) == ["good"]


def ask(service: RunningService, channel: str, *ids: int) -> dict[str, bool]:
    answer = post(service, json.dumps({"acks": ids}).encode(), ACK, channel=channel)
    assert answer.status_code == 200, answer.text
    acks: dict[str, bool] = answer.json()["acks"]
    return acks


@pytest.mark.parametrize(("path", "body"), [(EVENT, GOOD), (RAW, b"text")])
def test_a_channel_gets_an_id_that_is_true_there_alone(
    service: RunningService, env: str, path: str, body: bytes
) -> None:
    by_header = post(service, body, path, {"X-Splunk-Request-Channel": CHANNEL}, env=env)
    first = check(by_header, 200, 0)["ackId"]
    assert by_header.text == f'{{"text":"Success","code":0,"ackId":{first}}}'
    second = check(post(service, body, path, env=env, channel=CHANNEL), 200, 0)["ackId"]
    assert first != second
    assert ask(service, CHANNEL.lower(), first, second, 7) == {
        str(first): True,
        str(second): True,
        "7": False,
    }
    assert ask(service, str(uuid.uuid4()), first) == {str(first): False}


def test_an_id_holds_after_a_restart(start_service: StartService) -> None:
    service = start_service()
    ack_id = check(post(service, GOOD, channel=CHANNEL), 200, 0)["ackId"]
    service.restart()
    assert ask(service, CHANNEL, ack_id) == {str(ack_id): True}
    service.flush()
    assert service.count() == 1


def test_channels_that_are_none(service: RunningService, env: str) -> None:
    for path in (EVENT, RAW, ACK):
        answer = post(service, GOOD, path, env=env, channel="web-1")
        assert check(answer, 400, 11)["text"] == "Invalid data channel"
    assert check(post(service, b'{"acks":[1]}', ACK), 400, 10)["text"] == "Data channel is missing"
    assert list_messages(service, env) == []


@together("body", [b"", b"{}", b'{"acks":[1.5]}', b'{"acks":["1"]}', b"[1]", b"\xff"])
def test_questions_that_are_none(service: RunningService, body: bytes) -> None:
    check(post(service, body, f"{ACK}/1.0", channel=CHANNEL), 400, 6)
