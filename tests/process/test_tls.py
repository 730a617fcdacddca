"""TLS: spoken with a certificate and its key, refused at the start with anything less."""

import signal
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption
from tests.process.conftest import MakeService
from tests.process.service import Service
from tests.process.test_bad_configuration import assert_refused, serve
from tests.waiting import PATIENCE_S, poll_until
from tests.web.identities import Identity, make_identity, read_serial

pytestmark = [pytest.mark.process]


@pytest.fixture
def identity(tmp_path: Path) -> Identity:
    return make_identity(tmp_path, "server")


@pytest.fixture
def service(services: MakeService, identity: Identity) -> Service:
    running = services(SERVICE_TLS_CERT=identity.certificate, SERVICE_TLS_KEY=identity.key)
    running.spawn()
    return running


@pytest.fixture
def client(service: Service, identity: Identity) -> Iterator[httpx.Client]:
    trusting = ssl.create_default_context(cafile=str(identity.certificate))
    with httpx.Client(
        base_url=f"https://127.0.0.1:{service.port}", verify=trusting, timeout=PATIENCE_S
    ) as client:
        poll_until(lambda: is_ready(client, service), "the service to be ready over TLS")
        yield client


def is_ready(client: httpx.Client, service: Service) -> bool:
    assert service.is_running
    try:
        return client.get("/ready").status_code == httpx.codes.OK
    except httpx.ConnectError:
        return False


def test_everything_works_over_tls_and_browsers_are_told_to_stay(client: httpx.Client) -> None:
    answer = client.get("/api/version")
    assert answer.headers["Strict-Transport-Security"].startswith("max-age=")
    credentials = {"username": "admin", "password": "a long enough password"}
    assert client.post("/api/setup", json=credentials).status_code == 201
    login = client.post("/api/auth/login", json=credentials)
    assert "secure" in login.headers["Set-Cookie"].lower()
    assert client.post("/api/ingest", content=b"{}\n").json()["ingested"] == 1


def test_the_address_that_is_announced_begins_with_https(
    client: httpx.Client, service: Service
) -> None:
    address = f'"address":"https://127.0.0.1:{service.port}"'
    poll_until(lambda: address in service.log.read_text(), "the address in the log")


@pytest.mark.filterwarnings("ignore:.*TLSv1_1 is deprecated:DeprecationWarning")
def test_nothing_older_than_tls_1_2_is_spoken(client: httpx.Client, service: Service) -> None:
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.minimum_version = ssl.TLSVersion.TLSv1_1
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    with (
        socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection,
        pytest.raises((ssl.SSLError, ConnectionResetError)),
    ):
        old.wrap_socket(connection)


def test_plain_http_on_a_tls_port_gets_nothing_and_harms_nothing(
    client: httpx.Client, service: Service
) -> None:
    with pytest.raises(httpx.TransportError):
        httpx.get(f"http://127.0.0.1:{service.port}/health")
    assert client.get("/health").status_code == 200
    assert "Traceback" not in service.log.read_text()


def test_a_renewed_certificate_counts_without_a_restart(
    client: httpx.Client, service: Service, identity: Identity, tmp_path: Path
) -> None:
    def show_serial() -> int:
        shown = ssl.get_server_certificate(("127.0.0.1", service.port))
        return read_serial(ssl.PEM_cert_to_DER_cert(shown))

    first = identity.serial
    assert show_serial() == first
    good = identity.key.read_bytes()
    identity.key.write_bytes(b"not yet whole")
    service.signal(signal.SIGHUP)
    poll_until(lambda: "certificate not renewed" in service.log.read_text(), "the warning")
    assert show_serial() == first
    identity.key.write_bytes(good)
    identity.replace(make_identity(tmp_path, "renewed"))
    service.signal(signal.SIGHUP)
    poll_until(lambda: show_serial() == identity.serial, "the renewed certificate")
    assert identity.serial != first
    assert client.get("/health").status_code == 200


def start_with(data: Path, certificate: Path, key: Path, named: str) -> None:
    flags = ["--tls-cert", str(certificate), "--tls-key", str(key)]
    assert_refused(serve("--data", str(data), "--port", "0", *flags), named)


def test_a_file_that_is_missing_is_named(tmp_path: Path, identity: Identity) -> None:
    missing = tmp_path / "missing.pem"
    start_with(tmp_path, missing, identity.key, str(missing))
    start_with(tmp_path, identity.certificate, missing, str(missing))


def test_files_that_do_not_fit_are_named(tmp_path: Path, identity: Identity) -> None:
    other = make_identity(tmp_path, "other")
    start_with(tmp_path, identity.certificate, other.key, str(other.key))
    start_with(tmp_path, identity.key, identity.key, str(identity.key))
    start_with(tmp_path, identity.certificate, identity.certificate, "do not fit")
    locked = make_identity(tmp_path, "locked", BestAvailableEncryption(b"secret"))
    start_with(tmp_path, locked.certificate, locked.key, "without a password")


def test_one_file_alone_is_refused(tmp_path: Path, identity: Identity) -> None:
    flags = ["--data", str(tmp_path), "--port", "0"]
    assert_refused(serve(*flags, "--tls-cert", str(identity.certificate)), "SERVICE_TLS_KEY")
    assert_refused(serve(*flags, SERVICE_TLS_KEY=str(identity.key)), "SERVICE_TLS_CERT")
