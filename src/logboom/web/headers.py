"""The security headers that every answer carries."""

from collections.abc import Iterable
from http import HTTPStatus

Header = tuple[bytes, bytes]

CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "style-src 'self'",
        "font-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    )
)

SECURITY_HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
TLS_HEADERS = {"strict-transport-security": "max-age=31536000"}


def encode(headers: dict[str, str]) -> list[Header]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


def list_own(status: int, headers: dict[str, str]) -> dict[str, str]:
    """Return the headers of an answer with this status: one without a body has no type or length."""
    if status != HTTPStatus.NO_CONTENT:
        return headers
    return {name: value for name, value in headers.items() if not name.startswith("Content-")}


PLAIN = encode(SECURITY_HEADERS)
ENCRYPTED = encode(SECURITY_HEADERS | TLS_HEADERS)


def add_security(headers: Iterable[Header], is_encrypted: bool) -> list[Header]:
    """Return the headers of an answer with the security headers added; headers that it already has win."""
    own = list(headers)
    names = {name.lower() for name, _ in own}
    return own + [each for each in (ENCRYPTED if is_encrypted else PLAIN) if each[0] not in names]
