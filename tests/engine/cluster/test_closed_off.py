"""Who has neither the secret nor a certificate takes no part in a cluster."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engine.cluster.running import Machines, asking, connected, machines
from tests.engine.cluster.test_failures import QUERY, check
from tests.engine.execution.test_executors import EVENTS
from tests.engine.stored import Stored
from tests.waiting import poll_until

from logboom.base.errors import Invalid
from logboom.config import load_settings
from logboom.engine.cluster.certificates import Certificates, issue_certificates
from logboom.engine.terms.request import Request
from logboom.lang.parse import parse

SECRET, OTHER = b"s" * 32, b"t" * 32


def write_secret(path: Path, secret: bytes) -> Path:
    path.write_bytes(secret.hex().encode())
    path.chmod(0o600)
    return path


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    root = tmp_path_factory.mktemp("cluster")
    secret = write_secret(root / "secret", SECRET)
    with machines(root, 2, {"SERVICE_DASK_SECRET_PATH": str(secret)}) as started:
        yield started


def test_with_the_secret_all_speak_tls(running: Machines, wide: Stored) -> None:
    env = wide.make_env()
    for start in range(6):
        wide.keep(env, EVENTS[start::6])
    expected = wide.search(env, QUERY)
    with asking(running, wide, 2, issue_certificates(SECRET)) as (engine, _):
        check(engine.search(Request(parse(QUERY), (env,))), expected)


@pytest.mark.parametrize("certificates", [issue_certificates(OTHER), None])
def test_a_node_without_it_is_refused(
    running: Machines, wide: Stored, certificates: Certificates | None
) -> None:
    address = running.address if certificates else running.address.replace("tls", "tcp")
    with connected(address, wide, certificates) as cluster:
        poll_until(lambda: "does not answer" in str(cluster.state.problem), "it to be refused")
        assert cluster.state.workers == 0


def test_a_worker_without_it_is_refused(running: Machines, wide: Stored, tmp_path: Path) -> None:
    other = write_secret(tmp_path / "other", OTHER)
    stranger = running.start_worker({"SERVICE_DASK_SECRET_PATH": str(other)})
    poll_until(lambda: stranger.has_logged("cannot be reached"), "it to be refused")
    with connected(running.address, wide, issue_certificates(SECRET)) as cluster:
        poll_until(lambda: cluster.state.workers, "the workers to be seen")
        assert cluster.state.workers == 2
    stranger.kill()


def test_certificates_in_files_do_as_well(tmp_path: Path, wide: Stored) -> None:
    names = ("SERVICE_DASK_TLS_CA", "SERVICE_DASK_TLS_CERT", "SERVICE_DASK_TLS_KEY")
    issued = issue_certificates(SECRET)
    settings = {name: str(tmp_path / name) for name in names}
    for name, text in zip(names, issued, strict=True):
        (tmp_path / name).write_text(text)
    with (
        machines(tmp_path, 1, settings) as running,
        connected(running.address, wide, Certificates(*settings.values())) as cluster,
    ):
        poll_until(lambda: cluster.state.workers == 1, "the worker to be seen")


def test_every_certificate_is_another_one_of_the_same_authority() -> None:
    one, other = issue_certificates(SECRET), issue_certificates(SECRET)
    assert one.key != other.key
    assert issue_certificates(OTHER).authority != one.authority


@pytest.mark.parametrize(
    "settings",
    [
        {"SERVICE_DASK_SCHEDULER": "localhost:8786"},
        {"SERVICE_DASK_SCHEDULER": "tcp://localhost"},
        {"SERVICE_DASK_SCHEDULER": "http://localhost:8786"},
        {"SERVICE_DASK_SCHEDULER": "tls://localhost:8786"},
        {"SERVICE_DASK_SCHEDULER": "tcp://localhost:8786", "SERVICE_DASK_SECRET_PATH": "secret"},
        {"SERVICE_DASK_SECRET_PATH": "secret", "SERVICE_DASK_TLS_CA": "ca"},
        {"SERVICE_DASK_TLS_CA": "ca", "SERVICE_DASK_TLS_CERT": "cert"},
        {"SERVICE_DASK_LEAST_MB": "-1"},
    ],
)
def test_settings_that_do_not_fit(settings: dict[str, str]) -> None:
    with pytest.raises(Invalid, match="SERVICE_DASK"):
        load_settings({}, settings)


def test_settings_that_fit() -> None:
    secret = {"SERVICE_DASK_SECRET_PATH": "secret"}
    for address, others in (("tcp://node-1:8786", {}), ("tls://[::1]:8786", secret), ("", secret)):
        settings = load_settings({}, {"SERVICE_DASK_SCHEDULER": address, **others})
        assert settings.cluster_access.address == address
