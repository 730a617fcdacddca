"""Authorises every ingest request: who may send events, and where they go.

Credentials come in the forms that shippers use; the result is always one principal and one environment.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address

from logboom.base.errors import Forbidden, Unauthenticated, about
from logboom.base.structs import InternalStruct
from logboom.control.access.authorise import admits_row, check_env, require
from logboom.control.access.credentials import refused
from logboom.control.access.principal import ANONYMOUS, Principal
from logboom.control.access.scopes import Scope
from logboom.control.access.tokens import TokenDisabled
from logboom.control.control import Control
from logboom.control.registry.environments import DEFAULT_ENVIRONMENT
from logboom.web.asgi import RawRequest

TOKEN_HEADER = "x-service-token"  # noqa: S105 - the header's name


class Admission(InternalStruct, frozen=True):
    """A principal and the environment that its events go to."""

    principal: Principal
    env: str

    def admits(self, index: str) -> bool:
        """Return whether events may go to this index."""
        return admits_row(self.principal, index)

    def scope_key(self, key: str | None) -> str | None:
        """Return the idempotency key, prefixed so that senders cannot collide."""
        owner = self.principal.id
        return f"{owner}\0{key}" if key and owner else key

    def name_sender(self, address: str) -> str:
        """Return the sender whose idempotency keys are counted together: the principal, else the network."""
        return self.principal.id or name_network(address)


@lru_cache(maxsize=1024)
def name_network(address: str) -> str:
    """Return an address, or for IPv6 the 64 bits that a sender cannot choose."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv4Address):
        return address
    return str(IPv6Address(int(parsed) >> 64 << 64))


def admit(control: Control, request: RawRequest, *, any_scheme: bool = False) -> Admission:
    """Admit a sender; wrong credentials are always refused, missing ones only if the settings say so."""
    principal = identify(control, request.headers, any_scheme=any_scheme)
    with about("env"):
        env = choose_env(principal, request)
        control.environments.get(env)
    return Admission(principal, env)


def identify(
    control: Control,
    headers: Mapping[str, str],
    *,
    any_scheme: bool = False,
    may_search: bool = False,
) -> Principal:
    """Return who sends events; with `may_search` it may also be somebody who only searches.

    With `any_scheme` any word before a token counts as its scheme.
    """
    credential = find_credential(headers, any_scheme=any_scheme)
    if credential is None:
        if control.settings.effective.ingest.require_auth:
            raise Unauthenticated("no credentials, expected an ingest token")
        return ANONYMOUS
    principal = recognise(control, credential)
    if not (may_search and principal.may(Scope.SEARCH)):
        require(principal, Scope.INGEST)
    if principal.kind == "token":
        control.tokens.touch(principal.id)
    return principal


def recognise(control: Control, credential: str) -> Principal:
    """Return whose credential this is.

    A refusal mentions keys and tokens, because programs use those; otherwise it would mention a session.
    """
    try:
        return control.authenticate(credential)
    except TokenDisabled:
        raise
    except Unauthenticated as error:
        raise refused() from error


def choose_env(principal: Principal, request: RawRequest) -> str:
    """Return the pinned environment, else the parameter, else the header, else the default."""
    asked = request.find("env", "x-service-env", "")
    pinned = principal.pinned_env
    if pinned is None:
        env = asked or DEFAULT_ENVIRONMENT
        if principal is not ANONYMOUS:
            check_env(principal, env)
        return env
    carried = {request.parameters.get("env"), request.headers.get("x-service-env")}
    others = carried - {None, "", pinned}
    if others:
        raise Forbidden(
            f"{principal.kind} {principal.name!r} is pinned to the environment {pinned!r}, expected no other"
        )
    return pinned


def find_credential(headers: Mapping[str, str], *, any_scheme: bool = False) -> str | None:
    """Return the token or session of a request, or None without one."""
    token = headers.get(TOKEN_HEADER)
    if token is not None:
        return token.strip()
    authorization = headers.get("authorization", "")
    if not authorization:
        return None
    scheme, _, content = authorization.partition(" ")
    read = SCHEMES.get(scheme.lower())
    if read is None and any_scheme and content:
        read = read_plain
    if read is None:
        # The word may be a token without a scheme: it must not be repeated in the message.
        known = ", ".join(name.capitalize() for name in SCHEMES)
        raise Unauthenticated(f"unknown authorization scheme, expected one of {known}")
    return read(content.strip())


def read_plain(content: str) -> str:
    return content


def read_api_key(content: str) -> str:
    """Return the token itself, or base64 of `id:token`."""
    _, colon, token = decode(content).partition(":")
    return token if colon else content


def read_basic(content: str) -> str:
    """Return the token: the password of Basic credentials; the user name is ignored."""
    return decode(content).partition(":")[2]


def decode(content: str) -> str:
    """Return the decoded base64 text; empty if it is invalid."""
    try:
        return base64.b64decode(content, validate=True).decode()
    except (binascii.Error, ValueError):
        return ""


SCHEMES: dict[str, Callable[[str], str]] = {
    "bearer": read_plain,
    "splunk": read_plain,
    "apikey": read_api_key,
    "basic": read_basic,
}
