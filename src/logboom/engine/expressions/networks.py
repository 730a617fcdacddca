"""Functions of network addresses, IPv4 and IPv6 alike."""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.expressions.arguments import Arguments, Builder, Constant
from logboom.engine.rows.values import Value
from logboom.engine.terms.networks import is_inside
from logboom.model.columns import Kind

Address = IPv4Address | IPv6Address


def read_address(text: str) -> Address | None:
    """Return an address; an IPv4-mapped IPv6 address counts as IPv4."""
    try:
        address = ip_address(text.strip())
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def match_network(arguments: Arguments) -> Value:
    """Return whether an address is in a network; they may come in either order: the network is the one with a slash."""
    second = arguments.values[1]
    is_second = isinstance(second, Constant) and "/" in str(second.value)
    network = read_network(arguments, 1 if is_second else 0)
    address = arguments.text(0 if is_second else 1)
    found = is_inside(network)(address, Kind.STR).fill_null(value=False)
    return Value({Kind.BOOL: pl.when(address.is_not_null()).then(found)})


def read_network(arguments: Arguments, place: int) -> str:
    """Return the network given as an argument, in its canonical form."""
    written = str(arguments.constant(place, "a network written in the query"))
    try:
        return str(ip_network(written.strip(), strict=False))
    except ValueError as error:
        raise Invalid(
            f"{arguments.name}: network {written!r}, expected one such as 10.0.0.0/8"
        ) from error


def find_network(address: str, bits: int) -> str | None:
    found = read_address(address)
    if found is None or not 0 <= bits <= found.max_prefixlen:
        return None
    return str(ip_network((found, bits), strict=False))


def prefix(arguments: Arguments) -> Value:
    return arguments.map(find_network, arguments.text(0), arguments.whole(1), kind=Kind.STR)


def tests(test: Callable[[Address], bool]) -> Builder:
    """Return the builder of a test of addresses; false for anything else."""

    def check(text: str) -> bool:
        address = read_address(text)
        return address is not None and test(address)

    return lambda arguments: arguments.map(check, arguments.text(0), kind=Kind.BOOL)


NETWORKS: dict[str, Builder] = {
    "cidrmatch": match_network,
    "ipprefix": prefix,
    "is_ipv4": tests(lambda address: isinstance(address, IPv4Address)),
    "is_ipv6": tests(lambda address: isinstance(address, IPv6Address)),
    "is_private": tests(lambda address: address.is_private),
}
