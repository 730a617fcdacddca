"""From a path to the protocol that answers it."""

import pytest
from tests.running import RunningService
from tests.together import together

from logboom.protocols.routes import ROUTES, TABLE
from logboom.web.matching import compile_path


@together(
    ("path", "asked", "values"),
    [
        ("/v1/logs", "/v1/logs", {}),
        ("/v1/logs", "/v1/logs/", {}),
        ("/v1/logs", "/v1/logsx", None),
        ("/{index}/_bulk", "/app-1/_bulk", {"index": "app-1"}),
        ("/{index}/_bulk", "/a/b/_bulk", None),
        ("/{index}/_bulk", "/_all/_bulk", None),
        ("/{index}/{type}", "/api/search", None),
        ("/{index}/{type}", "/apis/search", {"index": "apis", "type": "search"}),
        ("/_template/{rest*}", "/_template/a/b", {"rest": "a/b"}),
        ("/api/es/{index}/_doc", "/api/es/api/_doc", {"index": "api"}),
        ("/", "/", {}),
        ("/", "", {}),
    ],
)
def test_a_path_fits_or_not(path: str, asked: str, values: dict[str, str] | None) -> None:
    match = compile_path(path).fullmatch(asked)
    assert (match and match.groupdict()) == values


def test_every_route_finds_itself() -> None:
    for route in ROUTES:
        path = (
            route.path.replace("{index}", "app").replace("{", "").replace("*}", "").replace("}", "")
        )
        for method in route.methods.split():
            found = TABLE.find(method, path)
            assert found is not None
            assert found.route.takes(method)


def test_a_wrong_method_is_405_and_names_the_right_ones(service: RunningService) -> None:
    answer = service.anonymous.get("/api/ingest")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"
    assert answer.json()["error"]["message"] == "method GET, expected POST"


@pytest.mark.parametrize(
    ("path", "member", "error"),
    [
        ("/favicon.ico", "type", "resource_not_found_exception"),
        ("/nothing", "type", "resource_not_found_exception"),
        ("/nothing/here", "code", "not_found"),
        ("/api/nothing", "code", "not_found"),
    ],
)
def test_what_is_no_way_in_is_not_found(
    service: RunningService, path: str, member: str, error: str
) -> None:
    answer = service.anonymous.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"][member] == error


def test_a_query_string_that_is_not_valid_is_refused(service: RunningService) -> None:
    answer = service.anonymous.post("/api/ingest?index=a&index=b", content=b"{}")
    assert answer.status_code == 400
