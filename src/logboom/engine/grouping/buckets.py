"""Buckets: times, numbers and addresses rounded down, so that they can be grouped by."""

from datetime import tzinfo

import polars as pl

from logboom.engine.expressions.arguments import settle
from logboom.engine.expressions.networks import find_network
from logboom.engine.expressions.numeric import narrow, read_numbers, unify_numbers, widen
from logboom.engine.rows.distinct import Distinct
from logboom.engine.rows.division import floor_multiple
from logboom.engine.rows.values import MAX_INT, MIN_INT, NS_PER_S, Value
from logboom.engine.terms.networks import ANY_OCTET
from logboom.engine.terms.spans import floor_times
from logboom.lang import ast
from logboom.model.columns import Kind

ADDRESS = "^" + r"\.".join([ANY_OCTET] * 4) + "$"
"""An IPv4 address."""
ADDRESS_BITS = 32


def floor_value(value: Value, bucket: ast.Quantity, zone: tzinfo, frame: pl.DataFrame) -> Value:
    """Round times down to the start of their span, numbers to a multiple, in which a duration counts in seconds.

    Values that are used repeatedly are computed first: otherwise the expressions would grow with each step.
    """
    numbers = unify_numbers(read_numbers(value))
    is_simple = not {Kind.STR, Kind.FLOAT} & value.parts.keys()
    parts = dict(numbers.parts if is_simple else settle(numbers.parts, frame).parts)
    floored: dict[Kind, pl.Expr] = {}
    if Kind.TIME in parts:
        floored[Kind.TIME] = floor_times(parts.pop(Kind.TIME), bucket, zone)
    size = bucket.scaled / NS_PER_S if bucket.is_duration else bucket.scaled
    for kind, part in parts.items():
        is_whole = kind is Kind.INT and size == int(size)
        found = (
            floor_whole(part, int(size), frame)
            if is_whole
            else {Kind.FLOAT: floor_multiple(part, float(size))}
        )
        floored |= {own: pl.coalesce(floored.get(own, each), each) for own, each in found.items()}
    return unify_numbers(settle(floored, frame) if Kind.FLOAT in floored else Value(floored))


def floor_whole(part: pl.Expr, size: int, frame: pl.DataFrame) -> dict[Kind, pl.Expr]:
    """Return integers rounded down, as floats where the multiple below needs more than 64 bits."""
    if size > MAX_INT:
        return {Kind.FLOAT: floor_multiple(part, float(size))}
    lowest = frame.select(part.min()).item()
    if lowest is None or lowest >= MIN_INT + size:
        return {Kind.INT: part - part % size}
    exact = narrow(widen(part) - widen(part) % size)
    return {Kind.INT: exact, Kind.FLOAT: pl.when(exact.is_null()).then(floor_multiple(part, size))}


def find_networks(value: Value, bits: int, frame: pl.DataFrame) -> Value:
    """Return the networks of addresses, as text; null for anything else."""
    text = value.parts.get(Kind.STR)
    if text is None:
        return Value()
    is_plain = text.str.contains(ADDRESS)
    others = pl.when(~is_plain, text.str.contains(":", literal=True)).then(text)
    spelled = Distinct.of(frame, [others]).map(lambda each: find_network(each, bits), Kind.STR)
    found = pl.lit(spelled[Kind.STR])
    if bits <= ADDRESS_BITS:
        number = frame.select(pl.when(is_plain).then(read_address(text))).to_series()
        found = pl.coalesce(write_network(number, bits), found)
    return Value({Kind.STR: found})


def read_address(text: pl.Expr) -> pl.Expr:
    """Return the number of an IPv4 address."""
    octets = text.str.split_exact(".", 3)
    number = pl.lit(0, pl.Int64)
    for place in range(4):
        number = number * 256 + octets.struct[place].cast(pl.Int64, strict=False)
    return number


def write_network(addresses: pl.Series, bits: int) -> pl.Expr:
    """Return the network of an address, with this many bits."""
    network = pl.lit(addresses - addresses % 2 ** (ADDRESS_BITS - bits))
    octets = [(network // 256**place % 256).cast(pl.String) for place in (3, 2, 1, 0)]
    return pl.concat_str(pl.concat_str(octets, separator="."), pl.lit(f"/{bits}"))
