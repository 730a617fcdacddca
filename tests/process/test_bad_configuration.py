"""A configuration that cannot work is refused at the start, in one line that says why."""

import os
import socket
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

import pytest
from tests.process.forks import start_forked
from tests.process.service import build_environment

pytestmark = [pytest.mark.process]

START_S = 20


class Ended(NamedTuple):
    """A process that is no more: its exit code, and all that it said."""

    code: int
    said: str


def serve(*arguments: str, **settings: str) -> Ended:
    """Start the server with a configuration that should end it at once."""
    with NamedTemporaryFile() as log:
        environment = build_environment(settings)
        code = start_forked(["serve", *arguments], environment, Path(log.name)).wait(START_S)
        return Ended(code, log.read().decode())


def assert_refused(ended: Ended, named: str) -> None:
    """It failed with one line that names the bad value."""
    assert ended.code > 0, ended
    (line,) = ended.said.splitlines()
    assert named in line
    assert "Traceback" not in line


@pytest.mark.parametrize("port", ["99999", "-1", "http"])
def test_a_port_that_is_none(tmp_path: Path, port: str) -> None:
    assert_refused(serve("--data", str(tmp_path), "--port", port), port)
    assert_refused(serve("--data", str(tmp_path), SERVICE_PORT=port), port)


@pytest.mark.parametrize("url", ["gopher://somewhere/logs", "not a url"])
def test_a_store_of_an_unknown_kind(tmp_path: Path, url: str) -> None:
    assert_refused(serve("--data", str(tmp_path), SERVICE_STORE_URL=url), url)


@pytest.mark.parametrize(
    "name", ["SERVICE_BLOCK_FLUSH_SECS", "SERVICE_BLOCK_FLUSH_ROWS", "SERVICE_BLOCK_QUEUE_CAP"]
)
@pytest.mark.parametrize("value", ["0", "-5", "soon"])
def test_a_tunable_that_is_no_positive_number(tmp_path: Path, name: str, value: str) -> None:
    assert_refused(serve("--data", str(tmp_path), **{name: value}), value)


def test_a_data_directory_that_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    assert_refused(serve("--data", str(path)), str(path))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_data_directory_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "closed"
    path.mkdir(mode=0)
    assert_refused(serve("--data", str(path)), str(path))


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert_refused(serve("--data", str(tmp_path), "--port", port), port)


@pytest.mark.parametrize("name", ["SERVICE_JWT_SECRET_PATH", "SERVICE_CONTROL_KEY_PATH"])
@pytest.mark.parametrize("content", [b"", b"too short", b"\xff" * 31])
def test_a_secret_that_is_too_short(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / "secret"
    path.write_bytes(content)
    path.chmod(0o600)
    result = serve("--data", str(tmp_path / "data"), "--port", "0", **{name: str(path)})
    assert_refused(result, f"{path} holds {len(content)} bytes, expected at least 32")


def test_a_control_key_that_is_missing_is_not_replaced(tmp_path: Path) -> None:
    document, key = tmp_path / "store/control/users/000000000001", tmp_path / "secrets/control"
    document.parent.mkdir(parents=True)
    document.write_bytes(b"sealed with the missing key")
    assert_refused(serve("--data", str(tmp_path), "--port", "0"), f"{key} with the key of the")
    assert not key.exists()


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff"])
def test_a_setup_code_file_without_a_code(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "code"
    if content is not None:
        path.write_bytes(content)
    result = serve("--data", str(tmp_path), "--port", "0", SERVICE_SETUP_CODE_PATH=str(path))
    assert_refused(result, str(path))


def test_a_proxy_that_is_no_address(tmp_path: Path) -> None:
    result = serve("--data", str(tmp_path), SERVICE_TRUSTED_PROXIES="10.0.0.0/8,proxy")
    assert_refused(result, "SERVICE_TRUSTED_PROXIES is '10.0.0.0/8,proxy'")
