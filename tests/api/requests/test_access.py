"""Who may use which route: every route and every kind of credential, against the table in cases/access.txt."""

import json
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest
from tests.api.signing_in import Headers, bearer, make_key, make_token, make_user
from tests.routes import AGENT_ROUTES, DOCS_ROUTES, list_framework_routes, list_protocol_routes
from tests.running import RunningService
from tests.together import together

from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role

TABLE = Path(__file__).parents[2] / "cases" / "access.txt"
Identify = Callable[[str], Headers]

HARMLESS = {"query": "(", "index": "_reserved"}
"""Parameters with which nothing that may be done is done."""


def read_table() -> tuple[list[str], dict[str, list[str]]]:
    """The names of the columns, and the cells of each route."""
    lines = [line.split() for line in TABLE.read_text().splitlines() if line[:1] not in ("", "#")]
    (_, _, *columns), *rows = lines
    return columns, {f"{method} {path}": cells for method, path, *cells in rows}


COLUMNS, ROWS = read_table()


def list_routes() -> set[str]:
    routes = list_framework_routes() | list_protocol_routes() | AGENT_ROUTES | DOCS_ROUTES
    return {f"{method} {path}" for method, path in routes}


@pytest.fixture(scope="module")
def identify(service: RunningService) -> Identify:
    """Gives the headers of a column; a session is a new one each time, for some routes end it."""
    users = {role.value: make_user(service, role).id for role in Role}
    lasting = {f"key:{scope}": make_key(service, scope) for scope in Scope}
    lasting |= {"anonymous": {}, "token": bearer(make_token(service))}

    def identify(column: str) -> Headers:
        if column in lasting:
            return lasting[column]
        return bearer(service.control.sessions.issue(service.control.users.get(users[column])))

    return identify


def test_the_table_names_every_route_and_every_kind_of_credential() -> None:
    assert set(ROWS) == list_routes()
    kinds = {"anonymous", "token", *Role, *(f"key:{scope}" for scope in Scope)}
    assert set(COLUMNS) == kinds
    assert {cell for cells in ROWS.values() for cell in cells} == {"ok", "401", "403"}


@pytest.fixture
def connection(service: RunningService) -> Iterator[HTTPConnection]:
    """Of thousands of requests, most of the time would be that of a client that can do more."""
    connection = HTTPConnection("127.0.0.1", service.port)
    yield connection
    connection.close()


@together("route", sorted(ROWS))
def test_a_route_is_open_to_those_of_the_table_and_nobody_else(
    connection: HTTPConnection, identify: Identify, route: str
) -> None:
    method, path = route.split()
    path = path.replace("{id:str}", "nothing").replace("{name:str}", "nothing")
    body = None if method == "GET" else json.dumps({})
    answered = []
    for column in COLUMNS:
        headers = {"Content-Type": "application/json", **identify(column)}
        connection.request(method, f"{path}?{urlencode(HARMLESS)}", body, headers)
        with connection.getresponse() as answer:
            answer.read()
        assert answer.status < 500
        answered.append(str(answer.status) if answer.status in (401, 403) else "ok")
    assert dict(zip(COLUMNS, answered, strict=True)) == dict(zip(COLUMNS, ROWS[route], strict=True))
