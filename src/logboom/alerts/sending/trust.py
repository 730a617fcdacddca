"""Which certificates of receivers are trusted."""

import ssl
from functools import cache


@cache
def make_context() -> ssl.SSLContext:
    """Return a context that trusts the certificates of the system, or those of `SSL_CERT_FILE`."""
    return ssl.create_default_context()
