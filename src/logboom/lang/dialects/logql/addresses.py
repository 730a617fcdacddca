"""`ip("…")`: one address, a network, or the addresses from one to another."""

from collections.abc import Iterator
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
    summarize_address_range,
)
from itertools import islice
from typing import TypeAlias

from logboom.lang.dialects.logql.tokens import Token, TokenReader, decode_string, show

MAX_NETWORKS = 32
"""Maximum number of networks that a range of addresses is split into."""

Network: TypeAlias = IPv4Network | IPv6Network


def read_networks(reader: TokenReader) -> tuple[list[Network], Token]:
    """Read the following call; return its networks and the token that names them."""
    reader.take()
    reader.expect("(")
    token = reader.expect_kind("string", "an address or network in quotes")
    reader.expect(")")
    return list_networks(reader, decode_string(token.text), token), token


def list_networks(reader: TokenReader, text: str, token: Token) -> list[Network]:
    try:
        found = list(islice(divide(text), MAX_NETWORKS + 1))
    except (ValueError, TypeError) as error:
        message = f"{show(text)} is not an address, a network or a range of addresses"
        raise reader.refuse(message, token) from error
    if len(found) > MAX_NETWORKS:
        message = f"{show(text)} takes more than {MAX_NETWORKS} networks, expected a simpler range"
        raise reader.refuse(message, token)
    return found


def divide(text: str) -> Iterator[Network]:
    """Yield the networks that an address, a network or a range of addresses consists of."""
    low, dash, high = text.partition("-")
    if not dash:
        yield ip_network(text.strip(), strict=False)
        return
    first, last = ip_address(low.strip()), ip_address(high.strip())
    if (isinstance(first, IPv4Address) and isinstance(last, IPv4Address)) or (
        isinstance(first, IPv6Address) and isinstance(last, IPv6Address)
    ):
        yield from summarize_address_range(first, last)
    else:
        raise TypeError("addresses of two versions")
