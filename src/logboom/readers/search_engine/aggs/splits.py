"""Buckets by conditions: `filter`, `filters`, `range`, `date_range`, `missing`, `nested`, samplers."""

from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
    summarize_address_range,
)
from typing import Any

from logboom.lang import ast
from logboom.lang.times import find_zone
from logboom.readers.search_engine.aggs.metrics import read_number
from logboom.readers.search_engine.aggs.nodes import Answer, Node, Split
from logboom.readers.search_engine.dsl.context import (
    EVERYTHING,
    TIME,
    Context,
    join_all,
    join_any,
    malformed,
    negate,
    unsupported,
)
from logboom.readers.search_engine.dsl.members import (
    Members,
    read_flag,
    read_list,
    read_object,
    read_text,
    show,
)
from logboom.readers.search_engine.dsl.times import between, read_period
from logboom.readers.search_engine.hits.moments import NS_PER_MS, format_moment

Network = IPv4Network | IPv6Network
IPV4 = 4
IPV4_ALL, IPV6_ALL = IPv4Network("0.0.0.0/0"), IPv6Network("::/0")
MOST_CONDITIONS = 200
NAME = "\0name"
"""The name of a bucket in an answer that is an object of buckets; it is never sent."""


class Named(Split, frozen=True, kw_only=True):
    """Buckets as a list, or as an object by their names."""

    keyed: bool

    def finish(self, buckets: list[Answer]) -> Answer:
        names = [bucket.pop(NAME, None) for bucket in buckets]
        if not self.keyed:
            return {"buckets": buckets}
        for bucket in buckets:
            bucket.pop("key", None)
        return {"buckets": dict(zip(names, buckets, strict=True))}


class Alone(Split, frozen=True, kw_only=True):
    """One bucket."""

    is_single = True

    def finish(self, buckets: list[Answer]) -> Answer:
        return buckets[0]


def read_filter(options: object, inner: dict[str, Node], context: Context) -> Split:
    condition = EVERYTHING if options == {} else context.read(options, context)
    return Alone(type="filter", inner=inner, conditions=(({}, condition),))


def read_missing(options: Members, inner: dict[str, Node], context: Context) -> Split:
    condition = negate(ast.Exists(context.names.find(options.get("field"))))
    return Alone(type="missing", inner=inner, conditions=(({}, condition),))


def read_all(kind: str, inner: dict[str, Node]) -> Split:
    """Read a bucket of all events.

    Objects inside events are not events of their own here, so that `nested` counts every event once; and samples
    are not needed, because all events are looked at.
    """
    return Alone(type=kind, inner=inner, conditions=(({}, EVERYTHING),))


def read_filters(options: Members, inner: dict[str, Node], context: Context) -> Split:
    written = options.get("filters")
    is_named = isinstance(written, dict)
    if not is_named and not isinstance(written, list):
        raise malformed(f"[filters] is {show(written)}, expected an object or a list of queries")
    named: dict[str, Any] = dict(written) if is_named else dict(enumerate(written))  # type: ignore[arg-type]
    conditions = [
        ({NAME: name} if is_named else {}, context.read(query, context))
        for name, query in named.items()
    ]
    other = options.get("other_bucket_key")
    if other is not None or read_flag(options.get("other_bucket", False), "other_bucket"):
        rest = negate(join_any([condition for _, condition in conditions]))
        conditions.append(({NAME: other or "_other_"} if is_named else {}, rest))
    return Named(type="filters", inner=inner, conditions=check(conditions), keyed=is_named)


def check(conditions: list[tuple[Answer, ast.Filter]]) -> tuple[tuple[Answer, ast.Filter], ...]:
    if not 0 < len(conditions) <= MOST_CONDITIONS:
        raise unsupported(f"{len(conditions)} buckets, expected 1 to {MOST_CONDITIONS}")
    return tuple(conditions)


def read_range(options: Members, inner: dict[str, Node], context: Context) -> Split:
    field = context.names.find(options.get("field"))
    conditions = []
    for each in read_list(options.get("ranges", [])):
        limits = read_object(each, "ranges")
        low, high = (
            None if limits.get(side) is None else read_number(limits[side], side)
            for side in ("from", "to")
        )
        begin: Answer = {"key": limits.get("key", f"{write_limit(low)}-{write_limit(high)}")}
        begin |= {} if low is None else {"from": float(low)}
        begin |= {} if high is None else {"to": float(high)}
        tests: list[ast.Filter] = [ast.Exists(field)]
        tests += [] if low is None else [ast.Compare(field, ">=", ast.Quantity(low))]
        tests += [] if high is None else [ast.Compare(field, "<", ast.Quantity(high))]
        conditions.append(({NAME: begin["key"], **begin}, join_all(tests)))
    keyed = read_flag(options.get("keyed", False), "keyed")
    return Named(type="range", inner=inner, conditions=check(conditions), keyed=keyed)


def read_ip_range(options: Members, inner: dict[str, Node], context: Context) -> Split:
    """Read ranges of addresses of one version, as masks or from one address up to but without another."""
    field = context.names.find(options.get("field"))
    conditions = []
    for each in read_list(options.get("ranges", [])):
        limits = read_object(each, "ranges")
        low, high, networks = read_addresses(limits)
        named = limits.get("mask", f"{low or '*'}-{high or '*'}")
        begin: Answer = {"key": limits.get("key", named)}
        begin |= {} if low is None else {"from": low}
        begin |= {} if high is None else {"to": high}
        tests: list[ast.Filter] = [ast.Network(field, str(network)) for network in networks]
        context.allowance.spend(len(tests))
        conditions.append(({NAME: begin["key"], **begin}, join_any(tests)))
    keyed = read_flag(options.get("keyed", False), "keyed")
    return Named(type="ip_range", inner=inner, conditions=check(conditions), keyed=keyed)


def read_addresses(limits: Members) -> tuple[str | None, str | None, list[Network]]:
    """Return the first address of a range and the one after it, and the networks in between."""
    try:
        if "mask" in limits:
            network = ip_network(str(limits["mask"]), strict=False)
            last = network.broadcast_address
            after = None if int(last) == find_last(network.version) else str(last + 1)
            return str(network.network_address), after, [network]
        low, high = (limits.get(side) for side in ("from", "to"))
        given = [ip_address(str(each)) for each in (low, high) if each is not None]
        [version] = {each.version for each in given}
        make = IPv4Address if version == IPV4 else IPv6Address
        end = find_last(version) if high is None else int(given[-1]) - 1
        first = make(0 if low is None else int(given[0]))
        return low, high, [*summarize_address_range(first, make(end))]
    except ValueError as error:
        raise unsupported(
            f"[ip_range] {show(dict(limits))}, expected addresses or a mask"
        ) from error


def find_last(version: int) -> int:
    """Return the number of the last address."""
    return int((IPV4_ALL if version == IPV4 else IPV6_ALL).broadcast_address)


def write_limit(limit: float | None) -> str:
    return "*" if limit is None else str(float(limit))


def read_date_range(options: Members, inner: dict[str, Node], context: Context) -> Split:
    if context.names.find(options.get("field")) != TIME:
        raise unsupported("[date_range] of another field, expected @timestamp")
    zone = find_zone(read_text(options, "time_zone", "UTC"))
    format_ = read_text(options, "format", "")
    conditions = []
    for each in read_list(options.get("ranges", [])):
        limits = read_object(each, "ranges")
        times = [
            None
            if limits.get(side) is None
            else read_period(limits[side], context.now_ns, zone, format_)[0]
            for side in ("from", "to")
        ]
        texts = ["*" if each is None else format_moment(each, format_, zone) for each in times]
        begin: Answer = {"key": limits.get("key", "-".join(texts))}
        for side, time_ns, text in zip(("from", "to"), times, texts, strict=True):
            if time_ns is not None:
                begin |= {side: time_ns // NS_PER_MS, f"{side}_as_string": text}
        conditions.append(({NAME: begin["key"], **begin}, between(*times)))
    keyed = read_flag(options.get("keyed", False), "keyed")
    return Named(type="date_range", inner=inner, conditions=check(conditions), keyed=keyed)
