"""Sign-in requests: what is sent to the identity provider, and what the browser keeps until the response.

Nothing is stored here meanwhile. The browser keeps a cookie with the ID of its request, the time, and where to go
afterwards, signed with a key that all nodes share.
"""

import base64
import hmac
import re
import secrets
import zlib
from datetime import UTC, datetime
from urllib.parse import urlencode, urlsplit
from xml.sax.saxutils import escape, quoteattr

from logboom.base.structs import InternalStruct
from logboom.saml.provider import Provider
from logboom.saml.reasons import Refused

REQUEST_S = 15 * 60
COOKIE_PREFIX = "logboom_saml"
LONGEST_ADDRESS = 2000
"""What fits into a cookie with the rest."""
ADDRESS = re.compile(r"(?:/[a-z][a-z-]*)+(?:\?[!-~]*)?")
"""The part of a page's address after the `#`: a path of words and parameters."""
POST_BINDING = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"


class Request(InternalStruct, frozen=True):
    """A sign-in that a browser has started; `address` is the page to show afterwards, empty for the first one."""

    id: str
    begun_s: int
    address: str = ""


def begin(now_s: int, address: str) -> Request:
    """Return a new request; an address that is not one of our pages is dropped."""
    is_page = len(address) <= LONGEST_ADDRESS and ADDRESS.fullmatch(address)
    return Request(f"_{secrets.token_hex(16)}", now_s, address if is_page else "")


def name_cookie(request_id: str) -> str:
    """Return one cookie for each request, so that sign-ins in two tabs do not interfere."""
    return f"{COOKIE_PREFIX}{request_id}"


def seal(request: Request, key: bytes) -> str:
    """Return the value of the cookie."""
    content = f"{request.id} {request.begun_s} {request.address}"
    encoded = base64.urlsafe_b64encode(content.encode()).decode()
    return f"{encoded}.{sign(encoded, key)}"


def unseal(cookie: str | None, request_id: str, now_s: int, key: bytes) -> Request:
    """Return the request that a cookie was made for.

    Raise Refused unless it is the one that was answered, and in time.
    """
    encoded, _, signature = (cookie or "").partition(".")
    if not hmac.compare_digest(signature.encode(), sign(encoded, key).encode()):
        raise Refused("saml_foreign_request", "no cookie of this request")
    content = base64.urlsafe_b64decode(encoded).decode()
    found_id, begun_s, address = content.split(" ", 2)
    if found_id != request_id:
        raise Refused("saml_foreign_request", "the cookie of another request")
    age_s = now_s - int(begun_s)
    if age_s > REQUEST_S:
        raise Refused("saml_request_expired", f"{age_s} s")
    return Request(found_id, int(begun_s), address)


def sign(encoded: str, key: bytes) -> str:
    return hmac.digest(key, encoded.encode(), "sha256").hex()


def make_location(request: Request, provider: Provider) -> str:
    """Return where the browser is sent: the identity provider's address with the request in it."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = packer.compress(render(request, provider).encode()) + packer.flush()
    # The relay state comes back with the response, and is never used.
    parameters = {"SAMLRequest": base64.b64encode(packed).decode(), "RelayState": request.id}
    joint = "&" if urlsplit(provider.idp_sso_url).query else "?"
    return f"{provider.idp_sso_url}{joint}{urlencode(parameters)}"


def render(request: Request, provider: Provider) -> str:
    issued = datetime.fromtimestamp(request.begun_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return (
        '<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"'
        f' ID={quoteattr(request.id)} Version="2.0" IssueInstant="{issued}" Destination={quoteattr(provider.idp_sso_url)}'
        f' ProtocolBinding="{POST_BINDING}" AssertionConsumerServiceURL={quoteattr(provider.acs_url)}>'
        f"<saml:Issuer>{escape(provider.sp_entity_id)}</saml:Issuer></samlp:AuthnRequest>"
    )
