"""Finds the client behind trusted proxies; what other proxies claim is ignored."""

import ipaddress
import re
from collections.abc import Iterable
from typing import Any, Final

from logboom.base.structs import InternalStruct

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

FORWARDED_FOR: Final = b"x-forwarded-for"
FORWARDED_PROTO: Final = b"x-forwarded-proto"
WITH_PORT = re.compile(r"\[([^\]]*)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5}")
SCHEMES = {
    "http": {"http": "http", "https": "https"},
    "websocket": {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"},
}


class TrustedProxies(InternalStruct, frozen=True):
    """The networks whose `X-Forwarded-For` and `X-Forwarded-Proto` headers are trusted; none by default."""

    networks: tuple[Network, ...] = ()

    def apply(self, scope: Any) -> None:
        """Replace the client and the scheme of an ASGI scope by those that a trusted proxy reports."""
        client = scope.get("client")
        if not self.networks or not client or not self._trusts(parse_address(client[0])):
            return
        hops = [parse_address(text) for text in list_values(scope["headers"], FORWARDED_FOR)]
        place = self._find_client(hops)
        if place is not None:
            scope["client"] = (str(hops[place]), 0)
        schemes = list_values(scope["headers"], FORWARDED_PROTO)
        if schemes:
            is_aligned = place is not None and len(schemes) == len(hops)
            scheme = schemes[place if is_aligned and place is not None else -1]
            scope["scheme"] = SCHEMES[scope["type"]].get(scheme.lower(), scope["scheme"])

    def _find_client(self, hops: list[Address | None]) -> int | None:
        """Return the right-most hop that is not a trusted proxy, else the first one, or None if a hop is malformed."""
        for place in reversed(range(len(hops))):
            if hops[place] is None:
                return None
            if not self._trusts(hops[place]):
                return place
        return 0 if hops else None

    def _trusts(self, address: Address | None) -> bool:
        return address is not None and any(address in network for network in self.networks)


def list_values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[str]:
    """Return the items of a list header, from all its lines."""
    lines = [value.decode("latin-1") for key, value in headers if key == name]
    return [item.strip() for item in ",".join(lines).split(",")] if lines else []


def parse_address(text: str) -> Address | None:
    """Return an address, with or without a port; an IPv4-mapped IPv6 address counts as IPv4. None for anything else."""
    found = WITH_PORT.fullmatch(text)
    try:
        address = ipaddress.ip_address((found[1] or found[2]) if found else text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def read_proxies(text: str) -> TrustedProxies:
    """Read addresses and networks separated by commas; raise ValueError for anything else."""
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    return TrustedProxies(tuple(ipaddress.ip_network(part) for part in parts))
