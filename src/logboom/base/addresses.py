"""Addresses that the service never connects to, whoever asks for it.

In a cloud, a machine gets its credentials from an address that only it can reach. Nobody may make the service send
requests there.
"""

import ipaddress

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

METADATA = frozenset(
    map(
        ipaddress.ip_address,
        ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"),
    )
)
"""Metadata addresses of clouds that do not use a link-local address."""
NAT64 = ipaddress.ip_network("64:ff9b::/96")


def is_refused(address: IpAddress) -> bool:
    """Return whether it is link-local, a cloud's metadata service, or not the address of a single machine."""
    inner = find_inner(address)
    if inner is not None:
        return is_refused(inner)
    return (
        address.is_link_local
        or address.is_multicast
        or address.is_unspecified
        or address in METADATA
        or address == ipaddress.IPv4Address("255.255.255.255")
    )


def find_inner(address: IpAddress) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that is embedded in an IPv6 address."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def parse_address(text: str) -> IpAddress | None:
    """Return the address without its zone, or None if the text is not an address (it may be a host name)."""
    try:
        return ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
