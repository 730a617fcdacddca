"""Slows down password guessing without locking the owner out."""

import ipaddress
import threading
from collections import OrderedDict
from typing import NamedTuple

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.errors import Overloaded

MOST_BUCKETS = 10_000
LONGEST_NAME = 64
IPV6_PREFIX = 64


class Rate(NamedTuple):
    """A burst of attempts, then one more after each pause."""

    tries: int
    pause_ns: int

    @property
    def span_ns(self) -> int:
        return self.tries * self.pause_ns


OWN_RATE = Rate(10, 60 * NS_PER_S)
"""For one account from one network, or from one device that signed in before."""
NETWORK_RATE = Rate(30, 2 * NS_PER_S)
"""For all accounts from one network."""
NEWCOMERS_RATE = Rate(100, 10 * NS_PER_S)
"""For one account from all unknown networks together, while a network has hardly tried it."""
REPEATERS_RATE = Rate(50, 20 * NS_PER_S)
"""The same for networks that keep trying."""
NEWCOMER_TRIES = 3


class Buckets:
    """A token bucket per key, stored as the time when it is full again; the least used are forgotten."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._full_ns: OrderedDict[str, int] = OrderedDict()

    def wait_ns(self, key: str, now_ns: int) -> int:
        """Return how long until an attempt is possible; 0 if it is now."""
        return max(0, self._find(key, now_ns) + self._rate.pause_ns - now_ns - self._rate.span_ns)

    def take(self, key: str, now_ns: int) -> None:
        self._full_ns[key] = self._find(key, now_ns) + self._rate.pause_ns
        self._full_ns.move_to_end(key)
        if len(self._full_ns) > MOST_BUCKETS:
            self._full_ns.popitem(last=False)

    def count_taken(self, key: str, now_ns: int) -> int:
        """Return how many attempts are used up."""
        return -(-(self._find(key, now_ns) - now_ns) // self._rate.pause_ns)

    def give_back(self, key: str) -> None:
        if key in self._full_ns:
            self._full_ns[key] -= self._rate.pause_ns

    def fill(self, key: str) -> None:
        self._full_ns.pop(key, None)

    def _find(self, key: str, now_ns: int) -> int:
        full_ns = self._full_ns.get(key, now_ns)
        latest_ns = now_ns + self._rate.span_ns
        if full_ns > latest_ns:
            # The clock was set back, which must not make anybody wait.
            full_ns = self._full_ns[key] = latest_ns
        return max(full_ns, now_ns)


class LoginThrottle:
    """Counts sign-in attempts; every method is fast.

    Each network has a few attempts at an account, and a few more at all accounts. All unknown networks together have
    a limited number of attempts at one account, which bounds distributed guessing: at most 150 at once and 540 an
    hour. Networks and devices that signed in to the account before are exempt from that limit, so that attackers
    cannot lock the owner out. Known devices are not counted with their network either.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._own = Buckets(OWN_RATE)
        self._networks = Buckets(NETWORK_RATE)
        self._newcomers = Buckets(NEWCOMERS_RATE)
        self._repeaters = Buckets(REPEATERS_RATE)
        self._known: OrderedDict[str, None] = OrderedDict()

    def check(self, username: str, address: str, device: str = "") -> None:
        """Take one attempt before the password is checked; raise Overloaded if none is left."""
        with self._lock:
            now_ns = self._clock()
            buckets = self._choose(username, address, device, now_ns)
            wait_ns = max(each.wait_ns(key, now_ns) for each, key in buckets)
            if wait_ns:
                wait_s = -(-wait_ns // NS_PER_S)
                raise Overloaded(
                    f"too many failed sign-ins, try again in {wait_s} s", retry_after_s=wait_s
                )
            for each, key in buckets:
                each.take(key, now_ns)

    def succeed(self, username: str, address: str, device: str = "") -> None:
        """Give back the attempt after a correct password, and remember the network as known."""
        network = name_network(address)
        pair = name_pair(username, network)
        with self._lock:
            self._own.fill(name_pair(username, device) if device else pair)
            if not device:
                self._networks.give_back(network)
            self._known[pair] = None
            self._known.move_to_end(pair)
            if len(self._known) > MOST_BUCKETS:
                self._known.popitem(last=False)

    def _choose(
        self, username: str, address: str, device: str, now_ns: int
    ) -> list[tuple[Buckets, str]]:
        """Return the buckets that an attempt is taken from: all of them or none."""
        if device:
            return [(self._own, name_pair(username, device))]
        network = name_network(address)
        pair = name_pair(username, network)
        chosen = [(self._own, pair), (self._networks, network)]
        if pair not in self._known:
            is_newcomer = self._own.count_taken(pair, now_ns) < NEWCOMER_TRIES
            shared = self._newcomers if is_newcomer else self._repeaters
            chosen.append((shared, fold_username(username)))
        return chosen


def fold_username(username: str) -> str:
    return username[:LONGEST_NAME].lower()


def name_pair(username: str, place: str) -> str:
    return f"{fold_username(username)} {place}"


def name_network(address: str) -> str:
    """Return an IPv4 address alone, an IPv6 address with its subnet, because one customer has all of it."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address[:LONGEST_NAME]
    if parsed.version == 4:
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed), IPV6_PREFIX), strict=False))
