"""Setup, login, logout and who-am-I over HTTP."""

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from litestar import Litestar, get
from litestar.di import NamedDependency, Provide
from litestar.testing import TestClient
from tests.waiting import PATIENCE_S

from logboom.api.access import DEPENDENCIES, SESSION_COOKIE
from logboom.api.accounts.auth import DEVICE_COOKIE, ROUTES
from logboom.api.failures import EXCEPTION_HANDLERS
from logboom.base.clock import system_clock
from logboom.base.stores.local import LocalObjects
from logboom.control.access.principal import Principal
from logboom.control.control import Control

CREDENTIALS = {"username": "admin", "password": "correct horse"}

Client = TestClient[Litestar]


@get("/admins-only", sync_to_thread=False)
def handle_admins_only(admin: NamedDependency[Principal]) -> str:
    return admin.name


def make_app(root: Path, setup_code: str = "") -> Litestar:
    control = Control.open(
        LocalObjects(root), bytes(32), bytes(range(40)), system_clock, setup_code=setup_code
    )
    return Litestar(
        [*ROUTES, handle_admins_only],
        dependencies={**DEPENDENCIES, "control": Provide(lambda: control, sync_to_thread=False)},
        exception_handlers=EXCEPTION_HANDLERS,
        openapi_config=None,
    )


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with TestClient(make_app(tmp_path)) as client:
        client.headers["Sec-Fetch-Site"] = "same-origin"
        yield client


@contextmanager
def serve(app: Litestar) -> Iterator[str]:
    """A real server on a free port, in a thread."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.005)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def set_up_and_login(client: Client) -> str:
    assert client.post("/api/setup", json=CREDENTIALS).status_code == 201
    return login(client)


def login(client: Client) -> str:
    answer = client.post("/api/auth/login", json=CREDENTIALS)
    assert answer.status_code == 200
    token = answer.json()["token"]
    assert isinstance(token, str)
    return token


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_setup_is_required_until_it_is_done_and_conflicts_ever_after(
    client: Client, tmp_path: Path
) -> None:
    assert client.get("/api/setup").json() == {"required": True}
    answer = client.post("/api/setup", json=CREDENTIALS)
    assert answer.status_code == 201
    assert answer.json()["role"] == "admin"
    assert client.get("/api/setup").json() == {"required": False}
    with TestClient(make_app(tmp_path)) as restarted:
        for each in (client, restarted):
            again = each.post("/api/setup", json={**CREDENTIALS, "username": "second"})
            assert again.status_code == 409
            assert again.json()["error"]["code"] == "conflict"
            assert each.get("/api/setup").json() == {"required": False}


def test_setup_with_a_code(tmp_path: Path) -> None:
    with TestClient(make_app(tmp_path, "the code")) as client:
        assert client.get("/api/setup").json() == {"required": True, "code_required": True}
        for given in ({}, {"code": "wrong"}):
            answer = client.post("/api/setup", json=CREDENTIALS | given)
            assert answer.status_code == 403
            assert answer.json()["error"]["field"] == "code"
        right = CREDENTIALS | {"code": "the code"}
        assert client.post("/api/setup", json=right).status_code == 201
        assert client.get("/api/setup").json() == {"required": False}
        assert client.post("/api/setup", json=right).status_code == 409


def test_a_device_that_signed_in_before_is_not_held_up_by_others(client: Client) -> None:
    set_up_and_login(client)
    wrong = CREDENTIALS | {"password": "wrong"}
    mark = client.cookies[DEVICE_COOKIE]
    client.cookies.clear()
    tries = [client.post("/api/auth/login", json=wrong).status_code for _ in range(12)]
    assert tries == [401] * 10 + [429] * 2
    assert client.post("/api/auth/login", json=CREDENTIALS).status_code == 429
    client.cookies.set(DEVICE_COOKIE, mark)
    assert client.post("/api/auth/login", json=CREDENTIALS).status_code == 200


def test_of_twenty_setups_at_once_exactly_one_is_answered_201(tmp_path: Path) -> None:
    gate = threading.Barrier(20)

    def try_setup(number: int) -> int:
        gate.wait()
        user = {"username": f"user{number}", "password": "correct horse"}
        answer = httpx.post(f"{address}/api/setup", json=user, timeout=50, verify=False)
        return answer.status_code

    with serve(make_app(tmp_path)) as address, ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(try_setup, range(20)))
        winner = {"username": f"user{statuses.index(201)}", "password": "correct horse"}
        login_status = httpx.post(
            f"{address}/api/auth/login", json=winner, timeout=PATIENCE_S
        ).status_code
    assert sorted(statuses) == [201] + [409] * 19
    assert login_status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b"\xff\xfe",
        b'{"username":"\xed\xa0\x80","password":"correct horse"}',
        b'{"username":"\\ud800","password":"correct horse"}',
        b"[" * 50_000,
        b'{"username":"admin"}',
        b'{"username":"admin","password":12345678}',
        b'{"username":null,"password":"correct horse"}',
        b'{"username":"admin","password":"correct horse","role":"admin"}',
        b'{"username":"admin","password":"short"}',
        b'{"username":"","password":"correct horse"}',
    ],
)
def test_a_bad_setup_body_is_a_400_and_setup_stays_open(client: Client, body: bytes) -> None:
    assert client.post("/api/setup", content=body).status_code == 400
    assert client.get("/api/setup").json() == {"required": True}


def test_a_huge_body_is_refused(client: Client) -> None:
    body = {"username": "admin", "password": "x" * 100_000}
    assert client.post("/api/auth/login", json=body).status_code == 413


def test_login_answers_the_token_and_the_user_and_never_the_hash(client: Client) -> None:
    client.post("/api/setup", json=CREDENTIALS)
    answer = client.post("/api/auth/login", json=CREDENTIALS)
    assert answer.status_code == 200
    assert list(answer.json()) == ["token", "user"]
    user = answer.json()["user"]
    assert user == {
        "id": user["id"],
        "username": "admin",
        "role": "admin",
        "envs": ["*"],
        "indexes": ["*"],
        "enabled": True,
        "saml_identity": None,
        "has_password": True,
    }
    assert answer.headers["Cache-Control"] == "no-store"
    assert "argon2" not in answer.text


def cookie_attributes(answer: httpx.Response) -> set[str]:
    """Of the session's cookie, which comes first."""
    first = answer.headers.get_list("Set-Cookie")[0]
    return {part.strip().lower() for part in first.split(";")[1:]}


def test_the_cookie_is_for_our_pages_only_and_secure_on_https(client: Client) -> None:
    client.post("/api/setup", json=CREDENTIALS)
    expected = {"httponly", "samesite=strict", "path=/", "max-age=43200"}
    over_http = client.post("http://testserver.local/api/auth/login", json=CREDENTIALS)
    assert over_http.headers["Set-Cookie"].startswith(
        f"{SESSION_COOKIE}={over_http.json()['token']};"
    )
    assert cookie_attributes(over_http) == expected
    over_https = client.post("https://testserver.local/api/auth/login", json=CREDENTIALS)
    assert cookie_attributes(over_https) == expected | {"secure"}


@pytest.mark.parametrize(
    "wrong", [{"password": "wrong horse"}, {"username": "nobody"}, {"password": ""}]
)
def test_a_failed_login_is_a_401_that_tells_nothing(client: Client, wrong: dict[str, str]) -> None:
    client.post("/api/setup", json=CREDENTIALS)
    answer = client.post("/api/auth/login", json={**CREDENTIALS, **wrong})
    assert answer.status_code == 401
    assert answer.json()["error"]["message"] == "wrong user name or password"
    assert "Set-Cookie" not in answer.headers


def test_me_knows_the_user_by_bearer_token_in_any_case_and_by_cookie(client: Client) -> None:
    token = set_up_and_login(client)
    by_cookie = client.get("/api/auth/me")
    assert by_cookie.json()["username"] == "admin"
    client.cookies.clear()
    for scheme in ("Bearer", "bearer"):
        by_token = client.get("/api/auth/me", headers={"Authorization": f"{scheme} {token}"})
        assert by_token.json() == by_cookie.json()


def test_a_wrong_bearer_token_counts_more_than_a_good_cookie(client: Client) -> None:
    set_up_and_login(client)
    assert client.get("/api/auth/me", headers=bearer("wrong")).status_code == 401


def test_another_scheme_leaves_the_cookie_in_force(client: Client) -> None:
    set_up_and_login(client)
    answer = client.get("/api/auth/me", headers={"Authorization": "Basic YTpi"})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer a.b.c"},
        {"Cookie": f"{SESSION_COOKIE}="},
        {"Cookie": f"{SESSION_COOKIE}=a.b.c"},
        {"Cookie": "other=1"},
    ],
)
@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/api/auth/me"), ("POST", "/api/auth/logout")]
)
def test_nobody_known_is_a_401(
    client: Client, headers: dict[str, str], method: str, path: str
) -> None:
    answer = client.request(method, path, headers=headers)
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "unauthenticated"


def test_logout_clears_the_cookie_and_ends_that_session(client: Client, tmp_path: Path) -> None:
    first = set_up_and_login(client)
    second = login(client)
    answer = client.post("/api/auth/logout")
    assert answer.status_code == 204
    assert answer.content == b""
    assert "max-age=0" in cookie_attributes(answer)
    assert SESSION_COOKIE not in client.cookies
    with TestClient(make_app(tmp_path)) as restarted:
        for each in (client, restarted):
            assert each.get("/api/auth/me", headers=bearer(second)).status_code == 401
            assert each.post("/api/auth/logout", headers=bearer(second)).status_code == 401
            assert each.get("/api/auth/me", headers=bearer(first)).status_code == 200
    change = {"old": CREDENTIALS["password"], "new": "another correct horse"}
    answer = client.post("/api/auth/password", json=change, headers=bearer(first))
    assert answer.status_code == 204
    assert client.get("/api/auth/me", headers=bearer(first)).status_code == 401


def test_admins_only_means_admins_only(client: Client) -> None:
    assert client.get("/admins-only").status_code == 401
    set_up_and_login(client)
    assert client.get("/admins-only").text == "admin"


def test_an_unreadable_store_is_a_503_never_a_fresh_install(client: Client, tmp_path: Path) -> None:
    (tmp_path / "control" / "users" / "000000000001").mkdir(parents=True)
    for answer in (client.get("/api/setup"), client.post("/api/setup", json=CREDENTIALS)):
        assert answer.status_code == 503
        assert str(tmp_path) not in answer.text


def test_a_damaged_users_document_is_a_503_for_login_and_setup(
    client: Client, tmp_path: Path
) -> None:
    client.post("/api/setup", json=CREDENTIALS)
    folder = tmp_path / "control" / "users"
    whole = (folder / "000000000001").read_bytes()
    (folder / "000000000002").write_bytes(whole[:-1])
    assert client.post("/api/auth/login", json=CREDENTIALS).status_code == 503
    assert client.post("/api/setup", json=CREDENTIALS).status_code == 409
