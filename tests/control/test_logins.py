"""The throttle: guessing is slow, and nobody is locked out for good."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Overloaded
from logboom.control.logins import ACCOUNT_RATE, ADDRESS_RATE, MOST_BUCKETS, LoginThrottle

START_NS = 1_700_000_000 * NS_PER_S


class World:
    """A throttle and a clock that stands where it is put."""

    def __init__(self) -> None:
        self.now_ns = START_NS
        self.throttle = LoginThrottle(lambda: self.now_ns)

    def try_login(self, username: str = "admin", address: str = "10.0.0.1") -> int:
        """0 when the try is granted, else the seconds to wait."""
        try:
            self.throttle.check(username, address)
        except Overloaded as error:
            return int(str(error.data["retry_after_s"]))
        return 0

    def use_up(self, username: str) -> None:
        """All tries of an account, each from another address."""
        for number in range(ACCOUNT_RATE.tries):
            assert self.try_login(username, f"192.0.2.{number}") == 0


def test_ten_tries_then_one_each_five_seconds() -> None:
    world = World()
    assert [world.try_login() for _ in range(10)] == [0] * 10
    assert [world.try_login() for _ in range(10)] == [5] * 10
    world.now_ns += 3 * NS_PER_S
    assert world.try_login() == 2
    world.now_ns += 2 * NS_PER_S
    assert world.try_login() == 0
    assert world.try_login() == 5


def test_after_a_rest_all_tries_are_back() -> None:
    world = World()
    world.use_up("admin")
    world.now_ns += ACCOUNT_RATE.span_ns
    assert [world.try_login() for _ in range(11)] == [0] * 10 + [5]


def test_an_account_is_counted_over_all_addresses_and_in_any_case() -> None:
    world = World()
    world.use_up("Admin")
    assert world.try_login("aDMIN", "198.51.100.1") == 5
    assert world.try_login("other", "198.51.100.1") == 0


def test_an_address_is_counted_over_all_accounts() -> None:
    world = World()
    tries = ADDRESS_RATE.tries
    assert [world.try_login(f"user{number}") for number in range(tries)] == [0] * tries
    assert world.try_login("one more") == 2
    assert world.try_login("one more", "10.0.0.2") == 0


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("10.0.0.1", "10.0.0.2", False),
        ("", "", True),
        ("not an address", "another", False),
    ],
)
def test_neighbours_in_ipv6_share_their_tries(first: str, second: str, is_same: bool) -> None:
    world = World()
    for number in range(ADDRESS_RATE.tries):
        world.try_login(f"user{number}", first)
    assert (world.try_login("user", second) > 0) is is_same


def test_a_refused_try_costs_nothing() -> None:
    world = World()
    world.use_up("admin")
    for _ in range(1000):
        world.try_login("admin", "198.51.100.1")
    assert world.try_login("other", "198.51.100.1") == 0
    world.now_ns += ACCOUNT_RATE.pause_ns
    assert world.try_login("admin", "198.51.100.1") == 0


def test_success_costs_nothing_however_often() -> None:
    world = World()
    for _ in range(200):
        assert world.try_login() == 0
        world.throttle.succeed("admin", "10.0.0.1")


def test_success_gives_the_account_its_tries_back() -> None:
    world = World()
    for _ in range(9):
        world.try_login()
    assert world.try_login() == 0
    world.throttle.succeed("admin", "10.0.0.1")
    assert [world.try_login() for _ in range(11)] == [0] * 10 + [5]


def test_strangers_cannot_use_up_the_tries_of_who_signed_in_before() -> None:
    world = World()
    assert world.try_login() == 0
    world.throttle.succeed("admin", "10.0.0.1")
    world.use_up("admin")
    assert world.try_login("admin", "198.51.100.1") == 5
    assert world.try_login() == 0


def test_a_clock_that_is_set_back_keeps_nobody_waiting_longer() -> None:
    world = World()
    world.use_up("admin")
    world.now_ns -= 3600 * NS_PER_S
    assert world.try_login() <= 5
    world.now_ns += ACCOUNT_RATE.pause_ns
    assert world.try_login() == 0


def test_memory_is_bounded() -> None:
    world = World()
    for number in range(MOST_BUCKETS + 100):
        name, address = f"user{number}", f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        world.try_login(name, address)
        world.throttle.succeed(name, address)
        world.try_login(name + "x" * 1000, address)
    throttle = world.throttle
    held = (throttle._accounts._full_ns, throttle._addresses._full_ns, throttle._known)
    assert all(len(each) <= MOST_BUCKETS for each in held)
    assert all(len(key) < 200 for each in held for key in each)


@given(
    steps=st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=1, max_size=200),
)
def test_no_one_account_gets_more_tries_than_the_rate(steps: list[tuple[int, bool]]) -> None:
    world, granted = World(), 0
    for number, (pause_s, is_other) in enumerate(steps):
        world.now_ns += pause_s * NS_PER_S
        address = f"10.0.{number}.1" if is_other else "10.0.0.1"
        granted += world.try_login("admin", address) == 0
    elapsed_ns = world.now_ns - START_NS
    assert granted <= ACCOUNT_RATE.tries + elapsed_ns // ACCOUNT_RATE.pause_ns


@given(waits=st.lists(st.integers(0, 50), max_size=50))
def test_whoever_waits_as_told_is_let_in(waits: list[int]) -> None:
    world = World()
    for tries in waits:
        for _ in range(tries):
            world.try_login()
        wait_s = world.try_login()
        world.now_ns += wait_s * NS_PER_S
        assert not wait_s or world.try_login() == 0
