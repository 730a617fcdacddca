"""Bulk requests and single documents against a whole service: what is stored, where, and what is answered."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.api.signing_in import bearer, make_token
from tests.running import RunningService

MakeService = Callable[..., RunningService]
Rows = list[dict[str, Any]]

DAY = "2024-05-06T07:08:09Z"
PREFIXES = ("", "/api/es")


def pair(action: object, source: object) -> bytes:
    return json.dumps(action).encode() + b"\n" + json.dumps(source).encode() + b"\n"


def post(
    service: RunningService,
    env: str,
    body: bytes,
    path: str = "/_bulk",
    **options: Any,
) -> httpx.Response:
    """A bulk request without credentials."""
    params = {"env": env, **options.pop("params", {})}
    return service.anonymous.post(path, content=body, params=params, **options)


def list_items(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def find(service: RunningService, env: str) -> Rows:
    """All events of an environment, by their `n`."""
    service.flush()
    rows: Rows = service.search(env=env)["rows"]
    return sorted(rows, key=lambda row: row.get("n", -1))


def check_error(answer: httpx.Response, status: int, kind: str) -> str:
    """The form of an error; returns its reason."""
    assert answer.status_code == status, answer.text
    assert answer.headers["X-Elastic-Product"] == "Elasticsearch"
    assert answer.headers["Content-Type"] == "application/json"
    content = answer.json()
    cause = {"type": kind, "reason": content["error"]["reason"]}
    assert content == {"error": {"root_cause": [cause], **cause}, "status": status}
    reason: str = cause["reason"]
    return reason


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("path", ["/_bulk", "/_bulk/", "/web/_bulk", "/web/_doc/_bulk"])
def test_bulk_is_taken_on_every_path(
    service: RunningService, env: str, prefix: str, method: str, path: str
) -> None:
    body = pair({"create": {}}, {"n": 1}) + pair({"index": {"_index": "Own"}}, {"n": 2})
    answer = service.anonymous.request(method, prefix + path, content=body, params={"env": env})
    assert answer.headers["X-Elastic-Product"] == "Elasticsearch"
    assert answer.headers["Content-Type"] == "application/json"
    expected = ["web" if "web" in path else "default", "own"]
    created, indexed = list_items(answer)
    assert [created["create"]["_index"], indexed["index"]["_index"]] == expected
    assert [row["_index"] for row in find(service, env)] == expected


def test_the_answer_has_the_words_that_shippers_look_for(service: RunningService, env: str) -> None:
    answer = post(service, env, pair({"create": {"_index": "a", "_id": "7"}}, {"n": 1}))
    assert answer.text.startswith('{"took":')
    assert answer.text.partition(",")[2] == (
        '"errors":false,"items":[{"create":{"_index":"a","_id":"7","_version":1,"result":"created",'
        '"_shards":{"total":1,"successful":1,"failed":0},"_seq_no":0,"_primary_term":1,"status":201}}]}'
    )


def test_statuses_alone_where_no_more_is_asked_for(service: RunningService, env: str) -> None:
    params = {"filter_path": "errors,items.*.error,items.*.status"}
    body = pair({"create": {"_index": "a"}}, {"n": 1}) * 2
    answer = post(service, env, body, params=params)
    assert answer.text == (
        '{"errors":false,"items":[{"create":{"status":201}},{"create":{"status":201}}]}'
    )


def test_every_operation_does_its_own(service: RunningService, env: str) -> None:
    body = (
        pair({"index": {"_index": "a", "_type": "_doc"}}, {"n": 1, "@timestamp": DAY})
        + b'{"delete":{"_index":"a","_id":"x"}}\n\n'
        + pair({"update": {"_index": "a", "_id": 7}}, {"doc": {"n": 2}, "doc_as_upsert": True})
        + pair({"update": {"_id": "8"}}, {"script": "x", "upsert": {"n": 3}})
        + pair({"create": {"_index": "b"}}, {"n": 4}).removesuffix(b"\n")
    )
    answer = post(service, env, body)
    assert answer.json()["errors"] is False
    outcomes = [
        (operation, item["status"], item["result"])
        for each in list_items(answer)
        for operation, item in each.items()
    ]
    assert outcomes == [
        ("index", 201, "created"),
        ("delete", 200, "noop"),
        ("update", 200, "updated"),
        ("update", 200, "updated"),
        ("create", 201, "created"),
    ]
    rows = find(service, env)
    assert [(row["n"], row["_index"]) for row in rows] == [
        (1, "a"),
        (2, "a"),
        (3, "default"),
        (4, "b"),
    ]
    assert rows[0]["_time"] == DAY
    assert not any("doc.n" in row for row in rows)


def test_made_up_ids_are_all_different(service: RunningService, env: str) -> None:
    body = pair({"index": {}}, {"n": 1}) * 600
    items = [
        *list_items(post(service, env, body)),
        *list_items(post(service, env, body)),
    ]
    assert len({item["index"]["_id"] for item in items}) == 1200


def test_sources_are_kept_to_the_letter(service: RunningService, env: str) -> None:
    source = b'{"z":1.10,"a":{"b":12345678901234567890},"a.c":"caf\\u00e9","e":1E3}'
    post(service, env, b'{"index":{}}\n' + source + b"\r\n")
    service.flush()
    (row,) = service.search(env=env, raw=True)["rows"]
    assert row["_raw"] == source.decode()


def test_the_index_parameter_and_header_are_the_fallback(service: RunningService, env: str) -> None:
    body = pair({"index": {}}, {"n": 1, "app": "Shop"}) + pair({"index": {"_index": ""}}, {"n": 2})
    body += pair({"index": {"_index": "own"}}, {"n": 3})
    items = list_items(post(service, env, body, params={"index": "x-{{app}}"}))
    assert [item["index"]["_index"] for item in items] == ["x-{{app}}", "x-{{app}}", "own"]
    assert [row["_index"] for row in find(service, env)] == ["x-shop", "x-unknown", "own"]
    headers = {"X-Service-Index": "By Header"}
    (item,) = list_items(post(service, env, pair({"index": {}}, {"n": 4}), headers=headers))
    assert item["index"]["_index"] == "by-header"
    assert find(service, env)[3]["_index"] == "by-header"


def test_the_source_parameter_counts_where_the_event_has_none(
    service: RunningService, env: str
) -> None:
    body = pair({"index": {}}, {"n": 1}) + pair({"index": {}}, {"n": 2, "source": "own"})
    post(service, env, body, params={"source": "given"})
    assert [row["source"] for row in find(service, env)] == ["given", "own"]


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json; charset=UTF-8",
        "application/x-ndjson",
        "application/vnd.elasticsearch+x-ndjson; compatible-with=9",
        "application/x-www-form-urlencoded",
        "text/plain",
    ],
)
def test_any_content_type_is_taken(service: RunningService, env: str, content_type: str) -> None:
    headers = {"Content-Type": content_type, "Content-Encoding": "gzip"}
    body = gzip.compress(pair({"index": {}}, {"n": 1}))
    assert post(service, env, body, headers=headers).json()["errors"] is False
    assert len(find(service, env)) == 1


def test_bad_items_do_not_fail_their_neighbours(service: RunningService, env: str) -> None:
    body = (
        pair({"index": {"_index": "a"}}, {"n": 1})
        + b'{"create":{"_index":"a","_id":"bad"}}\nno json\n'
        + pair({"index": {"_index": "_self"}}, {"n": 2})
        + b'{"delete":{}}\n'
        + pair({"update": {}}, {"script": "x"})
        + b'{"index":{}}\n\n'
        + pair({"index": {"_index": "b"}}, {"n": 3})
        + b'{"create":{}}\n'
    )
    answer = post(service, env, body, params={"filter_path": "-items.*._shards"})
    assert '"errors":true,"items":[' in answer.text
    items = [item for each in list_items(answer) for item in each.values()]
    assert [item["status"] for item in items] == [201, 400, 400, 200, 400, 400, 201, 400]
    assert items[1]["_index"] == "a"
    assert items[1]["_id"] == "bad"
    assert "kept as a message" in items[1]["error"]["reason"]
    assert [item["error"]["type"] for item in items if "error" in item] == [
        "document_parsing_exception",
        "invalid_index_name_exception",
        "action_request_validation_exception",
        "document_parsing_exception",
        "document_parsing_exception",
    ]
    rows = find(service, env)
    assert [(row.get("n"), row.get("message", "")) for row in rows] == [
        (None, "no json"),
        (1, ""),
        (3, ""),
    ]


def test_items_that_a_token_does_not_allow_are_refused_alone(
    service: RunningService, env: str
) -> None:
    headers = bearer(make_token(service, env, indexes=("app-*",)))
    body = b"".join(
        pair({"index": {"_index": index}}, {"n": number})
        for number, index in enumerate(["APP-1", "other", "app-2", "_app-3"])
    )
    answer = service.anonymous.post("/_bulk", content=body, headers=headers)
    items = [item["index"] for item in list_items(answer)]
    assert [item["status"] for item in items] == [201, 403, 201, 400]
    assert items[1]["error"]["type"] == "security_exception"
    assert [row["n"] for row in find(service, env)] == [0, 2]


@pytest.mark.parametrize("size_bytes", [10, 17 << 20])
def test_a_broken_action_line_refuses_all(
    service: RunningService, env: str, size_bytes: int
) -> None:
    good = pair({"index": {}}, {"message": "x" * (1 << 20 if size_bytes > 1 << 20 else 1)})
    body = good * max(1, size_bytes >> 20) + b'{"message":"where is the action?"}\n{}\n'
    answer = post(service, env, body)
    reason = check_error(answer, 400, "illegal_argument_exception")
    number = body.count(b"\n") - 1
    assert reason.startswith(f"Malformed action/metadata line [{number}], ")
    assert find(service, env) == []


@pytest.mark.parametrize("body", [b"", b"\n", b"\r\n \n"])
def test_an_empty_body_is_refused(service: RunningService, env: str, body: bytes) -> None:
    reason = check_error(post(service, env, body), 400, "parse_exception")
    assert reason == "request body is required"


def test_an_unknown_environment_and_a_bad_encoding_are_told_in_the_protocols_form(
    service: RunningService, env: str
) -> None:
    body = pair({"index": {}}, {"n": 1})
    reason = check_error(post(service, "nowhere", body), 400, "illegal_argument_exception")
    assert "nowhere" in reason
    odd = post(service, env, body, headers={"Content-Encoding": "lzma"})
    check_error(odd, 415, "media_type_header_exception")
    wrong = post(service, env, body, headers=bearer("wrong"))
    check_error(wrong, 401, "security_exception")
    reserved = post(service, env, body, params={"index": "_self"})
    check_error(reserved, 400, "illegal_argument_exception")


def test_a_full_queue_is_a_429_and_nothing_is_stored(start_service: MakeService) -> None:
    service = start_service(queue_cap=0)
    for path in ("/_bulk", "/a/_doc"):
        answer = post(service, "default", pair({"index": {}}, {"n": 1}), path)
        check_error(answer, 429, "circuit_breaking_exception")
        assert int(answer.headers["Retry-After"]) >= 1
    assert find(service, "default") == []


def test_the_switch_closes_bulk(start_service: MakeService) -> None:
    service = start_service()
    changed = service.client.patch("/api/settings", json={"ingest": {"compat_enabled": False}})
    assert changed.status_code == 200, changed.text
    for path in ("/_bulk", "/a/_doc", "/a/events"):
        answer = post(service, "default", pair({"index": {}}, {"n": 1}), path)
        assert "switched off" in check_error(answer, 403, "security_exception")


def test_the_same_idempotency_key_is_answered_the_same(start_service: MakeService) -> None:
    """Made-up ids included, also after a restart, and nothing is stored again."""
    service = start_service()
    body = pair({"index": {"_id": "1"}}, {"n": 1}) + b'{"index":{}}\nno json\n'
    body += pair({"create": {}}, {"n": 2})
    headers = {"Idempotency-Key": "bulk-key"}
    first = post(service, "default", body, headers=headers)
    assert [item["status"] for each in list_items(first) for item in each.values()] == [
        201,
        400,
        201,
    ]
    assert post(service, "default", body, headers=headers).content == first.content
    document = post(service, "default", b'{"n":3}', "/a/_doc", headers={"Idempotency-Key": "one"})
    service.restart()
    assert post(service, "default", body, headers=headers).content == first.content
    repeated = post(service, "default", b'{"n":3}', "/a/_doc", headers={"Idempotency-Key": "one"})
    assert repeated.content == document.content
    other = post(service, "default", body, headers={"Idempotency-Key": "another"})
    assert other.content != first.content
    assert len(find(service, "default")) == 7


def test_fluent_bit_gets_an_answer_that_it_can_read_and_stores_once(
    service: RunningService, env: str
) -> None:
    """A chunk of small events, one of them no JSON: neither its size nor its error makes it send all again."""
    body = pair({"create": {"_index": "fb"}}, {"n": 1}) * 20_000
    body += b'{"create":{"_index":"fb"}}\n{"n":\xff}\n'
    answer = post(service, env, body, headers={"User-Agent": "Fluent-Bit"})
    head = sum(len(name) + len(value) + 4 for name, value in answer.headers.raw)
    assert len(answer.content) + head < 512_000 - 1000
    assert '"errors":false,"items":[' in answer.text
    assert "Transfer-Encoding" not in answer.headers
    service.flush()
    assert service.count("*", env=env) == 20_001


@pytest.mark.parametrize(
    "action",
    [
        b'{"index":{"_index":"own"},"attempts":0}',
        b'{"attempts":0,"index":{"_index":"own"}}',
        b'{ "x" : {"_index":"no"}, "index" : { "_index" : "own", "_type":"_doc" } }',
        b'{"INDEX":{"_index":"own","_id":null}}',
        b'{"Index":{"_index":"OWN"},"doc":null}',
        b'{"index":{"_index":"own"},"create":{"_index":"no"}}',
        b'{"delete":false,"index":{"_index":"own"}}',
    ],
)
def test_an_action_is_found_among_other_members(
    service: RunningService, env: str, action: bytes
) -> None:
    (item,) = list_items(post(service, env, action + b'\n{"n":1}\n'))
    assert item["index"]["status"] == 201
    assert [(row["n"], row["_index"]) for row in find(service, env)] == [(1, "own")]


@pytest.mark.parametrize(
    "action", [b'{"create":null}', b'{"create":{}}', b'{"create": null,"a":1}']
)
def test_an_action_may_have_no_details(service: RunningService, env: str, action: bytes) -> None:
    (item,) = list_items(post(service, env, action + b'\n{"n":1}\n'))
    assert item["create"]["_index"] == "default"


@pytest.mark.parametrize(
    "action",
    [b"{}", b"[]", b'{"index":"own"}', b'{"index":[]}', b'{"attempts":{}}', b'{"index":nothing}'],
)
def test_what_names_no_action_is_refused(service: RunningService, env: str, action: bytes) -> None:
    answer = post(service, env, action + b'\n{"n":1}\n')
    assert "Malformed" in check_error(answer, 400, "illegal_argument_exception")


def test_a_large_request_is_stored_whole(service: RunningService, env: str) -> None:
    """More than one batch holds, with routes that differ from piece to piece."""
    padding = "x" * 10_000
    body = b"".join(
        pair({"index": {"_index": f"i-{number // 1000}"}}, {"n": number, "padding": padding})
        for number in range(2000)
    )
    answer = post(service, env, body)
    assert [item["index"]["_index"] for item in list_items(answer)] == [
        *["i-0"] * 1000,
        *["i-1"] * 1000,
    ]
    service.flush()
    assert service.count("i-0", env=env, index="i-0") == 0
    assert service.count("n<1000", env=env, index="i-0") == 1000
    assert service.count("n>=1000", env=env, index="i-1") == 1000


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize(
    ("method", "path", "identity"),
    [
        ("POST", "/Web/_doc", None),
        ("POST", "/Web/_doc/7", "7"),
        ("PUT", "/Web/_doc/7", "7"),
        ("PUT", "/Web/_create/a%20b", "a b"),
        ("POST", "/Web/_create/7", "7"),
        ("POST", "/Web/events", None),
    ],
)
def test_a_single_document_is_stored(
    service: RunningService, env: str, prefix: str, method: str, path: str, identity: str | None
) -> None:
    body = b'{\n  "n": 1,\n  "message": "a"\n}\n'
    answer = service.anonymous.request(method, prefix + path, content=body, params={"env": env})
    assert answer.status_code == 201, answer.text
    assert answer.headers["X-Elastic-Product"] == "Elasticsearch"
    content = answer.json()
    assert identity in (None, content["_id"])
    assert content == {
        "_index": "web",
        "_id": content["_id"],
        "_version": 1,
        "result": "created",
        "_shards": {"total": 1, "successful": 1, "failed": 0},
        "_seq_no": 0,
        "_primary_term": 1,
    }
    (row,) = find(service, env)
    assert (row["_index"], row["n"], row["message"]) == ("web", 1, "a")


def test_a_single_document_that_is_none_is_kept_and_reported(
    service: RunningService, env: str
) -> None:
    answer = post(service, env, b"no\njson", "/web/events")
    assert "kept as a message" in check_error(answer, 400, "document_parsing_exception")
    (row,) = find(service, env)
    assert (row["_index"], row["message"]) == ("web", "no json")
    check_error(post(service, env, b" \n", "/web/_doc"), 400, "parse_exception")


def test_a_single_document_that_a_token_does_not_allow_is_refused(
    service: RunningService, env: str
) -> None:
    headers = bearer(make_token(service, env, indexes=("app-*",)))
    answer = post(service, env, b'{"n":1}', "/web/_doc", headers=headers)
    check_error(answer, 403, "security_exception")
    assert post(service, env, b'{"n":2}', "/app-1/_doc", headers=headers).status_code == 201
    assert [row["n"] for row in find(service, env)] == [2]


def test_a_document_that_is_too_long_is_a_413(service: RunningService, env: str) -> None:
    body = b'{"message":"' + b"x" * (16 << 20) + b'"}'
    check_error(post(service, env, body, "/web/_doc"), 413, "content_too_long_exception")
    assert find(service, env) == []
