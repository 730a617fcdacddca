"""Every endpoint's every error has the one envelope."""

import gzip
from typing import Any, NamedTuple

import httpx
from tests.routes import list_framework_routes, list_protocol_routes
from tests.running import CREDENTIALS, RunningService
from tests.together import together

from logboom.base.errors import Code


class Case(NamedTuple):
    """A request that must fail, signed in or not."""

    status: int
    method: str
    path: str
    options: dict[str, Any]
    signed_in: bool = True


def case(status: int, method: str, path: str, *, signed_in: bool = True, **options: Any) -> Case:
    return Case(status, method, path, options, signed_in)


BAD_SESSION: dict[str, Any] = {"headers": {"Authorization": "Bearer wrong"}}
ALERT = {"name": "x", "query": "", "operator": "above", "threshold": 1}
LARGE: dict[str, Any] = {"content": b" " * 1_000_000}

CASES = [
    case(400, "POST", "/api/ingest", params={"env": "nowhere"}),
    case(400, "POST", "/api/ingest", params={"index": "_self"}),
    case(400, "POST", "/api/ingest?index=a&index=b"),
    case(400, "POST", "/api/ingest", headers={"Idempotency-Key": "x" * 300}),
    case(400, "POST", "/api/ingest", headers={"Content-Encoding": "gzip"}, content=b"garbage"),
    case(401, "POST", "/api/ingest", signed_in=False, **BAD_SESSION),
    case(401, "POST", "/api/ingest", signed_in=False, headers={"Authorization": "Digest x"}),
    case(401, "POST", "/api/ingest", signed_in=False, headers={"X-Service-Token": "lbt_x"}),
    case(
        413,
        "POST",
        "/api/ingest",
        headers={"Content-Encoding": "gzip"},
        content=gzip.compress(bytes(1_000_000)) * 150,
    ),
    case(415, "POST", "/api/ingest", headers={"Content-Encoding": "rot13"}),
    case(400, "POST", "/api/ingest/raw", params={"format": "xml"}),
    case(400, "POST", "/api/ingest/raw", params={"multiline": "("}),
    case(400, "POST", "/api/ingest/raw", params={"max_lines": "x"}),
    case(401, "POST", "/api/ingest/raw", signed_in=False, **BAD_SESSION),
    case(415, "POST", "/api/ingest/raw", headers={"Content-Encoding": "rot13"}),
    case(400, "POST", "/api/search", content=b"{"),
    case(400, "POST", "/api/search", content=b"\xff"),
    case(400, "POST", "/api/search", json={"limit": 10_001}),
    case(400, "POST", "/api/search", json={"unknown": 1}),
    case(400, "POST", "/api/search", json={"query": "a | b"}),
    case(400, "POST", "/api/search", json={"env": "nowhere"}),
    case(400, "POST", "/api/search", json={"from": "never"}),
    case(400, "POST", "/api/search", json={"cursor": "x"}),
    case(401, "POST", "/api/search", signed_in=False, json={}),
    case(413, "POST", "/api/search", **LARGE),
    case(400, "GET", "/api/search", params={"limit": "many"}),
    case(400, "GET", "/api/search?query=a&query=b"),
    case(401, "GET", "/api/search", signed_in=False),
    case(400, "POST", "/api/histogram", content=b"{"),
    case(400, "POST", "/api/histogram", json={"buckets": 0}),
    case(400, "POST", "/api/histogram", json={"interval": "soon"}),
    case(400, "POST", "/api/histogram", json={"query": "* | stats count"}),
    case(401, "POST", "/api/histogram", signed_in=False, json={}),
    case(413, "POST", "/api/histogram", **LARGE),
    case(400, "GET", "/api/histogram", params={"by": "_time"}),
    case(401, "GET", "/api/histogram", signed_in=False),
    case(400, "POST", "/api/difference", json={"query": "*"}),
    case(400, "POST", "/api/difference", json={"filter": "a | b"}),
    case(401, "POST", "/api/difference", signed_in=False, json={}),
    case(413, "POST", "/api/difference", **LARGE),
    case(400, "GET", "/api/fields", params={"query": "("}),
    case(400, "GET", "/api/fields", params={"limit": "0"}),
    case(401, "GET", "/api/fields", signed_in=False),
    case(400, "GET", "/api/fields/{name:str}/values", params={"limit": "1001"}),
    case(401, "GET", "/api/fields/{name:str}/values", signed_in=False),
    case(400, "GET", "/api/tail", params={"query": "* | limit 1"}),
    case(400, "GET", "/api/tail", headers={"Last-Event-ID": "x"}),
    case(401, "GET", "/api/tail", signed_in=False),
    case(400, "GET", "/api/context"),
    case(400, "GET", "/api/context", params={"id": "x", "before": "-1"}),
    case(401, "GET", "/api/context", signed_in=False),
    case(404, "GET", "/api/context", params={"id": "x"}),
    case(400, "GET", "/api/export", params={"format": "xml"}),
    case(400, "GET", "/api/export", params={"query": "|"}),
    case(401, "GET", "/api/export", signed_in=False),
    case(400, "POST", "/api/query/parse", json={"query": "a | b"}),
    case(400, "POST", "/api/query/parse", json={}),
    case(401, "POST", "/api/query/parse", signed_in=False, json={"query": ""}),
    case(413, "POST", "/api/query/parse", **LARGE),
    case(400, "GET", "/api/query/complete", params={"pos": "x"}),
    case(400, "GET", "/api/query/complete", params={"env": "nowhere"}),
    case(401, "GET", "/api/query/complete", signed_in=False),
    case(400, "GET", "/api/indexes", params={"env": "nowhere"}),
    case(401, "GET", "/api/indexes", signed_in=False),
    case(400, "POST", "/api/setup", content=b"{"),
    case(409, "POST", "/api/setup", json=CREDENTIALS),
    case(413, "POST", "/api/setup", **LARGE),
    case(400, "POST", "/api/auth/login", json={"username": 1}),
    case(401, "POST", "/api/auth/login", json={"username": "admin", "password": "wrong"}),
    case(413, "POST", "/api/auth/login", **LARGE),
    case(401, "POST", "/api/auth/logout", signed_in=False),
    case(401, "GET", "/api/auth/me", signed_in=False),
    case(401, "GET", "/api/auth/me", signed_in=False, **BAD_SESSION),
    case(409, "GET", "/api/auth/saml/metadata", signed_in=False),
    case(403, "GET", "/api/auth/saml/login", signed_in=False),
    case(403, "POST", "/api/auth/saml/acs", signed_in=False),
    case(400, "POST", "/api/auth/password", json={"old": "x"}),
    case(401, "POST", "/api/auth/password", signed_in=False, json={}),
    case(403, "POST", "/api/auth/password", json={"old": "wrong", "new": "correct horse"}),
    case(413, "POST", "/api/auth/password", **LARGE),
    *(
        each
        for path in ("/api/users", "/api/keys", "/api/tokens")
        for each in (
            case(401, "GET", path, signed_in=False),
            case(400, "POST", path, json={"unknown": 1}),
            case(401, "POST", path, signed_in=False, json={}),
            case(413, "POST", path, **LARGE),
            case(401, "GET", f"{path}/{{id:str}}", signed_in=False),
            case(404, "GET", f"{path}/{{id:str}}"),
            case(400, "PATCH", f"{path}/{{id:str}}", json={"unknown": 1}),
            case(400, "PATCH", f"{path}/{{id:str}}", json={}, headers={"If-Match": "x"}),
            case(401, "PATCH", f"{path}/{{id:str}}", signed_in=False, json={}),
            case(404, "PATCH", f"{path}/{{id:str}}", json={}),
            case(409, "PATCH", f"{path}/{{id:str}}", json={}, headers={"If-Match": '"999999"'}),
            case(413, "PATCH", f"{path}/{{id:str}}", **LARGE),
            case(401, "DELETE", f"{path}/{{id:str}}", signed_in=False),
            case(404, "DELETE", f"{path}/{{id:str}}"),
            case(409, "DELETE", f"{path}/{{id:str}}", headers={"If-Match": '"999999"'}),
        )
    ),
    case(409, "POST", "/api/users", json={**CREDENTIALS, "role": "viewer"}),
    case(400, "POST", "/api/keys", json={"name": "", "scopes": []}),
    case(400, "POST", "/api/tokens", json={"name": "x", "env": "nowhere"}),
    case(401, "GET", "/api/settings", signed_in=False),
    case(400, "PATCH", "/api/settings", json={"unknown": {}}),
    case(400, "PATCH", "/api/settings", json=[]),
    case(401, "PATCH", "/api/settings", signed_in=False, json={}),
    case(409, "PATCH", "/api/settings", json={}, headers={"If-Match": '"999999"'}),
    case(413, "PATCH", "/api/settings", **LARGE),
    case(401, "GET", "/api/envs", signed_in=False),
    case(401, "GET", "/api/envs/{id:str}", signed_in=False),
    case(404, "GET", "/api/envs/{id:str}"),
    case(400, "PATCH", "/api/envs/{id:str}", json={}),
    case(401, "PATCH", "/api/envs/{id:str}", signed_in=False, json={"retention_days": 1}),
    case(404, "PATCH", "/api/envs/{id:str}", json={"retention_days": 1}),
    case(413, "PATCH", "/api/envs/{id:str}", **LARGE),
    case(400, "DELETE", "/api/envs/{id:str}"),
    case(401, "DELETE", "/api/envs/{id:str}", signed_in=False),
    case(404, "DELETE", "/api/envs/{id:str}", params={"name": "{id:str}"}),
    case(400, "POST", "/api/envs", json={"name": "_mine"}),
    case(400, "POST", "/api/envs", json={}),
    case(401, "POST", "/api/envs", signed_in=False, json={"name": "mine"}),
    case(409, "POST", "/api/envs", json={"name": "default"}),
    case(413, "POST", "/api/envs", **LARGE),
    case(401, "GET", "/api/lookups", signed_in=False),
    case(401, "GET", "/api/lookups/{name:str}", signed_in=False),
    case(404, "GET", "/api/lookups/{name:str}"),
    case(400, "PUT", "/api/lookups/{name:str}", content=b"{"),
    case(400, "PUT", "/api/lookups/{name:str}", json={"csv": ""}),
    case(400, "PUT", "/api/lookups/{name:str}", json={"csv": "a,a\n"}),
    case(401, "PUT", "/api/lookups/{name:str}", signed_in=False, json={"csv": "a\n"}),
    case(404, "DELETE", "/api/lookups/{name:str}"),
    case(401, "GET", "/api/queries", signed_in=False),
    case(400, "POST", "/api/queries", content=b"{"),
    case(400, "POST", "/api/queries", json={"name": "x", "query": "a | stat count"}),
    case(400, "POST", "/api/queries", json={"name": "", "query": ""}),
    case(401, "POST", "/api/queries", signed_in=False, json={"name": "x", "query": ""}),
    case(413, "POST", "/api/queries", **LARGE),
    case(404, "GET", "/api/queries/{id:str}"),
    case(404, "PATCH", "/api/queries/{id:str}", json={}),
    case(400, "DELETE", "/api/queries/{id:str}", headers={"If-Match": "x"}),
    case(404, "DELETE", "/api/queries/{id:str}"),
    case(404, "PUT", "/api/queries/{id:str}/star"),
    case(404, "DELETE", "/api/queries/{id:str}/star"),
    case(401, "GET", "/api/dashboards", signed_in=False),
    case(400, "POST", "/api/dashboards", content=b"{"),
    case(400, "POST", "/api/dashboards", json={"name": "x", "panels": [{"query": "a | stat"}]}),
    case(401, "POST", "/api/dashboards", signed_in=False, json={"name": "x"}),
    case(413, "POST", "/api/dashboards", content=b" " * 5_000_000),
    case(404, "GET", "/api/dashboards/{id:str}"),
    case(404, "PATCH", "/api/dashboards/{id:str}", json={}),
    case(400, "DELETE", "/api/dashboards/{id:str}", headers={"If-Match": "x"}),
    case(404, "DELETE", "/api/dashboards/{id:str}"),
    case(401, "GET", "/api/alerts", signed_in=False),
    case(400, "POST", "/api/alerts", content=b"{"),
    case(400, "POST", "/api/alerts", json=ALERT | {"query": "a | stat count"}),
    case(400, "POST", "/api/alerts", json=ALERT | {"operator": "near"}),
    case(401, "POST", "/api/alerts", signed_in=False, json=ALERT),
    case(413, "POST", "/api/alerts", **LARGE),
    case(404, "GET", "/api/alerts/{id:str}"),
    case(404, "PATCH", "/api/alerts/{id:str}", json={}),
    case(400, "DELETE", "/api/alerts/{id:str}", headers={"If-Match": "x"}),
    case(404, "DELETE", "/api/alerts/{id:str}"),
    case(404, "GET", "/api/alerts/{id:str}/history"),
    case(401, "GET", "/api/alerts/channels", signed_in=False),
    case(401, "GET", "/api/channels", signed_in=False),
    case(400, "POST", "/api/channels", json={"name": "x", "kind": "webhook"}),
    case(400, "POST", "/api/channels", json={"name": "x", "kind": "fax"}),
    case(404, "GET", "/api/channels/{id:str}"),
    case(404, "PATCH", "/api/channels/{id:str}", json={}),
    case(404, "DELETE", "/api/channels/{id:str}"),
    case(404, "POST", "/api/channels/{id:str}/test"),
    case(400, "POST", "/api/alerts/preview", json={}),
    case(413, "POST", "/api/alerts/preview", **LARGE),
    case(400, "POST", "/api/links", json={}),
    case(400, "POST", "/api/links", json={"address": "https://elsewhere.example/"}),
    case(401, "POST", "/api/links", signed_in=False, json={"address": "/explore"}),
    case(413, "POST", "/api/links", **LARGE),
    case(401, "GET", "/api/links/{id:str}", signed_in=False),
    case(404, "GET", "/api/links/{id:str}"),
    case(401, "GET", "/api/sources", signed_in=False),
    case(401, "GET", "/api/sources/formats", signed_in=False),
    case(400, "POST", "/api/sources", content=b"{"),
    case(400, "POST", "/api/sources", json={"name": "web", "path": "relative"}),
    case(400, "POST", "/api/sources", json={"name": "web", "path": "/x", "type": "s3"}),
    case(
        400,
        "POST",
        "/api/sources",
        json={"name": "web", "path": "/x", "multiline": {"pattern": "("}},
    ),
    case(403, "POST", "/api/sources", json={"name": "web", "path": "/proc/self/environ"}),
    case(413, "POST", "/api/sources", **LARGE),
    case(404, "GET", "/api/sources/{id:str}"),
    case(404, "PATCH", "/api/sources/{id:str}", json={}),
    case(400, "DELETE", "/api/sources/{id:str}", headers={"If-Match": "x"}),
    case(404, "DELETE", "/api/sources/{id:str}"),
    case(404, "POST", "/api/sources/{id:str}/run"),
    case(404, "POST", "/api/sources/{id:str}/reset"),
    case(400, "GET", "/api/sources/browse?path=x"),
    case(403, "GET", "/api/sources/browse?path=/proc"),
    case(404, "GET", "/api/sources/browse?path=/nothing"),
    case(401, "GET", "/api/admin/status", signed_in=False),
    case(401, "POST", "/api/admin/flush", signed_in=False),
    case(401, "POST", "/api/admin/compact", signed_in=False),
    case(400, "POST", "/api/admin/gc?dry_run=perhaps"),
    case(401, "POST", "/api/admin/gc", signed_in=False),
    case(400, "POST", "/api/samples", json={"events": 10**9}),
    case(400, "POST", "/api/samples", json={"env": "nowhere"}),
    case(400, "POST", "/api/samples?events=1000", json={}),
    case(401, "POST", "/api/samples", signed_in=False, json={}),
    case(413, "POST", "/api/samples", **LARGE),
    case(404, "GET", "/nothing/here"),
    case(404, "GET", "/docs/nothing.html", signed_in=False),
    case(404, "GET", "/docs/ui.html/", signed_in=False),
    case(405, "POST", "/docs/", signed_in=False),
    case(404, "POST", "/api/nothing"),
    case(404, "GET", "/api/ingest/nothing"),
    case(400, "GET", "/%00/%ff"),
    case(404, "GET", "/api/schema"),
    case(404, "GET", "/api/schema/openapi.json"),
    case(404, "GET", "/api/schema/nothing"),
]
CANNOT_FAIL = {
    *(("GET", "/health"), ("GET", "/ready"), ("GET", "/metrics"), ("GET", "/api/version")),
    *(("GET", "/"), ("GET", "/api/openapi.json"), ("GET", "/api/setup")),
    ("GET", "/api/auth/methods"),
}


SHARED = {"/"}
"""Where a protocol answers what is not asked by a browser, and refuses in its own words."""


def list_routes() -> set[tuple[str, str]]:
    return list_framework_routes() | list_protocol_routes("native")


def check_envelope(answer: httpx.Response) -> None:
    assert answer.headers.get_list("Content-Type") == ["application/json"]
    content = answer.json()
    assert list(content) == ["error"]
    assert list(content["error"])[:2] == ["code", "message"]
    assert content["error"]["code"] in set(Code)
    assert content["error"]["message"]
    assert not content["error"]["message"].endswith(".")
    assert ("WWW-Authenticate" in answer.headers) == (answer.status_code == 401)
    assert ("Retry-After" in answer.headers) == (answer.status_code in (429, 503))
    assert ("Allow" in answer.headers) == (answer.status_code == 405)


@together("case", CASES)
def test_an_error_has_the_envelope(service: RunningService, case: Case) -> None:
    client = service.client if case.signed_in else service.anonymous
    answer = client.request(case.method, case.path, **case.options)
    assert answer.status_code == case.status
    check_envelope(answer)


@together("path", sorted({path for _, path in list_routes()} - SHARED))
def test_a_wrong_method_has_the_envelope_and_names_the_right_ones(
    service: RunningService, path: str
) -> None:
    right = {method for method, each in list_routes() if each == path}
    wrong = "PATCH" if "PATCH" not in right else "PUT"
    answer = service.client.request(wrong, path)
    assert answer.status_code == 405
    check_envelope(answer)
    assert right <= set(answer.headers["Allow"].split(", "))


def test_an_answer_given_too_early_has_the_envelope(service: RunningService) -> None:
    service.application.is_ready = False
    try:
        for method, path in list_routes() - {("GET", "/health"), ("GET", "/metrics")}:
            answer = service.client.request(method, path)
            assert answer.status_code == 503
            check_envelope(answer)
    finally:
        service.application.is_ready = True


def test_every_route_is_provoked() -> None:
    provoked = {(case.method, case.path.partition("?")[0]) for case in CASES}
    assert list_routes() - provoked - CANNOT_FAIL == set()
