"""Secrets for machines: `<prefix>_<id>_<43 characters>`, shown once, stored as a digest."""

import hashlib
import hmac
import re
import secrets

from logboom.base.errors import Unauthenticated

SECRET_BYTES = 32
FORM = re.compile(r"lb[kt]_([0-9a-z]{26})_[A-Za-z0-9_-]{43}")
NOBODYS_DIGEST = hashlib.sha256(b"").hexdigest()


def make_secret(prefix: str, record_id: str) -> str:
    return f"{prefix}{record_id}_{secrets.token_urlsafe(SECRET_BYTES)}"


def digest_secret(secret: str) -> str:
    """Return a plain SHA-256 digest, which is enough for long random secrets: they cannot be guessed."""
    return hashlib.sha256(secret.encode()).hexdigest()


def read_id(secret: str) -> str:
    """Return the id within a secret; raise Unauthenticated if it is malformed."""
    match = FORM.fullmatch(secret)
    if match is None:
        raise refused()
    return match[1]


def check_secret(secret: str, digest: str | None) -> None:
    """Raise Unauthenticated unless the secret matches the digest; takes the same time without a digest."""
    if not hmac.compare_digest(digest_secret(secret), digest or NOBODYS_DIGEST):
        raise refused()


def refused(kind: type[Unauthenticated] = Unauthenticated) -> Unauthenticated:
    return kind("the key or token is not valid, expected one that was issued and still works")
