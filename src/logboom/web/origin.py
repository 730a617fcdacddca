"""Which page of which site a request comes from, as far as a browser says it: no other site acts for a user."""

from collections.abc import Mapping

from logboom.base.errors import Forbidden

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_SITES = frozenset({"same-origin", "none"})
"""`none` is the user in person: an address that was typed, a bookmark."""

FOREIGN_PATHS = frozenset({"/api/auth/saml/acs"})
"""Where a page of another site may post to: the identity provider's answer, which does nothing before our own page sends it again."""


def is_own_page(headers: Mapping[str, str], scheme: str) -> bool | None:
    """Whether a browser says that one of our own pages asks; None when no browser says anything.

    A page of plain HTTP is never our own where we speak TLS: anybody on the way may have written it. The other
    way round it may be, behind a proxy that nobody named.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site.lower() in OWN_SITES
    origin = headers.get("origin")
    if origin is None:
        return None
    host = headers.get("host", "")
    origin_scheme, _, origin_host = origin.lower().partition("://")
    is_downgrade = scheme == "https" and origin_scheme != "https"
    return bool(host) and origin_host == host.lower() and not is_downgrade


def refuse_foreign(method: str, headers: Mapping[str, str], scheme: str) -> None:
    """Forbidden when a page of another site wants something done; a bearer token no foreign page can have."""
    if method in SAFE_METHODS or is_own_page(headers, scheme) is not False:
        return
    credential_kind = headers.get("authorization", "").partition(" ")[0]
    if credential_kind.lower() != "bearer":
        raise Forbidden("the request comes from a page of another site, expected one of our own")


def check_cookie_use(method: str, headers: Mapping[str, str], scheme: str) -> None:
    """Forbidden when a session cookie is to change something and it is not sure that our page sent it."""
    if method in SAFE_METHODS:
        return
    if not is_own_page(headers, scheme):
        raise Forbidden(
            "a session cookie without a sign of our own page, "
            "expected the header Sec-Fetch-Site or Origin, or a bearer token"
        )
    content_type = headers.get("content-type", "")
    if has_body(headers) and content_type.partition(";")[0].strip().lower() != "application/json":
        raise Forbidden(
            f"content type {content_type!r} with a session cookie, expected application/json"
        )


def has_body(headers: Mapping[str, str]) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"
