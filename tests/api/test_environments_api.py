"""The environments over HTTP."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from litestar import Litestar
from litestar.di import Provide
from litestar.testing import TestClient

from logboom.api import auth, environments
from logboom.base.clock import system_clock
from logboom.base.objects import LocalObjects
from logboom.control.cipher import PlainCipher
from logboom.control.control import Control
from logboom.control.documents import Documents
from logboom.control.users import Role, UsersDocument
from logboom.web.errors import EXCEPTION_HANDLERS

DEFAULT = {"id": "default", "name": "default", "retention_days": None}

Client = TestClient[Litestar]


@pytest.fixture
def control(tmp_path: Path) -> Control:
    control = Control.open(LocalObjects(tmp_path), None, bytes(range(40)), system_clock)
    control.setup("admin", "correct horse")
    return control


@pytest.fixture
def client(control: Control) -> Iterator[Client]:
    """Signed in as the admin."""
    app = Litestar(
        environments.ROUTES,
        dependencies={
            **auth.DEPENDENCIES,
            "control": Provide(lambda: control, sync_to_thread=False),
        },
        exception_handlers=EXCEPTION_HANDLERS,
    )
    token, _ = control.login("admin", "correct horse")
    with TestClient(app) as client:
        client.headers["Authorization"] = f"Bearer {token}"
        yield client


def give_everybody_the_role(root: Path, control: Control, role: Role) -> None:
    documents = Documents(LocalObjects(root), PlainCipher())
    document = documents.read("users")
    assert document is not None
    body = msgspec.json.decode(document.body, type=UsersDocument)
    users = {key: msgspec.structs.replace(user, role=role) for key, user in body.users.items()}
    documents.write("users", msgspec.json.encode(UsersDocument(users)), document.generation)
    control.refresh()


def test_a_fresh_install_lists_default_and_nothing_reserved(client: Client) -> None:
    answer = client.get("/api/envs")
    assert answer.status_code == 200
    assert answer.json() == [DEFAULT]


def test_a_created_environment_is_answered_and_listed(client: Client) -> None:
    answer = client.post("/api/envs", json={"name": "staging", "retention_days": 7})
    assert answer.status_code == 201
    assert answer.json() == {"id": "staging", "name": "staging", "retention_days": 7}
    assert client.post("/api/envs", json={"name": "archive"}).json()["retention_days"] is None
    assert [each["name"] for each in client.get("/api/envs").json()] == [
        "archive",
        "default",
        "staging",
    ]


@pytest.mark.parametrize("name", ["default", "staging"])
def test_an_existing_environment_is_a_409(client: Client, name: str) -> None:
    client.post("/api/envs", json={"name": "staging"})
    answer = client.post("/api/envs", json={"name": name})
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "conflict"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"name":"\xff"}',
        b'{"name":' + b"[" * 20_000,
        b'{"name":7}',
        b'{"name":""}',
        b'{"name":"Prod"}',
        b'{"name":"_system"}',
        b'{"name":"_mine"}',
        b'{"name":"a/../b"}',
        b'{"name":"a","retention_days":0}',
        b'{"name":"a","retention_days":1.5}',
        b'{"name":"a","retention_days":1180591620717411303424}',
        b'{"name":"a","retention":7}',
    ],
)
def test_a_bad_body_is_a_400_and_creates_nothing(client: Client, body: bytes) -> None:
    assert client.post("/api/envs", content=body).status_code == 400
    assert client.get("/api/envs").json() == [DEFAULT]


def test_without_a_session_nothing_is_listed_or_created(client: Client, control: Control) -> None:
    del client.headers["Authorization"]
    assert client.get("/api/envs").status_code == 401
    assert client.post("/api/envs", json={"name": "staging"}).status_code == 401
    assert len(control.environments.list()) == 1


@pytest.mark.parametrize("role", [Role.EDITOR, Role.VIEWER])
def test_only_admins_create_but_everybody_lists(
    client: Client, control: Control, tmp_path: Path, role: Role
) -> None:
    give_everybody_the_role(tmp_path, control, role)
    answer = client.post("/api/envs", json={"name": "staging"})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "forbidden"
    assert client.get("/api/envs").json() == [DEFAULT]


def test_the_openapi_document_describes_both_routes_and_hides_the_dependencies(
    client: Client,
) -> None:
    path = client.get("/schema/openapi.json").json()["paths"]["/api/envs"]
    assert path["get"]["summary"] == "List the environments"
    assert "requestBody" in path["post"]
    assert "parameters" not in path["get"]
    assert "parameters" not in path["post"]
