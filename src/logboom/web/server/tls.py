"""TLS from a certificate and its key, which may be renewed while the service runs."""

import logging
import ssl
from pathlib import Path

from logboom.base.errors import Invalid

log = logging.getLogger(__name__)

Stamp = tuple[tuple[int, int, int] | None, ...]


class Tls:
    """Server-side TLS: `context` is for listening.

    New connections get the newest certificate that was valid when `reload` read the files; open ones keep theirs.
    Raises Invalid if there is none at the start.
    """

    def __init__(self, certificate: Path, key: Path) -> None:
        self._files = (certificate, key)
        self._seen = self._stamp()
        self.context = self._newest = open_context(certificate, key)
        self.context.sni_callback = self._choose

    def reload(self) -> None:
        """Load changed files; if they are invalid the previous certificate stays."""
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
        """Called at the start of every handshake, with or without a server name."""
        connection.context = self._newest


def stamp_file(path: Path) -> tuple[int, int, int] | None:
    """Return a value that changes when the file is written or replaced, or None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def open_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return a context for TLS 1.2 or newer; Invalid names the file that is missing or does not fit."""
    for path in (certificate, key):
        try:
            path.open("rb").close()
        except OSError as error:
            raise Invalid(f"TLS file {path} cannot be read: {error.strerror}") from error
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # Without a password callback the library would prompt on the terminal.
        context.load_cert_chain(certificate, key, password="")
    except (ssl.SSLError, ValueError, OSError) as error:
        raise Invalid(
            f"TLS certificate {certificate} and key {key} do not fit, expected PEM files "
            "with a matching key without a password"
        ) from error
    return context
