"""A service on a loopback address is not taken over under a name that an attacker had resolved to it."""

import httpx
import pytest
from tests.running import CREDENTIALS, RunningService
from tests.together import together
from tests.waiting import PATIENCE_S
from tests.web.wire import serve

from logboom.base.errors import Forbidden
from logboom.web.hosts import HostRule, read_hosts

RULE = HostRule(is_loopback=True, allowed=read_hosts("logs.example, *.internal"))

OURS = [
    *("localhost", "localhost:7300", "LOCALHOST.", "a.b.localhost:1", "127.0.0.1", "127.9.9.9:80"),
    *(
        "[::1]",
        "[::1]:7300",
        "[::ffff:127.0.0.1]",
        "logs.example",
        "Logs.Example:443",
        "a.internal",
    ),
]
FOREIGN = [
    *("evil.example", "evil.example:7300", "localhost.evil.example", "127.0.0.1.evil.example"),
    *("notlocalhost", "x.logs.example", "internal", "127.1", "2130706433", "0.0.0.0", "[::]", ""),
    *("[::1", "localhost:x", "localhost, evil.example", "evil.example@localhost", "10.0.0.1"),
]


@together("host", OURS)
def test_our_own_names_are_fine(host: str) -> None:
    RULE.check("/api/setup", {"host": host})
    RULE.check("/api/ingest", {"host": host, "origin": "http://x"})


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize("path", ["/api/setup", "/api/setup/"])
def test_setup_needs_one_of_our_names(host: str, path: str) -> None:
    with pytest.raises(Forbidden, match="SERVICE_ALLOWED_HOSTS"):
        RULE.check(path, {"host": host})


@together("host", FOREIGN)
def test_a_page_without_credentials_needs_one_of_our_names(host: str) -> None:
    headers = {"host": host, "origin": f"http://{host}"}
    with pytest.raises(Forbidden, match="SERVICE_ALLOWED_HOSTS"):
        RULE.check("/api/ingest", headers)
    for credential in ("authorization", "x-service-token"):
        RULE.check("/api/ingest", headers | {credential: "x"})
        with pytest.raises(Forbidden):
            RULE.check("/api/auth/login", headers | {credential: "x"})
    for no_credential in ({"cookie": "x=1"}, {"authorization": ""}):
        with pytest.raises(Forbidden):
            RULE.check("/api/ingest", headers | no_credential)


def test_shippers_may_use_any_name() -> None:
    RULE.check("/api/ingest", {"host": "evil.example"})


def test_a_service_on_a_network_has_whatever_name_it_has() -> None:
    HostRule().check("/api/setup", {"host": "logs.company.example"})


def test_rebinding_reaches_neither_setup_nor_sign_in_nor_ingest(service: RunningService) -> None:
    with (
        serve(service.application, hosts=RULE) as port,
        httpx.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S, verify=False
        ) as client,
    ):
        rebound = {"Host": "evil.example", "Origin": "http://evil.example"}
        browser = rebound | {"Sec-Fetch-Site": "same-origin"}
        for headers in (rebound, browser):
            for path in ("/api/setup", "/api/auth/login", "/api/ingest", "/_bulk"):
                answer = client.post(path, json=CREDENTIALS, headers=headers)
                assert answer.status_code == 403
                assert "SERVICE_ALLOWED_HOSTS" in answer.json()["error"]["message"]
        assert client.get("/api/setup", headers={"Host": "evil.example"}).status_code == 403
        assert client.get("/api/setup").json()["required"] is False
        own = {"Host": "logs.example", "Origin": "http://logs.example"}
        assert client.post("/api/auth/login", json=CREDENTIALS, headers=own).status_code == 200
