"""The host names that a service on a loopback address accepts.

A page of another site can have its own name resolve to a loopback address (DNS rebinding); the browser then treats
the service as part of that site. Only the `Host` header distinguishes such a request.
"""

import ipaddress
import re
from collections.abc import Mapping

from logboom.base.errors import Forbidden
from logboom.base.structs import InternalStruct

SETTING = "SERVICE_ALLOWED_HOSTS"
SETUP_PATH = "/api/setup"
LOGIN_PATH = "/api/auth/login"
CREDENTIAL_HEADERS = ("authorization", "x-service-token")
"""Wrong credentials are refused everywhere. Cookies do not count: any page can set one under its own name."""
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?")
ALLOWED = re.compile(r"(\*\.)?[a-z0-9]([a-z0-9._-]*[a-z0-9])?|[0-9a-f:.]*:[0-9a-f:.]*")


class HostRule(InternalStruct, frozen=True):
    """Applies to loopback addresses only; `allowed` are further names, with `*.` for any subdomain."""

    is_loopback: bool = False
    allowed: tuple[str, ...] = ()

    def check(self, path: str, headers: Mapping[str, str]) -> None:
        """Raise Forbidden for setup, and for a page without credentials, under an unknown host name."""
        if not self.is_loopback or not is_guarded(path, headers):
            return
        host = headers.get("host", "")
        name = parse_host(host)
        if not is_loopback_name(name) and not self._allows(name):
            raise Forbidden(
                f"Host {host[:80]!r}, expected a loopback name such as localhost, or one of those in {SETTING}"
            )

    def _allows(self, name: str) -> bool:
        return any(
            name == each or (each.startswith("*.") and name.endswith(each[1:]))
            for each in self.allowed
        )


def is_guarded(path: str, headers: Mapping[str, str]) -> bool:
    route = path.rstrip("/")
    has_credentials = route != LOGIN_PATH and any(headers.get(name) for name in CREDENTIAL_HEADERS)
    return route == SETUP_PATH or ("origin" in headers and not has_credentials)


def parse_host(host: str) -> str:
    """Return the name or address in a `Host` header, in lower case; empty if it is malformed."""
    found = HOST.fullmatch(host)
    return found[1].lower().strip("[]").removesuffix(".") if found else ""


def is_loopback_name(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def read_hosts(text: str) -> tuple[str, ...]:
    """Read host names separated by commas; raise ValueError for anything else."""
    names = tuple(part.strip().lower() for part in text.split(",")) if text.strip() else ()
    if not all(ALLOWED.fullmatch(name) for name in names):
        raise ValueError(text)
    return names
