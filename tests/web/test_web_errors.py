"""Errors as HTTP answers: one status each, one envelope."""

import json

from litestar.exceptions import HTTPException, MethodNotAllowedException
from tests.together import together

from logboom.api.failures import describe
from logboom.base.errors import (
    Code,
    Conflict,
    Corrupt,
    DeadlineExceeded,
    Forbidden,
    Invalid,
    LogboomError,
    NotFound,
    Overloaded,
    TooLarge,
    Unauthenticated,
    Unavailable,
    UnsupportedEncoding,
)
from logboom.web.errors import STATUSES, describe_fault, render_error

CASES: list[tuple[LogboomError, int]] = [
    (Invalid("no"), 400),
    (Unauthenticated("no"), 401),
    (Forbidden("no"), 403),
    (NotFound("no"), 404),
    (Conflict("no"), 409),
    (TooLarge("no"), 413),
    (UnsupportedEncoding("no"), 415),
    (Overloaded("no"), 429),
    (LogboomError("no"), 500),
    (Unavailable("no"), 503),
    (Corrupt("path", 7, "no"), 503),
    (DeadlineExceeded("no"), 504),
]


@together(("error", "status"), CASES)
def test_every_error_has_its_status_and_the_envelope(error: LogboomError, status: int) -> None:
    answer = render_error(error)
    assert answer.status == status
    assert answer.headers["Content-Type"] == "application/json"
    assert ("Retry-After" in answer.headers) == (status in (429, 503))
    assert ("WWW-Authenticate" in answer.headers) == (status == 401)
    (content,) = json.loads(answer.body).values()
    assert list(content)[:2] == ["code", "message"]
    assert content["code"] == error.code


def test_every_code_has_a_status() -> None:
    assert set(STATUSES) == set(Code)


def test_the_data_of_an_error_stands_beside_its_message() -> None:
    answer = render_error(Invalid("bad query", start=3, end=5))
    assert answer.body == (b'{"error":{"code":"invalid","message":"bad query","start":3,"end":5}}')


def test_when_to_come_back_is_a_header_and_no_data() -> None:
    answer = render_error(Unavailable("full", retry_after_s=5))
    assert answer.headers["Retry-After"] == "5"
    assert b"retry" not in answer.body


def test_a_fault_of_our_own_tells_nothing_of_itself() -> None:
    answer = render_error(describe_fault())
    assert answer.status == 500
    assert json.loads(answer.body)["error"]["code"] == "internal"


def test_the_frameworks_details_are_told() -> None:
    error = HTTPException("no", extra=[{"message": "wrong", "key": "limit"}, "odd"])
    assert describe(error) == "limit: wrong"
    assert describe(MethodNotAllowedException()) == "Method Not Allowed"
