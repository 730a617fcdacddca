"""Bodies that are missing or no JSON object: every route that takes one says what it expected."""

from collections.abc import Callable
from typing import Any

from tests.routes import list_framework_routes
from tests.running import RunningService
from tests.together import together

from logboom.api.app import ROUTES
from logboom.api.bodies import JsonRequest

JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
MISSING: dict[str, dict[str, Any]] = {
    "no body": {},
    "empty": {"content": b"", "headers": JSON},
    "blank": {"content": b" \r\n ", "headers": JSON},
    "empty of another type": {"content": b"", "headers": FORM},
}
UNFIT: dict[str, dict[str, Any]] = {
    "null": {"content": b"null", "headers": JSON},
    "array": {"content": b"[]", "headers": JSON},
    "string": {"content": b'"x"', "headers": JSON},
    "number": {"content": b"1", "headers": JSON},
    "boolean": {"content": b"true", "headers": JSON},
    "broken": {"content": b"{", "headers": JSON},
    "not UTF-8": {"content": b'{"name":"\xff"}', "headers": JSON},
    "deep": {"content": b"[" * 50_000, "headers": JSON},
    "form": {"content": b"name=x", "headers": FORM},
    "multipart": {
        "content": b"--x--",
        "headers": {"Content-Type": "multipart/form-data; boundary=x"},
    },
    "MessagePack": {"content": b"\x80", "headers": {"Content-Type": "application/x-msgpack"}},
}
TESTED_ALONE = ("/api/auth/logout", "/api/samples")
ROUTES_WITH_METHODS = sorted(
    (method, path)
    for method, path in list_framework_routes()
    if method in ("POST", "PUT", "PATCH") and path not in TESTED_ALONE
)
TAKING_BODIES = {
    path for route in ROUTES for path in route.paths if route.request_class is JsonRequest
}


def fill(path: str) -> str:
    return path.replace("{id:str}", "nothing").replace("{name:str}", "nothing")


@together(("method", "path"), ROUTES_WITH_METHODS)
def test_no_body_is_an_empty_object(service: RunningService, method: str, path: str) -> None:
    whole = service.client.request(method, fill(path), json={})
    for name, body in MISSING.items():
        answer = service.client.request(method, fill(path), **body)
        assert answer.status_code == whole.status_code < 500, name
        if answer.status_code == 400:
            assert answer.json() == whole.json()
            assert (
                "field" in answer.json()["error"] or "expected" in answer.json()["error"]["message"]
            )


@together(("method", "path"), ROUTES_WITH_METHODS)
def test_what_is_no_object_is_refused_in_plain_words(
    service: RunningService, method: str, path: str
) -> None:
    for name, body in UNFIT.items():
        answer = service.client.request(method, fill(path), **body)
        assert answer.status_code < 500, name
        if path in TAKING_BODIES:
            assert answer.status_code == 400, name
            assert "JSON object" in answer.json()["error"]["message"]


def test_half_of_a_surrogate_pair_is_named(service: RunningService) -> None:
    answer = service.client.post("/api/search", content=rb'{"query": "\ud800"}')
    assert answer.status_code == 400
    assert "half of a surrogate pair" in answer.json()["error"]["message"]


def test_every_route_with_a_body_reads_it_the_same_way() -> None:
    unread = {path for _, path in ROUTES_WITH_METHODS} - TAKING_BODIES
    assert unread == {
        "/api/admin/flush",
        "/api/auth/saml/acs",
        "/api/channels/{id:str}/test",
        "/api/queries/{id:str}/star",
        "/api/sources/{id:str}/reset",
        "/api/sources/{id:str}/run",
    }


def test_samples_need_no_body(start_service: Callable[..., RunningService]) -> None:
    answer = start_service().client.post("/api/samples")
    assert answer.status_code == 201
    assert answer.json()["ingested"] == 50_000
