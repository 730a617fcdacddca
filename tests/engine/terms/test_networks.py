"""Which texts are addresses inside a network, compared with Python's own addresses."""

from ipaddress import IPv6Address, ip_address, ip_network

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.together import together

from logboom.engine.rows.values import Value
from logboom.engine.terms.networks import is_inside
from logboom.model.columns import Kind


def find(network: str, texts: list[str | None]) -> list[bool]:
    frame = pl.DataFrame({"text": texts}, schema={"text": pl.String})
    value = Value({Kind.STR: pl.col("text")})
    return frame.select(value.passes(is_inside(network))).to_series().to_list()


@together(
    ("network", "inside", "outside"),
    [
        ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0", "10.0.0"]),
        ("10.0.0.0/8", ["::ffff:10.1.1.1", "::FFFF:0a01:0101"], ["::ffff:11.1.1.1", "::10.1.1.1"]),
        ("192.168.1.64/26", ["192.168.1.64", "192.168.1.127"], ["192.168.1.63", "192.168.1.128"]),
        ("1.2.3.4/32", ["1.2.3.4"], ["1.2.3.40", "11.2.3.4", "1.2.3.4 ", "1.2.3.4:80", "1x2.3.4"]),
        (
            "0.0.0.0/0",
            ["0.0.0.0", "255.255.255.255"],
            ["256.0.0.0", "01.2.3.4", "1.2.3", "", "::1"],
        ),
        ("2001:db8::/32", ["2001:db8::1", "2001:0DB8:0:0::5"], ["2001:db9::", "10.0.0.1", "word"]),
        ("::/0", ["::1", "fe80::1%eth0", "::ffff:10.0.0.1"], ["10.0.0.1", "1:2", "a:b"]),
    ],
)
def test_addresses_are_inside_or_not(network: str, inside: list[str], outside: list[str]) -> None:
    assert find(network, [*inside, *outside, None]) == [
        *([True] * len(inside)),
        *([False] * (len(outside) + 1)),
    ]


addresses = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)).map(str)
octets = st.lists(st.integers(0, 260), min_size=3, max_size=5).map(lambda o: ".".join(map(str, o)))
mapped = st.ip_addresses(v=4).map(lambda address: f"::ffff:{address}")


@settings(max_examples=examples(150), deadline=None)
@given(
    base=addresses,
    bits=st.integers(0, 128),
    texts=st.lists(st.one_of(addresses, octets, mapped), max_size=20),
)
def test_the_same_are_inside_as_by_hand(base: str, bits: int, texts: list[str]) -> None:
    longest = ip_address(base).max_prefixlen
    network = ip_network(f"{base}/{min(bits, longest)}", strict=False)
    texts = [*texts, base, str(network.broadcast_address)]

    def holds(text: str) -> bool:
        try:
            address = ip_address(text)
        except ValueError:
            return False
        mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        return address in network or (mapped is not None and mapped in network)

    assert find(str(network), list(texts)) == [holds(text) for text in texts]
