"""TLS from a certificate and its key."""

import ssl
from pathlib import Path

from logboom.base.errors import Invalid


def open_tls(certificate: Path, key: Path) -> ssl.SSLContext:
    """A server's side of TLS 1.2 or newer; Invalid names the file that is missing or does not fit."""
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
    except (ssl.SSLError, ValueError) as error:
        raise Invalid(
            f"TLS certificate {certificate} and key {key} do not fit, "
            "expected PEM files, the key that of the certificate and without a password"
        ) from error
    return context
