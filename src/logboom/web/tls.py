"""TLS from a certificate and its key, which may be renewed while the service runs."""

import logging
import ssl
from pathlib import Path

from logboom.base.errors import Invalid

log = logging.getLogger(__name__)

Stamp = tuple[tuple[int, int, int] | None, ...]


class Tls:
    """A server's side of TLS: `context` is what it listens with.

    Each connection gets the newest certificate that was good when `reload` looked at the files; those that
    are open keep theirs. Invalid when there is none at first.
    """

    def __init__(self, certificate: Path, key: Path) -> None:
        self._files = (certificate, key)
        self._seen = self._stamp()
        self.context = self._newest = open_context(certificate, key)
        self.context.sni_callback = self._choose

    def reload(self) -> None:
        """Take over files that changed; when they are no good the certificate before them stays."""
        seen = self._stamp()
        if seen == self._seen:
            return
        self._seen = seen
        try:
            self._newest = open_context(*self._files)
        except Invalid as error:
            reason = {"reason": error.message}
            log.warning("TLS certificate not renewed, the old one stays", extra=reason)
        else:
            log.info("TLS certificate renewed", extra={"certificate": str(self._files[0])})

    def _stamp(self) -> Stamp:
        return tuple(map(stamp_file, self._files))

    def _choose(self, connection: ssl.SSLObject, _name: str | None, _: ssl.SSLContext) -> None:
        """Asked at the begin of every handshake, whether the client names a server or not."""
        connection.context = self._newest


def stamp_file(path: Path) -> tuple[int, int, int] | None:
    """What is another after the file was written or replaced; None when there is none to be seen."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def open_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """TLS 1.2 or newer; Invalid names the file that is missing or does not fit."""
    for path in (certificate, key):
        try:
            path.open("rb").close()
        except OSError as error:
            raise Invalid(f"TLS file {path} cannot be read: {error.strerror}") from error
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # Without a password of our own the library would ask for one on the terminal.
        context.load_cert_chain(certificate, key, password="")
    except (ssl.SSLError, ValueError, OSError) as error:
        raise Invalid(
            f"TLS certificate {certificate} and key {key} do not fit, "
            "expected PEM files, the key that of the certificate and without a password"
        ) from error
    return context
