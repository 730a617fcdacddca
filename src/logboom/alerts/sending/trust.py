"""Which certificates of receivers are trusted."""

import ssl
from functools import cache


@cache
def make_context() -> ssl.SSLContext:
    """Return those that the system trusts, or those of `SSL_CERT_FILE`."""
    return ssl.create_default_context()
