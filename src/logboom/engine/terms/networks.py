"""Networks: which texts are addresses inside one. A mapped address (`::ffff:10.0.0.1`) counts as both."""

from functools import partial
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import polars as pl

from logboom.engine.rows.values import NEVER, ValueTest
from logboom.model.columns import Kind

ANY_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
MAPPED = "(?i):ffff:"
"""What every IPv6 spelling of an IPv4 address contains."""


def is_inside(network: str) -> ValueTest:
    """Return the test whether the value is an address inside the network."""
    wanted = ip_network(network)

    def test(value: pl.Expr, kind: Kind) -> pl.Expr:
        if kind is not Kind.STR:
            return NEVER
        is_candidate = value.str.contains(MAPPED if wanted.version == 4 else ":")
        by_hand = (
            pl.when(is_candidate)
            .then(value)
            .map_batches(partial(find_inside, wanted), return_dtype=pl.Boolean, is_elementwise=True)
        )
        if isinstance(wanted, IPv6Network):
            return by_hand
        return value.str.contains(write_expression(wanted)) | by_hand

    return test


def write_expression(network: IPv4Network) -> str:
    """Return the regular expression of an IPv4 network's addresses."""
    lowest, highest = network.network_address.packed, network.broadcast_address.packed
    octets = [write_octets(*bounds) for bounds in zip(lowest, highest, strict=True)]
    return "^" + r"\.".join(octets) + "$"


def write_octets(low: int, high: int) -> str:
    if (low, high) == (0, 255):
        return ANY_OCTET
    return f"(?:{'|'.join(map(str, range(low, high + 1)))})"


def find_inside(network: IPv4Network | IPv6Network, texts: pl.Series) -> pl.Series:
    """Return which addresses are inside the network; each distinct text is examined once."""
    inside = [text for text in texts.drop_nulls().unique() if holds(network, text)]
    return texts.is_in(inside).fill_null(value=False)


def holds(network: IPv4Network | IPv6Network, text: str) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address in network or (mapped is not None and mapped in network)
