"""A certificate that is renewed while the service runs: new connections get it, if it is good."""

import logging
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.logged import list_said_by
from tests.web.identities import Identity, make_identity, read_serial

from logboom.base.errors import Invalid
from logboom.web.server.tls import Tls

Spoil = Callable[[Identity, Identity], object]

SPOILED: dict[str, Spoil] = {
    "another key": lambda identity, other: other.key.replace(identity.key),
    "another certificate": lambda identity, other: other.certificate.replace(identity.certificate),
    "no certificate": lambda identity, _: identity.certificate.write_bytes(b"nothing"),
    "half a certificate": lambda identity, _: identity.certificate.write_bytes(
        identity.certificate.read_bytes()[:200]
    ),
    "an empty key": lambda identity, _: identity.key.write_bytes(b""),
    "a missing key": lambda identity, _: identity.key.unlink(),
    "a missing certificate": lambda identity, _: identity.certificate.unlink(),
}


@pytest.fixture
def identity(tmp_path: Path) -> Identity:
    return make_identity(tmp_path, "server")


class Meeting:
    """A client and a server that shake hands in memory."""

    def __init__(self, tls: Tls, server_name: str | None = None) -> None:
        to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
        trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        self.server = tls.context.wrap_bio(to_server, to_client, server_side=True)
        self.client = trusting.wrap_bio(to_client, to_server, server_hostname=server_name)
        self.advance()

    def advance(self) -> None:
        for _ in range(3):
            for side in (self.client, self.server):
                try:
                    side.do_handshake()
                except ssl.SSLWantReadError:
                    continue

    def read_serial(self) -> int:
        certificate = self.client.getpeercert(binary_form=True)
        assert certificate is not None
        return read_serial(certificate)


@pytest.mark.parametrize("server_name", [None, "logs.example.org"])
def test_new_connections_get_the_renewed_certificate_and_old_ones_go_on(
    tmp_path: Path, identity: Identity, server_name: str | None
) -> None:
    tls, first = Tls(*identity), identity.serial
    old = Meeting(tls, server_name)
    identity.replace(make_identity(tmp_path, "renewed"))
    assert Meeting(tls, server_name).read_serial() == first
    tls.reload()
    renewed = Meeting(tls, server_name)
    assert renewed.read_serial() == identity.serial != first
    assert renewed.server.version() == "TLSv1.3"
    for meeting in (old, renewed):
        meeting.client.write(b"hello")
        assert meeting.server.read() == b"hello"


def test_a_certificate_is_renewed_again_and_again(tmp_path: Path, identity: Identity) -> None:
    tls = Tls(*identity)
    for number in range(5):
        identity.replace(make_identity(tmp_path, f"renewed-{number}"))
        tls.reload()
        assert Meeting(tls).read_serial() == identity.serial


def test_files_behind_links_are_followed(tmp_path: Path, identity: Identity) -> None:
    (tmp_path / "live").mkdir()
    links = Identity(tmp_path / "live" / "cert.pem", tmp_path / "live" / "key.pem")
    for link, target in zip(links, identity, strict=True):
        link.symlink_to(target)
    tls = Tls(*links)
    for link, target in zip(links, make_identity(tmp_path, "renewed"), strict=True):
        link.unlink()
        link.symlink_to(target)
    tls.reload()
    assert Meeting(tls).read_serial() == links.serial != identity.serial


@pytest.mark.parametrize("name", SPOILED)
def test_files_that_are_no_good_are_told_of_once_and_the_old_certificate_stays(
    tmp_path: Path, identity: Identity, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    tls, first = Tls(*identity), identity.serial
    SPOILED[name](identity, make_identity(tmp_path, "other"))
    for _ in range(3):
        tls.reload()
    assert Meeting(tls).read_serial() == first
    said = list_said_by("logboom.web.server.tls", caplog)
    (record,) = [each for each in said if each.levelno >= logging.WARNING]
    assert str(tmp_path) in record.reason
    identity.replace(make_identity(tmp_path, "renewed"))
    tls.reload()
    assert Meeting(tls).read_serial() == identity.serial != first


def test_nothing_is_said_or_done_while_nothing_changes(
    identity: Identity, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    tls = Tls(*identity)
    tls.reload()
    assert list_said_by("logboom.web.server.tls", caplog) == []
    assert Meeting(tls).read_serial() == identity.serial


def test_without_a_good_certificate_there_is_no_start(tmp_path: Path, identity: Identity) -> None:
    with pytest.raises(Invalid, match="cannot be read"):
        Tls(tmp_path / "missing.pem", identity.key)
    with pytest.raises(Invalid, match="do not fit"):
        Tls(identity.key, identity.key)
