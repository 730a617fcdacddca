"""The guard around the whole service: every answer is hardened, no bad path or foreign page gets in."""

import re
from collections.abc import Iterator

import httpx
import pytest
from tests.routes import list_framework_routes, list_protocol_routes
from tests.running import CREDENTIALS, RunningService
from tests.together import together
from tests.waiting import PATIENCE_S
from tests.web.wire import connect, read_answer

from logboom.web.headers import CONTENT_POLICY, SECURITY_HEADERS, add_security

BAD_PATHS = ["//", "/api//search", "/api/./search", "/api/../metrics", "/%2e%2e/metrics"]
MORE_BAD_PATHS = [
    "/api%2fsearch",
    "/api/search;x",
    "/api/search.",
    "/%00",
    "/%ff",
    "/" + "x" * 3000,
]


def list_routes() -> set[tuple[str, str]]:
    framework = {
        (method, re.sub(r"\{\w+:\w+\}", "x", path)) for method, path in list_framework_routes()
    }
    raw = {(method, re.sub(r"\{\w+\*?\}", "x", path)) for method, path in list_protocol_routes()}
    return (
        framework | raw | {("GET", "/nothing"), ("PATCH", "/health"), ("HEAD", "/api/openapi.json")}
    )


def check_headers(answer: httpx.Response) -> None:
    for name, value in SECURITY_HEADERS.items():
        assert answer.headers.get_list(name) == [value]
    assert "Strict-Transport-Security" not in answer.headers
    assert "Server" not in answer.headers


@pytest.fixture
def browser(service: RunningService) -> Iterator[httpx.Client]:
    """Signed in by cookie, and nothing but that."""
    with httpx.Client(
        base_url=service.anonymous.base_url, timeout=PATIENCE_S, verify=False
    ) as client:
        assert client.post("/api/auth/login", json=CREDENTIALS).status_code == 200
        yield client


@together(("method", "path"), sorted(list_routes()))
def test_every_answer_carries_the_headers(service: RunningService, method: str, path: str) -> None:
    check_headers(service.anonymous.request(method, path))


def test_a_stream_carries_the_headers(service: RunningService) -> None:
    for path in ("/api/tail", "/api/export"):
        with service.client.stream("GET", path) as answer:
            assert answer.status_code == 200
            check_headers(answer)


def test_an_answers_own_word_counts_before_ours() -> None:
    headers = dict(add_security([(b"Cache-Control", b"max-age=60")], is_encrypted=False))
    assert headers[b"Cache-Control"] == b"max-age=60"
    assert b"cache-control" not in headers
    assert headers[b"content-security-policy"] == CONTENT_POLICY.encode()


def test_the_pages_hold_nothing_that_the_policy_forbids(service: RunningService) -> None:
    for path in ("/", "/docs/"):
        text = service.anonymous.get(path, headers={"Accept": "text/html"}).text
        assert text.startswith("<!doctype html>")
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=|javascript:", text)


@together("path", BAD_PATHS + MORE_BAD_PATHS)
def test_a_bad_path_reaches_no_route(service: RunningService, path: str) -> None:
    with connect(service.port) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: test\r\n\r\n".encode())
        answer = read_answer(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b'{"error":{"code":"invalid","message":"the path ' in answer
    assert b"content-security-policy" in answer


@pytest.mark.parametrize("path", ["/api/ingest", "/api/setup", "/api/auth/login", "/api/nothing"])
def test_a_foreign_page_can_have_nothing_done(service: RunningService, path: str) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = service.anonymous.post(path, content=b"{}", headers=headers)
        assert answer.status_code == 403
        assert answer.json()["error"]["code"] == "forbidden"


def test_a_foreign_page_may_link_to_us(service: RunningService) -> None:
    answer = service.anonymous.get("/docs/", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 200


def test_a_cookie_acts_for_our_own_pages_only(browser: httpx.Client) -> None:
    own = {"Origin": str(browser.base_url).rstrip("/")}
    assert browser.get("/api/auth/me").status_code == 200
    assert browser.post("/api/search", json={}).status_code == 403
    assert browser.post("/api/search", json={}, headers=own).status_code == 200
    fetched = {"Sec-Fetch-Site": "same-origin"}
    assert browser.post("/api/search", json={}, headers=fetched).status_code == 200
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert browser.post("/api/search", json={}, headers=foreign).status_code == 403


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_form_is_no_request_of_our_pages(browser: httpx.Client, content_type: str) -> None:
    headers = {"Sec-Fetch-Site": "same-origin", "Content-Type": content_type}
    answer = browser.post("/api/search", content=b"{}", headers=headers)
    assert answer.status_code == 403


def test_a_cookie_that_is_not_used_disturbs_nobody(browser: httpx.Client) -> None:
    assert browser.post("/api/ingest", content=b"").status_code == 200
