"""Checks which site a request comes from, according to the browser, so that no other site acts for a user."""

from collections.abc import Mapping

from logboom.base.errors import Forbidden

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_SITES = frozenset({"same-origin", "none"})
"""`none` is the user in person: a typed address or a bookmark."""

FOREIGN_PATHS = frozenset({"/api/auth/saml/acs"})
"""Where another site may post: the identity provider's response, which has no effect until our page posts it again."""


def is_own_page(headers: Mapping[str, str], scheme: str) -> bool | None:
    """Return whether the browser says that one of our own pages sent it, or None if nothing is said.

    A page of plain HTTP is never our own if we use TLS: anybody on the network may have changed it. The opposite is
    possible, behind a proxy that is not configured.
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
    """Raise Forbidden if a page of another site tries to change something; no such page can have a bearer token."""
    if method in SAFE_METHODS or is_own_page(headers, scheme) is not False:
        return
    credential_kind = headers.get("authorization", "").partition(" ")[0]
    if credential_kind.lower() != "bearer":
        raise Forbidden("the request comes from a page of another site, expected one of our own")


def check_cookie_use(method: str, headers: Mapping[str, str], scheme: str) -> None:
    """Raise Forbidden if a session cookie is used for a change that did not certainly come from our own page."""
    if method in SAFE_METHODS:
        return
    if not is_own_page(headers, scheme):
        raise Forbidden(
            "the session cookie was sent without proof that our own page sent it, expected the header "
            "Sec-Fetch-Site or Origin, or a bearer token"
        )
    content_type = headers.get("content-type", "")
    if has_body(headers) and content_type.partition(";")[0].strip().lower() != "application/json":
        raise Forbidden(
            f"content type {content_type!r} with a session cookie, expected application/json"
        )


def has_body(headers: Mapping[str, str]) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"
