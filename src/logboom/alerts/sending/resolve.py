"""Resolves names to addresses that are allowed. Connections use the checked address, not the name again."""

import asyncio
import socket

from logboom.base.addresses import is_refused, parse_address
from logboom.base.errors import Forbidden, Unavailable


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host; raise Forbidden if one of them is link-local or a metadata service."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Unavailable(f"the name {host[:80]!r} cannot be resolved") from error
    return check_addresses(host, [str(place[0]) for *_, place in found])


def resolve_now(host: str, port: int) -> list[str]:
    """Do what `resolve` does, but block: call it off the event loop."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Unavailable(f"the name {host[:80]!r} cannot be resolved") from error
    return check_addresses(host, [str(place[0]) for *_, place in found])


def check_addresses(host: str, addresses: list[str]) -> list[str]:
    for text in addresses:
        address = parse_address(text)
        if address is None or is_refused(address):
            raise Forbidden(
                f"{host[:80]!r} resolves to {text}, which is link-local or a metadata service"
            )
    return list(dict.fromkeys(addresses))
