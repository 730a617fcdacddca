"""Line filters: `|= "text"`, `|~ "expression"`, `|> "pattern"`, `|= ip("network")` and their opposites."""

from ipaddress import IPv4Address, IPv4Network

from logboom.lang.ast import MESSAGE, Everything, Filter, Regex
from logboom.lang.dialects.logql import regexes
from logboom.lang.dialects.logql.addresses import read_networks
from logboom.lang.dialects.logql.matchers import any_of, negate
from logboom.lang.dialects.logql.tokens import Token, TokenReader, decode_string

SIGNS = ("|=", "!=", "|~", "!~", "|>", "!>")
WILD = "<_>"
OCTET_BITS = 8
ANY_OCTET = "[0-9]{1,3}"


def read_line_filter(reader: TokenReader) -> Filter:
    """Read a sign and one or more texts joined by `or`; the sign may be written before each."""
    sign = reader.take().text
    tests = [read_line_test(reader, sign)]
    while reader.take_sign("or"):
        reader.take_sign(sign)
        tests.append(read_line_test(reader, sign))
    found = any_of(tests)
    is_negated = sign.startswith("!")
    if is_negated and isinstance(found, Everything) and has_variable(reader, reader.last.text):
        return found
    return negate(found) if is_negated else found


def read_line_test(reader: TokenReader, sign: str) -> Filter:
    if reader.sees("ip") and reader.sees_after("("):
        return read_address_test(reader)
    token = reader.expect_kind("string", "a text in quotes")
    text = decode_string(token.text)
    if sign.endswith("~"):
        return regexes.find_in(reader, MESSAGE, text, token)
    if sign.endswith(">"):
        return match_template(reader, text, token)
    if has_variable(reader, text):
        return regexes.find_in(reader, MESSAGE, regexes.open_variables(text), token)
    return contain(reader, text, token)


def has_variable(reader: TokenReader, text: str) -> bool:
    return reader.has_variables and regexes.has_variable(text)


def contain(reader: TokenReader, text: str, token: Token) -> Filter:
    """Return the test that the line contains the text; case matters."""
    if not text:
        return Everything()
    return Regex(MESSAGE, regexes.convert(reader, regexes.escape(text), token))


def match_template(reader: TokenReader, template: str, token: Token) -> Filter:
    """Return the test of a pattern, in which `<_>` is any text: it may start anywhere, but must match to the end."""
    pieces = template.split(WILD)
    body = ".+".join(map(regexes.escape, pieces))
    end = "$" if pieces[-1] else ""
    return Regex(MESSAGE, regexes.convert(reader, f"(?s){body}{end}", token))


def read_address_test(reader: TokenReader) -> Filter:
    """`ip("…")`: the line contains an address of the network."""
    networks, token = read_networks(reader)
    patterns = []
    for network in networks:
        if not isinstance(network, IPv4Network):
            message = (
                "addresses of version 6 cannot be searched in lines, test a field of them instead"
            )
            raise reader.refuse(message, token)
        patterns.append(write_network(network))
    body = patterns[0] if len(patterns) == 1 else f"(?:{'|'.join(patterns)})"
    expression = f"(?:^|[^0-9.]){body}(?:[^0-9.]|$)"
    return Regex(MESSAGE, regexes.convert(reader, expression, token))


def write_network(network: IPv4Network) -> str:
    """Return an expression for the addresses of a network, octet by octet."""
    first, last = split_octets(network.network_address), split_octets(network.broadcast_address)
    return r"\.".join(map(write_octet, first, last))


def split_octets(address: IPv4Address) -> list[int]:
    return list(address.packed)


def write_octet(low: int, high: int) -> str:
    if low == high:
        return str(low)
    if (low, high) == (0, 2**OCTET_BITS - 1):
        return ANY_OCTET
    return f"(?:{'|'.join(map(str, range(low, high + 1)))})"
