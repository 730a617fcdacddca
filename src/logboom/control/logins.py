"""Slowing down those who guess passwords, without locking anybody out for good."""

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
    """So many tries at once, then one more after each pause."""

    tries: int
    pause_ns: int

    @property
    def span_ns(self) -> int:
        return self.tries * self.pause_ns


ACCOUNT_RATE = Rate(10, 5 * NS_PER_S)
ADDRESS_RATE = Rate(30, 2 * NS_PER_S)


class Buckets:
    """One bucket of tries for each key, kept as the time when it is full again; the least used are forgotten."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._full_ns: OrderedDict[str, int] = OrderedDict()

    def wait_ns(self, key: str, now_ns: int) -> int:
        """How long until there is a try; 0 when there is one."""
        return max(0, self._find(key, now_ns) + self._rate.pause_ns - now_ns - self._rate.span_ns)

    def take(self, key: str, now_ns: int) -> None:
        self._full_ns[key] = self._find(key, now_ns) + self._rate.pause_ns
        self._full_ns.move_to_end(key)
        if len(self._full_ns) > MOST_BUCKETS:
            self._full_ns.popitem(last=False)

    def give_back(self, key: str) -> None:
        if key in self._full_ns:
            self._full_ns[key] -= self._rate.pause_ns

    def fill(self, key: str) -> None:
        self._full_ns.pop(key, None)

    def _find(self, key: str, now_ns: int) -> int:
        full_ns = self._full_ns.get(key, now_ns)
        latest_ns = now_ns + self._rate.span_ns
        if full_ns > latest_ns:
            # The clock was set back, which must not keep anybody waiting.
            full_ns = self._full_ns[key] = latest_ns
        return max(full_ns, now_ns)


class LoginThrottle:
    """Tries are counted by account and by address; every method is quick.

    Who signed in to an account from an address before has tries of their own there: strangers who keep
    guessing cannot use them up.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._accounts = Buckets(ACCOUNT_RATE)
        self._addresses = Buckets(ADDRESS_RATE)
        self._known: OrderedDict[str, None] = OrderedDict()

    def check(self, username: str, address: str) -> None:
        """Take one try before the password is looked at; Overloaded when there is none."""
        network = name_network(address)
        with self._lock:
            now_ns = self._clock()
            account = self._name_account(username, network)
            wait_ns = max(
                self._accounts.wait_ns(account, now_ns), self._addresses.wait_ns(network, now_ns)
            )
            if wait_ns:
                wait_s = -(-wait_ns // NS_PER_S)
                raise Overloaded(
                    f"too many failed sign-ins, try again in {wait_s} s", retry_after_s=wait_s
                )
            self._accounts.take(account, now_ns)
            self._addresses.take(network, now_ns)

    def succeed(self, username: str, address: str) -> None:
        """The password was right: the tries of the account are forgotten, and this one costs nothing."""
        network = name_network(address)
        with self._lock:
            self._accounts.fill(self._name_account(username, network))
            self._addresses.give_back(network)
            self._known[name_pair(username, network)] = None
            self._known.move_to_end(name_pair(username, network))
            if len(self._known) > MOST_BUCKETS:
                self._known.popitem(last=False)

    def _name_account(self, username: str, network: str) -> str:
        pair = name_pair(username, network)
        return pair if pair in self._known else fold_username(username)


def fold_username(username: str) -> str:
    return username[:LONGEST_NAME].lower()


def name_pair(username: str, network: str) -> str:
    return f"{fold_username(username)} {network}"


def name_network(address: str) -> str:
    """An IPv4 address alone, an IPv6 address with its neighbours: one customer has them all."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address[:LONGEST_NAME]
    if parsed.version == 4:
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed), IPV6_PREFIX), strict=False))
