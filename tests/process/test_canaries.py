"""Secrets never come out: not in the logs, the self-log, the metrics, the answers or the files."""

import base64
import json
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.process.conftest import MakeService
from tests.process.service import Service
from tests.waiting import poll_until

pytestmark = [pytest.mark.process]

SHOWN_ONCE = {"token", "key"}
"""Members of answers that are there to show a secret."""


class Canaries:
    """Secrets that were made for this test, and everything the service said since."""

    def __init__(self) -> None:
        self.secrets: dict[str, str] = {}
        self.heard: list[tuple[str, bytes]] = []

    def make(self, name: str) -> str:
        return self.watch(name, f"canary-{secrets.token_hex(16)}")

    def watch(self, name: str, secret: str) -> str:
        assert len(secret) >= 20
        self.secrets[name] = secret
        return secret

    def hear(self, answer: httpx.Response) -> None:
        """Keep an answer, without what it is there to show."""
        headers = [pair for pair in answer.headers.raw if pair[0].lower() != b"set-cookie"]
        body = answer.content
        if (
            answer.is_success
            and b'"' in body
            and answer.headers.get("Content-Type") == "application/json"
        ):
            content = answer.json()
            if isinstance(content, dict):
                body = json.dumps(
                    {k: v for k, v in content.items() if k not in SHOWN_ONCE}
                ).encode()
        where = f"{answer.request.method} {answer.request.url.path} {answer.status_code}"
        self.heard.append((where, body + b"\n" + repr(headers).encode()))

    def list_leaks(self) -> list[tuple[str, str]]:
        forms = {name: list_forms(secret) for name, secret in self.secrets.items()}
        return [
            (name, where)
            for where, content in self.heard
            for name, texts in forms.items()
            if any(text in content for text in texts)
        ]


def list_forms(secret: str) -> list[bytes]:
    """The secret as it is, and as base64 at each of the three offsets, without the uncertain ends."""
    shifted = [base64.b64encode(b"x" * shift + secret.encode())[4:-4] for shift in range(3)]
    return [secret.encode(), *shifted]


class Client:
    """Asks, and has every answer heard."""

    def __init__(self, service: Service, canaries: Canaries) -> None:
        # Without certificates: loading them takes longer than a request.
        self._client = httpx.Client(
            base_url=f"http://127.0.0.1:{service.port}", timeout=30, verify=False
        )
        self._canaries = canaries
        self.session = ""

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        answer = self._client.request(method, path, **options)
        self._client.cookies.clear()
        self._canaries.hear(answer)
        return answer

    def ask_admin(self, method: str, path: str, **options: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.session}"}
        answer = self.ask(method, path, headers=headers, **options)
        assert answer.is_success, answer.text
        return answer

    def sign_in(self, password: str, name: str) -> None:
        answer = self.ask(
            "POST", "/api/auth/login", json={"username": "admin", "password": password}
        )
        assert answer.is_success, answer.text
        self.session = self._canaries.watch(name, answer.json()["token"])

    def close(self) -> None:
        self._client.close()


def succeed(client: Client, canaries: Canaries) -> None:
    """Use every kind of secret in the way that is meant."""
    password = canaries.make("password")
    client.ask("POST", "/api/setup", json={"username": "admin", "password": password})
    client.sign_in(password, "session")
    cookie = {"Cookie": f"logboom_session={client.session}"}
    assert client.ask("GET", "/api/auth/me", headers=cookie).is_success
    user = {"username": "viewer", "password": canaries.make("viewer's password"), "role": "viewer"}
    viewer = client.ask_admin("POST", "/api/users", json=user).json()["id"]
    change = {"password": canaries.make("viewer's new password")}
    client.ask_admin("PATCH", f"/api/users/{viewer}", json=change)
    body = {"name": "shipper", "indexes": ["app-*"]}
    token = client.ask_admin("POST", "/api/tokens", json=body).json()["token"]
    canaries.watch("token", token)
    key = client.ask_admin("POST", "/api/keys", json={"name": "k", "scopes": ["search"]}).json()[
        "key"
    ]
    canaries.watch("key", key)
    for headers in carry(token):
        client.ask("POST", "/api/ingest?index=app-1", content=b"{}", headers=headers)
        client.ask("POST", "/api/ingest?index=other", content=b"{}", headers=headers)
        client.ask("POST", "/api/ingest?env=nowhere", content=b"{}", headers=headers)
    client.ask("POST", "/api/search", json={}, headers={"Authorization": f"Bearer {key}"})
    client.ask("POST", "/api/envs", json={"name": "x"}, headers={"Authorization": f"Bearer {key}"})
    for collection in ("users", "tokens", "keys", "settings"):
        client.ask_admin("GET", f"/api/{collection}")
    new = canaries.make("new password")
    client.ask_admin("POST", "/api/auth/password", json={"old": password, "new": new})
    client.sign_in(new, "second session")


def carry(credential: str) -> Iterator[dict[str, str]]:
    """Every way to present a credential."""
    basic = base64.b64encode(f"user:{credential}".encode()).decode()
    schemes = ("Bearer", "bearer", "Splunk", "ApiKey", "Digest")
    yield from ({"Authorization": f"{scheme} {credential}"} for scheme in schemes)
    yield from ({"Authorization": f"{scheme} {basic}"} for scheme in ("Basic", "ApiKey"))
    yield {"Authorization": credential}
    yield {"X-Service-Token": credential}
    yield {"Cookie": f"logboom_session={credential}"}


def fail(client: Client, canaries: Canaries) -> None:
    """Use secrets in ways that must be refused."""
    wrong = canaries.make("wrong credential")
    for headers in carry(wrong):
        for method, path in (
            ("GET", "/api/auth/me"),
            ("POST", "/api/search"),
            ("POST", "/api/ingest"),
        ):
            client.ask(method, path, headers=headers)
    typed = canaries.make("mistyped password")
    bodies: list[Any] = [
        {"username": "admin", "password": typed},
        {"username": typed, "password": "x"},
        {"username": "admin", "password": [typed]},
        {"username": "admin", "password": {typed: typed}},
        {"username": "admin", "password": "x", "secret": typed},
        [typed],
        typed,
    ]
    for path in ("/api/auth/login", "/api/setup"):
        for body in bodies:
            assert client.ask("POST", path, json=body).is_error
        for text in (f'{{"username":"admin","password":"{typed}', f"password={typed}"):
            assert client.ask("POST", path, content=text.encode()).is_error
    admin = {"Authorization": f"Bearer {client.session}"}
    for body in bodies:
        for path in ("/api/users", "/api/tokens", "/api/keys", "/api/auth/password"):
            assert client.ask("POST", path, json=body, headers=admin).is_error
    for password in ("kurz" + typed * 100, "admin"):
        user = {"username": "other", "password": password, "role": "viewer"}
        assert client.ask("POST", "/api/users", json=user, headers=admin).is_error


def send_nonsense(service: Service, canaries: Canaries) -> None:
    """Secrets in requests that are none."""
    secret = canaries.make("credential of a broken request").encode()
    for ending in (b"\r\nBad Header : x\r\n\r\n", b"\x00\r\n\r\n", b"x" * 100_000):
        with socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection:
            head = b"POST /api/ingest HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer "
            connection.sendall(head + secret + ending)
            answer = connection.recv(65536)
            assert answer.startswith(b"HTTP/1.1 4")
            canaries.heard.append(("a broken request", answer))


def read_own_log(client: Client) -> str:
    """What the service has written about itself so far."""
    client.ask_admin("POST", "/api/admin/flush")
    scope = {"env": "_system", "index": "_self", "raw": True, "limit": 10_000}
    return client.ask_admin("POST", "/api/search", json=scope).text


def hear_everything(service: Service, client: Client, canaries: Canaries) -> None:
    """The metrics, the self-log, and at last, the service being stopped, its log and its files."""
    client.ask("GET", "/metrics")
    poll_until(
        lambda: "login_failed" in read_own_log(client), "the failed sign-ins in the self-log"
    )
    assert service.stop() == 0
    canaries.heard.append(("the log", service.log.read_bytes()))
    files = [path for path in service.data.rglob("*") if path.is_file()]
    canaries.heard += [(path.name, path.read_bytes()) for path in files]


def write_secret(canaries: Canaries, path: Path) -> Path:
    path.write_text(canaries.make(path.name))
    path.chmod(0o600)
    return path


def test_no_secret_is_ever_told(services: MakeService, tmp_path: Path) -> None:
    canaries = Canaries()
    service = services(
        SERVICE_LOG_LEVEL="debug",
        SERVICE_JWT_SECRET_PATH=write_secret(canaries, tmp_path / "jwt secret"),
        SERVICE_CONTROL_KEY_PATH=write_secret(canaries, tmp_path / "control key"),
    )
    service.spawn()
    service.await_ready()
    client = Client(service, canaries)
    succeed(client, canaries)
    fail(client, canaries)
    send_nonsense(service, canaries)
    hear_everything(service, client, canaries)
    assert canaries.list_leaks() == []

    reset = canaries.make("reset password")
    service.settings |= {"SERVICE_ADMIN_RESET": "1", "SERVICE_ADMIN_PASSWORD": reset}
    service.spawn()
    service.await_ready()
    client.sign_in(reset, "session after the reset")
    hear_everything(service, client, canaries)
    client.close()
    assert canaries.list_leaks() == []


def test_the_search_for_secrets_finds_them_in_every_form() -> None:
    canaries = Canaries()
    secret = canaries.make("secret")
    hidden = [
        secret,
        *(
            base64.b64encode((user + secret).encode()).decode()
            for user in ("", "u:", "us:", "use:")
        ),
    ]
    canaries.heard = [(text, text.encode()) for text in hidden]
    assert canaries.list_leaks() == [("secret", text) for text in hidden]
