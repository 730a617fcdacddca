"""Who may use which route: every route and every kind of credential, against the table in cases/access.txt."""

from collections.abc import Callable
from pathlib import Path

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


@together("route", sorted(ROWS))
def test_a_route_is_open_to_those_of_the_table_and_nobody_else(
    service: RunningService, identify: Identify, route: str
) -> None:
    method, path = route.split()
    path = path.replace("{id:str}", "nothing").replace("{name:str}", "nothing")
    body: dict[str, str] | None = None if method == "GET" else {}
    answered = []
    for column in COLUMNS:
        answer = service.anonymous.request(
            method, path, params=HARMLESS, json=body, headers=identify(column)
        )
        assert answer.status_code < 500
        is_refused = answer.status_code in (401, 403)
        answered.append(str(answer.status_code) if is_refused else "ok")
    assert dict(zip(COLUMNS, answered, strict=True)) == dict(zip(COLUMNS, ROWS[route], strict=True))
