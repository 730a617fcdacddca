"""Where a request comes from: no page of another site acts for a user."""

import pytest
from tests.together import together

from logboom.base.errors import Forbidden
from logboom.web.origin import check_cookie_use, refuse_foreign

HOST = {"host": "logs.example:7300"}
BEARER = {"authorization": "Bearer x"}

OWN: list[dict[str, str]] = [
    {"sec-fetch-site": "same-origin"},
    {"sec-fetch-site": "none"},
    {"sec-fetch-site": "Same-Origin", "origin": "http://logs.example:7300"},
    {"sec-fetch-site": "same-origin", "origin": "null"},
    {"origin": "http://logs.example:7300"},
    {"origin": "https://LOGS.example:7300"},
]
FOREIGN: list[dict[str, str]] = [
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": ""},
    {"sec-fetch-site": "same-origin, cross-site"},
    {"sec-fetch-site": "cross-site", "origin": "http://logs.example:7300"},
    {"origin": "http://evil.example"},
    {"origin": "http://logs.example"},
    {"origin": "http://logs.example:7301"},
    {"origin": "http://logs.example:7300.evil.example"},
    {"origin": "http://evil.example/logs.example:7300"},
    {"origin": "http://user@logs.example:7300"},
    {"origin": "null"},
    {"origin": ""},
    {"origin": "http://["},
]
UNSAFE = ["POST", "PUT", "PATCH", "DELETE", "BREW"]


@together("headers", OWN)
@together("method", UNSAFE)
def test_our_own_pages_may_act(method: str, headers: dict[str, str]) -> None:
    refuse_foreign(method, HOST | headers, "http")
    check_cookie_use(method, HOST | headers, "http")


@together("headers", FOREIGN)
@together("method", UNSAFE)
def test_pages_of_other_sites_may_not(method: str, headers: dict[str, str]) -> None:
    with pytest.raises(Forbidden):
        refuse_foreign(method, HOST | headers, "http")
    with pytest.raises(Forbidden):
        check_cookie_use(method, HOST | headers, "http")


@together("headers", FOREIGN)
@together("method", ["GET", "HEAD", "OPTIONS"])
def test_reading_is_no_acting(method: str, headers: dict[str, str]) -> None:
    refuse_foreign(method, HOST | headers, "http")
    check_cookie_use(method, HOST | headers, "http")


@together("headers", FOREIGN)
def test_a_bearer_token_is_nothing_a_foreign_page_could_send(headers: dict[str, str]) -> None:
    refuse_foreign("POST", HOST | headers | BEARER, "http")
    with pytest.raises(Forbidden):
        refuse_foreign("POST", HOST | headers | {"authorization": "Basic YTpi"}, "http")


def test_what_is_no_browser_may_act_but_not_by_a_cookie() -> None:
    refuse_foreign("POST", HOST, "http")
    with pytest.raises(Forbidden):
        check_cookie_use("POST", HOST, "http")


def test_an_origin_matches_no_missing_host() -> None:
    with pytest.raises(Forbidden):
        refuse_foreign("POST", {"origin": "null"}, "http")
    with pytest.raises(Forbidden):
        refuse_foreign("POST", {"origin": "http://"}, "http")


@together("body", [{"content-length": "2"}, {"transfer-encoding": "chunked"}])
@together(
    ("content_type", "is_allowed"),
    [
        ("application/json", True),
        ("Application/JSON; charset=utf-8", True),
        ("text/plain", False),
        ("text/plain; application/json", False),
        ("application/x-www-form-urlencoded", False),
        ("multipart/form-data; boundary=x", False),
        ("application/json, text/plain", False),
        ("", False),
    ],
)
def test_a_body_sent_with_a_cookie_says_that_it_is_json(
    body: dict[str, str], content_type: str, is_allowed: bool
) -> None:
    headers = HOST | OWN[0] | body | {"content-type": content_type}
    if is_allowed:
        check_cookie_use("POST", headers, "http")
    else:
        with pytest.raises(Forbidden):
            check_cookie_use("POST", headers, "http")


def test_without_a_body_there_is_no_content_type() -> None:
    check_cookie_use("POST", HOST | OWN[0] | {"content-length": "0"}, "http")
    check_cookie_use("DELETE", HOST | OWN[0], "http")


def test_a_page_of_plain_http_is_not_our_own_where_we_speak_tls() -> None:
    plain, secure = ({"origin": f"{scheme}://{HOST['host']}"} for scheme in ("http", "https"))
    with pytest.raises(Forbidden):
        refuse_foreign("POST", HOST | plain, "https")
    with pytest.raises(Forbidden):
        check_cookie_use("POST", HOST | plain, "https")
    check_cookie_use("POST", HOST | secure, "https")
    check_cookie_use("POST", HOST | secure, "http")
